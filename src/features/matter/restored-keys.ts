import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

/**
 * Keys of homes and devices that came with another host's backup. Two hubs with the same keys disturb each other, so
 * Matter stays off until an owner has confirmed that the other one is off for good.
 */
export class RestoredKeys {
  readonly #mark: string;
  #areHeld: boolean;

  /** @param mark the file that a restore puts beside such keys */
  constructor(mark: string) {
    this.#mark = mark;
    this.#areHeld = existsSync(mark);
  }

  /** Whether nobody has confirmed it yet. */
  get areHeld(): boolean {
    return this.#areHeld;
  }

  /** Called on an owner's confirmation: the keys are this hub's from now on. */
  async takeOver(): Promise<void> {
    await rm(this.#mark, { force: true });
    this.#areHeld = false;
  }
}
