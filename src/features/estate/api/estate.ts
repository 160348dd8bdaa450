import { Type } from "typebox";
import { cursor, limit, oneOf, since } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { DECISIONS } from "../../gate/resources/plate-read.ts";
import { EstateOccupancy, EstateSighting, EstateVisit } from "../resources/estate.ts";

const NONE = "404 not_found where this hub belongs to no estate.";
const NORTH = { id: "north", name: "North gate" };

/** `GET /v1/estate/plates`. */
export const listEstatePlates = defineRoute({
  method: "GET",
  path: "/v1/estate/plates",
  operationId: "listEstatePlates",
  tag: "Estate",
  summary: "Read plate sightings of all gates",
  description: `Newest first, as far as this hub has heard of them. Filters combine. Pictures stay at the hub that took them. ${NONE}`,
  access: { kind: "scope", scope: "estate:read" },
  addition: true,
  query: Type.Object({
    hub: Type.Optional(Type.String({ description: "A hub of the estate." })),
    plate: Type.Optional(Type.String({ description: "Normalised on the way in." })),
    decision: Type.Optional(oneOf(DECISIONS)),
    direction: Type.Optional(oneOf(["in", "out"])),
    since,
    until: Type.Optional(
      Type.String({ format: "date-time", description: "Only sightings at or before this moment (inclusive)." }),
    ),
    limit: limit(500, 50),
    cursor,
  }),
  responses: {
    200: {
      description: "The sightings.",
      schema: Type.Object(
        { plates: Type.Array(EstateSighting, { description: "Newest first." }) },
        { title: "EstatePlateList" },
      ),
    },
  },
  problems: ["invalid_plate", "not_found"],
  examples: [
    {
      name: "latest",
      query: { hub: "north", limit: 1 },
      status: 200,
      answer: {
        plates: [
          {
            id: "north.1772366400000",
            hub: NORTH,
            part: "main",
            deviceId: "camera-1",
            camera: "North gate camera",
            plate: "MH12AB1234",
            formatted: "MH 12 AB 1234",
            decision: "allow",
            direction: "in",
            confidence: 97,
            label: "Rao",
            at: "2026-03-01T12:00:00.000Z",
          },
        ],
      },
    },
  ],
});

/** `GET /v1/estate/occupancy`. */
export const getEstateOccupancy = defineRoute({
  method: "GET",
  path: "/v1/estate/occupancy",
  operationId: "getEstateOccupancy",
  tag: "Estate",
  summary: "Show how full the estate is, and each part of the site",
  description: `Counted from open visits. A vehicle that is in two parts counts once for the estate. ${NONE}`,
  access: { kind: "scope", scope: "estate:read" },
  addition: true,
  responses: { 200: { description: "Occupancy.", schema: EstateOccupancy } },
  problems: ["not_found"],
  examples: [
    {
      name: "two parts",
      status: 200,
      answer: {
        estate: { inside: 112, capacity: 200, free: 88, full: false, percent: 56 },
        parts: [
          { part: "main", name: "Main", inside: 70, capacity: 120, free: 50, full: false, percent: 58 },
          { part: "east", name: "East car park", inside: 42, capacity: 80, free: 38, full: false, percent: 53 },
        ],
        currentAt: "2026-03-01T12:00:00.000Z",
      },
    },
  ],
});

/** `GET /v1/estate/vehicles/{plate}`. */
export const getEstateVehicle = defineRoute({
  method: "GET",
  path: "/v1/estate/vehicles/{plate}",
  operationId: "getEstateVehicle",
  tag: "Estate",
  summary: "Read the visits of one vehicle at all gates",
  description: `The latest 200. ${NONE}`,
  access: { kind: "scope", scope: "estate:read" },
  addition: true,
  params: Type.Object({
    plate: Type.String({ minLength: 1, description: "Spacing, dashes and letter case do not matter." }),
  }),
  responses: {
    200: {
      description: "The visits.",
      schema: Type.Object(
        {
          plate: Type.String(),
          inside: Type.Boolean(),
          visits: Type.Array(EstateVisit, { description: "Newest first." }),
        },
        { title: "EstateVehicle" },
      ),
    },
  },
  problems: ["not_found", "vehicle_not_found"],
  examples: [
    {
      name: "visitor",
      params: { plate: "MH12AB1234" },
      status: 200,
      answer: {
        plate: "MH12AB1234",
        inside: true,
        visits: [
          {
            part: "main",
            entryAt: "2026-03-01T12:00:00.000Z",
            exitAt: null,
            entryHub: NORTH,
            exitHub: null,
            status: "open",
            staySeconds: null,
          },
        ],
      },
    },
  ],
});
