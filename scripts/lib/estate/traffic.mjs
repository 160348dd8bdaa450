// @ts-check
import { setTimeout as pause } from "node:timers/promises";

/** @typedef {import("./model.mjs").Pass} Pass */
/** @typedef {import("./town.mjs").HubAt} HubAt */
/** @typedef {import("../faults/random.mjs").Random} Random */

/** Cars that mostly enter and leave in turn, and are sometimes missed by a camera. */
export class Traffic {
  /** @type {Pass[]} */
  passes = [];
  /** Passes that a hub has yet to acknowledge. */
  open = 0;
  #sent = 0;
  /** @type {Map<string, { inside: boolean, at: number }>} */
  #cars = new Map();

  /** @param {readonly HubAt[]} gates @param {{ random: Random, rate: number, cars: number }} wish cars a second */
  constructor(gates, { random, rate, cars }) {
    this.gates = gates;
    this.random = random;
    this.rate = rate;
    this.cars = cars;
  }

  /** @param {number} until `performance.now()` */
  async drive(until) {
    const every = 1000 / this.rate;
    for (let next = performance.now(); next < until; next += every) {
      const wait = next - performance.now();
      if (wait > 0) await pause(wait);
      this.#pass();
    }
    while (this.open > 0) await pause(20);
  }

  #pass() {
    const hub = this.random.of(this.gates);
    const plate = `MH12AB${1000 + this.random.int(0, this.cars - 1)}`;
    const key = `${hub.part} ${plate}`;
    const car = this.#cars.get(key) ?? { inside: false, at: 0 };
    const at = Math.max(Date.now(), car.at + 1);
    const direction = car.inside !== this.random.next() < 0.03 ? "out" : "in";
    this.#cars.set(key, { inside: direction === "in", at });
    this.open += 1;
    this.#sent += 1;
    void this.#tell(hub, { plate, direction, at, key: `capture-${this.#sent}` });
  }

  /**
   * Repeats until the hub acknowledges, as a camera does.
   * @param {HubAt} hub
   * @param {{ plate: string, direction: "in" | "out", at: number, key: string }} pass
   */
  async #tell(hub, { plate, direction, at, key }) {
    for (;;) {
      try {
        await hub.ask({ do: "pass", plate, direction, at, key });
        break;
      } catch {
        await pause(200);
      }
    }
    this.passes.push({ part: hub.part, plate, at, hub: hub.place.name, direction });
    this.open -= 1;
  }
}
