import { useEffect, useState } from "preact/hooks";
import { sayError } from "./toast.tsx";

/** Loads something once, when it is first shown: null until then. `load` requests it again; failures are reported. */
export function useLoaded<Value>(
  ask: () => Promise<Value>,
): readonly [value: Value | null, load: () => void, set: (value: Value) => void] {
  const [value, setValue] = useState<Value | null>(null);
  const load = (): void => void ask().then(setValue).catch(sayError);
  useEffect(load, []);
  return [value, load, setValue];
}
