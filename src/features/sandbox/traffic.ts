import type { Direction } from "../../core/plates/reading.ts";
import { VEHICLES } from "./household.ts";

/** The content of a picture at the gate: a car on its way in or out, or nothing readable. */
export interface Passage {
  readonly plate: string | null;
  readonly direction: Direction | null;
}

/** Every ninth picture shows no readable plate: mud, glare, a cat. */
const UNREADABLE_EVERY = 9;

/** How often each car comes in a week: mostly those of the household, as at any gate. */
const SHARES = VEHICLES.map(({ chance, days }) => chance * days.length);

/** Decides who drives through the gate next. Cars alternate between coming and going, so that visits pair up. */
export class Traffic {
  readonly #random: () => number;
  readonly #inside = new Set<string>();
  #pictures = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  next(): Passage {
    this.#pictures += 1;
    let place = this.#random() * SHARES.reduce((sum, share) => sum + share, 0);
    const vehicle = VEHICLES.find((_, index) => {
      place -= SHARES[index] ?? 0;
      return place < 0;
    });
    if (vehicle === undefined || this.#pictures % UNREADABLE_EVERY === 0) return { plate: null, direction: null };
    const { plate, rule } = vehicle;
    if (this.#inside.delete(plate)) return { plate, direction: "out" };
    if (rule?.kind !== "deny") this.#inside.add(plate);
    return { plate, direction: "in" };
  }
}
