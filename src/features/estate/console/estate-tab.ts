import { signal } from "@preact/signals";
import { get } from "../../../console/api.ts";

const inEstate = signal(false);
let asked = false;

/** Whether the hub is in an estate, as far as is known. It is asked once: joining restarts the hub. */
export function isInEstate(): boolean {
  if (!asked) {
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
  return inEstate.value;
}
