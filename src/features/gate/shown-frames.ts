import { createHash } from "node:crypto";
import { FairMemory } from "../../core/kernel/fair-memory.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import { ShownFrameTable } from "./tables/shown-frame.ts";

/** Frames of a camera that are remembered; a busy gate makes them in a few weeks. */
const MOST_OF_CAMERA = 5_000;
/** Frames of all cameras that are in memory too: what is not written yet is among them. */
const MOST_IN_MEMORY = 2_000;

/**
 * The frames that the cameras have shown: one that comes again, byte for byte, from whichever of them, shows nothing
 * new, and must not open a gate. Remembered across restarts.
 */
export class ShownFrames {
  readonly #database: Database;
  readonly #table: ShownFrameTable;
  readonly #logger: Logger;
  readonly #recent = new FairMemory<true>(MOST_IN_MEMORY);

  constructor({ database, logger }: { readonly database: Database; readonly logger: Logger }) {
    this.#database = database;
    this.#table = new ShownFrameTable(database);
    this.#logger = logger;
  }

  /**
   * Says for each frame of a capture whether it is shown for the first time, and notes all of them: the next request
   * gets no for them.
   */
  claim(deviceId: string, frames: readonly Uint8Array[]): boolean[] {
    const digests = frames.map((frame) => createHash("sha256").update(frame).digest().subarray(0, 16));
    const isNew = digests.map((digest) => !this.#recent.has(digest.toString("hex")) && !this.#table.has(digest));
    const fresh = digests.filter((_, at) => isNew[at] === true);
    for (const digest of fresh) this.#recent.set(deviceId, digest.toString("hex"), true);
    if (fresh.length > 0)
      this.#database
        .writeIfPossible(() => this.#table.note(deviceId, fresh, MOST_OF_CAMERA))
        .catch((error: unknown) => this.#logger.warn({ deviceId, err: error }, "frames could not be noted as shown"));
    return isNew;
  }
}
