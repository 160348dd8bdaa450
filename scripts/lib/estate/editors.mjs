// @ts-check
import { setTimeout as pause } from "node:timers/promises";

/** @typedef {import("./faults.mjs").Faults} Faults */
/** @typedef {import("./town.mjs").HubAt} HubAt */
/** @typedef {import("../faults/random.mjs").Random} Random */

const KINDS = /** @type {const} */ (["allow", "deny", "watch"]);

/** Rules that are edited at one gate and awaited at another, and the value that each must have at the end. */
export class Editors {
  /** Milliseconds until another gate decides by the edit: without faults, and during them. */
  calm = /** @type {number[]} */ ([]);
  rough = /** @type {number[]} */ ([]);
  conflicts = 0;
  refused = 0;
  /** Pairs of edits of one rule that were not concurrent: the second hub already knew the first edit. */
  both = 0;
  /** @type {Map<string, Set<string>>} what each rule may be */
  may = new Map();
  #isEnded = false;
  #count = 0;

  /** @param {Random} random @param {readonly HubAt[]} gates @param {Faults | null} faults @param {number} gapMs */
  constructor(random, gates, faults, gapMs) {
    this.random = random;
    this.gates = gates;
    this.faults = faults;
    this.gapMs = gapMs;
  }

  async run() {
    while (!this.#isEnded) {
      await pause(this.gapMs);
      const plate = `KA01CD${2000 + (this.#count++ % 8)}`;
      if (this.random.next() < 0.25) await this.#atOnce(plate);
      else await this.#one(plate);
    }
  }

  end() {
    this.#isEnded = true;
  }

  #isCalm() {
    return (
      this.faults === null ||
      (performance.now() - this.faults.lastAt > 8_000 && this.gates.every(({ isUp, place }) => isUp && !place.isCut))
    );
  }

  /** @param {string} plate */
  async #one(plate) {
    const [here, there] = [this.random.of(this.gates), this.random.of(this.gates)];
    const wasCalm = this.#isCalm();
    const before = process.hrtime.bigint();
    const others = KINDS.filter((one) => !this.may.get(plate)?.has(one));
    const kind = this.random.of(others.length > 0 ? others : KINDS);
    if (!(await this.#edit(here, plate, kind))) return;
    const known = await there.ask({ do: "knows", plate, kind }).catch(() => null);
    if (known === null) return;
    const ms = Number(BigInt(known.at) - before) / 1e6;
    (wasCalm && this.#isCalm() ? this.calm : this.rough).push(ms);
  }

  /** @param {string} plate */
  async #atOnce(plate) {
    if ((this.may.get(plate)?.size ?? 0) !== 1) return;
    const [one, other] = [this.gates[0], this.gates[3]];
    if (one === undefined || other === undefined) return;
    const [standing = ""] = this.may.get(plate) ?? [];
    const kinds = KINDS.filter((kind) => kind !== standing);
    await Promise.all([one, other].map((hub) => hub.ask({ do: "knows", plate, kind: standing }).catch(() => null)));
    const results = await Promise.all([
      this.#edit(one, plate, kinds[0] ?? ""),
      this.#edit(other, plate, kinds[1] ?? ""),
    ]);
    const won = results.flatMap((done, index) => (done ? [kinds[index] ?? ""] : []));
    // If this hub knew the first edit before it made the second, there is no conflict, and the later one holds.
    if (won.length === 2) {
      this.both += 1;
      this.may.set(plate, new Set(won));
    } else if (won.length === 1 && this.refusedLast === 0) this.may.set(plate, new Set(won));
  }

  refusedLast = 0;

  /** @param {HubAt} hub @param {string} plate @param {string} kind */
  async #edit(hub, plate, kind) {
    const may = this.may.get(plate) ?? new Set();
    this.refusedLast = 0;
    try {
      await hub.ask({ do: may.size === 0 ? "rule" : "edit", plate, kind });
      this.may.set(plate, new Set([kind]));
      return true;
    } catch (error) {
      const code = error instanceof Error ? error.message : "";
      if (code === "conflict" || code === "plate_already_listed") this.conflicts += 1;
      else {
        // It is unknown whether the servers accepted it.
        this.refused += 1;
        this.refusedLast += 1;
        this.may.set(plate, new Set([...(this.may.get(plate) ?? may), kind]));
      }
      return false;
    }
  }
}
