import { useEffect, useRef, useState } from "preact/hooks";
import { sayError } from "./toast.tsx";

/**
 * Loads something once, when it is first shown: null until then. `load` requests it again; failures are reported. Of
 * two answers the one that was requested later stays, whichever comes first.
 */
export function useLoaded<Value>(
  ask: () => Promise<Value>,
): readonly [value: Value | null, load: () => void, set: (value: Value) => void] {
  const [value, setValue] = useState<Value | null>(null);
  const requests = useRef({ made: 0, shown: 0 });
  const set = (next: Value, request = ++requests.current.made): void => {
    if (request < requests.current.shown) return;
    requests.current.shown = request;
    setValue(() => next);
  };
  const load = (): void => {
    const request = ++requests.current.made;
    void ask()
      .then((next) => set(next, request))
      .catch(sayError);
  };
  useEffect(load, []);
  return [value, load, set];
}
