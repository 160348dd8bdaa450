import type { Occupancy, Vehicle, VehicleHistory, Visit } from "../../contract/resources/vehicle.js";
import { getOccupancy, getVehicle, listVehicles } from "../../contract/routes/vehicles.js";
import { isoTime, isoTimeOrNull } from "../../kernel/clock.js";
import { decodeNamedPosition, encodeCursor, nextLink } from "../cursor.js";
import { type BoundRoute, bind } from "../exchange.js";

/** A register row with times in epoch milliseconds. */
type KeptVehicle = Omit<Vehicle, "firstSeen" | "lastSeen" | "cameras"> & {
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly cameras: readonly string[];
};

/** A visit with times in epoch milliseconds. */
export type KeptVisit = Omit<Visit, "entryAt" | "exitAt"> & { readonly entryAt: number | null; readonly exitAt: number | null };

/** A vehicle's history with times in epoch milliseconds. */
type KeptHistory = Omit<VehicleHistory, "visits"> & { readonly visits: readonly KeptVisit[] };

/** Where a page of the register ended. */
interface VehiclePosition {
  readonly lastSeen: number;
  readonly plate: string;
}

/** What the vehicle routes ask of the hub (`Vehicles`). */
export interface VehicleService {
  /** Most recently seen first; `days` filters on lastSeen; `next` is set when there are more. */
  list(
    siteId: number,
    query: { readonly days: number; readonly limit: number; readonly before?: VehiclePosition | undefined },
  ): { readonly vehicles: readonly KeptVehicle[]; readonly next: VehiclePosition | null };
  /** Open visits, whatever the window. */
  insideNow(siteId: number): number;
  /** One vehicle by its plate as typed. @throws Problem `vehicle_not_found`. */
  profile(siteId: number, plateText: string): KeptHistory;
}

/** What the occupancy route asks of the hub (`SiteOccupancy`). */
export interface OccupancyService {
  now(siteId: number): Occupancy;
}

/** The register and occupancy routes of /v1. */
export function vehicleRoutes(vehicles: VehicleService, occupancy: OccupancyService): BoundRoute[] {
  return [
    bind(listVehicles, (request) => {
      const { caller, query } = request;
      const { days = 30, limit = 200 } = query;
      const position = decodeNamedPosition(query.cursor);
      const before = position && { lastSeen: position.at, plate: position.name };
      const { vehicles: rows, next } = vehicles.list(caller.siteId, { days, limit, before });
      const body = { days, insideNow: vehicles.insideNow(caller.siteId), vehicles: rows.map(shownVehicle) };
      return { status: 200, body, headers: next ? { Link: nextLink(request, encodeCursor([next.lastSeen, next.plate])) } : {} };
    }),
    bind(getVehicle, ({ caller, params }) => ({ status: 200, body: shownHistory(vehicles.profile(caller.siteId, params.plate)) })),
    bind(getOccupancy, ({ caller }) => {
      const { inside, capacity, free, full, percent } = occupancy.now(caller.siteId);
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
    visits: history.visits.map(shownVisit),
  };
}

/** A visit in the shape of the contract. */
export function shownVisit(visit: KeptVisit): Visit {
  const { id, entryAt, exitAt, entryCamera, exitCamera, status, staySeconds } = visit;
  return { id, entryAt: isoTimeOrNull(entryAt), exitAt: isoTimeOrNull(exitAt), entryCamera, exitCamera, status, staySeconds };
}
