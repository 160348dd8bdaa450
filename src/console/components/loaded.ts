import { useEffect, useState } from "preact/hooks";
import { sayError } from "./toast.tsx";

/** What is asked of the hub once, when it is first shown: null until it is there. `load` asks again; what fails is said. */
export function useLoaded<Value>(
  ask: () => Promise<Value>,
): readonly [value: Value | null, load: () => void, set: (value: Value) => void] {
  const [value, setValue] = useState<Value | null>(null);
  const load = (): void => void ask().then(setValue).catch(sayError);
  useEffect(load, []);
  return [value, load, setValue];
}
