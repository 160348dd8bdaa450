import { cleanPlateText } from "../../core/plates/alphabet.ts";
import { type Occupancy, occupancyOf } from "../../core/plates/occupancy.ts";
import type { Entries } from "./entries.ts";
import type { Peers } from "./peers.ts";
import type { EstateBase } from "./ports.ts";
import type { ReadBook } from "./read-book.ts";
import type { EstateReadFilter, EstateReadRow } from "./tables/estate-read.ts";
import { EstateVehicleTable } from "./tables/estate-vehicle.ts";
import type { EstateVisitRow, InsideRow } from "./tables/estate-visit.ts";
import type { EstatePeer, EstateRead, EstateVehicle, PartOccupancy } from "./views.ts";

const DAY_MS = 86_400_000;
/** Maximum visits or reads of a plate that are shown. */
const MOST_SEEN = 20;
/** Maximum plates that one call examines, since it blocks everything else meanwhile. */
const MOST_LOOKED_AT = 1_000;

/** The estate as this hub's database shows it: other hubs, vehicles inside, passes at all gates. */
export class EstateView {
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #entries: Entries;
  readonly #peers: Peers;
  readonly #vehicles: EstateVehicleTable;

  constructor(
    base: EstateBase,
    { book, entries, peers }: { readonly book: ReadBook; readonly entries: Entries; readonly peers: Peers },
  ) {
    this.#base = base;
    this.#book = book;
    this.#entries = entries;
    this.#peers = peers;
    this.#vehicles = new EstateVehicleTable(base.database);
  }

  /** The other hubs, by their names in subjects. */
  peers(): EstatePeer[] {
    const since = this.#base.clock.now() - DAY_MS;
    return this.#peers.list().map(({ pulse, ...peer }) => {
      const { reads, lastAt } = this.#book.reads.sum(peer.hub, since);
      return {
        ...peer,
        waiting: pulse?.waiting ?? null,
        behind: pulse?.behind ?? null,
        clockOffMs: pulse?.clockOffMs ?? null,
        reads,
        lastReadAt: lastAt,
      };
    });
  }

  /** How full the estate and each of its parts are; the estate's capacity is the sum of its parts' if all have one. */
  occupancy(): { readonly estate: Occupancy; readonly parts: readonly PartOccupancy[] } {
    const described = new Map(this.#entries.parts().map((part) => [part.part, part]));
    const inside = new Map(this.#book.visits.insideParts().map((part) => [part.part, part.inside]));
    const guarded = [this.#base.config.part, ...this.#peers.list().map(({ part }) => part)];
    const ids = [...new Set([...described.keys(), ...inside.keys(), ...guarded])].sort();
    const parts = ids.map((part) => {
      const { name = part, capacity = null } = described.get(part) ?? {};
      return { part, name, ...occupancyOf(inside.get(part) ?? 0, capacity) };
    });
    const capacities = parts.flatMap(({ capacity }) => capacity ?? []);
    const capacity = capacities.length === parts.length ? capacities.reduce((sum, one) => sum + one, 0) : null;
    return { estate: occupancyOf(this.#book.visits.countInside(), capacity), parts };
  }

  /** Vehicles inside, the latest arrivals first. */
  inside(limit: number): InsideRow[] {
    return this.#book.visits.inside(limit);
  }

  /** The name of a hub for people. */
  nameOf(hub: string): string {
    return this.#peers.nameOf(hub);
  }

  /** Whether a vehicle came in at another hub's gate and was not seen to leave at any gate of that part. */
  isInside(plate: string): boolean {
    const { part, hub } = this.#base.config;
    return this.#book.visits
      .of(plate, MOST_SEEN)
      .some((visit) => visit.status === "open" && visit.part === part && visit.entryHub !== hub);
  }

  /** Whether it was at another hub's gate at or after a moment of this hub's clock, epoch milliseconds. */
  wasSeen(plate: string, since: number): boolean {
    const { config, clockOffMs } = this.#base;
    const reads = this.#book.reads.list({ plate, since: since - clockOffMs() }, MOST_SEEN);
    return reads.some(({ hub }) => hub !== config.hub);
  }

  /** Visits of a plate, newest first. */
  visits(plate: string, limit: number): EstateVisitRow[] {
    return this.#book.visits.of(plate, limit);
  }

  /** Reads of all gates, newest first; `next` is set when there are more. */
  reads({ limit, ...filter }: EstateReadFilter & { readonly limit: number }): {
    reads: EstateRead[];
    next: EstateReadFilter["before"] | null;
  } {
    const rows = this.#book.reads.list(filter, limit + 1);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      reads: shown.map((row) => this.#shown(row)),
      next: rows.length > limit && last !== undefined ? { at: last.at, hub: last.hub, uid: last.uid } : null,
    };
  }

  /**
   * Every vehicle that was seen or has a rule for all cameras, by plate, starting after a given one. `next` is set when
   * there is more to search, even without a match so far.
   * @param search a part of the plate or of its name
   */
  vehicles({
    search,
    limit,
    after = "",
  }: {
    readonly search: string;
    readonly limit: number;
    readonly after?: string;
  }): {
    vehicles: EstateVehicle[];
    next: string | null;
  } {
    const siteId = this.#base.siteId();
    if (siteId === null) return { vehicles: [], next: null };
    const table = this.#vehicles;
    const parts = table.parts();
    const wanted = search.trim().toLocaleLowerCase();
    const wantedPlate = cleanPlateText(search);
    const found: EstateVehicle[] = [];
    let at = after;
    for (let looked = 0; looked < MOST_LOOKED_AT && found.length < limit; looked++) {
      const plate = table.next(siteId, parts, at);
      if (plate === null) return { vehicles: found, next: null };
      at = plate;
      const rule = table.rule(siteId, plate);
      const isPlate = wanted === "" || (wantedPlate !== "" && plate.includes(wantedPlate));
      if (!isPlate && rule?.label.toLocaleLowerCase().includes(wanted) !== true) continue;
      const seen = table.lastSeen(parts, plate);
      found.push({
        plate,
        formatted: rule?.formatted ?? seen?.formatted ?? plate,
        label: rule?.label || seen?.label || "",
        rule: rule?.kind ?? null,
        inside: table.inside(plate),
        lastSeen: seen === null ? null : { ...seen, hubName: this.#peers.nameOf(seen.hub) },
      });
    }
    return { vehicles: found, next: at };
  }

  #shown(row: EstateReadRow): EstateRead {
    const { hub, uid, part, plate, formatted, deviceId, camera, direction, decision, confidence, label, at, localId } =
      row;
    return {
      hub,
      hubName: this.#peers.nameOf(hub),
      uid,
      part,
      plate,
      formatted,
      deviceId,
      camera,
      direction,
      decision,
      confidence,
      label,
      at,
      localId,
    };
  }
}
