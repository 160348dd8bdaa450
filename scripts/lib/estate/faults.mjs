// @ts-check
import { setTimeout as pause } from "node:timers/promises";

/** @typedef {import("./town.mjs").Node} Node */
/** @typedef {import("./town.mjs").HubAt} HubAt */
/** @typedef {import("../faults/random.mjs").Random} Random */

/** Kills processes and pulls cables until it is stopped; then restores everything. */
export class Faults {
  /** @type {string[]} */
  done = [];
  lastAt = 0;
  #isEnded = false;
  #busy = 0;
  /** @type {Set<unknown>} */
  #harmed = new Set();

  /** @param {Random} random @param {readonly HubAt[]} gates @param {readonly Node[]} nodes */
  constructor(random, gates, nodes) {
    this.random = random;
    this.victims = [...gates, ...nodes];
  }

  async run() {
    while (!this.#isEnded) {
      await pause(this.random.int(2_000, 9_000));
      if (this.#isEnded || this.#busy >= 2) continue;
      void this.#commit();
    }
    while (this.#busy > 0) await pause(100);
  }

  end() {
    this.#isEnded = true;
  }

  async #commit() {
    const victim = this.random.of(this.victims);
    const lasts = this.random.int(1_000, 8_000);
    if (this.#harmed.has(victim)) return; // one fault at a time for each, also while it starts
    this.#harmed.add(victim);
    this.#busy += 1;
    this.lastAt = performance.now();
    if (this.random.next() < 0.5) {
      this.done.push(`kill ${victim.place.name}`);
      await victim.kill();
      await pause(lasts);
      await victim.start();
    } else {
      this.done.push(`cut ${victim.place.name}`);
      victim.place.cut();
      await pause(lasts);
      victim.place.mend();
    }
    this.lastAt = performance.now();
    this.#harmed.delete(victim);
    this.#busy -= 1;
  }
}
