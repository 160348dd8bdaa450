import { VEHICLES } from "./household.ts";
import { type Car, drawCarsInThread } from "./plate-picture.ts";

/** Pictures of cars at a simulated gate. Drawing takes a tenth of a second each, so the same one is not drawn twice. */
export class CarPictures {
  readonly #draw: (cars: readonly Car[], signal: AbortSignal) => Promise<readonly Buffer[]>;
  #underWay = new AbortController();
  /** Drawn ahead, until they are given up. */
  #ahead: ReadonlyMap<string, Promise<Buffer>> = new Map();

  constructor(draw: (cars: readonly Car[], signal: AbortSignal) => Promise<readonly Buffer[]> = drawCarsInThread) {
    this.#draw = draw;
  }

  /** Draws every car of the household, and what cannot be read, by day: hardly one of them comes at night. */
  drawAhead(): void {
    const plates = ["", ...VEHICLES.map(({ plate }) => plate)];
    this.#ahead = this.#drawn(plates.map((plate) => ({ plate, isNight: false })));
  }

  /** Frees what was drawn ahead. */
  giveUp(): void {
    this.#ahead = new Map();
  }

  /** Ends what is being drawn; those who wait for it are refused. */
  stop(): void {
    this.giveUp();
    this.#underWay.abort();
    this.#underWay = new AbortController();
  }

  /** A picture of each. @throws when it was ended */
  of(cars: readonly Car[]): Promise<Buffer[]> {
    const ahead = this.#ahead;
    const missing = this.#drawn(cars.filter((car) => !ahead.has(keyOf(car))));
    return Promise.all(cars.map((car) => ahead.get(keyOf(car)) ?? missing.get(keyOf(car)) ?? Buffer.alloc(0)));
  }

  #drawn(cars: readonly Car[]): Map<string, Promise<Buffer>> {
    if (cars.length === 0) return new Map(); // no thread for nothing
    const byKey = new Map(cars.map((car) => [keyOf(car), car]));
    const drawing = this.#draw([...byKey.values()], this.#underWay.signal);
    const each = [...byKey.keys()].map((key, index) => {
      const picture = drawing.then((drawn) => drawn[index] ?? Buffer.alloc(0));
      picture.catch(() => {}); // said to those who ask for it
      return [key, picture] as const;
    });
    return new Map(each);
  }
}

function keyOf({ plate, isNight }: Car): string {
  return `${plate} ${isNight}`;
}
