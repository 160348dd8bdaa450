import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { detailEnglish } from "../../../core/text/english.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import { getHouseholdMetrics } from "../../telemetry/api/telemetry.ts";
import { getSeries, putSeriesDevices, putSeriesInflux, putSeriesPrometheus } from "../api/console-series.ts";
import type { ExportState } from "../export.ts";
import type { InfluxEdit, SeriesSettings } from "../setup.ts";

/** What the page of long-term series works with. */
interface Uses {
  readonly settings: () => SeriesSettings;
  readonly hasSecret: () => boolean;
  readonly state: () => ExportState;
  /** @throws Problem `invalid_body` */
  readonly putInflux: (edit: InfluxEdit, beside: () => void) => Promise<void>;
  readonly putPrometheus: (enabled: boolean, beside: () => void) => Promise<void>;
  readonly putLeftOut: (leftOut: readonly string[], beside: () => void) => Promise<void>;
  /** Name of the household, for a tag. */
  readonly homeName: (siteId: number) => string;
  readonly audited: Audited;
}

/** Long-term series that are kept elsewhere, for owners. */
export function seriesRoutes(service: Uses): BoundRoute[] {
  const { audited } = service;
  const shown = (siteId: number) => ({ status: 200 as const, body: { series: view(service, siteId) } });
  return [
    bind(getSeries, ({ caller }) => shown(caller.siteId)),
    bind(putSeriesInflux, async ({ caller, body }) => {
      await service.putInflux(body, () =>
        audited.line(caller)(body.enabled ? "series.sent" : "series.not_sent", new URL(body.url).host),
      );
      return shown(caller.siteId);
    }),
    bind(putSeriesPrometheus, async ({ caller, body }) => {
      await service.putPrometheus(body.enabled, () =>
        audited.line(caller)(body.enabled ? "series.shown" : "series.not_shown", "Prometheus"),
      );
      return shown(caller.siteId);
    }),
    bind(putSeriesDevices, async ({ caller, body }) => {
      await service.putLeftOut(body.leftOut, () =>
        audited.line(caller)("series.devices", "", { leftOut: body.leftOut.length }),
      );
      return shown(caller.siteId);
    }),
  ];
}

/** `GET /v1/telemetry/metrics`; `text` gives null where it is switched off. */
export function householdMetricsRoutes(text: (siteId: number) => Promise<string | null>): BoundRoute[] {
  return [
    bind(getHouseholdMetrics, async ({ caller }) => {
      const given = await text(caller.siteId);
      if (given === null) throw new Problem("not_found", "Prometheus is not allowed to fetch values here.");
      return {
        status: 200,
        bytes: Buffer.from(given),
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "Cache-Control": "private, no-store" },
      };
    }),
  ];
}

function view(service: Uses, siteId: number) {
  const { influx, prometheus, leftOut } = service.settings();
  const { state, lastSentAt, sent, refused, oldestWaiting, nextTryAt, problem } = service.state();
  return {
    influx: influx === null ? null : { ...influx, hasSecret: service.hasSecret() },
    export: {
      state,
      lastSentAt: isoTimeOrNull(lastSentAt),
      sent,
      refused,
      behindSince: isoTimeOrNull(oldestWaiting),
      nextTryAt: isoTimeOrNull(nextTryAt),
      problem: problem === null ? null : detailEnglish(problem),
      ...(problem === null ? {} : { words: problem }),
    },
    prometheus: { enabled: prometheus, path: getHouseholdMetrics.path },
    suggestedHome: service.homeName(siteId),
    leftOut: [...leftOut],
  };
}
