import t from "tap";
import type { Effect, Family } from "../../firmware-bridge/family.ts";
import { BridgeParts, settled } from "../support/bridge-parts.ts";
import { counter, device, parts, plainFamily, state } from "../support/plain-family.ts";

t.test("a device is made once, and the messages with its announcement are kept", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a"), state("a", { power: true }), { do: "availability", key: "a", online: true }]);
  t.match(hub.devices.get("one-a"), {
    name: /^Device a$/,
    online: true,
    state: { power: true },
    info: { metrics: ["watts"] },
  });
  await hub.say("one/a", [device("a")]);
  t.equal(hub.devices.size, 1);
});

t.test("a device keeps the name that its owner gave it", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a")]);
  await hub.say("one/a", [device("a", { name: "Lamp" })]);
  t.equal(hub.only.name, "Lamp", "the firmware's new name is adopted");
  hub.only.name = "Grandmother's lamp";
  await hub.say("one/a", [device("a", { name: "Lamp 2" })]);
  t.equal(hub.only.name, "Grandmother's lamp");
});

t.test("keys that cannot be part of an id make no device and are reported", async (t) => {
  const hub = await parts("one");
  for (const key of ["", "A", "a b", "../x", "a".repeat(49), "ü"])
    await hub.say("one/a", [device(key), state(key, { power: true })]);
  t.equal(hub.devices.size, 0);
  t.equal(hub.bridge.problems.list().length, 6);
});

t.test(
  "of two families that see the same hardware the first in the list keeps it, in whatever order they came",
  async (t) => {
    const hub = await parts("first", "second");
    const hardware = ["aabbccddeeff"];
    await hub.say("second/x", [device("x", { hardware }), state("x", { power: false })]);
    t.same([...hub.devices.keys()], ["second-x"]);
    await hub.say("first/y", [device("y", { hardware }), state("y", { power: true })]);
    t.same([...hub.devices.keys()], ["second-x"], "it is the same device of the hub");
    t.same(hub.only.state, { power: true });
    await hub.say("second/x", [state("x", { power: false })]);
    t.same(hub.only.state, { power: true }, "the other family is ignored");
    hub.clock.advance(16 * 60_000);
    await hub.say("second/x", [state("x", { power: false })]);
    t.same(hub.only.state, { power: false }, "unless the first has fallen silent: the device has other firmware now");
    await hub.say("first/y", [state("y", { power: true })]);
    t.same(hub.only.state, { power: true });
  },
);

t.test("withdrawn devices count while the hub has them: rotating addresses cannot exceed the limit", async (t) => {
  const hub = await parts("one");
  hub.maxDevices = 10;
  for (let n = 0; n < 25; n++) {
    await hub.say(`one/${n}`, [device(`k${n}`)]);
    await hub.say(`one/${n}`, [{ do: "gone", key: `k${n}` }]);
  }
  t.equal(hub.devices.size, 10);
  t.match(hub.bridge.problems.list()[0]?.reason, /no more than 10 devices/);
  await hub.restart();
  t.equal(hub.stored.devices.size, 10, "what made no device is not stored");
  await hub.say("one/x", [device("x")]);
  t.equal(hub.devices.size, 10, "after a restart they still count");
  hub.devices.delete("one-k3");
  hub.bridge.removed("one-k3");
  await hub.say("one/x", [device("x")]);
  t.ok(hub.devices.has("one-x"), "the place of one that the owner removed is free");
});

t.test("devices that arrive at once are counted before they are made", async (t) => {
  const hub = await parts("one");
  hub.maxDevices = 10;
  await hub.say(
    "one/all",
    [...Array(25).keys()].map((n) => device(`k${n}`)),
  );
  t.equal(hub.devices.size, 10);
});

t.test("the latest removed devices are remembered, the oldest are forgotten", async (t) => {
  const hub = await parts("one");
  hub.maxDevices = 10;
  const retained = (n: number) => ({ topic: `one/${n}`, effects: [device(`k${n}`)] });
  for (let n = 0; n < 25; n++) {
    const { topic, effects } = retained(n);
    await hub.say(topic, effects, { retain: true });
    hub.devices.delete(`one-k${n}`);
    hub.bridge.removed(`one-k${n}`);
    hub.clock.advance(3_000);
    await settled();
  }
  await hub.bridge.stop();
  t.equal(hub.stored.devices.size, 10);
  t.ok(hub.stored.devices.has("one k24"));
  t.notOk(hub.stored.devices.has("one k0"));
});

t.test("an error in one family stops neither the others nor the hub", async (t) => {
  const hub = new BridgeParts([plainFamily("bad"), { ...plainFamily("good"), filters: () => ["#"] }]);
  await hub.start();
  await hub.say("bad/x", "throw");
  t.hasStrict(hub.bridge.problems.list(), [{ family: "good" }, { family: "bad", topic: "bad/x" }]);
  await hub.say("good/x", [device("a")]);
  t.ok(hub.devices.has("good-a"));
});

t.test("measured values become samples at once, and reach the state at once and then once a minute", async (t) => {
  const hub = await parts("one");
  const watts = (value: number): Effect => ({ do: "telemetry", key: "a", data: { watts: value }, at: null });
  await hub.say("one/a", [device("a"), watts(5)]);
  t.same(hub.only.state, { watts: 5 });
  await hub.say("one/a", [watts(6)]);
  await hub.say("one/a", [watts(7)]);
  t.same(hub.only.state, { watts: 5 });
  t.same(
    hub.only.samples.map(({ data }) => data),
    [{ watts: 5 }, { watts: 6 }, { watts: 7 }],
  );
  hub.clock.advance(60_000);
  await settled();
  t.same(hub.only.state, { watts: 7 });
});

t.test("retained messages set the state, and make no samples or events", async (t) => {
  const hub = new BridgeParts([plainFamily("one")]);
  const retainedEffects = [
    device("a"),
    { do: "telemetry", key: "a", data: { watts: 5 }, at: null },
    { do: "event", key: "a", kind: "button.single", title: "", body: "" },
  ];
  hub.retained.set("one/a", Buffer.from(JSON.stringify(retainedEffects)));
  await hub.start();
  t.match(hub.only, { state: { watts: 5 }, samples: [], events: [] });
});

t.test("a counter becomes a total that never decreases, over resets, outliers and restarts", async (t) => {
  const hub = await parts("one");
  const totals = (): unknown[] => hub.only.samples.map(({ data }) => data.kwh);
  await hub.say("one/a", [device("a"), counter("a", 10_000)]);
  for (const wattHours of [10_100, 10_050, 20, 9_000_000, 60]) {
    hub.clock.advance(10 * 60_000);
    await hub.say("one/a", [counter("a", wattHours)]);
  }
  t.same(
    totals(),
    [10, 10.1, 10.1, 10.12, 10.16],
    "a step back adds nothing, a fresh count its reading, an outlier nothing",
  );
  t.ok(hub.bridge.isEstimated("one-a"));
  await hub.restart();
  hub.clock.advance(60_000);
  await hub.say("one/a", [counter("a", 160)]);
  t.equal(totals().at(-1), 10.26, "consumption while the hub was away is not lost");
});

t.test("a command is translated, awaited and confirmed by the state, or times out", async (t) => {
  const hub = await parts("one");
  await hub.say("one/a", [device("a")]);
  t.equal(hub.bridge.deliver("one-a", '{"power":true}', 60_000), "sent");
  t.match(hub.published.at(-1), { topic: /^one\/set$/, payload: "true" });
  await hub.say("one/a", [state("a", { power: true })]);
  t.same(hub.delivered, ["one-a"]);
  hub.bridge.deliver("one-a", '{"power":false}', 60_000);
  hub.clock.advance(6_000);
  t.same(hub.timedOut, ["one-a"]);
  t.throws(() => hub.bridge.deliver("one-a", '{"speed":3}', 60_000), { code: /^unsupported_command$/ });
});

t.test("a command for an offline device waits for it, but not forever", async (t) => {
  const hub = await parts("one");
  const online = (value: boolean): Effect => ({ do: "availability", key: "a", online: value });
  await hub.say("one/a", [device("a"), online(false)]);
  const before = hub.published.length;
  t.equal(hub.bridge.deliver("one-a", '{"power":true}', 60_000), "queued");
  hub.clock.advance(30_000);
  t.equal(hub.published.length, before);
  await hub.say("one/a", [online(true)]);
  t.match(hub.published.at(-1), { topic: /^one\/set$/, payload: "true" });
  await hub.say("one/a", [online(false)]);
  hub.bridge.deliver("one-a", '{"power":false}', 60_000);
  hub.clock.advance(61_000);
  await hub.say("one/a", [online(true)]);
  t.equal(hub.published.filter(({ payload }) => payload === "false").length, 0, "its time is over");
});

t.test("a device without availability reports goes offline with its client", async (t) => {
  const hub = new BridgeParts([plainFamily("one")]);
  hub.credentials.push({ id: 7, name: "Seven", families: ["one"] });
  await hub.start();
  const speaker = { client: 7, mqttClientId: "abc" };
  await hub.say("one/a", [device("a")], { speaker });
  await hub.say("one/b", [device("b"), { do: "availability", key: "b", online: true }], { speaker });
  hub.devices.get("one-a") && Object.assign(hub.devices.get("one-a") ?? {}, { online: true });
  hub.bridge.detached(speaker);
  t.match([hub.devices.get("one-a"), hub.devices.get("one-b")], [{ online: false }, { online: true }]);
});

t.test("retained messages requested by a family come after the message that made it request them", async (t) => {
  const asking: Family = {
    ...plainFamily("asks"),
    filters: () => ["asks/config"],
    open: (options) => {
      const inner = plainFamily("asks").open(options);
      return {
        ...inner,
        message: (message) =>
          message.topic === "asks/config"
            ? [device("a"), { do: "recall", filters: ["elsewhere/+"] }]
            : inner.message(message),
      };
    },
  };
  const hub = new BridgeParts([asking]);
  await hub.start();
  await hub.say("elsewhere/state", [state("a", { power: true })], { retain: true });
  t.equal(hub.devices.size, 0);
  await hub.say("asks/config", "now");
  t.same(hub.only.state, { power: true });
});

t.test("of a forgotten credential nothing is left for the next one with its number", async (t) => {
  const hub = new BridgeParts([plainFamily("one")]);
  hub.credentials.push({ id: 7, name: "Seven", families: ["one"] });
  await hub.start();
  const speaker = { client: 7, mqttClientId: null };
  await hub.say("one/a", [device("a"), state("a", { power: true })], { speaker });
  hub.bridge.dismiss(7, true);
  await hub.restart();
  await hub.say("one/a", [state("a", { power: false })], { speaker });
  t.same(hub.only.state, { power: true }, "it may not publish for a device that it has not announced");
  t.throws(
    () => hub.bridge.deliver("one-a", '{"power":true}', 1_000),
    { code: /^unsupported_command$/ },
    "nor does it receive the device's messages",
  );
  await hub.say("one/a", [device("a"), state("a", { power: false })], { speaker });
  t.same(hub.only.state, { power: false }, "an unowned device may be announced again");
});

t.test("a family cannot affect a device of another credential in any way", async (t) => {
  const hub = new BridgeParts([plainFamily("one"), plainFamily("frigate")]);
  hub.credentials.push({ id: 1, name: "First", families: ["one"] }, { id: 2, name: "Second", families: ["one"] });
  await hub.start();
  const hardware = ["aabbccddeeff"];
  await hub.say("one/a", [device("a", { hardware }), state("a", { power: true })], {
    speaker: { client: 1, mqttClientId: "x" },
  });
  const plate: Effect = { do: "plate", key: "a", plate: { text: "MH12AB1234", confidence: 1, at: 0, eventId: "e" } };
  const forged = [
    state("a", { power: false }),
    counter("a", 5),
    { do: "availability", key: "a", online: true },
    { do: "gone", key: "a" },
    plate,
  ];
  for (const one of forged) await hub.say("one/a", [one], { speaker: { client: 2, mqttClientId: "x" } });
  await hub.say("one/a", [device("a", { name: "Mine", hardware }), ...forged], {
    speaker: { client: 2, mqttClientId: "x" },
  });
  await hub.say("frigate/a", [device("a"), plate], { speaker: { client: 2, mqttClientId: "x" } });
  t.hasStrict(hub.only, { name: "Device a", online: false, state: { power: true }, plates: [], samples: [] });
  t.match(hub.bridge.problems.list(), [{ reason: /belongs to another client/ }]);
  await hub.say("one/a", [plate], { speaker: { client: 1, mqttClientId: "x" } });
  t.same(hub.only.plates, [], "and plates are accepted from Frigate only");
});
