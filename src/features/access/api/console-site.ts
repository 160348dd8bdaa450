import { Type } from "typebox";
import { answer, person, session } from "../../../core/api/console-common.ts";
import { closed, integerId, nullable, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";

const Site = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    timeZone: Type.String({ description: "IANA name.", examples: ["Asia/Kolkata"] }),
    timeZoneGiven: Type.Boolean({
      description: "False while it is UTC and nobody has chosen it: then a person is to be asked.",
    }),
    latitude: nullable(Type.Number()),
    longitude: nullable(Type.Number()),
    capacity: nullable(Type.Integer(), { description: "Vehicles that fit; null = occupancy is not managed." }),
  },
  { title: "Site" },
);

/** The members of a site that can be changed. */
const SitePatch = Type.Object(
  {
    name: Type.Optional(text(120)),
    timeZone: Type.Optional(text(64, { description: "IANA name." })),
    latitude: Type.Optional(nullable(Type.Number({ minimum: -90, maximum: 90 }))),
    longitude: Type.Optional(nullable(Type.Number({ minimum: -180, maximum: 180 }))),
    capacity: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 100_000 }))),
  },
  { ...closed, minProperties: 1, title: "SitePatch" },
);

/** `GET /api/site`. */
export const getSite = defineRoute({
  method: "GET",
  path: "/api/site",
  operationId: "getSite",
  tag: "Site",
  summary: "Show the household",
  access: person,
  proof: "none",
  responses: { 200: { description: "The household.", schema: answer("site", Site, "SiteAnswer") } },
});

/** `PATCH /api/site`. */
export const updateSite = defineRoute({
  method: "PATCH",
  path: "/api/site",
  operationId: "updateSite",
  tag: "Site",
  summary: "Change name, time zone, place or capacity",
  description:
    "The place is used for sunrise and sunset only and never leaves the hub. Name, time zone and place are those of the test household too.",
  access: session,
  proof: "none",
  body: SitePatch,
  responses: { 200: { description: "The changed household.", schema: answer("site", Site, "SiteAnswer") } },
});
