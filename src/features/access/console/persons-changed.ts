import { useEffect } from "preact/hooks";
import { askAfter } from "../../../console/live.ts";

/** Calls `load` when somebody has joined or gone, or may do other things than before. */
export function usePersonsChanged(load: () => void): void {
  useEffect(() => askAfter(["persons.changed"], async () => load()), []);
}
