import { computed, signal } from "@preact/signals";
import { type PlateRead, reads } from "../store.js";

/** Which reads this browser has shown to somebody: all up to a number, and single ones after it. */
interface Seen {
  readonly upTo: number;
  readonly opened: readonly number[];
}

const KEY = "gatehouse.seenReads";
/** Single reads that are remembered. */
const MOST_OPENED = 200;

const seen = signal<Seen | null>(stored());

function stored(): Seen | null {
  try {
    const { upTo, opened } = JSON.parse(localStorage.getItem(KEY) ?? "null") as Seen; // written below; anything else ends in the catch
    return Number.isInteger(upTo) && Array.isArray(opened) ? { upTo, opened } : null;
  } catch {
    return null;
  }
}

function remember(next: Seen): void {
  seen.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // without storage it lasts as long as the page
  }
}

/** Whether nobody has looked at a read here yet. Whoever comes for the first time has nothing unread. */
export function isUnread(read: PlateRead): boolean {
  const known = seen.value;
  return known !== null && read.id > known.upTo && !known.opened.includes(read.id);
}

/** How many of the newest reads are unread. */
export const unreadCount = computed(() => reads.value.filter(isUnread).length);

/** A read was opened. */
export function markSeen(id: number): void {
  const { upTo, opened } = seen.value ?? { upTo: 0, opened: [] };
  if (id > upTo && !opened.includes(id)) remember({ upTo, opened: [...opened, id].slice(-MOST_OPENED) });
}

/** All that are there were looked at. */
export function markAllSeen(): void {
  remember({ upTo: Math.max(seen.value?.upTo ?? 0, ...reads.value.map(({ id }) => id)), opened: [] });
}

/** From the first visit on, what comes is new. */
export function beginSeen(): void {
  if (seen.value === null && reads.value.length > 0) markAllSeen();
}
