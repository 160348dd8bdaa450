import type { Logger } from "../kernel/logger.ts";

/** A class of data that can be deleted before the disk is full. */
export interface RoomClass {
  readonly name: string;
  /** Removes its oldest data and returns whether anything was deleted. */
  readonly give: () => Promise<boolean>;
  /** A class that is dearer gives later: only while this is true. */
  readonly needed?: () => boolean;
}

const MOST_STEPS = 200;

/**
 * Frees room from the least to the most valuable class, oldest first, until enough is free. Returns the names of the
 * classes that gave room. A failing class does not stop the others.
 */
export async function makeRoom(options: {
  readonly freeBytes: () => number;
  readonly wantedBytes: number;
  readonly classes: readonly RoomClass[];
  readonly logger: Logger;
}): Promise<string[]> {
  const { freeBytes, wantedBytes, classes, logger } = options;
  const gave: string[] = [];
  for (const { name, give, needed = () => true } of classes) {
    try {
      for (let step = 0; step < MOST_STEPS && freeBytes() < wantedBytes && needed(); step++) {
        if (!(await give())) break;
        if (gave.at(-1) !== name) gave.push(name);
      }
    } catch (error) {
      logger.error({ name, err: error }, "no disk space could be freed here");
    }
  }
  if (gave.length > 0)
    logger.warn(
      { gave, freeBytes: freeBytes(), wantedBytes },
      "the disk is nearly full: the oldest entries were deleted",
    );
  return gave;
}
