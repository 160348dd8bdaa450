import type { Occupancy, Vehicle, VehicleHistory, Visit } from "../../contract/resources/vehicle.js";
import { getOccupancy, getVehicle, listVehicles } from "../../contract/routes/vehicles.js";
import { isoTime, isoTimeOrNull } from "../../kernel/clock.js";
import { Problem } from "../../kernel/problem.js";
import { decodeNamedPosition, encodeCursor, nextLink, pageOf } from "../cursor.js";
import { type BoundRoute, bind } from "../exchange.js";

/** A register row with times in epoch milliseconds. */
export type KeptVehicle = Omit<Vehicle, "firstSeen" | "lastSeen"> & { readonly firstSeen: number; readonly lastSeen: number };

/** A visit with times in epoch milliseconds. */
export type KeptVisit = Omit<Visit, "entryAt" | "exitAt"> & { readonly entryAt: number | null; readonly exitAt: number | null };

/** A vehicle's history with times in epoch milliseconds. */
export type KeptHistory = Omit<VehicleHistory, "visits"> & { readonly visits: readonly KeptVisit[] };

/** What the vehicle routes ask of the hub. */
export interface VehicleService {
  /** Most recently seen first, by (lastSeen, plate) descending; `days` filters on lastSeen. */
  list(
    siteId: number,
    query: { readonly days: number; readonly limit: number; readonly before?: { readonly lastSeen: number; readonly plate: string } },
  ): readonly KeptVehicle[];
  /** Open visits, whatever the window. */
  insideNow(siteId: number): number;
  /** Null when the plate has never been seen. */
  history(siteId: number, plate: string): KeptHistory | null;
  occupancy(siteId: number): Occupancy;
  /** The plate as reads carry it; null when the text can be no plate. */
  normalise(text: string): string | null;
}

/** The register and occupancy routes of /v1. */
export function vehicleRoutes(service: VehicleService): BoundRoute[] {
  return [
    bind(listVehicles, (request) => {
      const { caller, query } = request;
      const { days = 30, limit = 200 } = query;
      const before = decodeNamedPosition(query.cursor);
      const rows = service.list(caller.siteId, { days, limit: limit + 1, ...(before ? { before: { lastSeen: before.at, plate: before.name } } : {}) });
      const { page, last } = pageOf(rows, limit);
      const body = { days, insideNow: service.insideNow(caller.siteId), vehicles: page.map(shownVehicle) };
      return { status: 200, body, headers: last ? { Link: nextLink(request, encodeCursor([last.lastSeen, last.plate])) } : {} };
    }),
    bind(getVehicle, ({ caller, params }) => {
      const plate = service.normalise(params.plate);
      const history = plate === null ? null : service.history(caller.siteId, plate);
      if (history === null) throw new Problem("vehicle_not_found", "The plate has never been seen.");
      return { status: 200, body: shownHistory(history) };
    }),
    bind(getOccupancy, ({ caller }) => {
      const { inside, capacity, free, full, percent } = service.occupancy(caller.siteId);
      return { status: 200, body: { inside, capacity, free, full, percent } };
    }),
  ];
}

function shownVehicle(row: KeptVehicle): Vehicle {
  return {
    plate: row.plate,
    formatted: row.formatted,
    passes: row.passes,
    entries: row.entries,
    exits: row.exits,
    visits: row.visits,
    inside: row.inside,
    firstSeen: isoTime(row.firstSeen),
    lastSeen: isoTime(row.lastSeen),
    averageStaySeconds: row.averageStaySeconds,
    totalStaySeconds: row.totalStaySeconds,
    cameras: [...row.cameras],
    list: row.list,
    label: row.label,
  };
}

function shownHistory(history: KeptHistory): VehicleHistory {
  return {
    plate: history.plate,
    formatted: history.formatted,
    passes: history.passes,
    inside: history.inside,
    totalStaySeconds: history.totalStaySeconds,
    visits: history.visits.map((visit) => ({
      id: visit.id,
      entryAt: isoTimeOrNull(visit.entryAt),
      exitAt: isoTimeOrNull(visit.exitAt),
      entryCamera: visit.entryCamera,
      exitCamera: visit.exitCamera,
      status: visit.status,
      staySeconds: visit.staySeconds,
    })),
  };
}
