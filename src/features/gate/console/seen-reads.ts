/**
 * Which plate reads are new to the signed-in person. The hub keeps one mark per person, up to which all are seen; the
 * page remembers single reads after it.
 */
import { computed, signal } from "@preact/signals";
import { get, post } from "../../../console/api.ts";
import { type GateRead, loaded, reads } from "../../../console/store.ts";

/** Up to this id all are seen; null until it is known, and then nothing is marked as new. */
const upTo = signal<number | null>(null);
/** Reads after it that were opened here. */
const opened = signal<ReadonlySet<number>>(new Set());

/** Whether the hub has been asked: what is new is known from then on, or cannot be. */
export const seenAsked = signal(false);

/** Whether the person has not looked at a read yet. On somebody's first visit nothing is unread. */
export function isUnread(read: GateRead): boolean {
  return upTo.value !== null && read.id > upTo.value && !opened.value.has(read.id);
}

/** How many of the newest reads are unread. */
export const unreadCount = computed(() => reads.value.filter(isUnread).length);

/** Marks a read as seen. If no older one is unread, the hub records it too. */
export function markSeen(id: number): void {
  if (upTo.value === null || id <= upTo.value) return;
  opened.value = new Set([...opened.value, id]);
  const known = [...reads.value].sort((left, right) => left.id - right.id);
  const firstUnread = known.findIndex(isUnread);
  const seen = known.slice(0, firstUnread < 0 ? known.length : firstUnread).at(-1);
  // Reads older than those loaded stay as they are until all are marked.
  if (seen !== undefined && seen.id > upTo.value && known.some((read) => read.id <= (upTo.value ?? 0))) tell(seen.id);
}

/** Marks all loaded reads as seen. */
export function markAllSeen(): void {
  tell(Math.max(upTo.value ?? 0, ...reads.value.map(({ id }) => id)));
}

/** Asks the hub what this person has seen, here or elsewhere. From the first visit on, new reads are unread. */
export async function askSeen(): Promise<void> {
  const { seen } = await get("/api/seen-reads").finally(() => {
    seenAsked.value = true;
  });
  if (seen.upToId !== null) upTo.value = Math.max(upTo.value ?? 0, seen.upToId);
  else if (loaded.value) markAllSeen();
}

function tell(id: number): void {
  upTo.value = id;
  void post("/api/seen-reads", { body: { upToId: id } }).catch(() => {}); // sent again with the next one
}
