/** The first run in this browser: its second step is asked until it is answered, also after a reload. */
import { signal } from "@preact/signals";

/** Where this browser remembers that the hub was claimed in it and nobody has said yet where the house is. */
const OPEN = "gatehouse.first-run";

/** Whether the step "where is it?" is still to be answered here. */
export const isSiteAsked = signal(localStorage.getItem(OPEN) !== null);

/** The hub has an owner now; the house is asked about next. */
export function beginSite(): void {
  localStorage.setItem(OPEN, "site");
}

/** The house is known, or does not matter: the console follows. */
export function endSite(): void {
  localStorage.removeItem(OPEN);
  isSiteAsked.value = false;
}
