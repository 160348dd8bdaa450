import type { Logger } from "../kernel/logger.js";

/** A class of what can go before the disk is full. `give` removes the oldest of it and answers whether anything went. */
export interface RoomClass {
  readonly name: string;
  readonly give: () => Promise<boolean>;
}

const MOST_STEPS = 200;

/**
 * Frees room from the least to the most dear class, oldest first, until as much is free as is wanted. Answers the names of the classes that gave.
 * What is in the database gives its pages to the next rows, not to the disk: it has quotas of its own.
 */
export async function makeRoom(options: {
  readonly freeBytes: () => number;
  readonly wantedBytes: number;
  readonly classes: readonly RoomClass[];
  readonly logger: Logger;
}): Promise<string[]> {
  const { freeBytes, wantedBytes, classes, logger } = options;
  const gave: string[] = [];
  for (const { name, give } of classes) {
    for (let step = 0; step < MOST_STEPS && freeBytes() < wantedBytes; step++) {
      if (!(await give())) break;
      if (gave.at(-1) !== name) gave.push(name);
    }
  }
  if (gave.length > 0) logger.warn({ gave, freeBytes: freeBytes(), wantedBytes }, "the disk is nearly full: the oldest went");
  return gave;
}
