import type { Facts } from "../../core/api/facts.ts";
import type { FeedAudience } from "../../core/api/feed-kinds.ts";
import type { Base } from "../../core/base.ts";
import { type Feature, job } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import { Feed } from "./feed.ts";
import { eventRoutes } from "./routes/events.ts";

/** What happened in the household, in words. */
export class FeedFeature implements Feature {
  readonly feed: Feed;
  /** Records an item, inside the job of the change that it describes. */
  readonly record: Feed["record"];
  #onRecorded: ((item: Facts["feed.added"], audience: FeedAudience | null) => void) | null = null;

  constructor({ database, bus, settings, clock }: Base) {
    this.feed = new Feed({
      database,
      bus,
      get keepDays() {
        return settings().feed.days;
      },
      get keepRows() {
        return settings().feed.maxRows;
      },
      clock,
      recorded: (item, audience) => this.#onRecorded?.(item, audience),
    });
    this.record = this.feed.record.bind(this.feed);
  }

  /** Calls `listener` for each item inside the job that writes it, with whom it is for; must not throw. */
  onRecorded(listener: (item: Facts["feed.added"], audience: FeedAudience | null) => void): void {
    this.#onRecorded = listener;
  }

  get api() {
    return eventRoutes(this.feed);
  }

  get jobs() {
    return [job("trim-feed", HOUR_MS, () => this.feed.sweep())];
  }

  get aged() {
    return [this.feed.aged];
  }

  get metrics() {
    return [
      {
        name: "feed_left_out",
        help: "Feed items left out since start because their device said too much.",
        kind: "counter" as const,
        read: () => this.feed.leftOut,
      },
    ];
  }
}
