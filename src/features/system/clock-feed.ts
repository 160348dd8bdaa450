import type { Base } from "../../core/base.ts";
import { isoTime } from "../../core/kernel/clock.ts";
import type { FeedText } from "../../core/text/keys.ts";

/** A jump that a person should know about: shorter ones are a time server's daily work. */
const NEWS_MS = 60_000;

/** Records jumps of the clock of more than a minute, and the moment when the time becomes known, in the feed. */
export function recordClockChanges(base: Base, record: (text: FeedText) => void): void {
  const { trust } = base;
  trust.onJump((jumpMs) => {
    if (Math.abs(jumpMs) <= NEWS_MS) return;
    const minutes = Math.round(Math.abs(jumpMs) / 60_000);
    const way = jumpMs > 0 ? "forward" : "back";
    record(
      minutes < 120
        ? { code: `clock.${way}`, n: minutes }
        : { code: `clock.${way}_hours`, n: Math.round(minutes / 60) },
    );
  });
  trust.onRefusal((machineMs) => {
    record(machineMs === null ? { code: "clock.returned" } : { code: "clock.refused", at: isoTime(machineMs) });
  });
  trust.onChange((_state, before) => {
    if (before === "unknown") record({ code: "clock.known" });
  });
}
