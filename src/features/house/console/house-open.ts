import { signal } from "@preact/signals";

/** Whether the sheet of the house is open. */
export const isHouseOpen = signal(false);
