import { mkdirSync, readFileSync, rmSync, utimesSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { ClockCorrection } from "../../src/core/kernel/clock-trust.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { ClockTrust, openHubClock } from "../../src/core/platform/clock-trust.ts";
import type { HubClock } from "../../src/core/platform/hub-clock.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const BUILT_AT = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;

/** A host without a battery clock, whose files tests write. */
class Box {
  readonly clock: FakeClock;
  readonly files;
  readonly savedFile: string;
  readonly states: string[] = [];
  readonly jumps: number[] = [];
  readonly refusals: (number | null)[] = [];
  readonly corrections: ClockCorrection[] = [];
  systemClockMaySet = true;
  sleptMs = 0;
  hub!: HubClock;
  trust: ClockTrust;
  readonly #built: ClockTrust[] = [];

  constructor(t: Test, folder: string, startAt: string) {
    mkdirSync(folder, { recursive: true });
    this.clock = new FakeClock(Date.parse(startAt));
    this.savedFile = join(folder, "clock.json");
    this.files = {
      synchronized: join(folder, "synchronized"),
      batteryClock: join(folder, "since_epoch"),
      deviceTree: join(folder, "model"),
      bootId: join(folder, "boot_id"),
      uptime: join(folder, "uptime"),
    };
    writeFileSync(this.files.deviceTree, "Raspberry Pi 4 Model B");
    writeFileSync(this.files.bootId, "boot-1\n");
    this.trust = this.#build();
    // saves in progress would be in the way of removing the folder
    t.teardown(() => Promise.all(this.#built.map((trust) => trust.stop())));
  }

  async boot(change: { bootId?: string; wall?: string } = {}): Promise<void> {
    this.clock.forgetTimers();
    if (change.bootId !== undefined) writeFileSync(this.files.bootId, change.bootId);
    if (change.wall !== undefined) this.clock.jump(Date.parse(change.wall) - this.clock.now());
    this.trust = this.#build();
    this.states.length = 0;
    this.trust.onChange((state) => this.states.push(state));
    this.trust.onJump((jumpMs) => this.jumps.push(jumpMs));
    this.trust.onRefusal((machineMs) => this.refusals.push(machineMs));
    this.trust.onCorrection((correction) => this.corrections.push(correction));
    await this.trust.start();
  }

  /** The machine sleeps: its monotonic time stands still, its boot time and wall time do not. */
  sleep(ms: number): void {
    this.sleptMs += ms;
    this.clock.jump(ms);
  }

  /** The battery clock's time. */
  setBattery(wallMs: number): void {
    writeFileSync(this.files.batteryClock, `${Math.floor(wallMs / 1000)}\n`);
  }

  /** A time server answers; its mark has the machine's time. */
  synchronise(): void {
    writeFileSync(this.files.synchronized, "");
    utimesSync(this.files.synchronized, this.clock.now() / 1000, this.clock.now() / 1000);
  }

  #build(): ClockTrust {
    this.hub = openHubClock(this.clock, this.files, this.savedFile, () => this.clock.mono() + this.sleptMs);
    const trust = new ClockTrust({
      clock: this.hub,
      logger: silentLogger,
      files: this.files,
      savedFile: this.savedFile,
      builtAt: BUILT_AT,
      setSystemClock: async (wallMs) => {
        if (this.systemClockMaySet) this.clock.jump(wallMs - this.clock.now());
        return this.systemClockMaySet;
      },
    });
    this.#built.push(trust);
    return trust;
  }
}

t.test("without a source the time is unknown, until a time server answers", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  await box.boot();
  t.equal(box.trust.state(), "unknown");
  box.clock.advance(MINUTE);
  t.same(box.states, []);
  box.clock.jump(3 * MINUTE);
  box.synchronise();
  box.clock.advance(5_000);
  t.equal(box.trust.state(), "trusted");
  t.same(box.states, ["trusted"]);
  t.same(box.jumps, [3 * MINUTE]);
  rmSync(box.files.synchronized);
  box.clock.advance(5_000);
  t.equal(box.trust.state(), "holdover", "the server is gone, the clock still runs");
});

t.test("a restarted process on the same boot trusts the clock as before", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  box.synchronise();
  await box.boot();
  await box.trust.stop();
  rmSync(box.files.synchronized);
  box.clock.advance(MINUTE);
  await box.boot();
  t.equal(box.trust.state(), "holdover");
  box.clock.jump(-10 * MINUTE);
  await box.boot();
  t.equal(box.trust.state(), "unknown", "but not one that was set back");
});

t.test("after a power cut the saved time proves nothing", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  box.synchronise();
  await box.boot();
  box.clock.advance(20 * MINUTE);
  const saved = await eventually(() => {
    const { wallMs } = JSON.parse(readFileSync(box.savedFile, "utf8")) as { wallMs: number }; // the trust's own file
    return wallMs === Date.parse("2026-03-01T12:20:00Z") ? wallMs : undefined;
  });
  t.ok(saved, "saved every ten minutes");
  box.clock.advance(5 * MINUTE);
  rmSync(box.files.synchronized);
  await box.boot({ bootId: "boot-2", wall: "2026-03-01T12:20:00Z" });
  t.equal(box.trust.state(), "unknown");
});

t.test("a saved file torn by a power cut counts as absent", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  writeFileSync(box.savedFile, '{"wallMs": 17');
  await box.boot();
  t.equal(box.trust.state(), "unknown");
});

t.test("a battery clock counts unless it has lost its battery", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  writeFileSync(box.files.batteryClock, "120\n");
  await box.boot();
  t.equal(box.trust.state(), "unknown", "it restarted in 1970");
  writeFileSync(box.files.batteryClock, `${Date.parse("2026-03-01T12:00:00Z") / 1000}\n`);
  await box.boot();
  t.equal(box.trust.state(), "trusted");
});

t.test("a PC has a clock of its own; a clock before the build date is wrong", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  rmSync(box.files.deviceTree);
  await box.boot();
  t.equal(box.trust.state(), "trusted");
  await box.boot({ wall: "1970-01-01T00:01:00Z" });
  t.equal(box.trust.state(), "holdover", "set back on the same boot: the hub continues with its earlier time");
  t.equal(box.hub.now(), Date.parse("2026-03-01T12:00:00Z"));
  await box.boot({ bootId: "boot-2" });
  t.equal(box.trust.state(), "unknown");
});

t.test("a signed-in browser confirms the time, or sets it if the hub may", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  await box.boot();
  t.equal(await box.trust.confirm(box.clock.now() + 20_000), true);
  t.same(box.states, ["trusted"]);
  t.same(box.jumps, []);

  const behind = new Box(t, testFolder(t, {}), "1970-01-01T00:00:10Z");
  await behind.boot();
  behind.systemClockMaySet = false;
  t.equal(await behind.trust.confirm(Date.parse("2026-03-01T12:00:00Z")), false);
  t.equal(behind.trust.state(), "unknown");
  behind.systemClockMaySet = true;
  t.equal(
    await behind.trust.confirm(Date.parse("2025-12-31T12:00:00Z")),
    false,
    "a browser from before the build is wrong too",
  );
  t.equal(await behind.trust.confirm(Date.parse("2026-03-01T12:00:00Z")), true);
  t.equal(new Date(behind.clock.now()).toISOString(), "2026-03-01T12:00:00.000Z");
  t.equal(behind.jumps.length, 1);
});

t.test("jumps both ways are detected within a second, and slow drift once it amounts to one", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  box.synchronise();
  await box.boot();
  box.clock.jump(67_000);
  box.clock.advance(1_000);
  box.clock.jump(-3_600_000);
  box.clock.advance(1_000);
  for (let i = 0; i < 25; i++) {
    box.clock.jump(100);
    box.clock.advance(1_000);
  }
  t.same(box.jumps, [67_000, -3_600_000, 2_100]);
});

const YEARS = 10 * 365 * 86_400_000;
const DAY = 86_400_000;

/** A host whose time was trusted and has run for an hour. */
async function trustedBox(t: Test, folder: string): Promise<Box> {
  const box = new Box(t, folder, "2026-03-01T12:00:00Z");
  box.synchronise();
  await box.boot();
  box.clock.advance(60 * MINUTE);
  t.equal(box.trust.state(), "trusted");
  return box;
}

t.test(
  "an unexplained jump is not followed, from the first check of the clock on, over restarts, until it is undone",
  async (t) => {
    const box = await trustedBox(t, testFolder(t));
    for (const jump of [YEARS, -25 * 365 * DAY]) {
      const before = box.clock.now();
      box.clock.jump(jump);
      t.equal(box.hub.now(), before, "before anything noticed");
      t.equal(box.hub.certain(), before);
      box.clock.advance(10 * MINUTE);
      t.equal(box.hub.now(), before + 10 * MINUTE, "the hub's time continues");
      t.equal(box.trust.state(), "holdover");
      t.equal(box.trust.refusedMs(), before + jump + 10 * MINUTE);
      await box.trust.stop();
      box.clock.advance(MINUTE);
      await box.boot();
      t.equal(box.hub.now(), before + 11 * MINUTE, "also after a restart on the same boot");
      t.equal(box.trust.state(), "holdover");
      box.clock.jump(-jump);
      box.clock.advance(5_000);
      t.equal(box.hub.now(), box.clock.now());
      t.equal(box.trust.refusedMs(), null);
      t.equal(box.trust.state(), "trusted");
    }
    t.equal(box.refusals.filter((at) => at === null).length, 2);
    t.same(box.jumps, [], "nothing that depends on the time noticed");
    t.same(box.corrections, []);
  },
);

t.test("many steps below the limit are followed no farther than one", async (t) => {
  const box = await trustedBox(t, testFolder(t));
  const start = box.clock.now();
  for (let i = 0; i < 10; i++) {
    box.clock.jump(20 * 60 * MINUTE);
    box.clock.advance(1_000);
  }
  t.ok(box.hub.now() - start < 27 * 60 * MINUTE, `${(box.hub.now() - start) / 3_600_000} h`);
});

t.test("many steps of less than an hour are doubted like one of hours", async (t) => {
  const box = await trustedBox(t, testFolder(t));
  box.clock.advance(5_000);
  const step = (minutes: number): boolean => {
    box.clock.jump(minutes * MINUTE);
    box.clock.advance(32_000);
    return box.hub.isDoubted;
  };
  t.same([step(-50), step(40)], [false, false], "to and fro");
  t.same([step(40), step(40)], [false, true], "an hour from where it began");
  t.equal(step(-40), false, "it was undone");
  t.equal(step(40), true, "which confirms nothing of what led there");
  t.equal(await box.trust.confirm(box.clock.now()), true);
  t.same([step(40), step(40)], [false, true], "an owner's browser does");
  t.equal(await box.trust.confirm(box.clock.now()), true);
  for (let day = 0; day < 5; day++) {
    t.equal(step(30), false, "what a day's old step corrected does not count for the next");
    box.clock.advance(25 * 60 * MINUTE);
  }
});

t.test("a step of hours after a time server's answer is doubted until it is undone or confirmed", async (t) => {
  const folder = testFolder(t);
  const box = await trustedBox(t, join(folder, "lied"));
  const hours = 5 * 60 * MINUTE;
  box.clock.advance(5_000);
  box.clock.jump(30 * MINUTE);
  box.clock.advance(1_000);
  t.equal(box.hub.isDoubted, false, "less than an hour is a correction");
  const before = box.clock.now();
  box.clock.jump(hours);
  box.clock.advance(1_000);
  t.equal(box.hub.now(), box.clock.now(), "it is followed");
  t.equal(box.hub.isDoubted, true);
  t.ok(box.hub.certain() - before < 10_000, "but nothing has certainly come by it");
  box.clock.jump(-hours);
  box.clock.advance(1_000);
  t.equal(box.hub.isDoubted, false, "it was undone");
  box.sleep(hours);
  box.clock.advance(2_000);
  t.equal(box.hub.isDoubted, false, "the machine slept");
  box.clock.jump(-hours);
  box.clock.advance(1_000);
  t.equal(box.hub.isDoubted, true, "backwards, too");
  t.equal(await box.trust.confirm(box.clock.now()), true);
  t.equal(box.hub.isDoubted, false, "an owner's browser confirms it");

  const first = new Box(t, join(folder, "first"), "2026-03-01T12:00:00Z");
  first.setBattery(first.clock.now());
  await first.boot();
  first.clock.advance(MINUTE);
  first.clock.jump(hours);
  first.synchronise();
  first.clock.advance(5_000);
  t.equal(first.hub.isDoubted, false, "the first answer of a boot corrects a battery clock in local time");

  const mended = await trustedBox(t, join(folder, "mended"));
  mended.setBattery(mended.clock.now() + hours);
  await mended.trust.stop();
  await mended.boot();
  mended.clock.advance(5_000);
  mended.clock.jump(hours);
  mended.clock.advance(10_000);
  t.equal(mended.hub.isDoubted, false, "the battery clock, read at the start, agrees with the time server");
});

t.test("a machine that slept has not jumped", async (t) => {
  const box = await trustedBox(t, testFolder(t));
  box.sleep(3 * DAY);
  box.clock.advance(2_000);
  t.equal(box.hub.now(), box.clock.now());
  t.same(box.refusals, []);
});

t.test("an owner's browser, or a time server with the battery clock, decides which time is right", async (t) => {
  const folder = testFolder(t);
  const byBrowser = await trustedBox(t, join(folder, "browser"));
  byBrowser.clock.jump(40 * DAY);
  byBrowser.clock.advance(1_000);
  t.equal(await byBrowser.trust.confirm(byBrowser.clock.now() - 40 * DAY), true, "it agrees with the hub");
  t.not(byBrowser.trust.refusedMs(), null, "so the machine is still not followed");
  t.equal(await byBrowser.trust.confirm(byBrowser.clock.now()), true);
  t.equal(byBrowser.hub.now(), byBrowser.clock.now());
  t.same([byBrowser.trust.refusedMs(), byBrowser.trust.state()], [null, "trusted"]);
  t.same(byBrowser.jumps.map(Math.round), [40 * DAY]);

  const byServer = await trustedBox(t, join(folder, "server"));
  byServer.setBattery(byServer.clock.now() + 40 * DAY);
  byServer.clock.jump(40 * DAY);
  byServer.clock.advance(6_000);
  t.not(byServer.trust.refusedMs(), null, "the time server's mark is from before");
  byServer.synchronise();
  byServer.clock.advance(6_000);
  t.equal(byServer.hub.now(), byServer.clock.now());

  const alone = await trustedBox(t, join(folder, "alone"));
  alone.clock.jump(YEARS);
  alone.synchronise();
  alone.clock.advance(MINUTE);
  alone.setBattery(alone.clock.now()); // the kernel copies its time there after a while
  alone.clock.advance(60 * MINUTE);
  t.not(alone.trust.refusedMs(), null, "one time server alone changes nothing");
});

t.test("after a long time without power, deletion by age waits for a second source", async (t) => {
  const box = await trustedBox(t, testFolder(t));
  const before = box.hub.now();
  await box.trust.stop();
  await box.boot({ bootId: "boot-2", wall: "2036-03-01T12:00:00Z" });
  t.equal(box.trust.state(), "trusted", "the time server confirms it");
  t.equal(box.hub.now(), Date.parse("2036-03-01T12:00:00Z"));
  t.equal(box.hub.certain(), before);
  t.equal(box.hub.isDoubted, true);
  box.clock.advance(MINUTE);
  t.equal(box.hub.certain(), before + MINUTE, "elapsed time counts");
  await box.trust.stop();
  await box.boot();
  t.ok(box.hub.certain() < before + 5 * MINUTE, "still after a restart");
  t.equal(await box.trust.confirm(box.clock.now()), true);
  t.equal(box.hub.certain(), box.hub.now());
  t.equal(box.hub.isDoubted, false);

  await box.trust.stop();
  await box.boot({ bootId: "boot-3", wall: "2036-03-02T11:00:00Z" });
  t.equal(box.hub.isDoubted, false, "less than a day without power raises no doubt");
});

t.test("saves asked for while one is written become one more; the stop's own is the last", async (t) => {
  const folder = testFolder(t);
  const box = await trustedBox(t, folder);
  let writes = 0;
  const watcher = watch(folder, (_event, name) => {
    if (name === "clock.json") writes += 1;
  });
  t.teardown(() => watcher.close());
  for (let i = 0; i < 30; i++) box.clock.advance(10 * MINUTE);
  await box.trust.stop();
  await new Promise((resolve) => setTimeout(resolve, 200)); // of real time, for the events
  t.match(readFileSync(box.savedFile, "utf8"), `"wallMs":${box.hub.now()}`);
  t.ok(writes >= 1 && writes <= 3, `${writes} writes`);
});

t.test("the span recorded before the time was known is reported for correction", async (t) => {
  const box = new Box(t, testFolder(t), "2026-03-01T12:00:00Z");
  await box.boot();
  box.clock.advance(MINUTE);
  box.clock.jump(20 * DAY);
  box.synchronise();
  box.clock.advance(1_000);
  t.match(box.corrections, [
    { fromMs: Date.parse("2026-03-01T12:00:00Z"), toMs: Date.parse("2026-03-01T12:01:01Z"), shiftMs: 20 * DAY },
  ]);
  t.equal(box.hub.isDoubted, true, "and one time server alone deletes nothing");
});

t.test("a browser alone does not move a known time by more than hours", async (t) => {
  const box = await trustedBox(t, testFolder(t));
  rmSync(box.files.synchronized);
  box.clock.advance(6_000);
  t.equal(box.trust.state(), "holdover");
  const before = box.clock.now();
  t.equal(await box.trust.confirm(before + YEARS), false);
  t.equal(box.clock.now(), before, "the machine's clock is not set");
  t.equal(await box.trust.confirm(before + 10 * MINUTE), true, "drift is corrected");
  box.clock.jump(YEARS);
  box.clock.advance(1_000);
  t.equal(
    await box.trust.confirm(before + 2 * YEARS),
    false,
    "nor if the machine's clock has jumped and agrees with neither",
  );
  t.ok(box.hub.certain() < before + DAY);
});
