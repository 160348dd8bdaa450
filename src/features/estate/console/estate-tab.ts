import { signal } from "@preact/signals";
import { get } from "../../../console/api.ts";

/** Whether the hub is in an estate; null until it has been asked. Asked once: joining restarts the hub. */
export const inEstate = signal<boolean | null>(null);
let asked = false;

/** Asks the hub once whether it is in an estate. */
export function askForEstate(): void {
  if (asked) return;
  asked = true;
  get("/api/estate").then(
    ({ estate }) => {
      inEstate.value = estate !== null;
    },
    () => {
      asked = false;
    },
  );
}
