import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

/**
 * Keys of homes and devices that came with another box's backup. Two hubs with the same keys disturb each other, so
 * Matter rests until an owner has said that the other one is off for good.
 */
export class RestoredKeys {
  readonly #mark: string;
  #areHeld: boolean;

  /** @param mark the file that a restore puts beside such keys */
  constructor(mark: string) {
    this.#mark = mark;
    this.#areHeld = existsSync(mark);
  }

  /** Whether nobody has said so yet. */
  get areHeld(): boolean {
    return this.#areHeld;
  }

  /** An owner says so: the keys are this hub's from now on. */
  async takeOver(): Promise<void> {
    await rm(this.#mark, { force: true });
    this.#areHeld = false;
  }
}
