import { Type } from "typebox";
import { answer, Done, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, limit, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const tag = "Estate";

const name = Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" });
const count = Type.Integer({ minimum: 0 });

const fullness = {
  inside: count,
  capacity: nullable(count),
  free: nullable(count),
  full: Type.Boolean(),
  percent: nullable(Type.Integer()),
};

/** One hub of the estate, as this hub knows it. */
const EstateHub = Type.Object(
  {
    hub: Type.String({ description: "Its name in the estate." }),
    name: Type.String({ description: "Its name for people." }),
    part: Type.String({ description: "The part of the site that it guards." }),
    role: oneOf(["gate", "manager"]),
    self: Type.Boolean({ description: "The hub that answers." }),
    state: oneOf(["online", "offline", "unknown"], { description: "`unknown`: this hub is cut off and cannot tell." }),
    version: Type.String(),
    gates: Type.Array(Type.Object({ deviceId: Type.String(), name: Type.String() }), {
      description: "Gates that it can open.",
    }),
    heardAt: nullable(dateTime(), {
      description: "When it was last heard; null for this hub, and for one that was never heard.",
    }),
    waiting: nullable(count, { description: "Its reads that the estate has not got; null where that is not known." }),
    behind: nullable(count, { description: "Messages of the estate that it has not taken yet." }),
    clockOffMs: nullable(Type.Integer(), { description: "How far its clock is ahead of the estate's." }),
    reads: nullable(count, {
      description: "Its reads of the last 24 hours, as far as this hub has them; null for this hub.",
    }),
    lastReadAt: nullable(dateTime()),
  },
  { title: "EstateHub" },
);

const Estate = Type.Object(
  {
    estate: Type.String(),
    hub: Type.String({ description: "This hub's name in the estate." }),
    role: oneOf(["gate", "manager"], {
      description: "A manager sees the reads of all gates and may open those of others.",
    }),
    connected: Type.Boolean(),
    since: nullable(dateTime(), { description: "Since when it is so." }),
    currentAt: nullable(dateTime(), {
      description: "When this hub last had everything that the estate had: how old its knowledge is. Null: never.",
    }),
    waiting: count,
    behind: nullable(count),
    error: nullable(Type.String(), { description: "Why there is no connection, for the network's administrator." }),
    refusal: nullable(Type.String(), {
      description: "Why the servers do not take what this hub sends, in their words. Null while they do.",
    }),
    servers: Type.Array(Type.String()),
    keeper: Type.Boolean({ description: "The estate's keys are on this hub." }),
    hubs: Type.Array(EstateHub),
    occupancy: Type.Object(fullness, { title: "EstateOccupancy" }),
    parts: Type.Array(Type.Object({ part: Type.String(), name: Type.String(), ...fullness }, { title: "EstatePart" })),
  },
  { title: "Estate" },
);

const EstateRead = Type.Object(
  {
    id: Type.String({ description: "The hub's name and its number for the read." }),
    hub: Type.String(),
    hubName: Type.String(),
    part: Type.String(),
    localId: nullable(Type.Integer(), {
      description: "Of the same read in this hub's own list; null for reads of others.",
    }),
    deviceId: Type.String({ description: "The camera." }),
    camera: Type.String({ description: "Its name." }),
    plate: Type.String(),
    formatted: Type.String(),
    direction: nullable(oneOf(["in", "out"])),
    decision: oneOf(["allow", "deny", "watch", "unknown"]),
    confidence: count,
    label: Type.String(),
    at: dateTime(),
  },
  { title: "EstateRead" },
);

/** `GET /api/estate`. */
export const getEstate = defineRoute({
  method: "GET",
  path: "/api/estate",
  operationId: "getEstate",
  tag,
  summary: "The estate of this hub: all hubs with their gates, how they are, how full each part is",
  access: session,
  proof: "none",
  responses: {
    200: { description: "Null where this hub is in none.", schema: answer("estate", nullable(Estate), "EstateAnswer") },
  },
});

/** `GET /api/estate/reads`. */
export const listEstateReads = defineRoute({
  method: "GET",
  path: "/api/estate/reads",
  operationId: "listEstateReads",
  tag,
  summary: "List the reads of all gates",
  description: "On a hub with the role of a manager. Pictures stay at the hub that took them.",
  access: session,
  proof: "none",
  query: Type.Object({
    hub: Type.Optional(name),
    plate: Type.Optional(
      Type.String({ minLength: 1, maxLength: 32, description: "A whole plate; spaces and hyphens do not matter." }),
    ),
    decision: Type.Optional(oneOf(["allow", "deny", "watch", "unknown"])),
    limit: limit(200, 50),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  responses: {
    200: {
      description: "Newest first; `next` is the cursor of the following page.",
      schema: Type.Object(
        { reads: Type.Array(EstateRead), next: nullable(Type.String()) },
        { title: "EstateReadList" },
      ),
    },
  },
  problems: ["forbidden", "not_found"],
});

/** `GET /api/estate/inside`. */
export const listEstateInside = defineRoute({
  method: "GET",
  path: "/api/estate/inside",
  operationId: "listEstateInside",
  tag,
  summary: "List the vehicles that are inside now",
  description: "On a hub with the role of a manager.",
  access: session,
  proof: "none",
  query: Type.Object({ limit: limit(500, 100) }),
  responses: {
    200: {
      description: "Those that came last first.",
      schema: answer(
        "vehicles",
        Type.Array(
          Type.Object(
            {
              plate: Type.String(),
              formatted: Type.String(),
              part: Type.String(),
              entryAt: dateTime(),
              hub: Type.String(),
            },
            { title: "EstateVehicle" },
          ),
        ),
        "EstateInside",
      ),
    },
  },
  problems: ["forbidden", "not_found"],
});

/** `GET /api/estate/vehicles`. */
export const listEstateVehicles = defineRoute({
  method: "GET",
  path: "/api/estate/vehicles",
  operationId: "listEstateVehicles",
  tag,
  summary: "List all vehicles of the estate",
  description:
    "On a hub with the role of a manager: every vehicle that was seen at any gate or has a rule for all gates, by plate.",
  access: session,
  proof: "none",
  query: Type.Object({
    search: Type.Optional(
      Type.String({ maxLength: 64, description: "Part of the plate or of the name; spaces and case do not matter." }),
    ),
    limit: limit(200, 50),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  responses: {
    200: {
      description:
        "`next` is the cursor of the following page. With `search` a page may have fewer vehicles than asked for, or none, and yet be followed by another.",
      schema: Type.Object(
        {
          vehicles: Type.Array(
            Type.Object(
              {
                plate: Type.String(),
                formatted: Type.String(),
                label: Type.String({ description: "Its name; empty where nobody gave it one." }),
                rule: nullable(oneOf(["allow", "deny", "watch"]), { description: "The rule for all gates." }),
                inside: Type.Array(Type.Object({ part: Type.String(), entryAt: dateTime() }), {
                  description: "Parts of the site in which it is.",
                }),
                lastSeen: nullable(
                  Type.Object({
                    at: dateTime(),
                    hub: Type.String(),
                    hubName: Type.String(),
                    part: Type.String(),
                    camera: Type.String(),
                    direction: nullable(oneOf(["in", "out"])),
                  }),
                  { description: "Null: never." },
                ),
              },
              { title: "EstateListedVehicle" },
            ),
          ),
          next: nullable(Type.String()),
        },
        { title: "EstateVehicleList" },
      ),
    },
  },
  problems: ["forbidden", "not_found"],
});

/** `POST /api/estate/open`. */
export const openEstateGate = defineRoute({
  method: "POST",
  path: "/api/estate/open",
  operationId: "openEstateGate",
  tag,
  summary: "Open a gate of another hub",
  description:
    "On a hub with the role of a manager. Who asked and why stands in the logs of both hubs. Without an answer within seconds the request is void: it is never carried out later.",
  access: session,
  proof: "none",
  body: Type.Object(
    {
      hub: name,
      deviceId: Type.String({ minLength: 1, maxLength: 64 }),
      reason: text(200, { description: "Why; for both logs." }),
    },
    { ...closed, title: "EstateOpenInput" },
  ),
  responses: { 200: { description: "The gate was told to open.", schema: Done } },
  problems: ["forbidden", "not_found", "device_not_found", "conflict", "estate_unreachable"],
});

/** `PUT /api/estate/parts/{part}`. */
export const putEstatePart = defineRoute({
  method: "PUT",
  path: "/api/estate/parts/{part}",
  operationId: "putEstatePart",
  tag,
  summary: "Name a part of the site and say how many vehicles fit in",
  description: "On a hub with the role of a manager.",
  access: session,
  proof: "none",
  params: Type.Object({ part: name }),
  body: Type.Object(
    { name: text(80), capacity: nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 })) },
    { ...closed, title: "EstatePartInput" },
  ),
  responses: { 200: { description: "Done.", schema: Done } },
  problems: ["forbidden", "not_found", "conflict", "estate_unreachable"],
});

/** `POST /api/estate/join`. */
export const joinEstate = defineRoute({
  method: "POST",
  path: "/api/estate/join",
  operationId: "joinEstate",
  tag,
  summary: "Have another hub join the estate with an invitation",
  description:
    "What `gatehouse estate join` asks of the hub where the estate was made; over TLS only. An invitation counts once: the first key that comes has it, and may ask again until the invitation ends.",
  access: { kind: "public" },
  body: Type.Object(
    {
      secret: Type.String({ pattern: "^[\\w-]{24}$", description: "Of the invitation's code." }),
      publicKey: Type.String({ pattern: "^U[A-Z2-7]{55}$", description: "NATS user key of the hub that joins." }),
    },
    { ...closed, title: "EstateJoinInput" },
  ),
  responses: {
    200: {
      description: "What the hub needs to take part.",
      schema: Type.Object(
        {
          estate: Type.String(),
          hub: Type.String({ description: "Its name in the estate." }),
          name: Type.String({ description: "Its name for people." }),
          part: Type.String({ description: "The part of the site that it guards." }),
          role: oneOf(["gate", "manager"]),
          servers: Type.Array(Type.String()),
          ca: Type.String({ description: "Certificate authority of the servers, PEM." }),
          credential: Type.String({ description: "Who the hub is, for the servers; of no use without its key." }),
          plateKey: Type.String({ description: "With which the estate's hubs hash plates." }),
        },
        { title: "EstateAdmission" },
      ),
    },
  },
  problems: ["https_required", "not_found", "forbidden"],
});
