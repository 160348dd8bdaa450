/** Old data is deleted a share a day; the rest waits for the following days, or for the owner's confirmation. */
import t, { type Test } from "tap";
import { type AgedCount, AgeLimits } from "../../src/core/jobs/age-limits.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Feed } from "../../src/features/feed/feed.ts";
import { testBase } from "../support/base.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const DAY = 86_400_000;
const PER_DAY = 20;
const KEPT_DAYS = 90;

/** A household whose feed gets as many items every day of the retention period. */
class House {
  readonly notices: AgedCount[] = [];
  readonly #siteId: number;
  readonly #database: Database;
  readonly #feed: Feed;
  readonly clock = new FakeClock();
  keepDays = KEPT_DAYS;
  #limits: AgeLimits;

  private constructor(database: Database) {
    this.#database = database;
    this.#siteId = seedAccount(database).siteId;
    const keepDays = (): number => this.keepDays;
    const feed = {
      maxRows: 1_000_000,
      get days() {
        return keepDays();
      },
    };
    this.#feed = new Feed(testBase(database, this.clock, { feed }));
    this.#limits = this.#started();
  }

  static async open(t: Test): Promise<House> {
    const database = await openDatabase(testFolder(t));
    t.teardown(() => database.stop());
    const house = new House(database);
    for (let day = KEPT_DAYS; day > 0; day--) await house.record(PER_DAY, house.clock.now() - day * DAY + 1);
    return house;
  }

  #started(): AgeLimits {
    return new AgeLimits({
      database: this.#database,
      clock: this.clock,
      logger: silentLogger,
      histories: () => [this.#feed.aged],
      notify: (waiting) => this.notices.push(waiting),
    });
  }

  record(count: number, at: number): Promise<void> {
    return this.#database.write(() => {
      for (let n = 0; n < count; n++)
        this.#feed.record({
          siteId: this.#siteId,
          kind: "system.started",
          deviceId: null,
          title: "Started",
          body: "",
          at: at + n,
        });
    });
  }

  restart(): void {
    this.#limits = this.#started();
  }

  sweep(): Promise<number> {
    return this.#limits.sweep();
  }

  /** Advances by a day, with a sweep every six hours; returns how many were deleted. */
  async day(): Promise<number> {
    let gone = 0;
    await this.record(PER_DAY, this.clock.now());
    for (let n = 0; n < 4; n++) {
      this.clock.advance(DAY / 4);
      gone += await this.sweep();
    }
    return gone;
  }

  get state() {
    const [state] = this.#limits.states();
    if (state === undefined) throw new Error("no state");
    return state;
  }

  allow(): Promise<AgedCount[]> {
    return this.#limits.allow(["feed"]);
  }

  /** How many there are, and the age of the oldest in whole days. */
  get held(): { count: number; oldestDays: number } {
    const row = this.#database.raw
      .prepare<[], { count: number; at: number }>("SELECT count(*) AS count, min(at) AS at FROM feed_item")
      .get();
    return { count: row?.count ?? 0, oldestDays: Math.floor((this.clock.now() - (row?.at ?? 0)) / DAY) };
  }
}

t.test("each day's items are deleted a day after their retention, indefinitely, and nothing ever waits", async (t) => {
  const house = await House.open(t);
  for (let day = 0; day < 60; day++) {
    await house.day();
    if (house.state.waiting > 0 || house.held.oldestDays > KEPT_DAYS)
      t.fail(`on day ${day}: ${JSON.stringify([house.state, house.held])}`);
  }
  t.equal(house.held.count, PER_DAY * KEPT_DAYS);
  t.same(house.notices, []);
});

t.test("a clock a year ahead deletes a twentieth, however often the hub is restarted", async (t) => {
  const house = await House.open(t);
  const before = house.held.count;
  house.clock.jump(365 * DAY);
  for (let start = 0; start < 10; start++) {
    house.restart();
    await house.sweep();
  }
  const gone = before - house.held.count;
  t.equal(gone, Math.ceil(before / 20));
  t.match(house.state, { waiting: before - gone, isBehind: true, dayShare: gone });
  t.same(house.notices, [{ kind: "feed", count: before - gone }], "reported once");
  house.clock.jump(-365 * DAY);
  t.equal(await house.sweep(), 0, "the date is right again: nothing is too old");
  t.match(house.state, { waiting: 0, isBehind: false });
  t.equal(house.held.count, before - gone);
});

t.test("the owner's confirmation deletes what was shown then, and no more", async (t) => {
  const house = await House.open(t);
  house.clock.advance(200 * DAY);
  await house.sweep();
  const { waiting } = house.state;
  t.ok(waiting > 1_000);
  await house.record(500, house.clock.now() - 150 * DAY); // sent late by a device with a buffer
  t.same(await house.allow(), [{ kind: "feed", count: waiting }]);
  house.restart();
  t.equal(await house.sweep(), waiting);
  t.equal(house.held.count, 500);
  t.equal(await house.sweep(), 0, "the rest of the day's share is spent");
  t.same(await house.allow(), [{ kind: "feed", count: 500 }]);
  await house.sweep();
  t.equal(house.held.count, 0);
  t.match(house.state, { waiting: 0, isBehind: false });
});

t.test("lowering the retention counts as confirmation; raising it revokes nothing", async (t) => {
  const house = await House.open(t);
  t.equal(await house.sweep(), 0, "nothing was too old before");
  house.keepDays = 10;
  house.restart();
  await house.sweep();
  t.ok(house.held.oldestDays <= 10, `${house.held.oldestDays} days`);
  t.match(house.state, { waiting: 0, isBehind: false });
  t.same(house.notices, []);
});

t.test("after a month without power the hub catches up by itself, and stops reporting it", async (t) => {
  const house = await House.open(t);
  await house.day();
  house.clock.advance(30 * DAY);
  let days = 0;
  while (days < 60 && (days === 0 || house.state.waiting > 0)) {
    await house.day();
    days += 1;
  }
  t.ok(days <= 10, `${days} days`);
  t.ok(house.notices.length <= 1);
  t.equal(house.state.isBehind, false);
});

t.test("a house that grows quiet is not limited to the share of its quiet days", async (t) => {
  const house = await House.open(t);
  await house.day();
  for (let day = 0; day < KEPT_DAYS; day++) {
    for (let n = 0; n < 4; n++) {
      house.clock.advance(DAY / 4);
      await house.sweep();
    }
    if (house.state.waiting > 0) t.fail(`on day ${day}: ${house.state.waiting} wait`);
  }
  t.ok(house.held.count <= PER_DAY);
});
