import { useEffect } from "preact/hooks";
import { onFact } from "../../../console/live.ts";

/** Several changes that come together are one to look at. */
const CHANGE_MS = 300;

/** Calls `load` when somebody has joined or gone, or may do other things than before. */
export function usePersonsChanged(load: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onFact("persons.changed", () => {
      clearTimeout(timer);
      timer = setTimeout(load, CHANGE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
}
