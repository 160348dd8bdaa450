import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { typedPlate } from "../../core/plates/analyse.ts";
import type { Countries } from "../../core/plates/countries.ts";
import { listOf, type RuleKind } from "../../core/plates/decide.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import { storedWindows } from "../../core/storage/stored-windows.ts";
import type { AccessFeature } from "../access/feature.ts";
import { ASKED } from "./plate-rules.ts";
import type { PlateRuleRow } from "./tables/plate-rule.ts";
import type { VehicleRow } from "./tables/vehicle.ts";
import type { VisitRow } from "./tables/visit.ts";
import type { GateTables } from "./tables.ts";
import type { VisitMatcher } from "./visit-matcher.ts";

/** A row of the vehicle register (docs/spec/device-control-api.md §2); times are epoch milliseconds. */
export interface VehicleView extends Omit<VehicleRow, "siteId" | "closedVisits" | "inside" | "cameras"> {
  readonly inside: boolean;
  readonly averageStaySeconds: number | null;
  readonly cameras: readonly string[];
  readonly list: RuleKind | null;
  readonly label: string | null;
}

/** A visit (docs/spec/device-control-api.md §2); times are epoch milliseconds. */
export type VisitView = Omit<VisitRow, "siteId" | "plate" | "entryReadId" | "exitReadId">;

/** One vehicle with its visits, newest first. */
export interface VehicleProfile
  extends Pick<VehicleView, "plate" | "formatted" | "passes" | "inside" | "totalStaySeconds"> {
  readonly visits: readonly VisitView[];
}

/** Where an earlier page of the register ended. */
export interface VehicleCursor {
  readonly lastSeen: number;
  readonly plate: string;
}

const DAY_MS = 86_400_000;

interface Siblings {
  readonly tables: GateTables;
  readonly visitMatcher: VisitMatcher;
  readonly access: AccessFeature;
  readonly countries: Countries;
}

/** The vehicle register and its visits. */
export class Vehicles {
  readonly #base: Base;
  readonly #siblings: Siblings;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
  }

  /** Vehicles seen in the last `days` days, most recently seen first; `next` is set when there are more. */
  list(
    siteId: number,
    query: { readonly days: number; readonly limit: number; readonly before?: VehicleCursor | undefined },
  ): { vehicles: VehicleView[]; next: VehicleCursor | null } {
    const { clock } = this.#base;
    const { tables } = this.#siblings;
    const rows = tables.vehicles.list(siteId, clock.now() - query.days * DAY_MS, query.limit + 1, query.before ?? null);
    const shown = rows.slice(0, query.limit);
    const rules = new Map<string, PlateRuleRow[]>();
    for (const rule of tables.rules.list(siteId)) rules.set(rule.plate, [...(rules.get(rule.plate) ?? []), rule]);
    const last = shown.at(-1);
    return {
      vehicles: shown.map((row) => this.#entry(row, rules.get(row.plate) ?? [])),
      next: rows.length > query.limit && last !== undefined ? { lastSeen: last.lastSeen, plate: last.plate } : null,
    };
  }

  /** Vehicles on the site now: open visits, whatever the window of a list. */
  insideNow(siteId: number): number {
    return this.#siblings.tables.visits.countOpen(siteId);
  }

  /** One vehicle. @throws Problem vehicle_not_found when its plate has never been seen, or is not a plate. */
  profile(siteId: number, plateText: string): VehicleProfile {
    const { tables, countries } = this.#siblings;
    const { plate } = typedPlate(plateText, countries);
    const row = plate === null ? null : tables.vehicles.find(siteId, plate);
    if (row === null) throw new Problem("vehicle_not_found", "The plate has never been seen.");
    return {
      plate: row.plate,
      formatted: row.formatted,
      passes: row.passes,
      inside: row.inside === 1,
      totalStaySeconds: row.totalStaySeconds,
      visits: tables.visits.of(siteId, row.plate).map(toVisit),
    };
  }

  /** Visits that are open now with their plates, those that began last first. */
  inside(siteId: number): (VisitView & { readonly plate: string })[] {
    return this.#siblings.tables.visits.open(siteId).map((row) => ({ ...toVisit(row), plate: row.plate }));
  }

  /**
   * Closes an open visit by hand: it becomes exit_missed (docs/spec/domain.md §8.7).
   * @throws Problem not_found; conflict when it is not open.
   */
  async closeVisit(siteId: number, visitId: number, actor: string, askAgain = ASKED): Promise<VisitView> {
    const { database, clock } = this.#base;
    const { tables, visitMatcher } = this.#siblings;
    return database.write(() => {
      askAgain();
      const row = tables.visits.find(siteId, visitId);
      if (row === null) throw new Problem("not_found", "There is no such visit.");
      if (row.status !== "open") throw new Problem("conflict", { code: "conflict.visitClosed" });
      const now = clock.now();
      tables.visits.close(siteId, row.plate, Math.max(now, row.entryAt ?? now), actor);
      visitMatcher.repair(siteId, [row.plate], now);
      this.#siblings.access.recordAudit({
        siteId,
        actor,
        action: "visit.closed",
        target: String(visitId),
        detail: {},
        at: now,
      });
      return toVisit(tables.visits.find(siteId, visitId) ?? row);
    });
  }

  /** Whether a vehicle came and was not seen to leave. */
  isInside(siteId: number, plate: string): boolean {
    return this.#siblings.tables.visits.openOf(siteId, plate) !== null;
  }

  /**
   * A vehicle was not seen to leave: closes the visit that goes on, so that it may come in again.
   * @throws Problem conflict when no visit of its plate is open
   */
  async left(siteId: number, plateText: string, actor: string, askAgain = ASKED): Promise<VisitView> {
    const { tables, countries } = this.#siblings;
    const { plate } = typedPlate(plateText, countries);
    const visit = plate === null ? null : tables.visits.openOf(siteId, plate);
    if (visit === null) throw new Problem("conflict", { code: "conflict.visitClosed" });
    return this.closeVisit(siteId, visit.id, actor, askAgain);
  }

  #entry({ siteId, closedVisits, ...row }: VehicleRow, rules: readonly PlateRuleRow[]): VehicleView {
    const listed = listOf(rules.map(toDeciding), {
      at: this.#base.clock.now(),
      timeZone: this.#siblings.access.accounts.site(siteId).timeZone,
    });
    const label =
      rules.find((rule) => rule.id === listed?.id)?.label ?? rules.find((rule) => rule.label !== "")?.label ?? "";
    return {
      ...row,
      inside: row.inside === 1,
      averageStaySeconds: closedVisits === 0 ? null : Math.round(row.totalStaySeconds / closedVisits),
      cameras: storedJson<string[]>(row.cameras, []),
      list: listed?.kind ?? null,
      label: label === "" ? null : label,
    };
  }
}

/** A stored rule as the decision takes it. */
export function toDeciding(row: PlateRuleRow) {
  const { id, kind, deviceId, validFrom, validTo, earns } = row;
  const windows = storedWindows(row.windows);
  return { id, kind, deviceId, validFrom, validTo, windows, enabled: row.enabled === 1, earns };
}

function toVisit({
  siteId: _household,
  plate: _plate,
  entryReadId: _entry,
  exitReadId: _exit,
  ...visit
}: VisitRow): VisitView {
  return visit;
}
