import type { Base } from "../../core/base.ts";
import { type Feature, job } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import { Feed } from "./feed.ts";
import { activityRoutes } from "./routes/activity.ts";
import { eventRoutes } from "./routes/events.ts";

/** What happened in the household, in words. */
export class FeedFeature implements Feature {
  readonly feed: Feed;
  /** Records an item, inside the job of the change that it describes. */
  readonly record: Feed["record"];

  constructor(base: Base) {
    this.feed = new Feed(base);
    this.record = this.feed.record.bind(this.feed);
  }

  get api() {
    return eventRoutes(this.feed);
  }

  get console() {
    return activityRoutes(this.feed);
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
