import { Type } from "typebox";
import { answer, person, session } from "../../../core/api/console-common.ts";
import { closed, nullable, oneOf } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { EnergyRoleInput, EnergySettings, EnergyTariff, HouseEnergy, localDate } from "../resources/energy.ts";

/** `GET /api/energy`. */
export const getHouseEnergy = defineRoute({
  method: "GET",
  path: "/api/energy",
  operationId: "getHouseEnergy",
  tag: "Energy",
  summary: "Show what the house used",
  description: [
    "kWh of a day by hours, of a week or month by days, of a year by months, in the household's zone, with what it cost and the period before.",
    "A device's own counter counts where it has one. A meter and the devices behind it are never added up.",
  ].join(" "),
  access: person,
  proof: "none",
  query: Type.Object({
    period: Type.Optional(oneOf(["day", "week", "month", "year"], { default: "day" })),
    date: Type.Optional(localDate("A local day in the period; today unless given.")),
    deviceId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only this device." })),
  }),
  responses: { 200: { description: "The energy.", schema: answer("energy", HouseEnergy, "HouseEnergyAnswer") } },
  problems: ["device_not_found"],
});

/** `GET /api/energy/settings`. */
export const getEnergySettings = defineRoute({
  method: "GET",
  path: "/api/energy/settings",
  operationId: "getEnergySettings",
  tag: "Energy",
  summary: "Show prices and what each device measures",
  access: person,
  proof: "none",
  responses: {
    200: { description: "The settings.", schema: answer("settings", EnergySettings, "EnergySettingsAnswer") },
  },
});

/** `PUT /api/energy/settings`. */
export const putEnergySettings = defineRoute({
  method: "PUT",
  path: "/api/energy/settings",
  operationId: "putEnergySettings",
  tag: "Energy",
  summary: "Replace prices and what each device measures",
  description:
    "A device that is not named is what the hub takes it for: a single energy meter is the house's, everything else that measures is a load.",
  access: session,
  proof: "none",
  maxBodyBytes: 524_288,
  body: Type.Object(
    { tariff: nullable(EnergyTariff), roles: Type.Array(EnergyRoleInput, { maxItems: 2_000 }) },
    { ...closed, title: "EnergySettingsInput" },
  ),
  responses: {
    200: { description: "The settings.", schema: answer("settings", EnergySettings, "EnergySettingsAnswer") },
  },
  problems: ["unknown_device"],
});
