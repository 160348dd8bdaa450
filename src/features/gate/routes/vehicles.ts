import { decodeNamedPosition, encodeCursor, nextLink } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { getOccupancy, getVehicle, listVehicles } from "../api/vehicles.ts";
import type { Vehicle, VehicleHistory, Visit } from "../resources/vehicle.ts";
import type { SiteOccupancy } from "../site-occupancy.ts";
import type { VehicleProfile, Vehicles, VehicleView, VisitView } from "../vehicles.ts";

/** The register and occupancy routes of /v1. */
export function vehicleRoutes(vehicles: Vehicles, occupancy: SiteOccupancy): BoundRoute[] {
  return [
    bind(listVehicles, (request) => {
      const { caller, query } = request;
      const { days = 30, limit = 200 } = query;
      const position = decodeNamedPosition(query.cursor);
      const before = position && { lastSeen: position.at, plate: position.name };
      const { vehicles: rows, next } = vehicles.list(caller.siteId, { days, limit, before });
      const body = { days, insideNow: vehicles.insideNow(caller.siteId), vehicles: rows.map(shownVehicle) };
      return {
        status: 200,
        body,
        headers: next ? { Link: nextLink(request, encodeCursor([next.lastSeen, next.plate])) } : {},
      };
    }),
    bind(getVehicle, ({ caller, params }) => ({
      status: 200,
      body: shownHistory(vehicles.profile(caller.siteId, params.plate)),
    })),
    bind(getOccupancy, ({ caller }) => {
      const { inside, capacity, free, full, percent } = occupancy.now(caller.siteId);
      return { status: 200, body: { inside, capacity, free, full, percent } };
    }),
  ];
}

function shownVehicle(row: VehicleView): Vehicle {
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

function shownHistory(history: VehicleProfile): VehicleHistory {
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
export function shownVisit(visit: VisitView): Visit {
  const { id, entryAt, exitAt, entryCamera, exitCamera, status, staySeconds } = visit;
  return {
    id,
    entryAt: isoTimeOrNull(entryAt),
    exitAt: isoTimeOrNull(exitAt),
    entryCamera,
    exitCamera,
    status,
    staySeconds,
  };
}
