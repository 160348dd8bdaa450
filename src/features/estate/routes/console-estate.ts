import { decodeNamedPosition, encodeCursor } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind, bindOpen } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { cleanPlateText } from "../../../core/plates/alphabet.ts";
import {
  getEstate,
  joinEstate,
  listEstateInside,
  listEstateReads,
  listEstateVehicles,
  openEstateGate,
  putEstatePart,
} from "../api/console-estate.ts";
import type { Estate } from "../estate.ts";
import type { EstateRead, EstateVehicle } from "../views.ts";

/** The admission for a joining hub; see the route. */
interface Admission {
  readonly estate: string;
  readonly hub: string;
  readonly name: string;
  readonly part: string;
  readonly role: "gate" | "manager";
  readonly servers: readonly string[];
  readonly ca: string;
  readonly credential: string;
  readonly plateKey: string;
}

const READS = 50;
const VEHICLES = 100;
const VEHICLES_PAGE = 50;

/** The estate for its keeper, and joining it. */
export function estateRoutes({
  estate,
  isKeeper,
  version,
  admit,
}: {
  /** The estate that this hub has joined; null where it has none. */
  readonly estate: Pick<Estate, "health" | "view" | "openGate" | "setPart"> | null;
  /** Whether the estate's keys are on this hub. */
  readonly isKeeper: () => boolean;
  readonly version: string;
  /** Takes a hub in that has an invitation. @throws Problem not_found, forbidden */
  readonly admit: (secret: string, publicKey: string) => Promise<Admission>;
}): BoundRoute[] {
  /** @throws Problem not_found, forbidden where this hub does not see all gates */
  const managed = (): NonNullable<Parameters<typeof estateRoutes>[0]["estate"]> => {
    if (estate === null) throw new Problem("not_found", "This hub is in no estate.");
    if (estate.health().role !== "manager") throw new Problem("forbidden", { code: "forbidden.managerOnly" });
    return estate;
  };
  return [
    bind(getEstate, () => ({
      status: 200,
      body: { estate: estate === null ? null : shownEstate(estate, version, isKeeper()) },
    })),
    bind(listEstateReads, ({ query }) => {
      const { hub, decision, cursor, limit = READS } = query;
      const plate = query.plate === undefined ? undefined : cleanPlateText(query.plate);
      const { reads, next } = managed().view.reads({ hub, plate, decision, limit, before: placeOf(cursor) });
      return {
        status: 200,
        body: { reads: reads.map(shownRead), next: next ? encodeCursor([next.at, `${next.hub}.${next.uid}`]) : null },
      };
    }),
    bind(listEstateInside, ({ query }) => {
      const vehicles = managed().view.inside(query.limit ?? VEHICLES);
      return {
        status: 200,
        body: {
          vehicles: vehicles.map(({ plate, formatted, part, entryAt, hub }) => ({
            plate,
            formatted,
            part,
            entryAt: isoTime(entryAt),
            hub,
          })),
        },
      };
    }),
    bind(listEstateVehicles, ({ query: { search = "", limit = VEHICLES_PAGE, cursor } }) => {
      const after = decodeNamedPosition(cursor)?.name;
      const { vehicles, next } = managed().view.vehicles({ search, limit, ...(after === undefined ? {} : { after }) });
      return {
        status: 200,
        body: { vehicles: vehicles.map(shownVehicle), next: next === null ? null : encodeCursor([0, next]) },
      };
    }),
    bind(openEstateGate, async ({ caller, body }) => {
      await managed().openGate(body.hub, body.deviceId, { actor: caller.actor, reason: body.reason });
      return { status: 200, body: { done: true } };
    }),
    bind(putEstatePart, async ({ params, body }) => {
      await managed().setPart(params.part, body);
      return { status: 200, body: { done: true } };
    }),
    bindOpen(joinEstate, async ({ body, facts }) => {
      if (!facts.secure) throw new Problem("https_required", "Estates are joined over https only.");
      const { servers, ...admission } = await admit(body.secret, body.publicKey);
      return { status: 200, body: { ...admission, servers: [...servers] }, headers: { "Cache-Control": "no-store" } };
    }),
  ];
}

function shownEstate(
  estate: NonNullable<Parameters<typeof estateRoutes>[0]["estate"]>,
  version: string,
  keeper: boolean,
) {
  const { name, part, clockOffMs, since, currentAt, servers, ...health } = estate.health();
  const { estate: occupancy, parts } = estate.view.occupancy();
  const { hub, role, waiting, behind, connected } = health;
  const self = {
    hub,
    name,
    part,
    role,
    self: true,
    state: "online" as const,
    version,
    gates: [],
    heardAt: null,
    waiting,
    behind,
    clockOffMs,
    reads: null,
    lastReadAt: null,
  };
  return {
    ...health,
    since: isoTimeOrNull(since),
    currentAt: isoTimeOrNull(currentAt),
    servers: [...servers],
    keeper,
    hubs: [
      self,
      ...estate.view.peers().map(({ online, heardAt, lastReadAt, gates, ...peer }) => ({
        ...peer,
        self: false,
        state: connected ? (online ? ("online" as const) : ("offline" as const)) : ("unknown" as const),
        gates: gates.map(({ deviceId, name: gateName }) => ({ deviceId, name: gateName })),
        heardAt: isoTimeOrNull(heardAt),
        lastReadAt: isoTimeOrNull(lastReadAt),
      })),
    ],
    occupancy,
    parts: [...parts],
  };
}

function shownRead({ uid, at, ...read }: EstateRead) {
  return { ...read, id: `${read.hub}.${uid}`, at: isoTime(at) };
}

function shownVehicle({ inside, lastSeen, ...vehicle }: EstateVehicle) {
  return {
    ...vehicle,
    inside: inside.map(({ part, entryAt }) => ({ part, entryAt: isoTime(entryAt) })),
    lastSeen:
      lastSeen === null
        ? null
        : {
            at: isoTime(lastSeen.at),
            hub: lastSeen.hub,
            hubName: lastSeen.hubName,
            part: lastSeen.part,
            camera: lastSeen.camera,
            direction: lastSeen.direction,
          },
  };
}

/** @throws Problem invalid_query */
function placeOf(cursor: string | undefined): { at: number; hub: string; uid: number } | undefined {
  const position = decodeNamedPosition(cursor);
  if (position === undefined) return undefined;
  const [hub = "", uid = ""] = position.name.split(".");
  if (!/^\d{1,15}$/.test(uid)) throw new Problem("invalid_query", { code: "refusal.query.cursor" });
  return { at: position.at, hub, uid: Number(uid) };
}
