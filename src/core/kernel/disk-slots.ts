import { Slots } from "./slots.ts";

/**
 * Of the four threads that serve all files of the process, at most this many wait for the disk here, so that one is
 * free for the log and readers of files.
 */
const MOST = 2;

const slots = new Slots(MOST);

/** Runs a wait for the disk when it is its turn. */
export function withDiskSlot<Answer>(wait: () => Promise<Answer>): Promise<Answer> {
  return slots.run(wait);
}
