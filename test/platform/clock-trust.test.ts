import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { silentLogger } from "../../src/kernel/logger.js";
import { ClockTrust } from "../../src/platform/clock-trust.js";
import { FakeClock } from "../support/fake-clock.js";

const BUILT_AT = Date.parse("2026-01-01T00:00:00Z");
const MINUTE = 60_000;

/** A box without a battery clock, whose files tests write. */
class Box {
  readonly clock: FakeClock;
  readonly files;
  readonly savedFile: string;
  readonly states: string[] = [];
  readonly jumps: number[] = [];
  systemClockMaySet = true;
  trust: ClockTrust;

  constructor(folder: string, startAt: string) {
    mkdirSync(folder, { recursive: true });
    this.clock = new FakeClock(Date.parse(startAt));
    this.savedFile = join(folder, "clock.json");
    this.files = {
      synchronized: join(folder, "synchronized"),
      batteryClock: join(folder, "since_epoch"),
      deviceTree: join(folder, "model"),
      bootId: join(folder, "boot_id"),
    };
    writeFileSync(this.files.deviceTree, "Raspberry Pi 4 Model B");
    writeFileSync(this.files.bootId, "boot-1\n");
    this.trust = this.#build();
  }

  async boot(change: { bootId?: string; wall?: string } = {}): Promise<void> {
    this.clock.forgetTimers();
    if (change.bootId !== undefined) writeFileSync(this.files.bootId, change.bootId);
    if (change.wall !== undefined) this.clock.jump(Date.parse(change.wall) - this.clock.now());
    this.trust = this.#build();
    this.states.length = 0;
    this.trust.onChange((state) => this.states.push(state));
    this.trust.onJump((jumpMs) => this.jumps.push(jumpMs));
    await this.trust.start();
  }

  synchronise(): void {
    writeFileSync(this.files.synchronized, "");
  }

  #build(): ClockTrust {
    return new ClockTrust({
      clock: this.clock,
      logger: silentLogger,
      files: this.files,
      savedFile: this.savedFile,
      builtAt: BUILT_AT,
      setSystemClock: async (wallMs) => {
        if (this.systemClockMaySet) this.clock.jump(wallMs - this.clock.now());
        return this.systemClockMaySet;
      },
    });
  }
}

t.test("without anything that vouches for it the time is unknown, until a time server is heard", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
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

t.test("a process that starts again on the same boot believes the clock it believed before", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
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

t.test("after a power cut the saved time vouches for nothing", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
  box.synchronise();
  await box.boot();
  box.clock.advance(25 * MINUTE);
  t.equal(JSON.parse(readFileSync(box.savedFile, "utf8")).wallMs, Date.parse("2026-03-01T12:20:00Z"), "saved every ten minutes");
  rmSync(box.files.synchronized);
  await box.boot({ bootId: "boot-2", wall: "2026-03-01T12:20:00Z" });
  t.equal(box.trust.state(), "unknown");
});

t.test("a saved file that a power cut tore is as none", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
  writeFileSync(box.savedFile, '{"wallMs": 17');
  await box.boot();
  t.equal(box.trust.state(), "unknown");
});

t.test("a battery clock counts unless it has lost its battery", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
  writeFileSync(box.files.batteryClock, "120\n");
  await box.boot();
  t.equal(box.trust.state(), "unknown", "it restarted in 1970");
  writeFileSync(box.files.batteryClock, `${Date.parse("2026-03-01T12:00:00Z") / 1000}\n`);
  await box.boot();
  t.equal(box.trust.state(), "trusted");
});

t.test("a PC has a clock of its own; before the day of the build no clock is right", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
  rmSync(box.files.deviceTree);
  await box.boot();
  t.equal(box.trust.state(), "trusted");
  await box.boot({ wall: "1970-01-01T00:01:00Z" });
  t.equal(box.trust.state(), "unknown");
});

t.test("a signed-in browser confirms the time, or sets it where the hub may", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
  await box.boot();
  t.equal(await box.trust.confirm(box.clock.now() + 20_000), true);
  t.same(box.states, ["trusted"]);
  t.same(box.jumps, []);

  const behind = new Box(t.testdir({}), "1970-01-01T00:00:10Z");
  await behind.boot();
  behind.systemClockMaySet = false;
  t.equal(await behind.trust.confirm(Date.parse("2026-03-01T12:00:00Z")), false);
  t.equal(behind.trust.state(), "unknown");
  behind.systemClockMaySet = true;
  t.equal(await behind.trust.confirm(Date.parse("2025-12-31T12:00:00Z")), false, "a browser from before the build is wrong too");
  t.equal(await behind.trust.confirm(Date.parse("2026-03-01T12:00:00Z")), true);
  t.equal(new Date(behind.clock.now()).toISOString(), "2026-03-01T12:00:00.000Z");
  t.equal(behind.jumps.length, 1);
});

t.test("jumps both ways are noticed within a second, and slow drift once it amounts to one", async (t) => {
  const box = new Box(t.testdir(), "2026-03-01T12:00:00Z");
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
