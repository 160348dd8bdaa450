import { type Experience, knownHere } from "../../core/plates/known-here.ts";
import type { BurstReading, VehicleReading } from "../../core/plates/reading.ts";
import type { GateTables } from "./tables.ts";

/** Corrections of a camera that count, the latest ones. */
const MOST_CORRECTIONS = 500;
/** Plates of the site that count: those seen last. */
const MOST_KNOWN = 2_000;
/** Passes from which on a plate is known. */
const KNOWN_FROM = 2;

/** What persons put right at a site, and the plates that it knows, applied to doubtful reads. */
export class SiteExperience {
  readonly #tables: Pick<GateTables, "reads" | "vehicles" | "rules">;

  constructor(tables: Pick<GateTables, "reads" | "vehicles" | "rules">) {
    this.#tables = tables;
  }

  /**
   * The vehicles of a burst, with doubtful reads as the plates of this site that they more likely are
   * (`core/plates/known-here.ts`). Of a burst without a vehicle the clearest illegible plate may become one.
   */
  vehiclesOf(camera: { readonly siteId: number; readonly deviceId: string }, reading: BurstReading): VehicleReading[] {
    const { vehicles, unread } = reading;
    const experience = this.#of(camera);
    if (vehicles.length === 0) return unread.slice(0, 1).flatMap((one) => knownHere(one, experience) ?? []);
    const taken = vehicles.map((one) => knownHere(one, experience) ?? one);
    const plates = taken.map(({ analysis }) => analysis.plate);
    // of two reads of a burst that would become one plate, both stay as they are
    return new Set(plates).size === plates.length ? taken : [...vehicles];
  }

  /** Nothing is asked of the database before it is needed: most reads are certain. */
  #of({ siteId, deviceId }: { readonly siteId: number; readonly deviceId: string }): Experience {
    const { reads, vehicles, rules } = this.#tables;
    const corrections = once(() => reads.corrections(siteId, deviceId, MOST_CORRECTIONS));
    const known = once(() => (corrections().length === 0 ? [] : vehicles.known(siteId, KNOWN_FROM, MOST_KNOWN)));
    return {
      get corrections() {
        return corrections();
      },
      get known() {
        return known();
      },
      isListed: (plate) => rules.of(siteId, plate).length > 0,
    };
  }
}

/** Asks at the first call, and answers the same from then on. */
function once<Value>(ask: () => Value): () => Value {
  let held: { readonly value: Value } | null = null;
  return () => {
    held ??= { value: ask() };
    return held.value;
  };
}
