import type { Direction } from "../../core/plates/reading.ts";
import { VEHICLES } from "./household.ts";

/** The content of a picture at the gate: a car on its way in or out or standing there, or nothing readable. */
export interface Passage {
  readonly plate: string | null;
  readonly direction: Direction | null;
}

/** Every ninth picture shows no readable plate: mud, glare, a cat. */
const UNREADABLE_EVERY = 9;

/** How often each car comes in a week: mostly those of the household, as at any gate. */
const shareOf = ({ chance, days }: (typeof VEHICLES)[number]): number => chance * days.length;

/**
 * Decides who drives through the gate next. A car that is inside leaves before it comes again: `isInside` says what the
 * hub knows, so that the story goes on from the past, through restarts, and from what a person says.
 */
export class Traffic {
  readonly #random: () => number;
  readonly #isInside: (plate: string) => boolean;
  /** Cars that are at the gate now: what the hub knows of them is about to change. */
  readonly #atGate = new Set<string>();
  #pictures = 0;

  constructor(random: () => number, isInside: (plate: string) => boolean) {
    this.#random = random;
    this.#isInside = isInside;
  }

  /** Sends the next car to the gate, where `see` sees it; resolves with it. */
  async pass(see: (passage: Passage) => Promise<void>): Promise<void> {
    const passage = this.#next();
    const { plate } = passage;
    if (plate === null) return see(passage);
    this.#atGate.add(plate);
    try {
      await see(passage);
    } finally {
      this.#atGate.delete(plate);
    }
  }

  #next(): Passage {
    this.#pictures += 1;
    const free = VEHICLES.filter(({ plate }) => !this.#atGate.has(plate));
    let place = this.#random() * free.reduce((sum, vehicle) => sum + shareOf(vehicle), 0);
    const vehicle = free.find((one) => {
      place -= shareOf(one);
      return place < 0;
    });
    if (vehicle === undefined || this.#pictures % UNREADABLE_EVERY === 0) return { plate: null, direction: null };
    const { plate, rule } = vehicle;
    if (rule === null) return { plate, direction: null };
    return { plate, direction: this.#isInside(plate) ? "out" : "in" };
  }
}
