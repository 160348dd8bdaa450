import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Base } from "../../core/base.ts";
import { isoTime } from "../../core/kernel/clock.ts";
import type { ClockTrustView } from "../../core/kernel/clock-trust.ts";
import type { FeedText } from "../../core/text/keys.ts";

/** What {@link recordClockChanges} works with. */
export interface ClockFeedOptions {
  readonly trust: ClockTrustView & { onRefusal(listener: (machineMs: number | null) => void): () => void };
  readonly recordFeed: RecordFeedItem;
  /** The households whose feed is told. */
  readonly siteIds: () => readonly number[];
}

/** A jump that a person should know about: shorter ones are a time server's daily work. */
const NEWS_MS = 60_000;

/** Records jumps of the clock of more than a minute, and the moment when the time becomes known, in the feed. */
export function recordClockChanges(base: Base, options: ClockFeedOptions): void {
  const { trust } = options;
  trust.onJump((jumpMs) => {
    if (Math.abs(jumpMs) <= NEWS_MS) return;
    const minutes = Math.round(Math.abs(jumpMs) / 60_000);
    const way = jumpMs > 0 ? "forward" : "back";
    record(
      base,
      options,
      minutes < 120
        ? { code: `clock.${way}`, n: minutes }
        : { code: `clock.${way}_hours`, n: Math.round(minutes / 60) },
    );
  });
  trust.onRefusal((machineMs) => {
    record(
      base,
      options,
      machineMs === null ? { code: "clock.returned" } : { code: "clock.refused", at: isoTime(machineMs) },
    );
  });
  trust.onChange((_state, before) => {
    if (before === "unknown") record(base, options, { code: "clock.known" });
  });
}

function record({ database, clock, logger }: Base, { recordFeed, siteIds }: ClockFeedOptions, text: FeedText): void {
  const at = clock.now();
  database
    .write(() => {
      for (const siteId of siteIds()) recordFeed({ siteId, kind: "system.clock", deviceId: null, text, at });
    })
    .catch((error: unknown) => logger.warn({ err: error }, "a change of the clock could not be put into the feed"));
}
