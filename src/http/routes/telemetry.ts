import type { EnergySeries } from "../../contract/resources/telemetry.js";
import { getEnergy, listTelemetry } from "../../contract/routes/telemetry.js";
import { isoTime } from "../../kernel/clock.js";
import { decodePosition, encodeCursor, nextLink, pageOf } from "../cursor.js";
import { type BoundRoute, bind } from "../exchange.js";

/** Where a page of samples ended: `skip` samples of time `at` have been given already, and all later ones. */
interface SamplePosition {
  readonly at: number;
  readonly skip: number;
}

/** What the telemetry routes ask of the hub. Times are epoch milliseconds. */
export interface TelemetryService {
  /** @throws Problem `device_not_found` when the household has no such device. */
  checkDevice(siteId: number, deviceId: string): void;
  /** Newest first. */
  recent(
    deviceId: string,
    query: { readonly limit: number; readonly sinceMs?: number; readonly before?: SamplePosition },
  ):
    | readonly { readonly at: number; readonly data: { readonly [key: string]: unknown } }[]
    | Promise<readonly { readonly at: number; readonly data: { readonly [key: string]: unknown } }[]>;
  /** The window of `hours` that ends now, in the household's time zone. */
  energy(siteId: number, deviceId: string, query: { readonly hours: number; readonly metric: string }): EnergyAnswer | Promise<EnergyAnswer>;
}

/** A series with times in epoch milliseconds, oldest bucket first. */
interface EnergyAnswer {
  readonly granularity: "hour" | "day";
  readonly kwh: number;
  readonly series: readonly { readonly at: number; readonly avg: number; readonly max: number }[];
}

/** The telemetry routes of /v1. */
export function telemetryRoutes(service: TelemetryService): BoundRoute[] {
  return [
    bind(listTelemetry, async (request) => {
      const { caller, params, query } = request;
      const { limit = 100 } = query;
      service.checkDevice(caller.siteId, params.id);
      const position = decodePosition(query.cursor);
      const before = position && { at: position.at, skip: position.id };
      const items = await service.recent(params.id, {
        limit: limit + 1,
        ...(query.since === undefined ? {} : { sinceMs: Date.parse(query.since) }),
        ...(before ? { before } : {}),
      });
      const { page, last } = pageOf(items, limit);
      const body = { deviceId: params.id, telemetry: page.map(({ at, data }) => ({ at: isoTime(at), data })) };
      if (last === null) return { status: 200, body };
      const { at, skip } = positionAfter(page, last.at, before);
      return { status: 200, body, headers: { Link: nextLink(request, encodeCursor([at, skip])) } };
    }),
    bind(getEnergy, async ({ caller, params, query }) => {
      const { hours = 24, metric = "watts" } = query;
      service.checkDevice(caller.siteId, params.id);
      const { granularity, kwh, series } = await service.energy(caller.siteId, params.id, { hours, metric });
      const body: EnergySeries = { deviceId: params.id, metric, granularity, kwh, series: series.map(({ at, avg, max }) => ({ at: isoTime(at), avg, max })) };
      return { status: 200, body };
    }),
  ];
}

/** Samples have no id: the position is their time and how many of that time have been given. */
function positionAfter(page: readonly { readonly at: number }[], lastAt: number, before: SamplePosition | undefined): SamplePosition {
  const given = page.filter(({ at }) => at === lastAt).length;
  return { at: lastAt, skip: given + (before?.at === lastAt ? before.skip : 0) };
}
