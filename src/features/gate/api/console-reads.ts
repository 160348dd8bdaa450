import { Type } from "typebox";
import { answer, gatekeeper, IdParams, person, session } from "../../../core/api/console-common.ts";
import { closed, cursor, limit, nullable, oneOf, since } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { GateRead, GateReadInFull, LeftUnseen, ReadCount, ReadHour, VehicleInside } from "../resources/gate-read.ts";
import { DECISIONS, READ_STATUSES } from "../resources/plate-read.ts";

const until = Type.Optional(
  Type.String({ format: "date-time", description: "Only sightings at or before this moment (inclusive)." }),
);

const filters = {
  q: Type.Optional(
    Type.String({
      maxLength: 80,
      description:
        "Part of a plate or of a name. Spaces, dashes, letter case and full-width letters do not matter; if no plate contains it, letters and digits that look alike count as equal.",
    }),
  ),
  decisions: Type.Optional(
    Type.String({
      pattern: `^(${DECISIONS.join("|")})(,(${DECISIONS.join("|")})){0,3}$`,
      description: "Several, separated by commas.",
    }),
  ),
  deviceId: Type.Optional(Type.String({ minLength: 1, description: "Camera." })),
  status: Type.Optional(oneOf(READ_STATUSES)),
  direction: Type.Optional(oneOf(["in", "out"])),
  since,
  until,
};

/** `GET /api/reads`. */
export const listReads = defineRoute({
  method: "GET",
  path: "/api/reads",
  operationId: "listGateReads",
  tag: "Plates",
  summary: "List what happened at the gate",
  description: "Filters combine.",
  access: person,
  proof: "none",
  query: Type.Object({
    ...filters,
    ids: Type.Optional(
      Type.String({
        pattern: "^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14}){0,99}$",
        description: "These sightings, as far as they are kept, whatever the other filters; separated by commas.",
      }),
    ),
    order: Type.Optional(oneOf(["newest", "oldest"], { default: "newest" })),
    limit: limit(200, 50),
    cursor,
  }),
  responses: {
    200: { description: "The sightings.", schema: answer("reads", Type.Array(GateRead), "GateReadList") },
  },
});

/** `GET /api/reads/hours`. */
export const readHours = defineRoute({
  method: "GET",
  path: "/api/reads/hours",
  operationId: "gateReadHours",
  tag: "Plates",
  summary: "Count sightings by hour",
  access: person,
  proof: "none",
  query: Type.Object({
    ...filters,
    since: Type.String({ format: "date-time", description: "Hours are counted from here." }),
    until: Type.String({ format: "date-time", description: "Before this moment; at most 35 days later." }),
  }),
  responses: {
    200: {
      description: "Hours with sightings, oldest first.",
      schema: answer("hours", Type.Array(ReadHour), "ReadHourList"),
    },
  },
  problems: ["invalid_query"],
});

/** `GET /api/reads/count`. */
export const countReads = defineRoute({
  method: "GET",
  path: "/api/reads/count",
  operationId: "countGateReads",
  tag: "Plates",
  summary: "Count sightings and the vehicles among them",
  description: "Filters combine.",
  access: person,
  proof: "none",
  query: Type.Object(filters),
  responses: { 200: { description: "The counts.", schema: answer("count", ReadCount, "ReadCountAnswer") } },
});

/** `GET /api/reads/{id}/plate`. */
export const getPlateCrop = defineRoute({
  method: "GET",
  path: "/api/reads/{id}/plate",
  operationId: "getPlateCrop",
  tag: "Plates",
  summary: "Read the plate cut out of a sighting's picture",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The plate with a little around it.", contentType: "image/jpeg" } },
  problems: ["plate_read_not_found", "image_not_found", "unavailable"],
});

/** `GET /api/reads/{id}/small`. */
export const getSmallPicture = defineRoute({
  method: "GET",
  path: "/api/reads/{id}/small",
  operationId: "getSmallPicture",
  tag: "Plates",
  summary: "Read a sighting's picture made small, for a phone's first look",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The picture, at most 640 pixels wide.", contentType: "image/jpeg" } },
  problems: ["plate_read_not_found", "image_not_found", "unavailable"],
});

/** `GET /api/reads/csv`. */
export const exportReads = defineRoute({
  method: "GET",
  path: "/api/reads/csv",
  operationId: "exportGateReads",
  tag: "Plates",
  summary: "Export sightings as a table",
  description: "Newest first, at most 20,000 rows.",
  access: gatekeeper,
  proof: "none",
  query: Type.Object(filters),
  responses: { 200: { description: "The table, UTF-8.", contentType: "text/csv" } },
});

/** `GET /api/reads/pictures`. */
export const exportPictures = defineRoute({
  method: "GET",
  path: "/api/reads/pictures",
  operationId: "exportGatePictures",
  tag: "Plates",
  summary: "Export pictures of sightings as a ZIP file",
  description: "Newest first, at most 2,000 pictures and 1 GB. One export at a time.",
  access: session,
  proof: "none",
  query: Type.Object(filters),
  responses: { 200: { description: "The file.", contentType: "application/zip" } },
  problems: ["unavailable"],
});

/** `GET /api/gate/inside`. */
export const listInside = defineRoute({
  method: "GET",
  path: "/api/gate/inside",
  operationId: "listVehiclesInside",
  tag: "Plates",
  summary: "List vehicles that came in, and those that left unseen",
  description: "What is known of each. Occupancy counts every visit that goes on (docs/spec/domain.md §8.1).",
  access: person,
  proof: "none",
  responses: {
    200: {
      description: "The latest first; at most 200 of each.",
      schema: Type.Object(
        {
          inside: Type.Array(VehicleInside),
          leftUnseen: Type.Array(LeftUnseen, { description: "In the last 30 days." }),
        },
        { title: "GateInside" },
      ),
    },
  },
});

/** `GET /api/gate/set-up`. */
export const getGateSetUp = defineRoute({
  method: "GET",
  path: "/api/gate/set-up",
  operationId: "getGateSetUp",
  tag: "Plates",
  summary: "Show how far the gate is set up",
  access: session,
  proof: "none",
  responses: {
    200: {
      description: "What is done.",
      schema: Type.Object(
        {
          cameraId: nullable(Type.String(), { description: "A camera that opens a gate; null: none does." }),
          gateId: nullable(Type.String(), { description: "The gate that it opens." }),
          pictured: Type.Boolean({ description: "A camera has sent a picture." }),
          listed: Type.Boolean({ description: "A plate is allowed." }),
          opened: Type.Boolean({ description: "The gate has opened for a plate." }),
        },
        { title: "GateSetUp" },
      ),
    },
  },
});

/** `GET /api/plates/{id}`. */
export const getRead = defineRoute({
  method: "GET",
  path: "/api/plates/{id}",
  operationId: "getPlateRead",
  tag: "Plates",
  summary: "Read one plate sighting",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The read.", schema: answer("plate", GateReadInFull, "GateReadInFullAnswer") } },
  problems: ["plate_read_not_found"],
});

/** Id of a read; 0: before the first one. */
const readMark = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const SeenReads = Type.Object(
  {
    upToId: nullable(readMark, {
      description: "The newest read that the person has seen; null for somebody who has never looked.",
    }),
  },
  { title: "SeenReads" },
);

/** `GET /api/seen-reads`. */
export const getSeenReads = defineRoute({
  method: "GET",
  path: "/api/seen-reads",
  operationId: "getSeenReads",
  tag: "Plates",
  summary: "Show up to which read the person has seen them",
  access: person,
  proof: "none",
  responses: { 200: { description: "The mark.", schema: answer("seen", SeenReads, "SeenReadsAnswer") } },
});

/** `POST /api/seen-reads`. */
export const markReadsSeen = defineRoute({
  method: "POST",
  path: "/api/seen-reads",
  operationId: "markReadsSeen",
  tag: "Plates",
  summary: "Note that the person has seen all reads up to one",
  description: "The mark is the person's, on whatever device. It never goes back, and never beyond the newest read.",
  access: person,
  proof: "none",
  body: Type.Object({ upToId: readMark }, { ...closed, title: "SeenReadsInput" }),
  responses: { 200: { description: "The mark.", schema: answer("seen", SeenReads, "SeenReadsAnswer") } },
});
