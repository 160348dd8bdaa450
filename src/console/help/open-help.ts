/** Which section of the manual lies over the page; `src/console/app.tsx` shows it. */
import { signal } from "@preact/signals";
import type { HelpPlace } from "./chapters.ts";

/** What the sheet of the manual gets. */
export interface HelpProps {
  readonly place: HelpPlace;
  /** The button that opened it: the focus returns to it. */
  readonly opener: HTMLElement;
}

/** What is open; null: nothing. */
export const openedHelp = signal<HelpProps | null>(null);

/** Opens a section, or closes the manual where it is open. */
export function toggleHelp(place: HelpPlace, opener: HTMLElement): void {
  openedHelp.value = openedHelp.value === null ? { place, opener } : null;
}

/** Closes the manual. */
export function closeHelp(): void {
  openedHelp.value = null;
}
