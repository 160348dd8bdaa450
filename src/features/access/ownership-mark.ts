import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../core/kernel/logger.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";

const FILE = "owned";

/**
 * A file beside the database that records that this hub has an owner. If the database is lost, the hub is not mistaken
 * for a new one, which the first visitor of its page could claim. A factory reset deletes it with everything else.
 */
export class OwnershipMark {
  readonly #file: string;

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, FILE);
  }

  /** Any file there counts: a hub mistaken for a new one could be claimed by anybody. */
  get isSet(): boolean {
    try {
      return lstatSync(this.#file, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true; // the system cannot tell, so it may exist
    }
  }

  /** Sets the mark; a failed write is logged, and the next start tries again. */
  async set(logger: Logger): Promise<void> {
    if (this.isSet) return;
    try {
      await writeFileAtomic(this.#file, "This hub has an owner. A factory reset removes this file.\n");
    } catch (error) {
      logger.warn({ err: error }, "the mark of an owned hub could not be written");
    }
  }
}
