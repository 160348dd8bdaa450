import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { pageWithSchedule } from "../../src/features/webhooks/document.ts";
import { anyShare, gapAfter, probeGap, retryAfterMs, retryGap } from "../../src/features/webhooks/schedule.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const MINUTE = 60_000;

t.test("gaps double from one second to 15", async (t) => {
  const gaps = [0, 1, 2, 3, 4, 5, 6, 19, 20, 21].map((failures) => gapAfter(failures, 0.5));
  t.same(gaps, [1_000, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000, 15_000]);
  t.same([gapAfter(1, 0), gapAfter(1, 1), gapAfter(20, 0.25)], [800, 1_200, 13_500], "20 % of jitter");
  for (let n = 0; n < 100; n++) {
    const share = anyShare();
    if (!(share >= 0 && share < 1)) t.fail(`${share} is not a share`);
  }
});

t.test("the retry queue waits longer each time for a day, and then gives up", async (t) => {
  t.same([0, 1, 2, 3, 4, 5, 6].map(retryGap), [
    MINUTE,
    5 * MINUTE,
    30 * MINUTE,
    120 * MINUTE,
    480 * MINUTE,
    1_440 * MINUTE,
    null,
  ]);
});

t.test("a disabled webhook is probed after minutes, and then every hour", async (t) => {
  t.same(
    [0, 1, 2, 3, 4, 5, 50].map((made) => probeGap(made) / MINUTE),
    [1, 2, 5, 10, 30, 60, 60],
  );
});

t.test("Retry-After is read as seconds or a date, up to an hour", async (t) => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  const read = (header: string | undefined) => retryAfterMs(header, now);
  t.equal(read(undefined), null);
  t.equal(read("30"), 30_000);
  t.equal(read(" 30 "), 30_000);
  t.equal(read("3600"), 3_600_000);
  t.equal(read("3601"), 3_600_000);
  t.equal(read("999999999"), 3_600_000);
  t.equal(read("Sun, 01 Mar 2026 12:00:10 GMT"), 10_000);
  t.equal(read("Sun, 01 Mar 2026 11:00:00 GMT"), 0, "one in the past");
  t.equal(read("soon"), null);
  t.equal(read(""), null);
});

t.test("the client guide has the schedule of the code", async (t) => {
  const page = readFileSync(join(PROJECT_ROOT, "docs/client-guide.md"), "utf8");
  t.equal(page, pageWithSchedule(page), "node scripts/generate-docs.mjs writes it");
  for (const part of [
    "after 1, 2, 4 and 8 seconds, then every 15 seconds, each ± 20 %",
    "After 20 failed attempts in a row",
  ])
    t.match(page, part);
  t.throws(() => pageWithSchedule("# A page without a place for it"), /no place/);
});
