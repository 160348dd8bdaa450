import t from "tap";
import { FakeClock } from "../support/fake-clock.ts";
import { collect, message, startBroker, until } from "./harness.ts";

const TOPIC = "gatehouse/plug-1/command";

t.test("a command reaches a subscribed device byte for byte, and its acknowledgement is reported", async (t) => {
  const hub = await startBroker(t);
  for (const clean of [true, false]) {
    const plug = await hub.connect({ clean });
    await plug.subscribeAsync(TOPIC, { qos: 1 });
    const received = message(plug);
    const payload = `{ "on" : true, "clean": ${clean} }`;
    t.equal(await hub.broker.publishCommand("plug-1", payload, 60_000), "sent");
    t.same(await received, { topic: TOPIC, payload, qos: 1, retain: false, dup: false });
    t.same(await hub.call(([name, , text]) => name === "delivered" && text === payload), [
      "delivered",
      "plug-1",
      payload,
    ]);
    await plug.endAsync();
  }
  t.equal(hub.delivered.length, 2);
});

t.test("a command for an offline device without a session waits until it subscribes", async (t) => {
  const hub = await startBroker(t);
  t.equal(await hub.broker.publishCommand("plug-1", '{"n":1}', 60_000), "queued");
  t.equal(await hub.broker.publishCommand("plug-1", '{"n":2}', 60_000), "queued");
  const plug = await hub.connect();
  const seen = collect(plug);
  await plug.subscribeAsync(TOPIC, { qos: 1 });
  await until(() => seen.length === 2);
  t.same(seen, [`${TOPIC} {"n":1}`, `${TOPIC} {"n":2}`]);
  await until(() => hub.delivered.length === 2);
  t.equal(hub.broker.figures()?.commands.held, 0);
});

t.test("a held command is dropped when its time is over", async (t) => {
  const clock = new FakeClock();
  const hub = await startBroker(t, { clock });
  await hub.broker.publishCommand("plug-1", '{"n":1}', 1_000);
  await hub.broker.publishCommand("plug-1", '{"n":2}', 9_000);
  clock.advance(1_500);
  const plug = await hub.connect();
  const seen = collect(plug);
  await plug.subscribeAsync(TOPIC, { qos: 1 });
  await until(() => seen.length === 1);
  t.same(seen, [`${TOPIC} {"n":2}`]);
  t.equal(hub.broker.figures()?.commands.expired, 1);
});

t.test("a command in the queue of a persistent session is not delivered after its time", async (t) => {
  const clock = new FakeClock();
  const hub = await startBroker(t, { clock });
  const plug = await hub.connect({ clean: false });
  await plug.subscribeAsync(TOPIC, { qos: 1 });
  await plug.endAsync();
  await hub.call(([name]) => name === "disconnected");
  await hub.broker.publishCommand("plug-1", '{"n":1}', 1_000);
  clock.advance(1_001); // before the sweep: the check at delivery catches it
  const again = await hub.connect({ clean: false });
  const seen = collect(again);
  t.equal(await hub.broker.publishCommand("plug-1", '{"n":2}', 1_000), "sent");
  await until(() => seen.length === 1);
  t.same(seen, [`${TOPIC} {"n":2}`]);
});

t.test("a command sent into a dead connection is sent once more on the next one", async (t) => {
  const hub = await startBroker(t);
  for (const expected of ["sent", "again", "dropped"]) {
    const raw = await hub.raw();
    raw.connect("plug-1");
    await raw.packet();
    raw.subscribe(TOPIC, 1);
    await raw.packet();
    if (expected === "sent") t.equal(await hub.broker.publishCommand("plug-1", '{"n":1}', 60_000), "sent");
    if (expected === "dropped") {
      t.equal(hub.broker.figures()?.commands.held, 0, "not forever");
    } else t.match((await raw.packet())?.body.toString("latin1"), /\{"n":1\}$/, expected);
    raw.socket.destroy();
    await until(
      () =>
        hub.calls.filter(([name]) => name === "disconnected").length ===
        ["sent", "again", "dropped"].indexOf(expected) + 1,
    );
  }
  t.same(hub.delivered, []);
});

t.test("a QoS 0 subscriber gets the command once, without an acknowledgement", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  await plug.subscribeAsync(TOPIC, { qos: 0 });
  const received = message(plug);
  t.equal(await hub.broker.publishCommand("plug-1", "{}", 60_000), "sent");
  t.match(await received, { qos: 0 });
  await plug.endAsync();
  await hub.call(([name]) => name === "disconnected");
  t.match(hub.broker.figures()?.commands, { held: 0, unacknowledged: 0 });
});

t.test("commands held for offline devices are bounded, the oldest is dropped first", async (t) => {
  const hub = await startBroker(t, { limits: { heldCommandsPerDevice: 2, heldCommandsTotal: 3 } });
  for (let n = 0; n < 3; n++) await hub.broker.publishCommand("plug-1", `{"n":${n}}`, 60_000);
  t.match(hub.broker.figures()?.commands, { held: 2, dropped: 1 });
  for (let n = 0; n < 2; n++) await hub.broker.publishCommand("plug-2", `{"n":${n}}`, 60_000);
  t.match(hub.broker.figures()?.commands, { held: 3, dropped: 2 });
});

t.test("a stopped broker accepts no commands", async (t) => {
  const hub = await startBroker(t);
  await hub.broker.stop();
  await t.rejects(hub.broker.publishCommand("plug-1", "{}", 1_000), { code: /^broker_unavailable$/ });
  t.equal(hub.broker.port, null);
  t.equal(hub.broker.figures(), null);
});

t.test("a command is not delivered twice to overlapping subscriptions", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect({ clean: false });
  const seen = collect(plug);
  await plug.subscribeAsync(["gatehouse/plug-1/#", TOPIC], { qos: 1 });
  await hub.broker.publishCommand("plug-1", '{"n":1}', 60_000);
  await hub.broker.publishCommand("plug-1", '{"n":2}', 60_000);
  await until(() => hub.delivered.length === 2);
  t.same(seen, [`${TOPIC} {"n":1}`, `${TOPIC} {"n":2}`]);
});
