import t, { type Test } from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { QUIET_WRITE_MS } from "../../src/core/kernel/quiet-writes.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

async function begin(
  t: Test,
): Promise<{ parts: DeviceParts; siteId: number; report: (patch: Record<string, unknown>) => Promise<void> }> {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const parts = await new DeviceParts(database).start();
  await parts.registry.create(siteId, { id: "plug", name: "Plug", type: "smart-plug" });
  parts.presence.connected("plug");
  await parts.settled();
  parts.deliveries.length = 0;
  t.teardown(async () => {
    await parts.stop();
    await database.stop();
  });
  return {
    parts,
    siteId,
    report: (patch) => parts.state.apply("plug", patch, { source: "device", at: parts.clock.now() }),
  };
}

t.test("state messages merge, null removes, and each change is announced once with the previous values", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true, watts: 5, meta: { a: 1 } });
  parts.clock.advance(1_000);
  await report({ watts: null, meta: { b: 2 } });
  t.same(parts.registry.get(siteId, "plug").state, { power: true, meta: { a: 1, b: 2 } });
  const [first, second] = parts.of("device.changed");
  t.match(first, {
    deviceId: /^plug$/,
    siteId,
    changed: ["power", "watts", "meta"],
    previous: {},
    source: "device",
    initial: true,
  });
  t.match(second, {
    changed: ["meta", "watts"],
    previous: { power: true, watts: 5 },
    initial: false,
    at: parts.clock.now(),
  });
  t.same(
    parts.deliveries.map(({ event, data }) => [event, data]),
    [
      [
        "device.state",
        {
          state: { power: true, watts: 5, meta: { a: 1 } },
          changed: ["power", "watts", "meta"],
          previous: { power: null, watts: null, meta: null },
          source: "device",
        },
      ],
      [
        "device.state",
        {
          state: { power: true, meta: { a: 1, b: 2 } },
          changed: ["meta", "watts"],
          previous: { meta: { a: 1 }, watts: 5 },
          source: "device",
        },
      ],
    ],
  );
});

t.test("a message without changes updates lastSeen and costs no write, no delivery, no announcement", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true, list: [1, { a: 2 }] });
  parts.clock.advance(1_000);
  await parts.settled();
  const { jobs, commits } = parts.database.figures;
  const version = parts.registry.version(siteId);
  const announcements = parts.facts.length;
  for (let i = 0; i < 500; i++) await report({ list: [1, { a: 2 }], power: true });
  t.same({ jobs: parts.database.figures.jobs, commits: parts.database.figures.commits }, { jobs, commits });
  t.equal(parts.deliveries.length, 1);
  t.equal(parts.facts.length, announcements);
  t.equal(parts.registry.get(siteId, "plug").lastSeen, parts.clock.now());
  t.ok(parts.registry.version(siteId) > version, "lastSeen is visible");
});

t.test("simultaneous messages are merged in order", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await Promise.all(Array.from({ length: 20 }, (_, i) => report({ count: i, [`k${i % 3}`]: i })));
  t.same(parts.registry.get(siteId, "plug").state, { count: 19, k0: 18, k1: 19, k2: 17 });
  const previous = parts.of("device.changed").map((fact) => (fact.previous as { count?: number }).count);
  t.same(previous, [undefined, ...Array.from({ length: 19 }, (_, i) => i)]);
  await Promise.all([report({ count: 20 }), report({ count: 19 })]);
  t.equal(
    parts.registry.get(siteId, "plug").state.count,
    19,
    "back to the old value, although that equals the record while the first waits",
  );
});

t.test("a fast device gets at most five deliveries a second, and the last state is always delivered", async (t) => {
  const { parts, report } = await begin(t);
  for (let i = 0; i <= 100; i++) {
    await report({ level: i, parity: i % 2 });
    await parts.pass(10);
  }
  await parts.pass(1_000);
  const levels = parts.deliveries.map(({ data }) => (data.state as { level: number }).level);
  t.ok(levels.length >= 5 && levels.length <= 7, `${levels.length} deliveries in a second`);
  t.equal(levels.at(-1), 100);
  let last: unknown = null;
  for (const { data } of parts.deliveries) {
    t.equal(
      (data.previous as { level: number | null }).level,
      last,
      "previous is the content of the previous delivery",
    );
    last = (data.state as { level: number }).level;
  }
});

t.test("a value that is restored before its delivery is due is not delivered again", async (t) => {
  const { parts, report } = await begin(t);
  await report({ power: true });
  await report({ power: false });
  await report({ power: true });
  await parts.pass(1_000);
  t.same(
    parts.deliveries.map(({ data }) => data.state),
    [{ power: true }],
  );
});

t.test("a delivery that was due at a crash is made at the next start", async (t) => {
  const { parts, report } = await begin(t);
  await report({ power: true });
  await report({ power: false });
  t.equal(parts.deliveries.length, 1);
  const again = new DeviceParts(parts.database, parts.clock);
  await again.registry.start();
  await again.state.start();
  t.match(again.deliveries, [
    {
      event: /^device\.state$/,
      data: { state: { power: false }, changed: ["power"], previous: { power: true }, source: "device" },
    },
  ]);
  await again.state.stop();
});

t.test("an orderly stop delivers what is due", async (t) => {
  const { parts, report } = await begin(t);
  await report({ power: true });
  await report({ power: false });
  await parts.state.stop();
  t.equal(parts.deliveries.length, 2);
});

t.test("the first value after a start is marked, even if it is not a change", async (t) => {
  const { parts, report } = await begin(t);
  await report({ power: true });
  await parts.stop();
  const again = await new DeviceParts(parts.database, parts.clock).start();
  t.teardown(() => again.stop());
  await again.state.apply("plug", { power: true }, { source: "device", at: parts.clock.now() });
  await again.state.apply("plug", { power: false }, { source: "device", at: parts.clock.now() });
  t.same(
    again.of("device.changed").map(({ initial }) => initial),
    [false],
  );
});

t.test("states that are too deep or too large are refused and leave everything unchanged", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true });
  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 16; i++) deep = { deep };
  await t.rejects(report(deep), { code: /^invalid_body$/ });
  await t.rejects(report({ text: "x".repeat(40_000) }), { code: /^limit_reached$/ });
  await report({ a: "x".repeat(20_000) });
  await t.rejects(report({ b: "x".repeat(20_000) }), { code: /^limit_reached$/ }, "the merged state counts");
  t.same(Object.keys(parts.registry.get(siteId, "plug").state), ["power", "a"]);
});

t.test("what cannot be stored is discarded", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true });
  parts.database.raw.pragma("query_only = 1");
  await t.rejects(report({ power: false }));
  parts.database.raw.pragma("query_only = 0");
  t.same(parts.registry.get(siteId, "plug").state, { power: true });
  t.equal(parts.of("device.changed").length, 1);
});

t.test("messages of unknown and removed devices are dropped", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await parts.state.apply("nobody", { power: true }, { source: "device", at: 1 });
  const removal = parts.registry.remove(siteId, "plug");
  const late = report({ power: true });
  await removal;
  await late;
  t.equal(parts.of("device.changed").length, 0);
});

t.test("battery and signal come from state and telemetry alike", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ battery: 71, power: true });
  parts.presence.seen("plug", { rssi: -60, watts: 4 });
  t.match(parts.registry.get(siteId, "plug"), { battery: 71, signal: 80 });
});

t.test("info is merged by member, new firmware is announced, and repeating it costs no write", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.state.info("plug", { firmware: "1.0", model: 7, metrics: ["watts", "bad name", 5], commands: "no" });
  t.match(parts.registry.get(siteId, "plug"), {
    type: /^smart-plug$/,
    firmware: "1.0",
    model: null,
    metrics: ["watts"],
    commandSchema: null,
  });
  await parts.settled();
  const { jobs } = parts.database.figures;
  await parts.state.info("plug", { firmware: "1.0", metrics: ["watts"] });
  t.equal(parts.database.figures.jobs, jobs);
  await Promise.all([
    parts.state.info("plug", { firmware: "1.1" }),
    parts.state.info("plug", { type: "dimmer", model: "D1" }),
  ]);
  t.match(parts.registry.get(siteId, "plug"), { type: /^dimmer$/, firmware: "1.1", model: "D1" });
  t.match(parts.feed.list(siteId, { limit: 1 }), [
    { kind: /^device\.firmware$/, title: "Plug has new firmware", body: "1.0 → 1.1" },
  ]);
});

t.test("a device's event becomes a feed item and triggers by its kind", async (t) => {
  const { parts, siteId } = await begin(t);
  await parts.events.record("plug", { kind: "overload", title: "Too much\u0007 load", body: 5 }, parts.clock.now());
  await parts.events.record("plug", { kind: "reset" }, parts.clock.now());
  t.same(parts.titles(siteId).slice(0, 2), ["Plug: reset", "Too much  load"]);
  t.hasStrict(parts.of("device.event"), [{ deviceId: "plug", kind: "overload" }, { kind: "reset" }]);
  await t.rejects(parts.events.record("plug", { title: "no kind" }, 1), Problem);
});

t.test("measurements are visible at once, and on disk with the next quiet write", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true, watts: 5 });
  const { commits } = parts.database.figures;
  const stored = (): unknown =>
    JSON.parse(String(parts.database.raw.prepare("SELECT state FROM device WHERE id = 'plug'").pluck().get()));
  for (let watts = 6; watts <= 40; watts++) await parts.state.measured("plug", { watts }, parts.clock.now());
  t.same(parts.registry.get(siteId, "plug").state, { power: true, watts: 40 });
  t.match(parts.of("device.changed").at(-1), { changed: ["watts"], previous: { watts: 39 }, source: "device" });
  t.equal(parts.database.figures.commits, commits, "nothing was written");
  t.same(stored(), { power: true, watts: 5 });
  const announcements = parts.of("device.changed").length;
  await parts.pass(QUIET_WRITE_MS);
  t.same(stored(), { power: true, watts: 40 });
  t.equal(parts.of("device.changed").length, announcements, "and no second announcement is made");
});

t.test("a state change includes pending measurements, and does not undo them", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true, watts: 5 });
  await parts.state.measured("plug", { watts: 9 }, parts.clock.now());
  const change = report({ power: false });
  await parts.state.measured("plug", { watts: 0 }, parts.clock.now()); // while the job waits
  await change;
  await parts.settled();
  t.same(parts.registry.get(siteId, "plug").state, { power: false, watts: 0 });
  const row = (): unknown =>
    JSON.parse(String(parts.database.raw.prepare("SELECT state FROM device WHERE id = 'plug'").pluck().get()));
  await parts.state.flush();
  t.same(row(), { power: false, watts: 0 });
  await parts.state.measured("plug", { watts: 3 }, parts.clock.now());
  await report({ watts: 3 });
  t.same(row(), { power: false, watts: 3 }, "what is reported with a promise is on disk, even if already known");
});

t.test("measurements are written at the stop, and at once if a webhook takes states", async (t) => {
  const { parts, report } = await begin(t);
  await report({ watts: 5 });
  parts.taken.add("device.state");
  parts.clock.advance(1_000);
  await parts.state.measured("plug", { watts: 6 }, parts.clock.now());
  t.hasStrict(parts.deliveries.at(-1), {
    event: "device.state",
    data: { state: { watts: 6 }, previous: { watts: 5 } },
  });
  parts.taken.delete("device.state");
  await parts.state.measured("plug", { watts: 7 }, parts.clock.now());
  await parts.state.stop();
  const row = parts.database.raw.prepare("SELECT state FROM device WHERE id = 'plug'").pluck().get();
  t.equal(row, '{"watts":7}');
});

t.test("a measured value replaces the old one as a whole, on disk too", async (t) => {
  const { parts, siteId, report } = await begin(t);
  await report({ power: true, color: { hue: 10, saturation: 20 } });
  await parts.state.measured("plug", { color: { hue: null } }, parts.clock.now());
  const row = (): unknown =>
    JSON.parse(String(parts.database.raw.prepare("SELECT state FROM device WHERE id = 'plug'").pluck().get()));
  await report({ power: false });
  const truth = { power: false, color: { saturation: 20 } };
  t.same(parts.registry.get(siteId, "plug").state, truth, "a removed value does not come back with the next change");
  await parts.state.measured("plug", { color: null }, parts.clock.now());
  await parts.state.flush();
  t.same(row(), { power: false });
});
