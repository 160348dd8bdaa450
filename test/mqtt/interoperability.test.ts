/**
 * The requirements of the Eclipse Paho interoperability suite for an MQTT 3.1.1 server, on the topics a device may use
 * here.
 */
import t from "tap";
import { closed, collect, message, startBroker, text, until } from "./harness.ts";

const STATE = "gatehouse/plug-1/state";
const EVENT = "gatehouse/plug-1/event";

t.test("basic: each QoS is published and received", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  await plug.subscribeAsync(EVENT, { qos: 2 });
  const seen: [string, number][] = [];
  plug.on("message", (_topic, payload, packet) => seen.push([payload.toString(), packet.qos]));
  for (const qos of [0, 1, 2] as const) await plug.publishAsync(EVENT, `{"kind":"qos${qos}"}`, { qos });
  await until(() => seen.length === 3);
  t.same(
    seen.sort(([a], [b]) => a.localeCompare(b)),
    [
      ['{"kind":"qos0"}', 0],
      ['{"kind":"qos1"}', 1],
      ['{"kind":"qos2"}', 2],
    ],
  );
});

t.test("basic: a second CONNECT, or a packet before CONNECT, ends the connection", async (t) => {
  const hub = await startBroker(t);
  const twice = await hub.raw();
  twice.connect("plug-1");
  await twice.packet();
  twice.connect("plug-1");
  t.equal(await twice.packet(), null);
  const early = await hub.raw();
  early.publish(STATE, "{}");
  t.equal(await early.packet(), null);
});

t.test("basic: other versions of the protocol are refused with return code 1", async (t) => {
  const hub = await startBroker(t);
  const v5 = await hub.raw();
  v5.send(0x10, text("MQTT"), [5, 0xc2, 0, 60, 0], text("plug-1"), text("plug-1"), text("secret"));
  t.match((await v5.packet())?.first, 0x20);
  const v31 = await hub.raw();
  v31.send(0x10, text("MQIsdp"), [3, 0xc2, 0, 60], text("plug-1"), text("plug-1"), text("secret"));
  t.same([...((await v31.packet())?.body ?? [])], [0, 1]);
  await v31.closed();
});

t.test("credentials: wrong or missing ones are refused with return code 4", async (t) => {
  const hub = await startBroker(t);
  for (const password of ["wrong", ""]) {
    const raw = await hub.raw();
    raw.connect("plug-1", { password });
    t.same([...((await raw.packet())?.body ?? [])], [0, 4]);
    await raw.closed();
  }
  const anonymous = await hub.raw();
  anonymous.send(0x10, text("MQTT"), [4, 2, 0, 60], text("plug-1"));
  t.same([...((await anonymous.packet())?.body ?? [])], [0, 4]);
  const reasons = hub.broker.refusals("").map(({ reason, count }) => [reason, count]);
  t.same(reasons.sort(), [
    ["anonymous", 1],
    ["no_password", 1],
    ["wrong_credential", 1],
  ]);
});

t.test("zero-length client id: needs a clean session, else return code 2", async (t) => {
  const hub = await startBroker(t);
  const persistent = await hub.raw();
  persistent.connect("plug-1", { clientId: "", clean: false });
  t.same([...((await persistent.packet())?.body ?? [])], [0, 2]);
  await persistent.closed();
  const clean = await hub.raw();
  clean.connect("plug-1", { clientId: "", clean: true });
  t.same([...((await clean.packet())?.body ?? [])], [0, 0]);
  clean.socket.destroy();
});

t.test("retained messages: the last of each topic is sent on SUBSCRIBE, an empty one removes it", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  await plug.publishAsync(STATE, '{"n":1}', { qos: 1, retain: true });
  await plug.publishAsync(STATE, '{"n":2}', { qos: 1, retain: true });
  await plug.publishAsync("gatehouse/plug-1/status", "online", { qos: 0, retain: true });
  const log = await hub.connect({ clientId: "plug-1:log" });
  const seen: [string, string, boolean][] = [];
  log.on("message", (topic, payload, packet) => seen.push([topic, payload.toString(), packet.retain]));
  await log.subscribeAsync("gatehouse/plug-1/+", { qos: 1 });
  await until(() => seen.length === 2);
  t.same(seen.sort(), [
    [STATE, '{"n":2}', true],
    ["gatehouse/plug-1/status", "online", true],
  ]);
  await plug.publishAsync(STATE, '{"n":3}', { qos: 1, retain: true });
  await until(() => seen.length === 3);
  t.same(seen[2], [STATE, '{"n":3}', false], "to a standing subscription it is a message like any other");

  const handled = hub.calls.length;
  for (const topic of [STATE, "gatehouse/plug-1/status"]) await plug.publishAsync(topic, "", { qos: 1, retain: true });
  t.equal(hub.calls.length, handled, "removing a retained message is not a message to the hub");
  t.equal(hub.broker.figures()?.stored.retained, 0);
});

t.test("will message: published when the connection breaks, not after DISCONNECT", async (t) => {
  const hub = await startBroker(t);
  const will = { topic: "gatehouse/plug-1/status", payload: Buffer.from("offline"), qos: 1 as const, retain: true };
  const log = await hub.connect({ clientId: "plug-1:log" });
  await log.subscribeAsync("gatehouse/plug-1/status", { qos: 1 });
  const polite = await hub.connect({ will });
  await polite.endAsync();
  const rude = await hub.connect({ will });
  const received = message(log);
  rude.stream.destroy();
  t.match(await received, { topic: /^gatehouse\/plug-1\/status$/, payload: "offline", qos: 1, retain: false });
  t.same(hub.calls.filter(([name]) => name === "status").length, 1);
  t.equal(hub.broker.figures()?.stored.retained, 1, "a retained will is retained");
});

t.test("will message: one to a forbidden topic is counted and goes nowhere", async (t) => {
  const hub = await startBroker(t);
  const victim = await hub.connect({ device: "plug-2" });
  await victim.subscribeAsync("gatehouse/plug-2/#", { qos: 1 });
  const seen = collect(victim);
  const villain = await hub.connect({
    will: { topic: "gatehouse/plug-2/command", payload: Buffer.from("{}"), qos: 1, retain: true },
  });
  villain.stream.destroy();
  await hub.call(([name]) => name === "disconnected");
  await until(() => hub.broker.refusals("plug-1").length > 0);
  t.hasStrict(hub.broker.refusals("plug-1"), [{ reason: "foreign_topic" }]);
  await victim.publishAsync("gatehouse/plug-2/state", "{}", { qos: 1 });
  await until(() => seen.length > 0);
  t.same(seen, ["gatehouse/plug-2/state {}"]);
});

t.test("offline message queueing: QoS 1 and 2 wait for a persistent session, in order", async (t) => {
  const hub = await startBroker(t);
  const log = await hub.connect({ clientId: "plug-1:log", clean: false });
  await log.subscribeAsync(EVENT, { qos: 2 });
  await log.endAsync();
  const plug = await hub.connect();
  for (const qos of [0, 1, 2] as const) await plug.publishAsync(EVENT, `{"kind":"qos${qos}"}`, { qos });
  const raw = await hub.raw();
  raw.connect("plug-1", { clientId: "plug-1:log", clean: false });
  t.same([...((await raw.packet())?.body ?? [])], [1, 0], "session present");
  const first = await raw.packet();
  t.match(first?.body.toString("latin1"), /qos1/);
  const second = await raw.packet();
  t.match(second?.body.toString("latin1"), /qos2/);
  raw.socket.destroy();
});

t.test("a clean session discards the queue", async (t) => {
  const hub = await startBroker(t);
  const log = await hub.connect({ clientId: "plug-1:log", clean: false });
  await log.subscribeAsync(EVENT, { qos: 1 });
  await log.endAsync();
  const plug = await hub.connect();
  await plug.publishAsync(EVENT, '{"kind":"x"}', { qos: 1 });
  await (await hub.connect({ clientId: "plug-1:log", clean: true })).endAsync();
  const raw = await hub.raw();
  raw.connect("plug-1", { clientId: "plug-1:log", clean: false });
  t.same([...((await raw.packet())?.body ?? [])], [0, 0], "no session present");
  t.equal(hub.broker.figures()?.stored.queued.messages, 0);
  raw.socket.destroy();
});

t.test("redelivery: unacknowledged messages come again with DUP and the same identifier", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  let identifier: number | undefined;
  for (const first of [0x32, 0x3a]) {
    const raw = await hub.raw();
    raw.connect("plug-1", { clientId: "plug-1:log", clean: false });
    await raw.packet();
    if (first === 0x32) {
      raw.subscribe(EVENT, 1);
      await raw.packet();
      await plug.publishAsync(EVENT, '{"kind":"x"}', { qos: 1 });
    }
    const packet = await raw.packet();
    t.equal(packet?.first, first);
    const at = 2 + EVENT.length;
    identifier ??= packet?.body.readUInt16BE(at);
    t.equal(packet?.body.readUInt16BE(at), identifier);
    if (first === 0x3a) {
      raw.send(0x40, [(identifier ?? 0) >> 8, (identifier ?? 0) & 255]);
      await until(() => hub.broker.figures()?.stored.queued.messages === 0);
    }
    raw.socket.destroy();
    await raw.closed();
  }
});

t.test("redelivery: QoS 2 resumes at PUBREL", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  const raw = await hub.raw();
  raw.connect("plug-1", { clientId: "plug-1:log", clean: false });
  await raw.packet();
  raw.subscribe(EVENT, 2);
  await raw.packet();
  await plug.publishAsync(EVENT, '{"kind":"x"}', { qos: 2 });
  const published = await raw.packet();
  const identifier = published?.body.subarray(2 + EVENT.length, 4 + EVENT.length) ?? Buffer.alloc(0);
  raw.send(0x50, identifier);
  t.equal((await raw.packet())?.first, 0x62);
  raw.socket.destroy();
  await raw.closed();
  const again = await hub.raw();
  again.connect("plug-1", { clientId: "plug-1:log", clean: false });
  await again.packet();
  const release = await again.packet();
  t.same([release?.first, release?.body], [0x62, identifier]);
  again.send(0x70, identifier);
  await until(() => hub.broker.figures()?.stored.queued.messages === 0);
  again.socket.destroy();
});

t.test("overlapping subscriptions: one message, one delivery", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  await plug.subscribeAsync("gatehouse/plug-1/#", { qos: 2 });
  await plug.subscribeAsync("gatehouse/plug-1/+", { qos: 1 });
  const seen = collect(plug);
  await plug.publishAsync(STATE, '{"n":1}', { qos: 2 });
  await plug.publishAsync(STATE, '{"n":2}', { qos: 1 });
  await until(() => seen.length >= 2);
  t.same(seen, [`${STATE} {"n":1}`, `${STATE} {"n":2}`]);
});

t.test(
  "keep-alive: a silent client is disconnected after one and a half times its keep-alive, a pinging one is not",
  async (t) => {
    const hub = await startBroker(t);
    const silent = await hub.raw();
    silent.connect("plug-1", { keepalive: 1 });
    const pinging = await hub.connect({ device: "plug-2", keepalive: 1 });
    await silent.closed();
    t.ok(pinging.connected);
    t.same(hub.calls.at(-1), ["disconnected", "plug-1", "keepalive"]);
  },
);

t.test("unsubscribe: nothing arrives any more", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect({ clean: false });
  await plug.subscribeAsync([STATE, EVENT], { qos: 1 });
  const seen = collect(plug);
  await plug.unsubscribeAsync(STATE);
  await plug.publishAsync(STATE, "{}", { qos: 1 });
  await plug.publishAsync(EVENT, '{"kind":"x"}', { qos: 1 });
  await until(() => seen.length > 0);
  t.same(seen, [`${EVENT} {"kind":"x"}`]);
  t.same(hub.database.raw.prepare("SELECT topic FROM mqtt_subscription").pluck().all(), [EVENT]);
});

t.test("$-topics: nobody can subscribe or publish to them", async (t) => {
  const hub = await startBroker(t);
  const raw = await hub.raw();
  raw.connect("plug-1");
  await raw.packet();
  for (const filter of ["$SYS/#", "$SYS/+/new/clients", "+/#", "#"]) {
    raw.subscribe(filter, 0);
    t.equal((await raw.packet())?.body[2], 0x80, filter);
  }
  raw.publish("$SYS/x", "{}", { qos: 1, id: 9 });
  t.same([...((await raw.packet())?.body ?? [])], [0, 9], "acknowledged and dropped");
  raw.socket.destroy();
});

t.test("protocol violations end the connection", async (t) => {
  const hub = await startBroker(t);
  const violations: [string, number, Buffer][] = [
    ["a wildcard in PUBLISH", 0x30, Buffer.concat([text("gatehouse/plug-1/#"), Buffer.from("{}")])],
    ["QoS 3", 0x36, Buffer.concat([text(STATE), Buffer.from([0, 1]), Buffer.from("{}")])],
    ["SUBSCRIBE with wrong flags", 0x80, Buffer.concat([Buffer.from([0, 1]), text(STATE), Buffer.from([0])])],
    ["a packet type that clients do not send", 0x20, Buffer.from([0, 0])],
    ["an empty SUBSCRIBE", 0x82, Buffer.from([0, 1])],
  ];
  for (const [what, first, body] of violations) {
    const plug = await hub.raw();
    plug.connect("plug-1");
    await plug.packet();
    plug.send(first, body);
    await plug.closed();
    t.pass(what);
  }
  const good = await hub.connect();
  const cut = closed(good);
  await good.endAsync();
  await cut;
});
