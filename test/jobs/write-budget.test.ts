import t from "tap";
import { makeRoom } from "../../src/core/jobs/make-room.ts";
import { patienceMs, WriteBudget } from "../../src/core/jobs/write-budget.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const HOUR = 3_600_000;

t.test("bytes by cause and day; a restarted counter loses nothing; the life of the card from whole days", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const clock = new FakeClock(Date.parse("2026-03-01T20:00:00Z"));
  const counted = { process: 1_000, pictures: 100, backups: 0, device: 50_000 as number | null };
  const counters = {
    process: () => counted.process,
    pictures: () => counted.pictures,
    backups: () => counted.backups,
    device: () => counted.device,
  };
  const budget = new WriteBudget({ database, counters, clock });
  await budget.tick();
  t.equal(budget.lifetimeYears(1e9), null, "no whole day yet");
  Object.assign(counted, { process: 11_000, pictures: 3_100, backups: 2_000, device: 90_000 });
  await budget.tick();
  const wanted = [
    { cause: "database", bytes: 5_000 },
    { cause: "pictures", bytes: 3_000 },
    { cause: "backups", bytes: 2_000 },
  ];
  t.same(budget.today(), wanted, "not recorded yet, and counted");
  clock.advance(HOUR);
  await budget.tick();
  t.same(budget.today(), wanted, "recorded, and counted once");
  clock.advance(4 * HOUR);
  await budget.tick();
  Object.assign(counted, { process: 700, pictures: 0, backups: 0, device: null }); // restarted
  await budget.tick();
  t.same(budget.days(), [
    { day: "2026-03-02", hubBytes: 700, deviceBytes: null },
    { day: "2026-03-01", hubBytes: 10_000, deviceBytes: 40_000 },
  ]);
  t.equal(budget.lifetimeYears(14_600_000)?.toFixed(2), "300.00", "14.6 MB × 300 at 40 000 bytes a day");
});

t.test("room is made from the least valuable, oldest first, and no more than is needed", async (t) => {
  let free = 10;
  const left = { aside: 1, backups: 5, pictures: 100 };
  const take = (name: keyof typeof left, bytes: number) => ({
    name,
    give: async () => {
      if (left[name] === 0) return false;
      left[name] -= 1;
      free += bytes;
      return true;
    },
  });
  const classes = [take("aside", 5), take("backups", 20), take("pictures", 1)];
  const about = { freeBytes: () => free, wantedBytes: 50, classes, logger: silentLogger };
  t.same(await makeRoom(about), ["aside", "backups"]);
  t.same(left, { aside: 0, backups: 3, pictures: 100 });
  t.same(await makeRoom(about), [], "enough is free");
});

t.test("a failing class does not keep the others from giving; a valuable one gives only while needed", async (t) => {
  let free = 0;
  const give = (bytes: number) => async (): Promise<boolean> => {
    free += bytes;
    return true;
  };
  const classes = [
    { name: "broken", give: () => Promise.reject(new Error("the disk takes no row")) },
    { name: "dear", needed: () => free < 20, give: give(15) },
    { name: "dearer", needed: () => free < 20, give: give(1) },
  ];
  t.same(await makeRoom({ freeBytes: () => free, wantedBytes: 1_000, classes, logger: silentLogger }), ["dear"]);
  t.equal(free, 30);
});

t.test(
  "writes run ahead of the budget when its used share exceeds that of the day, except for its first tenth",
  async (t) => {
    const midnight = Date.UTC(2026, 2, 1);
    t.equal(patienceMs(94, 1_000, midnight), 0);
    t.equal(patienceMs(101, 1_000, midnight + HOUR), 1_000);
    t.equal(patienceMs(474, 1_000, midnight + 12 * HOUR), 0);
    t.equal(patienceMs(476, 1_000, midnight + 12 * HOUR), 1_000);
    t.equal(patienceMs(524, 1_000, midnight + 12 * HOUR), 1_000);
    t.equal(patienceMs(526, 1_000, midnight + 12 * HOUR), 3_000);
    t.equal(patienceMs(624, 1_000, midnight + 12 * HOUR), 3_000);
    t.equal(patienceMs(626, 1_000, midnight + 12 * HOUR), 6_000);
    t.equal(patienceMs(949, 1_000, midnight + 24 * HOUR - 1), 0);
  },
);
