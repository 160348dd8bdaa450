import { Type } from "typebox";
import { cursor, integerId, limit, oneOf, since } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { DECISIONS, PlateRead, READ_STATUSES } from "../resources/plate-read.ts";

/** `GET /v1/plates`. */
export const listPlates = defineRoute({
  method: "GET",
  path: "/v1/plates",
  operationId: "listPlates",
  tag: "Plates",
  summary: "Read plate sightings",
  description:
    "Newest first. Filters combine. A plate log records vehicles of people who are not the account holder, so it has a scope of its own and is in no webhook.",
  access: { kind: "scope", scope: "plates:read" },
  query: Type.Object({
    deviceId: Type.Optional(Type.String({ description: "Camera." })),
    plate: Type.Optional(
      Type.String({
        description:
          "Normalised on the way in: spacing, dashes and letter case do not matter. Text that cannot be a plate is 400 invalid_plate.",
      }),
    ),
    decision: Type.Optional(oneOf(DECISIONS)),
    status: Type.Optional(oneOf(READ_STATUSES)),
    direction: Type.Optional(
      oneOf(["in", "out"], { description: "Reads whose direction was not resolved fit neither." }),
    ),
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
      schema: Type.Object({ plates: Type.Array(PlateRead, { description: "Newest first." }) }, { title: "PlateList" }),
    },
  },
  problems: ["invalid_plate"],
  examples: [
    {
      name: "visitor",
      query: { plate: "MH12AB1234" },
      status: 200,
      answer: {
        plates: [
          {
            id: 1,
            deviceId: "camera-gate",
            captureId: 1,
            plate: "MH12AB1234",
            formatted: "MH 12 AB 1234",
            confidence: 97,
            votes: 5,
            samples: 6,
            plateKind: "standard",
            status: "recognised",
            reason: null,
            decision: "allow",
            direction: "in",
            trigger: "motion",
            hasImage: true,
            imageUrl: "http://gatehouse.local:8080/v1/plates/1/image",
            at: "2026-03-01T12:00:00.000Z",
            gate: { deviceId: "gate", result: "opened", reason: null, settledAt: "2026-03-01T12:00:02.000Z", odd: [] },
            label: "Visitor",
          },
        ],
      },
    },
  ],
});

/** `GET /v1/plates/{id}/image`. */
export const getPlateImage = defineRoute({
  method: "GET",
  path: "/v1/plates/{id}/image",
  operationId: "getPlateImage",
  tag: "Plates",
  summary: "Read the capture image of a sighting",
  description:
    "The best frame of the read. Images expire earlier than the reads (ANPR_IMAGE_RETENTION_DAYS, 30 days by default); after that the answer is 404 image_not_found.",
  access: { kind: "scope", scope: "plates:read" },
  rate: "image",
  params: Type.Object({ id: integerId({ description: "Plate read id." }) }),
  responses: { 200: { description: "The picture.", contentType: "image/jpeg" } },
  problems: ["plate_read_not_found", "image_not_found"],
  examples: [{ name: "visitor", params: { id: 1 }, status: 200 }],
});
