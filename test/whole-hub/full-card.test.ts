/** What a hub deletes before its disk is full, and what it never does. */

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { room } from "../../src/features/system/card.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";

t.setTimeout(280_000);
const MEGABYTE = 1_048_576;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Days of incompressible samples, with the watts for the energy sums; the newest is now. */
async function recordDays(
  hub: Awaited<ReturnType<typeof startConsoleHub>>["hub"],
  clock: FakeClock,
  days: number,
): Promise<void> {
  for (let day = days; day >= 0; day--) {
    for (let n = 0; n < 24; n++) {
      const at = clock.now() - day * DAY - (23 - n) * HOUR;
      const samples = Array.from({ length: 20 }, (_, i) => ({
        at: at + i * 60_000,
        data: { watts: 100, noise: randomBytes(1_200).toString("base64") },
      }));
      await hub.telemetry.telemetry.ingest("meter", samples, {
        messageId: null,
        durable: true,
        duplicate: false,
        at: clock.now(),
      });
    }
    await hub.telemetry.telemetry.compact();
  }
}

t.test("a nearly full disk: the oldest samples make room for new ones; the last day and all sums stay", async (t) => {
  const folder = smallDisk(t, 110);
  if (folder === null) {
    t.pass("skipped: this user may not mount a file system");
    return;
  }
  const clock = new FakeClock();
  const { hub, call } = await startConsoleHub(t, { folder, clock });
  const { database } = hub.base;
  const makeRoom = (): Promise<void> => room(hub.base, hub); // the work of the job; the clock stands still
  await call("POST", "/api/devices", { id: "meter", name: "Meter", type: "energy-meter" });
  await recordDays(hub, clock, 12);
  const at = (): number[] => hub.telemetry.telemetry.recent("meter", { limit: 100_000 }).map((sample) => sample.at);
  const oldest = (): number => at().at(-1) ?? Number.POSITIVE_INFINITY;
  const before = { oldest: oldest(), samples: at().length };
  const lastDay = at().filter((time) => time > clock.now() - DAY).length;
  t.ok(before.samples > 5_000, `${before.samples} samples`);

  await makeRoom();
  t.equal(oldest(), before.oldest, "the disk is below the owner's free-space limit, but samples are valuable");

  mkdirSync(join(folder, "before-restore-2026-01-01"));
  fillDisk(join(folder, "before-restore-2026-01-01/gatehouse.db"), 61 * MEGABYTE);
  await makeRoom();
  t.notOk(existsSync(join(folder, "before-restore-2026-01-01")));
  t.equal(oldest(), before.oldest, "set-aside files are deleted first, and are enough");

  fillDisk(join(folder, "foreign"), 61 * MEGABYTE);
  await makeRoom();
  t.ok(oldest() > before.oldest, "the oldest went");
  t.ok(at().length > lastDay, "no more than was needed");
  const pages = (): number => Number(database.raw.pragma("page_count", { simple: true }));
  const full = pages();
  await recordDays(hub, clock, 2);
  t.equal(pages(), full, "new rows take the pages of old ones");

  fillDisk(join(folder, "foreign-too"), 24 * MEGABYTE);
  await makeRoom();
  t.ok(oldest() >= clock.now() - 2 * DAY);
  t.ok(
    at().filter((time) => time > clock.now() - DAY).length >= lastDay,
    "the last day stays, however full the disk is",
  );
  const { total } = hub.telemetry.telemetry.energy("meter", {
    hours: 24 * 30,
    metric: "watts",
    timeZone: "UTC",
    now: clock.now(),
  }) as { total?: number };
  t.ok(
    hub.telemetry.telemetry.energy("meter", { hours: 24 * 12, metric: "watts", timeZone: "UTC", now: clock.now() })
      .series.length >= 12,
    `sums of every day stay ${total ?? ""}`,
  );

  const frame = hub.cameras.captures.frame("camera", "one", 0, randomBytes(1_000));
  await t.rejects(
    frame,
    { code: /^storage_full$/ },
    "pictures waiting to be read leave the last of the disk to the database",
  );
});
