import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { SntpServer } from "../../core/platform/sntp-server.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { SeriesFeature } from "../series/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { correctRecordedTimes } from "./clock-correction.ts";
import { recordClockChanges } from "./clock-feed.ts";
import { clockCheck } from "./health/clock.ts";
import { sntpCheck } from "./health/sntp.ts";
import type { HouseholdNews } from "./household-news.ts";

/** The features that are notified of clock changes, and whose records move with the clock. */
interface Siblings {
  readonly news: HouseholdNews;
  readonly gate: GateFeature;
  readonly telemetry: TelemetryFeature;
  readonly series: SeriesFeature;
}

/** The hub's time: trust in it, corrections of earlier records, and the time for the LAN. */
export class TimeFeature implements Feature {
  /** Null where it is switched off. */
  readonly sntp: SntpServer | null;
  readonly services: readonly PlacedService[];
  readonly #base: Base;

  constructor(base: Base, siblings: Siblings) {
    const { settings, trust, clock, logger } = base;
    const { http, sntp } = settings();
    this.#base = base;
    this.sntp = sntp.enabled
      ? new SntpServer({
          host: http.host,
          port: sntp.port,
          trust,
          clock,
          logger: logger.child({ part: "sntp" }),
        })
      : null;
    this.services = [
      { service: trust, start: "first", stop: "storage" },
      ...(this.sntp === null ? [] : [{ service: this.sntp, start: "serve" as const, stop: "intake" as const }]),
    ];
    recordClockChanges(base, (text) => siblings.news.record("system.clock", text));
    correctRecordedTimes(base, siblings);
  }

  get checks() {
    const { trust, clock } = this.#base;
    const { sntp } = this;
    return [clockCheck(trust, clock), ...(sntp === null ? [] : [sntpCheck(() => sntp.figures, trust)])];
  }

  get metrics() {
    const { trust } = this.#base;
    return [
      {
        name: "clock_known",
        help: "1 while the hub knows what time it is, else 0.",
        read: () => (trust.state() === "unknown" ? 0 : 1),
      },
    ];
  }
}
