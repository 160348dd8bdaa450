/** Telemetry as a whole: after failures, removals, moves and a restart. */
import t, { type Test } from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos0, qos1, type StartOptions, startTelemetry } from "./setup.ts";

const NOW = Date.parse("2026-03-30T12:00:00Z");
const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function bench(t: Test, options: StartOptions = {}) {
  const clock = new FakeClock(NOW);
  const database = await openDatabase(testFolder(t), clock);
  const stored: unknown[] = [];
  const start = () =>
    startTelemetry(database, {
      clock,
      ...options,
      stored: (messages) =>
        stored.push(...messages.map(({ deviceId, samples }) => [deviceId, samples.map(({ at }) => at - NOW)])),
    });
  let running = await start();
  t.teardown(async () => {
    await running.telemetry.stop();
    await database.stop();
  });
  let id = 0;
  /** Numbers of a device at times relative to the beginning. */
  const send = (deviceId: string, readings: Readonly<Record<number, number>>, metric = "watts") =>
    running.telemetry.ingest(
      deviceId,
      Object.entries(readings).map(([at, value]) => ({ at: NOW + Number(at), data: { [metric]: value } })),
      qos1(++id, clock.now()),
    );
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 3; n++) {
      await database.write(() => {});
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  };
  const restart = async () => {
    await running.telemetry.stop();
    running = await start();
    return running;
  };
  const rows = (): unknown => database.raw.prepare("SELECT count(*) FROM telemetry_journal").pluck().get();
  const recent = (deviceId: string, telemetry = running.telemetry) =>
    telemetry.recent(deviceId, { limit: 99 }).map(({ at, data }) => [at - NOW, ...Object.values(data)]);
  return { ...running, clock, database, stored, send, settle, restart, rows, recent };
}

t.test("a listener to stored samples hears each new message once, with its new samples", async (t) => {
  const { telemetry, clock, stored, send } = await bench(t);
  await send("plug", { [-2]: 1, [-1]: 2 });
  await send("plug", { [-2]: 1, [-3]: 3 });
  await send("plug", { [-2]: 1 });
  t.same(stored, [
    ["plug", [-2, -1]],
    ["plug", [-3]],
  ]);
  await telemetry.ingest("lamp", [{ at: null, data: { on: true } }], { ...qos0(clock.now()), durable: true });
  t.same(stored[2], ["lamp", [0]], "even one without an id that asks to wait for the disk");
});

t.test("the past changes with anything that removes or moves samples, and not with a compaction", async (t) => {
  const { telemetry, send } = await bench(t, { telemetry: { rawDays: 5 } });
  await send("plug", { [-9 * DAY]: 1, [-1]: 2 });
  await send("other", { [-1]: 1 });
  const changes = async (act: () => Promise<unknown>) => {
    const before = telemetry.past("plug");
    await act();
    return telemetry.past("plug") !== before;
  };
  t.equal(await changes(() => telemetry.compact()), false);
  t.equal(await changes(() => send("plug", { 0: 3 })), false);
  t.equal(await changes(() => telemetry.move({ fromMs: NOW - 5, toMs: NOW, shiftMs: -QUARTER })), true, "moved");
  await send("plug", { 1: 1 });
  t.equal(await changes(() => telemetry.removeDevice("other")), true, "another device removed");
  for (const remove of telemetry.aged) t.equal(await changes(() => remove.remove(9)), true, remove.kind);
  t.equal(await changes(() => telemetry.sweep()), true, "swept");
  t.equal(await changes(() => telemetry.evictOldest()), true, "room made");
});

t.test("a block that replaces another shows its own content", async (t) => {
  const { telemetry, send, recent, rows } = await bench(t);
  await send("plug", { [-3]: 1 });
  await telemetry.compact();
  t.same([recent("plug"), rows()], [[[-3, 1]], 0]);
  await send("plug", { [-2]: 2 });
  await telemetry.compact();
  t.same([recent("plug"), rows()], [[-2, -3].map((at) => [at, at + 4]), 0]);
  await telemetry.move({ fromMs: NOW - 3, toMs: NOW - 3, shiftMs: 2 });
  t.same(recent("plug"), [
    [-1, 1],
    [-2, 2],
  ]);
});

t.test("a device with a removed one's id has none of its data", async (t) => {
  const { telemetry, send, recent } = await bench(t);
  await send("old", { [-2 * MINUTE]: 600, [-MINUTE]: 600 });
  await telemetry.compact();
  await telemetry.removeDevice("old");
  t.same([recent("old"), telemetry.metrics("old"), telemetry.past("old")], [[], [], -1]);
  await send("new", { 0: 600 });
  t.same(telemetry.metrics("new"), ["watts"]);
  const { wattHours } = await telemetry.quarters("new", {
    metric: "watts",
    fromMs: NOW - QUARTER,
    toMs: NOW + QUARTER,
  });
  t.same(
    [...wattHours].map((wh) => Number.isNaN(wh)),
    [true, true],
    "no energy since the removed one's last sample",
  );
  await send("new", { [MINUTE]: 1 }, "volts");
  t.same(telemetry.metrics("new"), ["watts", "volts"]);
  await telemetry.compact();
  t.same([telemetry.metrics("new"), recent("new").length], [["watts", "volts"], 2]);
  const { count } = await telemetry.quarters("new", { metric: "watts", fromMs: NOW - HOUR, toMs: NOW + HOUR });
  t.same([...count], [0, 0, 0, 0, 1, 0, 0, 0]);
});

t.test("energy continues from the last sample before a restart", async (t) => {
  const { telemetry, send, restart } = await bench(t);
  await send("plug", { [-20 * MINUTE]: 60, [-10 * MINUTE]: 60 });
  await telemetry.compact();
  const again = await restart();
  await send("plug", { [-5 * MINUTE]: 60 });
  const wattHours = async () => {
    const query = { metric: "watts", fromMs: NOW - 2 * QUARTER, toMs: NOW };
    return [...(await again.telemetry.quarters("plug", query)).wattHours].map((wh) => Math.round(wh * 1e6) / 1e6);
  };
  t.same(await wattHours(), [5, 10]);
  await again.telemetry.compact();
  t.same(await wattHours(), [5, 10]);
});

t.test(
  "pending webhook reports go out after a restart without new samples, except those of a removed device",
  async (t) => {
    const { reports, clock, telemetry, send, restart, settle } = await bench(t, { reported: true });
    await send("plug", { [-9]: 1 });
    await send("plug", { [-8]: 2 });
    await send("lamp", { [-7]: 3 });
    await send("lamp", { [-6]: 4 });
    t.same(
      reports.map(({ deviceId, data }) => [deviceId, data.data]),
      [
        ["plug", { watts: 1 }],
        ["lamp", { watts: 3 }],
      ],
    );
    await telemetry.removeDevice("lamp");
    const again = await restart();
    clock.advance(1);
    await settle();
    t.same(
      again.reports.map(({ deviceId, data }) => [deviceId, data.data]),
      [["plug", { watts: 2 }]],
    );
    await send("fan", { [-5]: 5 });
    await send("fan", { [-4]: 6 });
    await again.telemetry.removeDevice("fan");
    clock.advance(2_000);
    await settle();
    t.same(
      again.reports.slice(1).map(({ deviceId, data }) => [deviceId, data.data]),
      [["fan", { watts: 5 }]],
    );
  },
);

t.test("a failed compaction leaves everything unchanged, and is tried again a minute later", async (t) => {
  const { telemetry, database, clock, send, settle, recent, restart, rows } = await bench(t, {
    pace: { journalSamples: 2 },
  });
  database.raw.exec("CREATE TRIGGER full BEFORE INSERT ON telemetry_block BEGIN SELECT RAISE(ABORT, 'no'); END");
  clock.advance(20);
  await send("plug", { [-9]: 1 });
  await settle();
  await send("plug", { [-8]: 2 });
  await settle();
  const figures = () => {
    const { journalSamples, blockSamples } = telemetry.figures();
    return [journalSamples, blockSamples];
  };
  t.same([figures(), rows()], [[2, 0], 2]);
  database.raw.exec("DROP TRIGGER full");
  clock.advance(MINUTE - 1);
  await send("plug", { [-7]: 3 });
  await settle();
  t.same([figures(), rows()], [[3, 0], 3], "not before");
  clock.advance(1);
  await send("plug", { [-6]: 4 });
  await settle();
  t.same([figures(), rows()], [[0, 4], 0]);
  await send("plug", { [-5]: 5 });
  await send("plug", { [-4]: 6 });
  await settle();
  t.same([figures(), rows()], [[0, 6], 0], "and the next one again by itself");
  const all = [6, 5, 4, 3, 2, 1].map((n) => [n - 10, n]);
  t.same(recent("plug"), all);
  t.same(recent("plug", (await restart()).telemetry), all);
});

t.test("a journal's age counts from its first sample, also after a compaction", async (t) => {
  const { telemetry, clock, send, settle } = await bench(t, { pace: { journalAgeMs: 2 * MINUTE } });
  for (const round of [1, 2]) {
    clock.advance(20 * MINUTE);
    await send("plug", { [round]: round });
    clock.advance(8 * MINUTE - 1);
    await settle();
    t.equal(telemetry.figures().journalSamples, 1, `${round}: a few samples wait four times as long`);
    clock.advance(1);
    await settle();
    t.same([telemetry.figures().journalSamples, telemetry.figures().blockSamples], [0, round]);
  }
});

t.test("samples that move to another hour add their sums to those that are there", async (t) => {
  const { telemetry, send, recent } = await bench(t);
  await send("plug", { [-3 * HOUR]: 1, [-3 * HOUR + 1]: 2, [-HOUR]: 10, [-1]: 7 });
  t.equal(await telemetry.move({ fromMs: NOW - 3 * HOUR, toMs: NOW - 3 * HOUR, shiftMs: 2 * HOUR + 5 }), 1);
  t.same(recent("plug"), [
    [-1, 7],
    [-HOUR + 5, 1],
    [-HOUR, 10],
    [-3 * HOUR + 1, 2],
  ]);
  const hours = async () => {
    const { count, sum, max } = await telemetry.quarters("plug", {
      metric: "watts",
      fromMs: NOW - 3 * HOUR,
      toMs: NOW,
    });
    return [0, 4, 8, 11].map((quarter) => [count[quarter], sum[quarter], max[quarter]]);
  };
  const after = [
    [1, 2, 2],
    [0, 0, 0],
    [2, 11, 10],
    [1, 7, 7],
  ];
  t.same(await hours(), after);
  t.equal(await telemetry.move({ fromMs: NOW - 3 * HOUR + 2, toMs: NOW - HOUR - 1, shiftMs: 5 }), 0, "none there");
  t.same(await hours(), after);
  t.equal(await telemetry.move({ fromMs: NOW - 3 * HOUR, toMs: NOW, shiftMs: -NOW * 2 }), 4);
  t.same(
    telemetry.recent("plug", { limit: 9 }).map(({ at }) => at),
    [0, 0, 0, 0],
    "not before the beginning of time",
  );
});

t.test("after a stop nothing is answered, and no timer is left", async (t) => {
  const { telemetry, clock, send } = await bench(t);
  await send("plug", { [-1]: 1 });
  await telemetry.ingest("lamp", [{ at: null, data: { on: true } }], qos0(NOW));
  await telemetry.removeDevice("lamp");
  await telemetry.stop();
  await telemetry.stop();
  t.equal(clock.pending, 0);
  const query = { metric: "watts", fromMs: NOW - HOUR, toMs: NOW, points: 9, timeZone: "UTC" };
  for (const [name, ask] of Object.entries({
    ingest: () => telemetry.ingest("plug", [{ at: null, data: {} }], qos0(NOW)),
    recent: async () => telemetry.recent("plug", { limit: 1 }),
    oldestFirst: async () => telemetry.oldestFirst("plug", { afterMs: 0, toMs: NOW, limit: 1 }),
    history: () => telemetry.history("plug", query),
    figures: async () => telemetry.figures(),
    compact: () => telemetry.compact(),
    removeDevice: () => telemetry.removeDevice("plug"),
  })) {
    const refusal = await ask().then(
      () => null,
      (error: unknown) => error,
    );
    t.ok(refusal instanceof Problem, name);
    if (refusal instanceof Problem)
      t.same([refusal.code, refusal.words?.code], ["unavailable", "unavailable.telemetry"], name);
  }
});

t.test("samples waiting in memory have one timer, and none once they are written with something else", async (t) => {
  const { telemetry, clock, send, rows, recent, settle } = await bench(t);
  const before = clock.pending;
  const lazily = () => telemetry.ingest("plug", [{ at: null, data: { watts: 1 } }], qos0(clock.now()));
  await lazily();
  clock.advance(1);
  await lazily();
  t.same([clock.pending - before, rows(), recent("plug").length], [1, 0, 2]);
  await send("lamp", { [-1]: 1 });
  t.same([clock.pending - before, rows(), recent("plug").length], [0, 1, 2]);
  await lazily();
  clock.advance(4_999);
  await settle();
  t.same([clock.pending - before, rows()], [1, 1]);
  clock.advance(1);
  await settle();
  t.same([clock.pending - before, rows(), recent("plug").length], [0, 2, 3]);
  t.same(
    telemetry.oldestFirst("plug", { afterMs: 0, toMs: clock.now(), limit: 9 }).map(({ at }) => at - NOW),
    [0, 1, 2],
    "equal readings at one moment are moved apart",
  );
  t.equal(telemetry.figures().received, 4);
});
