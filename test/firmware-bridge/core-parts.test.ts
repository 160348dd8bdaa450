/** The small parts of the bridge's core, each by itself: what they store, how much, and for how long. */
import t from "tap";
import { AwaitedCommands } from "../../firmware-bridge/awaited-commands.ts";
import { CredentialContext } from "../../firmware-bridge/credential-context.ts";
import { Members } from "../../firmware-bridge/members.ts";
import { Meters } from "../../firmware-bridge/meters.ts";
import { PairingCandidates } from "../../firmware-bridge/pairing-candidates.ts";
import { ProblemList } from "../../firmware-bridge/problem-list.ts";
import { withinRange } from "../../firmware-bridge/ranges.ts";
import { StateMirror } from "../../firmware-bridge/state-mirror.ts";
import { TopicOwnership } from "../../firmware-bridge/topic-ownership.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { device, plainFamily } from "../support/plain-family.ts";

t.test("values outside the range of their metric are left out", async (t) => {
  for (const word of [
    "battery",
    "brightness",
    "white",
    "position",
    "tilt",
    "signal",
    "brightness2",
    "batteryA",
    "tilt10",
  ])
    for (const [value, isOne] of [
      [-1, false],
      [0, true],
      [100, true],
      [100.5, false],
      ["101", true],
      [null, true],
    ] as const)
      t.same(withinRange({ [word]: value, watts: -5 }), isOne ? { [word]: value, watts: -5 } : { watts: -5 }, word);
  for (const word of ["temperature", "batteryVoltage", "humidity", "brightnessD", "position123"])
    t.same(withinRange({ [word]: 1000 }), { [word]: 1000 }, word);
});

t.test("problems: each once, the newest first, 200 of them, in short", async (t) => {
  const problems = new ProblemList();
  const add = (reason: string, at: number, payload?: Uint8Array) =>
    problems.add({ family: "one", topic: "a/b", reason, at, ...(payload && { payload }) });
  for (let at = 0; at < 200; at++) add(`reason ${at}`, at);
  t.equal(problems.list().length, 200);
  add("reason 0", 1000, Buffer.from("bytes"));
  t.equal(problems.list().length, 200, "a repeated one takes no room");
  t.same(problems.list()[0], {
    ...{ family: "one", topic: "a/b", reason: "reason 0", count: 2, lastAt: 1000, example: "bytes" },
  });
  add("one more", 1001, Buffer.alloc(0));
  t.equal(problems.list().length, 200);
  t.match(problems.list()[0], { reason: /^one more$/, count: 1, example: null });
  t.notOk(
    problems.list().some(({ reason }) => reason === "reason 1"),
    "the one seen longest ago is dropped",
  );
  t.ok(problems.list().some(({ reason }) => reason === "reason 2"));
  t.equal(problems.total, 202);
  problems.clear();
  t.same([problems.list(), problems.total], [[], 202]);
  problems.add({
    family: "f",
    topic: "t".repeat(200),
    reason: "r".repeat(201),
    at: 1,
    payload: Buffer.from("\u0001 \u007f~x"),
  });
  t.hasStrict(problems.list()[0], {
    topic: "t".repeat(200),
    reason: `${"r".repeat(200)}…`,
    example: "\ufffd \ufffd~x",
  });
  problems.add({ family: "f", topic: "", reason: "long", at: 2, payload: Buffer.alloc(5_000, "ü") });
  t.equal(problems.list()[0]?.example, `${"ü".repeat(200)}…`);
  problems.add({ family: "g", topic: "", reason: "long", at: 3 });
  t.match(problems.list()[0], { family: /^g$/, count: 1, example: null }, "another family's is a different one");
});

t.test("previews of waiting clients: names, twenty of them, from three hundred messages", async (t) => {
  const candidates = (): PairingCandidates =>
    new PairingCandidates({
      ...{ families: [plainFamily("one"), plainFamily("two")], prefixes: new Map(), clock: new FakeClock() },
      logger: silentLogger,
    });
  const say = (effects: unknown): Uint8Array => Buffer.from(JSON.stringify(effects));
  const some = candidates();
  t.equal(some.heard(1, "one/x", say([])), null);
  t.equal(some.heard(1, "two/x", say([{ do: "availability", key: "a", online: true }, device("a")])), "two");
  t.equal(some.heard(1, "elsewhere/x", say([device("b")])), null);
  t.equal(some.heard(1, "one/x", Buffer.from("throw")), null);
  t.same(some.shown(1), [{ family: "two", name: "Device a" }]);
  some.heard(1, "two/x", say([device("a", { name: "n".repeat(130) })]));
  t.same(some.shown(1), [{ family: "two", name: "n".repeat(120) }], "the same device, as it is now");
  t.same(some.shown(2), [], "not another client's");
  some.leave(1);
  t.same(some.shown(1), []);
  const many = candidates();
  many.heard(1, "one/x", say(Array.from({ length: 19 }, (_, index) => device(`d${index}`))));
  many.heard(1, "one/x", say([device("x"), device("y")]));
  t.equal(many.shown(1).length, 20);
  t.equal(many.heard(1, "one/x", say([device("d0", { name: "again" })])), null, "nothing more is recorded");
  const talking = candidates();
  for (let count = 0; count < 299; count++) talking.heard(1, "one/x", say([]));
  t.equal(talking.heard(1, "one/x", say([device("a")])), "one");
  t.equal(talking.heard(1, "one/x", say([device("b")])), null);
});

t.test("measured values reach the state at once when they are new, and otherwise once a minute", async (t) => {
  const clock = new FakeClock();
  const written: JsonObject[] = [];
  const states = new Map<string, JsonObject>([["a", { watts: 1 }]]);
  const mirror = new StateMirror({
    ...{ stateOf: (id) => states.get(id) ?? null, write: (id, patch) => void written.push({ id, ...patch }), clock },
  });
  mirror.note("a", { watts: 2 });
  t.same(written.splice(0), [{ id: "a", watts: 2 }], "the first is due");
  mirror.note("a", { watts: 3, volts: 4 });
  t.same(written.splice(0), [{ id: "a", watts: 3, volts: 4 }], "a new one is not delayed");
  clock.advance(59_999);
  mirror.note("a", { watts: 5 });
  mirror.note("a", { watts: 6 });
  mirror.passed();
  t.same(written, []);
  clock.advance(1);
  mirror.passed();
  t.same(written.splice(0), [{ id: "a", watts: 6 }]);
  clock.advance(60_000);
  mirror.passed();
  t.same(written, [], "there is nothing new");
  mirror.note("b", { watts: 1 });
  t.same(written, [], "no such device");
  mirror.note("a", { watts: 7 });
  written.length = 0;
  mirror.note("a", { watts: 8 });
  mirror.superseded("a", ["watts"]);
  mirror.superseded("b", ["watts"]);
  clock.advance(60_000);
  mirror.passed();
  t.same(written, [], "the device reported its own state");
  mirror.note("a", { watts: 9 });
  mirror.note("a", { watts: 10 });
  mirror.forget("a");
  written.length = 0;
  clock.advance(60_000);
  mirror.passed();
  t.same(written, []);
});

t.test("meters: 32 per device, retained readings only of unknown ones, changes once", async (t) => {
  const meters = new Meters();
  const read = (metric: string, wattHours: number, live = true) =>
    meters.read("a", { metric, wattHours, epoch: null, at: 1 }, live);
  t.ok(read("kwh", 5, false), "the reading of an unknown counter");
  t.equal(read("kwh", 6, false), null);
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY]) t.equal(read("kwh", wrong), null, `${wrong}`);
  t.ok(read("kwh", 0));
  for (let count = 2; count <= 32; count++) t.ok(read(`kwh${count}`, 1), `${count}`);
  t.equal(read("kwh33", 1), null);
  t.ok(read("kwh32", 2), "a known one continues");
  const { meters: changed, forgotten, again } = meters.takeChanged();
  t.same([changed.length, forgotten], [32, []]);
  t.equal(meters.takeChanged().meters.length, 0);
  again();
  t.equal(meters.takeChanged().meters.length, 32);
  read("kwh", 5);
  meters.read("b", { metric: "kwh", wattHours: 5, epoch: null, at: 1 }, true);
  meters.forget("a");
  const after = meters.takeChanged();
  t.same([after.meters.map(({ deviceId }) => deviceId), after.forgotten], [["b"], ["a"]]);
  after.again();
  t.same(meters.takeChanged().forgotten, ["a"]);
  t.equal(meters.isEstimated("b"), false);
});

function commands(): {
  awaited: AwaitedCommands<string>;
  clock: FakeClock;
  log: string[];
  states: Map<string, JsonObject>;
  send: (payload: string, expects: JsonObject | null, from?: string) => Parameters<AwaitedCommands<string>["send"]>[0];
} {
  const clock = new FakeClock();
  const log: string[] = [];
  const states = new Map<string, JsonObject>();
  const awaited = new AwaitedCommands<string>({
    clock,
    stateOf: (id) => states.get(id) ?? null,
    publish: ({ payload }, ttlMs) => void log.push(`published ${payload} for ${ttlMs} ms`),
    commandResults: {
      onDelivered: (_id, payload) => void log.push(`delivered ${payload}`),
      onTimeout: (_id, payload) => void log.push(`timed out ${payload}`),
    },
  });
  const send = (payload: string, expects: JsonObject | null, from = "x") => ({
    ...{ deviceId: "a", payload, from, publish: [], expects },
  });
  return { awaited, clock, log, states, send };
}

t.test("a command is confirmed by its device's messages within five seconds", async (t) => {
  const { awaited, clock, log, states, send } = commands();
  awaited.send(send("on", { power: true, deep: { one: 1 } }), 100);
  awaited.send(send("nothing", null), 100);
  t.same(log.splice(0), ["published on for 100 ms", "published nothing for 100 ms"]);
  awaited.stateReported("b", { power: true });
  awaited.stateReported("a", { power: true });
  t.same(log, [], "half of it");
  states.set("a", { power: true });
  awaited.stateReported("a", { other: 1, deep: { one: 2 } });
  t.same(log, []);
  awaited.stateReported("a", { deep: { one: 1, two: 2 } });
  t.same(log.splice(0), ["delivered on"], "the rest is in the state");
  awaited.send(send("again", { power: true }), 100);
  awaited.stateReported("a", { other: 1 });
  t.same(log.splice(0), ["published again for 100 ms"], "other changes confirm nothing");
  awaited.send(send("gone", { colour: null }), 100);
  awaited.stateReported("a", { colour: null });
  t.same(log.splice(0), ["published gone for 100 ms", "delivered gone"], "null means absence");
  clock.advance(4_999);
  awaited.passed();
  t.same(log, []);
  clock.advance(1);
  awaited.send(send("late", { power: false }), 100);
  awaited.passed();
  t.same(log.splice(0), ["published late for 100 ms", "delivered again"], "the state confirms it in the end");
  clock.advance(5_000);
  awaited.passed();
  awaited.passed();
  t.same(log.splice(0), ["timed out late"]);
  awaited.send(send("one", { power: false }), 100);
  awaited.send(send("two", { power: false }), 100);
  awaited.refused({ deviceId: "a", payload: "one" });
  awaited.refused({ deviceId: "z", payload: "none" });
  awaited.stateReported("a", { power: false });
  t.same(log.splice(2), ["timed out one", "timed out none", "delivered two"]);
  log.length = 0;
  awaited.send(send("forgotten", { power: true }), 100);
  awaited.hold(send("held", null), 60_000);
  awaited.forget("a");
  awaited.stateReported("a", { power: true });
  awaited.arrived("a");
  t.same(log, ["published forgotten for 100 ms"]);
});

t.test("twenty commands are held for an offline device until they expire", async (t) => {
  const { awaited, clock, log, send } = commands();
  awaited.hold(send("short", null), 1_000);
  awaited.hold(send("long", null), 10_000);
  clock.advance(1_000);
  awaited.arrived("a");
  awaited.arrived("a");
  t.same(log.splice(0), ["published long for 9000 ms"]);
  for (let count = 0; count < 19; count++) awaited.hold(send(`own ${count}`, null, "many"), 10_000);
  awaited.hold(send("other", null, "one"), 10_000);
  awaited.hold(send("own 19", null, "many"), 10_000);
  clock.advance(500);
  awaited.passed();
  awaited.arrived("a");
  t.equal(log.length, 20);
  t.match(log[0], "own 1 ", "the sender with the most lost its oldest");
  t.ok(log.some((line) => line.startsWith("published other ")));
});

t.test("early messages are kept, 256 topics and 128 KiB of them, until their topic is the credential's", async (t) => {
  const context = (): CredentialContext =>
    new CredentialContext({
      ...{ client: 1, name: "x" },
      members: new Members({ families: [], prefixes: new Map(), problems: { failed: () => {} } }),
    });
  const many = context();
  for (let count = 0; count < 256; count++) t.ok(many.keepEarly(`a/${count}`, Buffer.from("x")));
  t.notOk(many.keepEarly("a/256", Buffer.from("x")));
  t.ok(many.keepEarly("a/7", Buffer.from("new")), "one that is known");
  t.ok(many.keepEarly("a/8", Buffer.alloc(0)), "withdrawn");
  t.ok(many.keepEarly("a/257", Buffer.from("x")));
  t.same(
    many.takeEarly("a/7", () => false),
    [],
  );
  t.same(
    many.takeEarly("+/7", () => true),
    [{ topic: "a/7", payload: Buffer.from("new") }],
  );
  t.same(
    many.takeEarly("a/7", () => true),
    [],
    "once",
  );
  t.equal(many.takeEarly("a/#", () => true).length, 255);
  const large = context();
  t.ok(large.keepEarly("a", Buffer.alloc(128 * 1024 - 1)));
  t.notOk(large.keepEarly("b", Buffer.alloc(2)));
  t.ok(large.keepEarly("b", Buffer.alloc(1)));
  t.notOk(large.keepEarly("b", Buffer.alloc(2)), "and the previous one is gone");
  large.takeEarly("a", () => true);
  t.ok(large.keepEarly("c", Buffer.alloc(128 * 1024)), "taken ones leave room");
});

t.test("topics belong to the credential that they were given to", async (t) => {
  const topics = new TopicOwnership();
  topics.put("d1", 1, { publish: ["said/one/#", "exact/state"], subscribe: ["do/one/+", "exact/#"] });
  t.equal(topics.holder("said/one/x"), 1);
  t.equal(topics.holder("do/one/x"), 1);
  t.equal(topics.holder("said/two/x"), null);
  t.same(topics.conflict(2, { publish: ["free", "said/+/x"], subscribe: [] }), { filter: "said/+/x", owner: 1 });
  t.same(topics.conflict(2, { publish: [], subscribe: ["do/#"] }), { filter: "do/#", owner: 1 });
  t.equal(topics.conflict(1, { publish: ["said/+/x"], subscribe: ["do/#"] }), null, "its own");
  t.ok(topics.isCommand("do/one/x"));
  t.ok(topics.isCommand("exact/other"));
  t.notOk(topics.isCommand("exact/state"), "named exactly as in the message");
  t.notOk(topics.isCommand("said/one/x"));
  for (const [filter, isForeign] of [
    ["said/one/#", true],
    ["said/one/x", true],
    ["said/one", true],
    ["said/#", false],
    ["#", false],
    ["do/one/+", true],
    ["do/one/#", false],
    ["free", false],
  ] as const)
    t.equal(topics.isForeign(2, filter), isForeign, filter);
  t.notOk(topics.isForeign(1, "said/one/#"));
  topics.put("d2", 2, { publish: ["said/one/x"], subscribe: [] });
  t.notOk(topics.isForeign(2, "said/one/x"), "some of it is its own");
  t.same(topics.of(1), { publish: ["said/one/#", "exact/state"], subscribe: ["do/one/+", "exact/#"] });
  topics.put("d1", 1, { publish: ["new"], subscribe: [] });
  t.equal(topics.holder("do/one/x"), null, "in place of its former ones");
  topics.drop("d1");
  topics.drop("none");
  t.same(topics.of(1), { publish: [], subscribe: [] });
});
