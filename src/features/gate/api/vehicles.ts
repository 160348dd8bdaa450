import { Type } from "typebox";
import { cursor, limit } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { Occupancy, Vehicle, VehicleHistory } from "../resources/vehicle.ts";

/** `GET /v1/vehicles`. */
export const listVehicles = defineRoute({
  method: "GET",
  path: "/v1/vehicles",
  operationId: "listVehicles",
  tag: "Vehicles",
  summary: "List the vehicles seen",
  description:
    "Most recently seen first. `days` filters on lastSeen; `insideNow` counts open visits whatever the window.",
  access: { kind: "scope", scope: "plates:read" },
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 365, default: 30, description: "Vehicles seen in the last so many days." }),
    ),
    limit: limit(1000, 200),
    cursor,
  }),
  responses: {
    200: {
      description: "The register.",
      schema: Type.Object(
        {
          days: Type.Integer({ minimum: 1 }),
          insideNow: Type.Integer({ minimum: 0 }),
          vehicles: Type.Array(Vehicle, { description: "Most recently seen first." }),
        },
        { title: "VehicleList" },
      ),
    },
  },
  examples: [
    {
      name: "month",
      query: { days: 30 },
      status: 200,
      answer: {
        days: 30,
        insideNow: 1,
        vehicles: [
          {
            plate: "MH12AB1234",
            formatted: "MH 12 AB 1234",
            passes: 3,
            entries: 2,
            exits: 1,
            visits: 2,
            inside: true,
            firstSeen: "2026-02-27T08:00:00.000Z",
            lastSeen: "2026-03-01T12:00:00.000Z",
            averageStaySeconds: 3600,
            totalStaySeconds: 3600,
            cameras: ["camera-gate"],
            list: "allow",
            label: "Visitor",
          },
        ],
      },
    },
  ],
});

/** `GET /v1/vehicles/{plate}`. */
export const getVehicle = defineRoute({
  method: "GET",
  path: "/v1/vehicles/{plate}",
  operationId: "getVehicle",
  tag: "Vehicles",
  summary: "Read one vehicle and its visits",
  description:
    "404 when the plate has never been seen; no empty profile is returned. A text that cannot be a plate has never been seen either.",
  access: { kind: "scope", scope: "plates:read" },
  params: Type.Object({
    plate: Type.String({ minLength: 1, description: "Spacing, dashes and letter case do not matter." }),
  }),
  responses: { 200: { description: "The vehicle.", schema: VehicleHistory } },
  problems: ["vehicle_not_found"],
  examples: [
    {
      name: "visitor",
      params: { plate: "MH12AB1234" },
      status: 200,
      answer: {
        plate: "MH12AB1234",
        formatted: "MH 12 AB 1234",
        passes: 1,
        inside: false,
        totalStaySeconds: 0,
        visits: [],
      },
    },
  ],
});

/** `GET /v1/occupancy`. */
export const getOccupancy = defineRoute({
  method: "GET",
  path: "/v1/occupancy",
  operationId: "getOccupancy",
  tag: "Vehicles",
  summary: "Show how full the site is",
  description: "Counted from open visits, not from a running tally.",
  access: { kind: "scope", scope: "plates:read" },
  responses: { 200: { description: "Occupancy.", schema: Occupancy } },
  examples: [{ name: "now", status: 200, answer: { inside: 2, capacity: 10, free: 8, full: false, percent: 20 } }],
});
