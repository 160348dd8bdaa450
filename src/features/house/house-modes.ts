import { HOUSE_MODES, type HouseMode } from "../../core/api/house.ts";
import type { Base } from "../../core/base.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { PersonLimits } from "../access/person-limits.ts";
import type { Feed } from "../feed/feed.ts";
import { HouseModeTable } from "./tables/house-mode.ts";

/** Who or what sets a mode. */
export interface ModeSetter {
  /** `session:3`, `api_key:12`, `automation:4`. */
  readonly actor: string;
  /** The person, the scene or the rule; null: not known, or not to be shown. */
  readonly name: string | null;
}

/** What a house is set to. */
export interface ModeNow {
  readonly mode: HouseMode;
  /** Epoch milliseconds; null: nobody has set it yet. */
  readonly since: number | null;
  readonly name: string | null;
}

/** What it uses of the hub. */
type HouseBase = Pick<Base, "database" | "bus"> & { readonly clock: Pick<Clock, "now"> };

/** Owns what each household has set its house to. Must never know what follows from it: rules hear of it on the bus. */
export class HouseModes {
  readonly #base: HouseBase;
  readonly #feed: Pick<Feed, "record">;
  readonly #limits: Pick<PersonLimits, "refuseLever">;
  readonly #table: HouseModeTable;

  constructor(base: HouseBase, feed: Pick<Feed, "record">, limits: Pick<PersonLimits, "refuseLever">) {
    this.#base = base;
    this.#feed = feed;
    this.#limits = limits;
    this.#table = new HouseModeTable(base.database);
  }

  /** What a house is set to now. */
  now(siteId: number): ModeNow {
    const row = this.#table.find(siteId);
    return row === null ? { mode: HOUSE_MODES[0], since: null, name: null } : row;
  }

  /** @throws Problem `forbidden` for somebody whose limits do not let them set it now */
  refuseBeyond(siteId: number, mode: HouseMode, actor: string): void {
    if (mode !== this.now(siteId).mode) this.#limits.refuseLever(actor, siteId, "mode");
  }

  /**
   * Sets a house to a mode; resolves when it is on disk. The mode that it has already changes nothing.
   * @throws Problem as {@link refuseBeyond}
   */
  async set(siteId: number, mode: HouseMode, by: ModeSetter): Promise<void> {
    await this.#base.database.write(() => {
      this.refuseBeyond(siteId, mode, by.actor); // inside the job: one before it may have set another
      this.put(siteId, mode, by);
    });
  }

  /** As {@link set}, inside a job. */
  put(siteId: number, mode: HouseMode, { actor, name }: ModeSetter): void {
    const { database, clock, bus } = this.#base;
    const previous = this.now(siteId).mode;
    if (mode === previous) return;
    const at = clock.now();
    this.#table.put({ siteId, mode, since: at, actor, name });
    const text =
      name === null ? ({ code: "house.mode", mode } as const) : ({ code: "house.modeBy", who: name, mode } as const);
    this.#feed.record({ siteId, kind: "house.mode", deviceId: null, text, at });
    database.committed(() => bus.announce("house.mode", { siteId, mode, previous, actor, name, at }));
  }
}
