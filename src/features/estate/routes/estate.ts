import { decodeNamedPosition, encodeCursor, nextLink } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { getEstateOccupancy, getEstateVehicle, listEstatePlates } from "../api/estate.ts";
import type { Estate } from "../estate.ts";
import type { EstateSighting, EstateVisit } from "../resources/estate.ts";
import type { EstateRead } from "../views.ts";

const MOST_VISITS = 200;

/** The estate's routes of /v1. */
export function estateRoutes({
  of,
  plateOf,
}: {
  /** The estate of a household; null where it belongs to none. */
  readonly of: (siteId: number) => Pick<Estate, "view" | "health"> | null;
  /** A plate as reads carry it. @throws Problem invalid_plate */
  readonly plateOf: (text: string) => string;
}): BoundRoute[] {
  const joined = (siteId: number) => {
    const estate = of(siteId);
    if (estate === null) throw new Problem("not_found", "This hub belongs to no estate.");
    return estate;
  };
  return [
    bind(listEstatePlates, (request) => {
      const { limit = 50, since, until, cursor, plate, ...filter } = request.query;
      const { reads, next } = joined(request.caller.siteId).view.reads({
        ...filter,
        limit,
        plate: plate === undefined ? undefined : plateOf(plate),
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        before: placeOf(decodeNamedPosition(cursor)),
      });
      const headers = next ? { Link: nextLink(request, encodeCursor([next.at, `${next.hub}.${next.uid}`])) } : {};
      return { status: 200, body: { plates: reads.map(shownSighting) }, headers };
    }),
    bind(getEstateOccupancy, ({ caller }) => {
      const estate = joined(caller.siteId);
      const { estate: all, parts } = estate.view.occupancy();
      return {
        status: 200,
        body: { estate: all, parts: [...parts], currentAt: isoTimeOrNull(estate.health().currentAt) },
      };
    }),
    bind(getEstateVehicle, ({ caller, params }) => {
      const estate = joined(caller.siteId);
      const plate = knownPlate(params.plate, plateOf);
      const rows = estate.view.visits(plate, MOST_VISITS);
      if (rows.length === 0) throw new Problem("vehicle_not_found", "The plate has never been seen.");
      const hubOf = (hub: string | null) => (hub === null ? null : { id: hub, name: estate.view.nameOf(hub) });
      const visits = rows.map(
        ({ part, entryAt, exitAt, entryHub, exitHub, status, staySeconds }): EstateVisit => ({
          part,
          entryAt: isoTimeOrNull(entryAt),
          exitAt: isoTimeOrNull(exitAt),
          entryHub: hubOf(entryHub),
          exitHub: hubOf(exitHub),
          status,
          staySeconds,
        }),
      );
      return { status: 200, body: { plate, inside: rows.some(({ status }) => status === "open"), visits } };
    }),
  ];
}

/** A text that is not a plate has never been seen. */
function knownPlate(text: string, plateOf: Parameters<typeof estateRoutes>[0]["plateOf"]): string {
  try {
    return plateOf(text);
  } catch (error) {
    throw error instanceof Problem ? new Problem("vehicle_not_found", "The plate has never been seen.") : error;
  }
}

function placeOf(position: ReturnType<typeof decodeNamedPosition>) {
  if (position === undefined) return undefined;
  const [hub = "", uid = ""] = position.name.split(".");
  return { at: position.at, hub, uid: Number(uid) || 0 };
}

/** A read of any gate in the shape of the description. */
function shownSighting({
  hub,
  hubName,
  uid,
  part,
  deviceId,
  camera,
  plate,
  formatted,
  decision,
  direction,
  confidence,
  label,
  at,
}: EstateRead): EstateSighting {
  return {
    id: `${hub}.${uid}`,
    hub: { id: hub, name: hubName },
    part,
    deviceId,
    camera,
    plate,
    formatted,
    decision,
    direction,
    confidence,
    label,
    at: isoTime(at),
  };
}
