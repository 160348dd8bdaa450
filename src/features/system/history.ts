import type { Base } from "../../core/base.ts";
import { type Feature, job } from "../../core/feature.ts";
import { AgeLimits } from "../../core/jobs/age-limits.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import type { AccessFeature } from "../access/feature.ts";
import { historyCheck } from "./health/history.ts";
import type { HouseholdNews } from "./household-news.ts";
import { historyRoutes } from "./routes/console-history.ts";

/**
 * Deletion by age: measured against the time that has certainly come, and reported in the feed when more is due than is
 * deleted in a day.
 */
export class HistoryFeature implements Feature {
  readonly ages: AgeLimits;
  readonly #base: Base;
  readonly #access: AccessFeature;

  /** `features`: those whose history has an age, once they are all built. */
  constructor(
    base: Base,
    {
      access,
      news,
      features,
    }: { readonly access: AccessFeature; readonly news: HouseholdNews; readonly features: () => readonly Feature[] },
  ) {
    const { database, clock, logger } = base;
    this.#base = base;
    this.#access = access;
    this.ages = new AgeLimits({
      database,
      clock,
      logger,
      histories: () => features().flatMap(({ aged = [] }) => aged),
      notify: ({ kind, count }) => news.recordNow("system.storage", { code: `aged.${kind}`, n: count }),
    });
  }

  get console() {
    return historyRoutes(this.ages, this.#access.audited, this.#base.logger);
  }

  get jobs() {
    return [job("sweep-history", HOUR_MS, () => this.ages.sweep())];
  }

  get checks() {
    return [historyCheck(() => this.ages.states())];
  }
}
