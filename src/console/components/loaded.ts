import { useEffect, useRef, useState } from "preact/hooks";
import { isOvertaken, nextMoment } from "../overtaken.ts";
import { sayError } from "./toast.tsx";

/**
 * Loads something once, when it is first shown: null until then. `load` requests it again; failures are reported. Of
 * two answers the one that was requested later stays, whichever comes first.
 */
export function useLoaded<Value>(
  ask: () => Promise<Value>,
): readonly [value: Value | null, load: () => void, set: (value: Value) => void] {
  const [value, setValue] = useState<Value | null>(null);
  const place = useRef(null);
  const set = (next: Value, asked = nextMoment()): void => {
    if (!isOvertaken(place, asked)) setValue(() => next);
  };
  const load = (): void => {
    const asked = nextMoment();
    void ask()
      .then((next) => set(next, asked))
      .catch(sayError);
  };
  useEffect(load, []);
  return [value, load, set];
}
