import type { Base } from "../../core/base.ts";
import { pairVisits, type VisitEvent, visitChanges } from "../../core/plates/visits.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { Feed } from "../feed/feed.ts";
import type { Presence } from "../house/presence.ts";
import type { GateTables } from "./tables.ts";

interface Siblings {
  readonly tables: GateTables;
  readonly feed: Feed;
  readonly access: AccessFeature;
  readonly presence: Pick<Presence, "carMoved">;
}

/** Keeps visits and register in step with the reads of a plate, whatever happened to them. */
export class VisitMatcher {
  readonly #base: Base;
  readonly #siblings: Siblings;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /**
   * Pairs all visits of the plates again and rewrites their register rows. Called inside a write job, after every
   * change to their reads; since all reads count, a late read or a correction gives the same visits as if reads had
   * come in order.
   * @param isSeen whether a camera has just seen what changes the count, asked once that is on disk: rules open nothing
   *   for what was said, corrected or came late
   * @param announced which visits of a plate are announced: of a made-up past only the last
   */
  repair(
    siteId: number,
    plates: Iterable<string>,
    at: number,
    isSeen: () => boolean = () => false,
    announced: "each" | "last" = "each",
  ): void {
    const { database, bus } = this.#base;
    const { tables } = this.#siblings;
    const previous = tables.visits.countOpen(siteId);
    for (const plate of new Set(plates)) {
      this.#repairOne(siteId, plate, at, announced);
      tables.vehicles.refresh(siteId, plate);
      this.#siblings.presence.carMoved(siteId, plate);
    }
    const inside = tables.visits.countOpen(siteId);
    if (inside === previous) return;
    this.#noteFull(siteId, previous, inside, at);
    database.committed(() => {
      const mark = isSeen() ? {} : { opensNothing: true as const };
      bus.announce("occupancy.changed", { siteId, inside, previous, at, ...mark });
    });
  }

  #repairOne(siteId: number, plate: string, at: number, announced: "each" | "last"): void {
    const { database, bus } = this.#base;
    const { tables } = this.#siblings;
    const stored = tables.visits.of(siteId, plate);
    const changes = visitChanges(stored, pairVisits(this.#events(siteId, plate)));
    for (const visit of changes.remove) tables.visits.remove(visit.id);
    const changed = [
      ...changes.insert.map((visit) => ({
        id: tables.visits.insert({ siteId, plate, ...visit }),
        status: visit.status,
      })),
      ...changes.update.map((visit) => {
        tables.visits.update({ siteId, plate, ...visit });
        return { id: visit.id, status: visit.status };
      }),
    ];
    database.committed(() => {
      for (const { id, status } of announced === "each" ? changed : changed.slice(-1))
        bus.announce("visit.changed", { siteId, plate, visitId: id, status, at });
    });
  }

  #events(siteId: number, plate: string): VisitEvent[] {
    const { reads, visits } = this.#siblings.tables;
    const passes = reads.passes(siteId, plate).map((row) => ({
      kind: "pass" as const,
      id: row.id,
      at: row.at,
      direction: row.direction,
      deviceId: row.deviceId,
      opensVisit: row.opensVisit === 1,
    }));
    const closures = visits.closures(siteId, plate).map((row) => ({
      kind: "closure" as const,
      id: row.id,
      at: row.at,
      direction: null,
      deviceId: "",
      opensVisit: false,
    }));
    return [...passes, ...closures];
  }

  #noteFull(siteId: number, previous: number, inside: number, at: number): void {
    const capacity = this.#siblings.access.accounts.site(siteId).capacity;
    if (capacity === null || previous >= capacity || inside < capacity) return;
    this.#siblings.feed.record({
      siteId,
      kind: "occupancy.full",
      deviceId: null,
      text: { code: "occupancy.full", inside, capacity },
      at,
    });
  }
}
