/** The bridge core's handling of effects: what it refuses, what it stores, when it polls and writes. */
import t from "tap";
import type { Effect, Family } from "../../firmware-bridge/family.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { BridgeParts, settled } from "../support/bridge-parts.ts";
import { counter, device, parts, plainFamily, state } from "../support/plain-family.ts";

const reasons = (hub: BridgeParts): string[] => hub.bridge.problems.list().map(({ reason }) => reason);
const online = (key: string, value: boolean): Effect => ({ do: "availability", key, online: value });
const metered = (key: string, metric: string, wattHours: number): Effect => ({
  ...{ do: "counter" as const, key, metric, wattHours, epoch: null },
});

t.test("a memo has at most 16 KiB, a key 48 characters, and refused effects produce nothing", async (t) => {
  const hub = await parts("one");
  const memo = { text: "x".repeat(16 * 1024 - '{"text":""}'.length) };
  await hub.say("one/a", [device("k".repeat(48), { memo })]);
  t.equal(hub.devices.size, 1);
  await hub.say("one/b", [device("b", { memo: { text: `${memo.text}x` } }), state("b", { power: true })]);
  t.same(reasons(hub), ["the device b has more to remember than is kept"]);
  await hub.say("one/c", [device("K".repeat(61))]);
  t.equal(reasons(hub)[0], `a device whose key "${"K".repeat(60)}" cannot be part of an id`);
  t.equal(hub.devices.size, 1);
});

t.test("names, types, metrics and intervals are converted to the hub's", async (t) => {
  const hub = await parts("one");
  const metrics = [
    "watts",
    "9lives",
    "a b",
    "x".repeat(32),
    "y".repeat(33),
    ...Array.from({ length: 70 }, (_, n) => `m${n}`),
  ];
  await hub.say("one/a", [
    device("a", {
      name: "n".repeat(130),
      type: "t".repeat(64),
      metrics,
      commands: { type: "object" },
      reportSeconds: 60,
    }),
    device("b", { name: "\u0000 ", type: "t".repeat(65), firmware: "1.0", model: "M", manufacturer: "X" }),
  ]);
  const [a, b] = [hub.devices.get("one-a"), hub.devices.get("one-b")];
  t.hasStrict(a, { name: "n".repeat(120), type: "t".repeat(64), info: { commands: { type: "object" }, interval: 60 } });
  t.same(a?.info.metrics, ["watts", "x".repeat(32), ...Array.from({ length: 62 }, (_, n) => `m${n}`)]);
  t.hasStrict(b, { name: "b", type: "sensor" });
  t.same(b?.info, { firmware: "1.0", model: "M", manufacturer: "X", metrics: ["watts"], interval: 0 });
  await hub.say("one/a", [device("a", { type: "lamp" })]);
  t.hasStrict(
    a?.info,
    { type: "lamp", commands: {}, interval: 0 },
    "a new type is announced, and that it has no commands now",
  );
  await hub.say("one/a", [device("a", { type: "lamp", firmware: "2" })]);
  t.notOk("type" in Object(a?.info), "the owner may have chosen another");
  await hub.say("one/a", [device("a", { type: "\u0001", firmware: "2" })]);
  t.hasStrict(a?.info, { type: "sensor" });
});

t.test("only new names are adopted, and only if the owner has given none", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a")]);
  hub.only.info = {};
  await hub.say("one/a", [device("a")]);
  t.same(hub.only.info, {}, "equal data costs nothing");
  await hub.say("one/a", [device("a", { firmware: "2" })]);
  t.match(hub.only, { name: /^Device a$/, info: { firmware: "2" } });
  await hub.say("one/a", [device("a", { name: "" })]);
  t.equal(hub.only.name, "a", "a key is better than no name");
});

t.test("values beyond their range, and non-numbers, are left out", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [
    device("a"),
    state("a", { brightness: 101, power: true }),
    state("a", { brightness: -1 }),
    { do: "telemetry", key: "a", data: { battery: 101, watts: -5, "bad name": 1, volts: Number.NaN, _x: 2 }, at: 7 },
    { do: "telemetry", key: "a", data: { battery: -1 }, at: null },
  ]);
  t.same(hub.only.state, { power: true, watts: -5 });
  t.same(hub.only.samples, [{ at: 7, data: { watts: -5 } }]);
  await hub.say("one/a", [metered("a", "bad name", 5), metered("a", "k".repeat(33), 5), metered("a", "kwh2", 1234.56)]);
  t.same(hub.only.samples.at(-1)?.data, { kwh2: 1.2346 });
  t.equal(hub.only.samples.length, 2);
  t.equal(hub.only.state.kwh2Estimated, undefined);
});

t.test("an estimated total is marked as such", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a"), counter("a", 10_000)]);
  hub.clock.advance(600_000);
  await hub.say("one/a", [counter("a", 9_000_000)]);
  hub.clock.advance(600_000);
  await hub.say("one/a", [counter("a", 10)]);
  hub.clock.advance(60_000);
  await settled();
  t.equal(hub.only.state.kwhEstimated, true);
  hub.bridge.removed("one-a");
  t.notOk(hub.bridge.isEstimated("one-a"), "of a removed device nothing is left");
});

t.test("a withdrawn device's messages are ignored until it announces itself", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a"), online("a", true), { do: "telemetry", key: "a", data: { watts: 1 }, at: null }]);
  await hub.say("one/a", [{ do: "telemetry", key: "a", data: { watts: 2 }, at: null }]);
  await hub.say("one/a", [{ do: "gone", key: "a" }]);
  t.match(hub.only, { online: false });
  t.notOk(hub.bridge.has("one-a"));
  hub.clock.advance(60_000);
  await settled();
  t.same(hub.only.state, { watts: 1 }, "the pending state update is dropped");
  await hub.say("one/a", [state("a", { power: true })]);
  t.notOk("power" in hub.only.state);
  await hub.say("one/a", [device("a"), state("a", { power: true })]);
  t.equal(hub.only.state.power, true);
  t.equal(hub.devices.size, 1, "it is the same device of the hub");
});

t.test("a removed device comes back with a new announcement, not with a retained one", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a")], { retain: true });
  hub.devices.delete("one-a");
  hub.bridge.removed("one-a");
  hub.bridge.removed("no-such");
  t.hasStrict(hub.bridge.entries(), [{ bindingState: "removed" }]);
  await hub.restart();
  t.equal(hub.devices.size, 0, "its retained messages do not bring it back");
  await hub.say("one/a", [device("a"), state("a", { power: true })]);
  t.match(hub.only, { state: { power: true } });
});

t.test("a device is made for the new sender after the other family has withdrawn it", async (t) => {
  const hub = await parts("first", "second");
  const hardware = ["aabbccddeeff"];
  await hub.say("first/x", [device("x", { hardware }), online("x", true)]);
  await hub.say("second/y", [device("y", { hardware }), state("y", { power: true })]);
  t.hasStrict(hub.bridge.entries(), [{ bindingState: "bound" }, { bindingState: "shadowed" }]);
  const [first] = hub.bridge.entries();
  t.same(first && hub.bridge.alsoSeenBy(first), ["second"]);
  await hub.say("first/x", [{ do: "gone", key: "x" }]);
  await hub.say("second/y", [state("y", { power: true })]);
  t.same([...hub.devices.keys()], ["first-x", "second-y"]);
  await hub.restart();
  t.hasStrict(hub.bridge.entries(), [{ bindingState: "gone" }, { bindingState: "bound" }], "also over a restart");
});

t.test("what cannot be stored is left to the sender to repeat; what was removed meanwhile is dropped", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a")]);
  const fail = (code: "storage_full" | "unavailable" | "conflict" | "device_not_found"): void => {
    Object.defineProperty(hub.only, "state", {
      configurable: true,
      get: () => {
        throw new Problem(code, `no: ${code}`);
      },
    });
  };
  for (const code of ["storage_full", "unavailable"] as const) {
    fail(code);
    await t.rejects(hub.say("one/a", [state("a", { power: true })]), { code: new RegExp(`^${code}$`) });
  }
  t.same(reasons(hub), []);
  fail("device_not_found");
  await hub.say("one/a", [state("a", { power: true })]);
  t.same(reasons(hub), []);
  fail("conflict");
  await hub.say("one/a", [state("a", { power: true })]);
  t.same(reasons(hub), ["no: conflict"]);
});

t.test("events and plates count only when live, and plates only from Frigate", async (t) => {
  const hub = await parts("frigate");
  const plate: Effect = { do: "plate", key: "a", plate: { text: "MH12AB1234", confidence: 1, at: 0, eventId: "e" } };
  const event: Effect = { do: "event", key: "a", kind: "button.single", title: "", body: "" };
  await hub.say("frigate/a", [device("a"), plate, event]);
  t.match(hub.only, { plates: [{ text: "MH12AB1234" }], events: ["button.single"] });
  await hub.bridge.message({
    ...{ topic: "frigate/a", payload: Buffer.from(JSON.stringify([plate, event, state("a", { on: 1 })])) },
    ...{ durable: false, speaker: null, retained: true },
  });
  t.equal(hub.only.plates.length, 1);
  t.equal(hub.only.events.length, 1);
  t.same(hub.only.state, { on: 1 });
});

t.test("commands are counted, sent to their device only, and refused with a reason", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a")]);
  hub.bridge.deliver("one-a", '{"power":true}', 5);
  t.match(hub.bridge.figures, { messages: 1, understood: 1, commands: 1, devices: 1, problems: 0 });
  t.equal(hub.sentTo.at(-1), 0);
  t.throws(() => hub.bridge.deliver("one-b", '{"power":true}', 5), { message: "Nobody speaks for this device now." });
  t.throws(() => hub.bridge.deliver("one-a", '{"speed":1}', 5), {
    message: "The device cannot do that: it only has power.",
  });
  t.equal(hub.bridge.figures.commands, 1);
  t.ok(hub.bridge.has("one-a"));
  t.notOk(hub.bridge.has("one-b"));
  await hub.say("one/a", []);
  await hub.say("one/a", [{ do: "problem", topic: "one/a", reason: "strange" }]);
  await hub.say("elsewhere", "x");
  t.match(hub.bridge.figures, { messages: 4, understood: 1, problems: 1 });
  t.hasStrict(hub.bridge.problems.list(), [{ family: "one", topic: "one/a", reason: "strange" }]);
  await hub.say("one/a", [device("a", { reportSeconds: 60 }), online("a", false)]);
  t.equal(
    hub.bridge.deliver("one-a", '{"power":true}', 5),
    "sent",
    "a sleeping device gets it from the broker when it wakes",
  );
});

/** A family that reports when it was polled, and what it does by itself. */
function asking(name: string, polls: string[]): Family {
  const plain = plainFamily(name);
  return {
    ...plain,
    large: () => [`${name}/large`],
    open: (options) => ({
      ...plain.open(options),
      connected: () => {
        polls.push(name);
        return [{ do: "publish", message: { topic: `${name}/ask`, payload: "?" } }];
      },
      passed: () => (polls.includes("act") ? [device("self"), state("self", { on: true })] : []),
    }),
  };
}

t.test("devices are polled at the start, a minute later, and three seconds after a client connects", async (t) => {
  const polls: string[] = [];
  const hub = new BridgeParts([asking("one", polls)]);
  hub.credentials.push({ id: 4, name: "Four", families: ["one"] });
  await hub.start();
  const births = () =>
    hub.published.filter(({ topic, payload }) => topic === "homeassistant/status" && payload === "online");
  t.equal(polls.length, 2, "the site's and the credential's");
  t.equal(births().length, 1);
  t.equal(hub.ttlsMs[0], 60_000);
  await hub.bridge.join();
  t.equal(polls.length, 2, "combined polls are one");
  hub.bridge.attached(4);
  hub.bridge.attached(4);
  hub.clock.advance(2_999);
  t.equal(polls.length, 2);
  hub.clock.advance(1);
  t.equal(polls.length, 3);
  hub.bridge.attached();
  hub.clock.advance(3_000);
  t.equal(polls.length, 5);
  hub.bridge.attached(4);
  hub.bridge.dismiss(4, false);
  hub.clock.advance(3_000);
  t.equal(polls.length, 5, "a client dismissed meanwhile is not polled");
  hub.clock.advance(60_000 - 9_000);
  t.equal(polls.length, 6);
  t.equal(births().length, 2);
  t.equal(hub.ttlsMs[hub.published.findLastIndex(({ topic }) => topic === "homeassistant/status")], 60_000);
  hub.clock.advance(600_000);
  t.equal(polls.length, 6);
  hub.bridge.admit({ id: 5, name: "Five", families: ["one"] });
  t.equal(polls.length, 7, "a new one is polled at once");
  polls.push("act");
  hub.clock.advance(1_000);
  await settled();
  t.match(hub.devices.get("one-self"), { state: { on: true } }, "what a family does by itself");
  hub.bridge.attached();
  await hub.bridge.stop();
  hub.clock.advance(600_000);
  t.equal(polls.length, 8, "nothing after the end");
  t.ok(hub.bridge.isLarge("one/large"));
  t.notOk(hub.bridge.isLarge("one/small"));
  t.match(hub.bridge.families(), [{ family: { name: /^one$/ }, prefix: "one", topics: ["one/#"] }]);
});

t.test("delayed messages are sent on time, within a minute, at most a thousand", async (t) => {
  const hub = await parts("one");
  const later = (payload: string, afterMs: number): Effect => ({
    ...{ do: "publish" as const, message: { topic: "one/x", payload }, afterMs },
  });
  const sent = (): string[] => hub.published.filter(({ topic }) => topic === "one/x").map(({ payload }) => payload);
  await hub.say("one/a", [later("now", 0), later("soon", 500), later("late", 100_000)]);
  t.same(sent(), ["now"]);
  hub.clock.advance(500);
  t.same(sent(), ["now", "soon"]);
  hub.clock.advance(59_499);
  t.same(sent(), ["now", "soon"]);
  hub.clock.advance(1);
  t.same(sent(), ["now", "soon", "late"]);
  await hub.say(
    "one/a",
    Array.from({ length: 1_001 }, (_, index) => later(`${index}`, 10)),
  );
  hub.clock.advance(10);
  t.equal(sent().length, 1_003);
  t.equal(sent().at(-1), "999");
  await hub.say("one/a", [later("never", 10)]);
  await hub.bridge.stop();
  hub.clock.advance(10);
  t.notOk(sent().includes("never"));
});

t.test("retained topics are known while their device exists; recalls end after four levels", async (t) => {
  const hub = await parts("one");
  const recall = (level: number): Effect => ({ do: "recall", filters: [`level/${level}`] });
  for (let level = 1; level <= 5; level++)
    hub.retained.set(
      `level/${level}`,
      Buffer.from(JSON.stringify([state("a", { [`l${level}`]: 1 }), recall(level + 1)])),
    );
  await hub.say("one/a", [device("a"), recall(1)]);
  t.same(hub.only.state, { l1: 1, l2: 1, l3: 1, l4: 1 });
  t.ok(hub.bridge.isKnownTopic("one/a"));
  t.ok(hub.bridge.isKnownTopic("level/2"));
  t.notOk(hub.bridge.isKnownTopic("one/b"));
  await hub.say("one/a", [{ do: "gone", key: "a" }]);
  t.notOk(hub.bridge.isKnownTopic("one/a"));
});

t.test("learned data is written every two seconds, counters every ten minutes and at the end", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a"), counter("a", 1_000)]);
  hub.clock.advance(1_999);
  await settled();
  t.equal(hub.stored.devices.size, 0);
  hub.clock.advance(1);
  await settled();
  t.hasStrict(
    [...hub.stored.devices.values()],
    [{ family: "one", deviceId: "one-a", bindingState: "bound", speaker: { client: 0 } }],
  );
  hub.clock.advance(60_000);
  await settled();
  t.equal(hub.stored.meters.size, 0);
  await hub.bridge.stop();
  t.ok(hub.stored.meters.get("one-a")?.has("kwh"));
});
