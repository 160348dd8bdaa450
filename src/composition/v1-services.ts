import type { Access } from "../access/access.js";
import type { Automations } from "../automations/automations.js";
import { plateOf } from "../gate/plate-rules.js";
import { LiveEvents } from "../http/live/live-events.js";
import type { V1Services } from "../http/v1.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import { type Base, chosenCountries } from "./base.js";
import type { DeviceParts } from "./device-parts.js";
import type { EstateParts } from "./estate.js";
import type { PlateParts } from "./plate-parts.js";
import type { SeriesParts } from "./series-parts.js";

/** What the contract's operations are answered from. */
export interface V1Parts {
  readonly access: Access;
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly automations: Automations;
  readonly plates: PlateParts;
  readonly estate: EstateParts;
  readonly series: SeriesParts;
}

/** Connects the features to the routes of /v1. */
export function v1Services(base: Base, parts: V1Parts): V1Services {
  const { access, devices, telemetry, automations, plates, estate, series } = parts;
  const countries = chosenCountries(base);
  const { registry, commands, rooms, scenes, feed } = devices;
  return {
    account: {
      account: (accountId) => access.accounts.get(accountId),
      deviceCount: (siteId) => registry.count(siteId),
    },
    devices: {
      list: (siteId, filter) => registry.list(siteId, filter),
      get: (siteId, id) => registry.get(siteId, id),
      version: (siteId) => registry.version(siteId),
      edit: (...asked) => registry.edit(...asked),
      send: (command) => commands.send(command),
      outcome: (siteId, id) => commands.outcome(siteId, id),
    },
    telemetry: {
      checkDevice: (siteId, deviceId) => void registry.get(siteId, deviceId),
      recent: (deviceId, query) => telemetry.recent(deviceId, query),
      oldestFirst: (deviceId, query) => telemetry.oldestFirst(deviceId, query),
      metrics: (deviceId) => telemetry.metrics(deviceId),
      history: (deviceId, query) => telemetry.history(deviceId, query),
      timeZone: (siteId) => access.accounts.site(siteId).timeZone,
      now: () => base.clock.now(),
      energy: (siteId, deviceId, { hours, metric }) =>
        telemetry.energy(deviceId, {
          hours,
          metric,
          timeZone: access.accounts.site(siteId).timeZone,
          now: base.clock.now(),
        }),
    },
    metricsText: series.metricsText,
    rooms,
    scenes,
    automations,
    events: feed,
    plates: plates.reads,
    vehicles: plates.vehicles,
    occupancy: plates.occupancy,
    plateRules: plates.rules,
    gateQuestions: plates.questions,
    estate: {
      of: (siteId) => (access.accounts.site(siteId).env === "live" ? estate.estate : null),
      plateOf: (text) => plateOf(text, countries, "plate").plate,
    },
    appPairing: access.appPairing,
    stream: {
      live: new LiveEvents({ bus: base.bus, clock: base.clock }),
      checkDevice: (siteId, deviceId) => void registry.get(siteId, deviceId),
    },
  };
}
