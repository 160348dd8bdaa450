import type { FeedEntry } from "../automations/ports.js";
import { isoTime } from "../kernel/clock.js";
import type { ClockTrustView } from "../kernel/clock-trust.js";
import type { Logger } from "../kernel/logger.js";
import type { Database } from "../storage/database.js";

/** What {@link tellAboutClock} works with. */
export interface ClockNewsOptions {
  readonly trust: ClockTrustView & { onRefusal(listener: (machineMs: number | null) => void): () => void };
  readonly database: Database;
  readonly recordFeed: (entry: FeedEntry) => void;
  /** The households whose feed hears of it. */
  readonly siteIds: () => readonly number[];
  readonly now: () => number;
  readonly logger: Logger;
}

/** A jump that a person should know of: shorter ones are a time server's daily work. */
const NEWS_MS = 60_000;

/** Puts jumps of the clock of more than a minute, and the moment when the time becomes known, into the feed. */
export function tellAboutClock(options: ClockNewsOptions): void {
  const { trust } = options;
  trust.onJump((jumpMs) => {
    if (Math.abs(jumpMs) <= NEWS_MS) return;
    const minutes = Math.round(Math.abs(jumpMs) / 60_000);
    const far = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
    tell(options, {
      title: "The clock was set",
      body: `It moved ${jumpMs > 0 ? "forward" : "back"} by about ${far}. Schedules follow the new time.`,
      words: { code: jumpMs > 0 ? "clock.forward" : "clock.back", n: minutes },
    });
  });
  trust.onRefusal((machineMs) => {
    const [title, body, code] =
      machineMs === null
        ? ["The clock is right again", "The box's own clock shows the hub's time again.", "clock.returned"]
        : [
            "The clock jumped",
            `The box's own clock shows ${isoTime(machineMs)}. The hub keeps its own time until somebody confirms the new one.`,
            "clock.refused",
          ];
    tell(options, { title, body, words: { code, ...(machineMs === null ? {} : { at: isoTime(machineMs) }) } });
  });
  trust.onChange((_state, before) => {
    if (before === "unknown") tell(options, { title: "The time is known", body: "Schedules run from now on.", words: { code: "clock.known" } });
  });
}

function tell({ database, recordFeed, siteIds, now, logger }: ClockNewsOptions, text: Pick<FeedEntry, "title" | "body" | "words">): void {
  const at = now();
  database
    .write(() => {
      for (const siteId of siteIds()) recordFeed({ siteId, kind: "system.clock", deviceId: null, ...text, at });
    })
    .catch((error: unknown) => logger.warn({ err: error }, "news of the clock could not be put into the feed"));
}
