import t from "tap";
import { Pacer } from "../../src/core/mqtt/pacer.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startBroker, until } from "./harness.ts";

t.test("a device above its rate is delayed, not disconnected, and others are not affected", async (t) => {
  const hub = await startBroker(t, { limits: { messagesPerSecond: 100, messageBurst: 10 } });
  const plug = await hub.connect();
  const other = await hub.connect({ device: "plug-2" });
  const flood = Array.from({ length: 40 }, (_, n) =>
    plug.publishAsync("gatehouse/plug-1/state", `{"n":${n}}`, { qos: 1 }),
  );
  await other.publishAsync("gatehouse/plug-2/state", "{}", { qos: 1 });
  t.ok(
    hub.calls.filter(([name, id]) => name === "state" && id === "plug-1").length < 40,
    "the other device got through in between",
  );
  await Promise.all(flood);
  t.same(
    hub.calls.filter(([name, id]) => name === "state" && id === "plug-1").map((call) => call[2]),
    Array.from({ length: 40 }, (_, n) => ({ n })),
    "all of it, in order",
  );
  t.ok((hub.broker.figures()?.messages.paced ?? 0) >= 20);
});

t.test("a flooding client is not read beyond a limit", async (t) => {
  const hub = await startBroker(t, { limits: { unfinishedMessages: 50 } });
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  hub.override.state = () => gate;
  const raw = await hub.raw();
  raw.connect("plug-1");
  await raw.packet();
  for (let n = 1; n <= 3_000; n++) {
    raw.publish("gatehouse/plug-1/state", `{"n":${n},"pad":"${"x".repeat(1_000)}"}`, { qos: 1, id: n });
    if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve)); // separate segments
  }
  await until(() => (hub.broker.figures()?.messages.unfinished ?? 0) >= 50);
  const other = await hub.connect({ device: "plug-2" });
  await other.publishAsync("gatehouse/plug-2/event", '{"kind":"x"}', { qos: 1 });
  t.ok((hub.broker.figures()?.messages.unfinished ?? 0) < 500, "3,000 were sent");
  release();
  await until(() => hub.calls.filter(([name]) => name === "state").length === 3_000);
  t.pass("and all get through in the end");
  raw.socket.destroy();
});

t.test("nor beyond a limit of bytes: pictures are large", async (t) => {
  const hub = await startBroker(t, { limits: { unfinishedBytes: 100_000 } });
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  hub.override.state = () => gate;
  const raw = await hub.raw();
  raw.connect("plug-1");
  await raw.packet();
  for (let n = 1; n <= 60; n++) {
    raw.publish("gatehouse/plug-1/state", `{"n":${n},"pad":"${"x".repeat(40_000)}"}`, { qos: 1, id: n });
    await new Promise((resolve) => setImmediate(resolve)); // separate segments
  }
  const other = await hub.connect({ device: "plug-2" });
  await other.publishAsync("gatehouse/plug-2/event", '{"kind":"x"}', { qos: 1 });
  const { unfinished } = hub.broker.figures()?.messages ?? { unfinished: 0 };
  t.ok(unfinished >= 3 && unfinished < 20, `60 were sent, ${unfinished} are read`);
  release();
  await until(() => hub.calls.filter(([name]) => name === "state").length === 60);
  raw.socket.destroy();
});

t.test("queues of absent sessions are bounded by count and bytes, the oldest is dropped first", async (t) => {
  const hub = await startBroker(t, { limits: { queuedMessagesPerSession: 3, queuedBytesPerSession: 10_000 } });
  const plug = await hub.connect({ clean: false });
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  await plug.endAsync();
  await hub.call(([name]) => name === "disconnected");
  for (let n = 0; n < 5; n++) await hub.broker.publishCommand("plug-1", `{"n":${n}}`, 60_000);
  t.match(hub.broker.figures()?.stored.queued, { messages: 3, dropped: 2 });
  t.same(
    hub.database.raw
      .prepare("SELECT payload FROM mqtt_queue ORDER BY id")
      .pluck()
      .all()
      .map((payload) => String(payload)),
    ['{"n":2}', '{"n":3}', '{"n":4}'],
  );
  await hub.broker.publishCommand("plug-1", JSON.stringify({ x: "y".repeat(9_700) }), 60_000);
  t.match(hub.broker.figures()?.stored.queued, { messages: 1, dropped: 5 });
});

t.test("subscriptions, sessions and retained bytes of a device are bounded", async (t) => {
  const hub = await startBroker(t, {
    limits: { subscriptionsPerSession: 3, sessionsPerDevice: 2, retainedBytesPerDevice: 100 },
  });
  const raw = await hub.raw();
  raw.connect("plug-1", { clean: false });
  await raw.packet();
  const codes: unknown[] = [];
  for (let n = 0; n < 5; n++) {
    raw.subscribe(`gatehouse/plug-1/x${n}`, 1);
    codes.push((await raw.packet())?.body[2]);
  }
  t.same(codes, [1, 1, 1, 0x80, 0x80]);
  raw.subscribe("gatehouse/plug-1/x0", 0);
  t.equal((await raw.packet())?.body[2], 0, "a known one may change");
  raw.subscribe(`gatehouse/plug-1/${"x".repeat(300)}`, 0);
  t.equal((await raw.packet())?.body[2], 0x80);
  raw.socket.destroy();

  for (const suffix of ["a", "b", "c"]) {
    const client = await hub.connect({ clientId: `plug-1:${suffix}`, clean: false });
    await client.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
    await client.endAsync();
    await until(() => hub.broker.figures()?.devices === 0);
  }
  await until(() => hub.broker.figures()?.stored.sessions === 2);

  const plug = await hub.connect();
  await plug.publishAsync("gatehouse/plug-1/info", `{"a":"${"x".repeat(60)}"}`, { qos: 1, retain: true });
  await plug.publishAsync("gatehouse/plug-1/state", `{"a":"${"x".repeat(60)}"}`, { qos: 1, retain: true });
  await plug.publishAsync("gatehouse/plug-1/info", `{"b":"${"x".repeat(61)}"}`, { qos: 1, retain: true });
  t.equal(hub.broker.figures()?.stored.retained, 1);
  t.ok(
    hub.calls.some(([name]) => name === "state"),
    "the message itself is handled",
  );
  t.ok(hub.broker.refusals("plug-1").some(({ reason }) => reason === "retained_quota"));
});

t.test("the rate: a burst at once, then evenly, in order; other devices are not limited", (t) => {
  const clock = new FakeClock();
  const passed: number[] = [];
  const pacer = new Pacer<number>({ perSecond: 10, burst: 3 }, clock, (n) => passed.push(n));
  for (let n = 0; n < 6; n++) pacer.pass("a", n);
  pacer.pass("b", 100);
  t.same(passed, [0, 1, 2, 100]);
  clock.advance(99);
  t.equal(passed.length, 4);
  clock.advance(1);
  t.same(passed.slice(4), [3]);
  clock.advance(200);
  t.same(passed.slice(4), [3, 4, 5]);
  clock.advance(10_000);
  for (let n = 10; n < 15; n++) pacer.pass("a", n);
  t.same(passed.slice(7), [10, 11, 12], "unused allowance is saved up to the burst only");
  pacer.release();
  t.same(passed.slice(7), [10, 11, 12, 13, 14]);
  t.equal(pacer.held, 5);
  t.end();
});
