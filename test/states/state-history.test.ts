/** When states changed: only changes are stored, in what order, how they are read, and what bounds them. */
import t, { type Test } from "tap";
import { QUIET_WRITE_MS } from "../../src/core/kernel/quiet-writes.ts";
import { DeviceRegistry } from "../../src/features/devices/registry.ts";
import { type RecordedDevice, StateHistory } from "../../src/features/states/state-history.ts";
import { testAccess, testBase } from "../support/base.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { ListingOutbox } from "../support/stand-ins.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.parse("2026-03-01T12:00:00Z");

type Device = { -readonly [Key in keyof RecordedDevice]: RecordedDevice[Key] };

const device = (id: string, type: string, state: Device["state"]): Device => ({
  id,
  type,
  state,
  stateAt: NOON - HOUR,
  online: true,
  lastSeen: NOON - HOUR,
});

/** A history on a real database, and what starts it again on the same file. */
async function recorder(t: Test, devices: Device[], options: { keepDays?: number; maxChanges?: number } = {}) {
  const database = await openDatabase(testFolder(t));
  const clock = new FakeClock(NOON);
  const base = testBase(database, clock, { devices: { stateDays: options.keepDays ?? 90 } });
  const registry = new DeviceRegistry(base, { feed: testAccess(base).feed.feed, outbox: new ListingOutbox(base) });
  registry.records = () => devices.values() as ReturnType<DeviceRegistry["records"]>; // what a history reads of them
  const open = () => new StateHistory(base, registry, options.maxChanges);
  const history = open();
  await history.start();
  t.teardown(async () => {
    await history.stop();
    await database.stop();
  });
  /** Gives a device this state after a while. */
  const change = (one: Device, state: Device["state"], afterMs = MINUTE, sender: string | null = null): void => {
    clock.advance(afterMs);
    one.state = { ...one.state, ...state };
    one.stateAt = clock.now();
    one.lastSeen = clock.now();
    history.note(one, clock.now(), sender);
  };
  const rows = () => database.raw.prepare("SELECT count(*) FROM state_change").pluck().get() as number;
  return { database, clock, history, open, change, rows, trust: base.trust };
}

/** A state's changes in short: minutes since noon and value. */
async function told(history: StateHistory, id: string, key: string, from = NOON - DAY, to = NOON + 30 * DAY) {
  const { lines } = await history.read([id], from, to);
  const line = lines.find((one) => one.key === key);
  return line?.changes.map(({ at, value, sender }) =>
    sender === null ? [(at - NOON) / MINUTE, value] : [(at - NOON) / MINUTE, value, sender],
  );
}

t.test("yes and no, and words, are stored as they change, and never again while they stay", async (t) => {
  const gate = device("gate", "gate", { position: "closed", fault: false, plate: "MH12AB1234", watts: 3 });
  const { history, change, rows, clock } = await recorder(t, [gate]);
  change(gate, { position: "opening" }, MINUTE, "person::Asha");
  change(gate, { position: "opening", watts: 120 });
  change(gate, { position: "open" });
  change(gate, { position: "open" });
  change(gate, { position: "closed" }, MINUTE / 2);
  const expected = [
    [-60, "closed"],
    [1, "opening", "person::Asha"],
    [3, "open"],
    [4.5, "closed"],
  ];
  t.same(await told(history, "gate", "position"), expected, "before it is on disk");
  t.equal(rows(), 0);
  clock.advance(QUIET_WRITE_MS);
  await history.flush();
  const stored = rows();
  t.same(await told(history, "gate", "position"), expected, "and after");
  t.same(await told(history, "gate", "fault"), [[-60, false]]);
  t.equal(await told(history, "gate", "watts"), undefined, "numbers are samples, not states");
  history.note(gate, clock.now(), null);
  await history.flush();
  t.equal(rows(), stored, "what did not change costs no row");
});

t.test("a stretch begins with how it was, since when", async (t) => {
  const lock = device("lock", "lock", { locked: true });
  const { history, change } = await recorder(t, [lock]);
  change(lock, { locked: false }, 3 * DAY);
  change(lock, { locked: true }, 5 * DAY);
  await history.flush();
  const at = NOON + 7 * DAY;
  const { lines } = await history.read(["lock"], at, at + HOUR);
  t.same(
    lines.find(({ key }) => key === "locked"),
    { deviceId: "lock", key: "locked", before: { value: false, since: NOON + 3 * DAY }, changes: [] },
  );
});

t.test("after a restart, the last value counts on, and the time in between is known as off", async (t) => {
  const gate = device("gate", "gate", { position: "closed" });
  const { history, open, change, clock } = await recorder(t, [gate]);
  change(gate, { position: "open" });
  await history.stop();
  clock.advance(HOUR);
  gate.state = { position: "closed" };
  gate.stateAt = clock.now();
  const next = open();
  await next.start();
  t.teardown(() => next.stop());
  t.same(await told(next, "gate", "position"), [
    [-60, "closed"],
    [1, "open"],
    [61, "closed"],
  ]);
  const { off } = await next.read(["gate"], NOON - DAY, NOON + DAY);
  t.same(off, [{ from: NOON + MINUTE, to: NOON + 61 * MINUTE }]);
});

t.test("a power cut loses what waits, not what is: the last state is there at the next start", async (t) => {
  const gate = device("gate", "gate", { position: "closed" });
  const { history, open, change, clock } = await recorder(t, [gate]);
  await history.flush();
  change(gate, { position: "open" });
  change(gate, { position: "closed" });
  change(gate, { position: "open" });
  clock.advance(MINUTE); // before the next quiet write
  const next = open(); // the first one never stopped
  await next.start();
  t.teardown(() => next.stop());
  t.same(await told(next, "gate", "position"), [
    [-60, "closed"],
    [3, "open"],
  ]);
  const { off } = await next.read(["gate"], NOON - DAY, NOON + DAY);
  t.same(off, [{ from: NOON + 3 * MINUTE + 1, to: NOON + 4 * MINUTE }], "off from when it last heard of anything");
});

t.test("the position of a cover in percent is open or closed; presence is beside the states", async (t) => {
  const blind = device("blind", "cover", { position: 0 });
  const { history, change } = await recorder(t, [blind]);
  change(blind, { position: 40 });
  change(blind, { position: 80 });
  blind.online = false;
  change(blind, { position: 0 });
  t.same(await told(history, "blind", "position"), [
    [-60, "closed"],
    [1, "open"],
    [3, "closed"],
  ]);
  t.same(await told(history, "blind", "online"), [
    [-60, true],
    [3, false],
  ]);
});

t.test("a device that is expected back after a start is as it was, until it is known to be away", async (t) => {
  const lamp = device("lamp", "light", { power: true });
  const { clock, history, open } = await recorder(t, [lamp]);
  await history.stop();
  clock.advance(MINUTE);
  Object.assign(lamp, { online: false, awaited: true });
  const again = open();
  await again.start();
  t.teardown(() => again.stop());
  t.same(await told(again, "lamp", "online"), [[-60, true]], "neither away nor unknown");
  again.note(lamp, clock.now(), null);
  t.same(await told(again, "lamp", "online"), [[-60, true]]);
  Object.assign(lamp, { awaited: false });
  clock.advance(MINUTE);
  again.note(lamp, clock.now(), null);
  t.same(await told(again, "lamp", "online"), [
    [-60, true],
    [2, false],
  ]);
});

t.test("a text with ever new words is no state", async (t) => {
  const radio = device("radio", "speaker", { power: true, title: "Intro" });
  const { history, change } = await recorder(t, [radio]);
  for (let n = 0; n < 40; n += 1) change(radio, { title: `Song ${"abcdefghijklmnopqrstuvwxyz"[n % 26]} ${n}` });
  const changes = (await told(history, "radio", "title")) ?? [];
  t.ok(changes.length <= 13, `${changes.length} changes`);
  t.same(changes.at(-1)?.[1], null, "its last is not known");
});

t.test("what flutters loses some changes, never its last", async (t) => {
  const motion = device("motion", "sensor", { motion: false });
  const { history, change, rows, clock } = await recorder(t, [motion]);
  for (let n = 0; n < 5_001; n += 1) change(motion, { motion: n % 2 === 0 }, 1_000);
  await history.flush();
  t.ok(rows() < 500 + 2 * 240, `${rows()} of 5,001 changes`);
  clock.advance(HOUR);
  await history.flush();
  t.equal((await told(history, "motion", "motion"))?.at(-1)?.[1], true);
});

t.test("until the time is known nothing is dated; then what is counts from there", async (t) => {
  const gate = device("gate", "gate", { position: "closed" });
  const { history, change, clock, trust } = await recorder(t, [gate]);
  trust.given = "unknown";
  change(gate, { position: "open" });
  change(gate, { position: "closed" });
  change(gate, { position: "open" });
  t.same(await told(history, "gate", "position"), [[-60, "closed"]]);
  trust.given = "trusted";
  clock.advance(MINUTE);
  await history.flush();
  t.same((await told(history, "gate", "position"))?.at(-1), [4, "open"]);
});

t.test("old changes go, at most so many of all are kept, and a stretch still begins right", async (t) => {
  const lamp = device("lamp", "light", { power: false });
  const lock = device("lock", "lock", { locked: true });
  const { history, change, rows } = await recorder(t, [lamp, lock], { keepDays: 10, maxChanges: 12 });
  for (let day = 0; day < 20; day += 1) change(lamp, { power: day % 2 === 0 }, DAY);
  await history.flush();
  const { aged } = history;
  const due = await aged.due(10);
  t.ok(due > 8, `${due} are too old`);
  t.equal(await aged.remove(3), 3, "no more than asked");
  t.equal(await aged.remove(1_000), due - 3);
  t.equal(await aged.due(10), 0);
  change(lamp, { power: true }, DAY);
  change(lamp, { power: false }, DAY);
  await history.flush();
  await history.sweep();
  t.equal(rows(), 12);
  const at = NOON + 19 * DAY;
  const { lines } = await history.read(["lamp", "lock"], at, at + HOUR);
  t.same(
    lines.map(({ deviceId, key, before }) => [deviceId, key, before?.value]).sort(),
    [
      ["lamp", "online", true],
      ["lamp", "power", false],
      ["lock", "locked", true],
      ["lock", "online", true],
    ],
    "also of what has not changed for longer than changes are kept",
  );
});

t.test("a removed device leaves nothing, and its successor under the same id begins anew", async (t) => {
  const devices = [device("gate", "gate", { position: "closed" }), device("lamp", "light", { power: false })];
  const [gate, lamp] = devices as [Device, Device];
  const { history, open, change, database } = await recorder(t, devices);
  for (let day = 0; day < 3; day += 1) {
    change(gate, { position: day % 2 === 0 ? "open" : "closed" }, DAY);
    change(lamp, { power: day % 2 === 0 });
  }
  await history.flush();
  devices.shift();
  await history.removeDevice("gate");
  t.same(await history.read(["gate"], NOON - DAY, NOON + 9 * DAY).then(({ lines }) => lines), []);
  const ids = database.raw.prepare("SELECT id FROM state_series WHERE device_id = 'gate'").all();
  t.same(ids, []);
  t.equal(
    database.raw
      .prepare("SELECT count(*) FROM state_change WHERE series_id NOT IN (SELECT id FROM state_series)")
      .pluck()
      .get(),
    0,
  );
  devices.push({ ...gate, state: { position: "closed" } });
  await history.stop();
  const next = open();
  await next.start();
  t.teardown(() => next.stop());
  t.equal((await told(next, "gate", "position"))?.length, 1);
  t.equal((await told(next, "lamp", "power"))?.length, 4);
});

t.test("a simulated past is read like a real one", async (t) => {
  const gate = device("gate", "gate", { position: "closed" });
  const { history, database } = await recorder(t, [gate]);
  const at = NOON - 5 * DAY;
  const past = [
    {
      deviceId: "gate",
      key: "position",
      changes: [
        { at, value: "closed", sender: null },
        { at: at + HOUR, value: "open", sender: "plate:7:" },
        { at: at + 2 * HOUR, value: "closed", sender: null },
      ],
    },
  ];
  await history.flush();
  await database.write(() => history.addPast(past));
  const { lines } = await history.read(["gate"], at + 1.5 * HOUR, at + 3 * HOUR);
  const line = lines.find(({ key }) => key === "position");
  t.same(line?.before, { value: "open", since: at + HOUR });
  t.same(line?.changes, [{ at: at + 2 * HOUR, value: "closed", sender: null }]);
});
