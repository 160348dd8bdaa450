import { decodePosition, encodeCursor, nextLink, pageOf } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { type Clock, isoTime } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Accounts } from "../../access/accounts.ts";
import type { DeviceRegistry } from "../../devices/registry.ts";
import { exportTelemetry, getEnergy, getHistorySeries, listTelemetry } from "../api/telemetry.ts";
import type { DeviceHistory, EnergySeries } from "../resources/telemetry.ts";
import type { Telemetry } from "../telemetry.ts";
import { samplesCsv } from "./samples-csv.ts";

/** The end of a page of samples: `skip` samples of time `at` have been returned already, and all later ones. */
interface SamplePosition {
  readonly at: number;
  readonly skip: number;
}

/** The telemetry routes of /v1. */
export function telemetryRoutes({
  telemetry,
  registry,
  accounts,
  clock,
}: {
  readonly telemetry: Telemetry;
  readonly registry: DeviceRegistry;
  readonly accounts: Accounts;
  readonly clock: Clock;
}): BoundRoute[] {
  const zoneOf = (siteId: number): string => accounts.site(siteId).timeZone;
  return [
    bind(listTelemetry, (request) => {
      const { caller, params, query } = request;
      const { limit = 100 } = query;
      registry.get(caller.siteId, params.id);
      const position = decodePosition(query.cursor);
      const before = position && { at: position.at, skip: position.id };
      const items = telemetry.recent(params.id, {
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
    bind(getEnergy, ({ caller, params, query }) => {
      const { hours = 24, metric = "watts" } = query;
      registry.get(caller.siteId, params.id);
      const { granularity, kwh, series } = telemetry.energy(params.id, {
        hours,
        metric,
        timeZone: zoneOf(caller.siteId),
        now: clock.now(),
      });
      const body: EnergySeries = {
        deviceId: params.id,
        metric,
        granularity,
        kwh,
        series: series.map(({ at, avg, max }) => ({ at: isoTime(at), avg, max })),
      };
      return { status: 200, body };
    }),
    bind(getHistorySeries, async ({ caller, params, query }) => {
      registry.get(caller.siteId, params.id);
      const { fromMs, toMs } = stretchOf(query, clock.now());
      const metrics = telemetry.metrics(params.id);
      const metric = query.metric ?? preferred(metrics);
      const timeZone = zoneOf(caller.siteId);
      const empty = { stepMs: 0, points: [] };
      const read =
        metric === null
          ? empty
          : await telemetry.history(params.id, { metric, fromMs, toMs, points: query.points ?? POINTS, timeZone });
      const body: DeviceHistory = {
        deviceId: params.id,
        metric,
        metrics,
        timeZone,
        from: isoTime(fromMs),
        to: isoTime(toMs),
        stepSeconds: Math.round(read.stepMs / 1000),
        series: read.points.map(({ at, avg, min, max }) => ({ at: isoTime(at), avg, min, max })),
      };
      return { status: 200, body };
    }),
    bind(exportTelemetry, ({ caller, params, query }) => {
      registry.get(caller.siteId, params.id);
      const stretch = stretchOf(query, clock.now());
      const timeZone = zoneOf(caller.siteId);
      const pieces = samplesCsv(telemetry, {
        deviceId: params.id,
        metric: query.metric,
        ...stretch,
        timeZone,
      });
      const name = `${params.id}-${isoTime(stretch.fromMs).slice(0, 10)}`.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
      return {
        status: 200,
        pieces,
        contentType: "text/csv; charset=utf-8",
        headers: {
          "Content-Disposition": `attachment; filename="${name}.csv"`,
          "Cache-Control": "private, no-store",
        },
      };
    }),
  ];
}

/** The requested stretch, in epoch ms. @throws Problem `invalid_query` */
function stretchOf(query: { readonly from?: string; readonly to?: string }, now: number) {
  const toMs = query.to === undefined ? now : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DAY_MS : Date.parse(query.from);
  if (fromMs < toMs && toMs - fromMs <= LONGEST_MS) return { fromMs, toMs };
  const message = "must lie before `to`, by ten years at most";
  throw new Problem("invalid_query", `from ${message}.`, {
    details: [{ field: "from", code: "before_start", message }],
  });
}

const DAY_MS = 86_400_000;
const LONGEST_MS = 3_653 * DAY_MS;
const POINTS = 500;
/** What people look for first. */
const PREFERRED = ["temperature", "watts", "power_w", "humidity"];

function preferred(metrics: readonly string[]): string | null {
  return (
    PREFERRED.find((metric) => metrics.includes(metric)) ??
    metrics.find((metric) => metric !== "uptime") ??
    metrics[0] ??
    null
  );
}

/** Samples have no id: the position is their time and how many of that time have been returned. */
function positionAfter(
  page: readonly { readonly at: number }[],
  lastAt: number,
  before: SamplePosition | undefined,
): SamplePosition {
  const given = page.filter(({ at }) => at === lastAt).length;
  return { at: lastAt, skip: given + (before?.at === lastAt ? before.skip : 0) };
}
