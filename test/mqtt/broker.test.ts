import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { closed, collect, message, startBroker, text, until } from "./harness.ts";

t.test("a device's messages reach the handlers of their topics", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  await plug.publishAsync("gatehouse/plug-1/status", "online", { qos: 1, retain: true });
  await plug.publishAsync("gatehouse/plug-1/info", '{"type":"smart-plug","metrics":["watts"]}', {
    qos: 1,
    retain: true,
  });
  await plug.publishAsync("gatehouse/plug-1/state", '{"on":true}', { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/telemetry", '[{"at":1772366400,"data":{"watts":5}},{"watts":6}]', {
    qos: 1,
  });
  await plug.publishAsync("gatehouse/plug-1/event", '{"kind":"button","title":"Pressed"}', { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/capture/c1/0", Buffer.from([0xff, 0xd8, 0xff, 0xe0]), { qos: 1 });
  await plug.publishAsync(
    "gatehouse/plug-1/capture/c1/done",
    '{"trigger":"motion","frames":1,"at":"2026-03-01T12:00:00Z","direction":"in"}',
    { qos: 1 },
  );
  t.same(
    hub.calls.map((call) => call.slice(0, 3)),
    [
      ["connected", "plug-1"],
      ["status", "plug-1", { status: "online" }],
      ["info", "plug-1", { type: "smart-plug", metrics: ["watts"] }],
      ["state", "plug-1", { on: true }],
      [
        "telemetry",
        "plug-1",
        [
          { at: 1772366400000, data: { watts: 5 } },
          { at: null, data: { watts: 6 } },
        ],
      ],
      ["event", "plug-1", { kind: "button", title: "Pressed", body: "" }],
      ["frame", "plug-1", "c1"],
      ["captureDone", "plug-1", "c1"],
    ],
  );
  t.match(hub.calls[4]?.[3], { messageId: Number, duplicate: false, at: Number });
  t.same(hub.calls[7]?.[3], { trigger: "motion", frames: 1, at: 1772366400000, direction: "in" });
});

t.test("a QoS 1 message is acknowledged only after its handler is done, in the order of arrival", async (t) => {
  const hub = await startBroker(t);
  const finish: (() => void)[] = [];
  hub.override.state = (deviceId) =>
    deviceId === "plug-1" ? new Promise((resolve) => finish.push(resolve)) : Promise.resolve();
  const raw = await hub.raw();
  raw.connect("plug-1");
  t.equal((await raw.packet())?.first, 0x20);
  raw.publish("gatehouse/plug-1/state", '{"n":1}', { qos: 1, id: 1 });
  raw.publish("gatehouse/plug-1/state", '{"n":2}', { qos: 1, id: 2 });
  raw.publish("gatehouse/plug-1/event", '{"kind":"x"}', { qos: 1, id: 3 });
  await until(() => finish.length === 2);
  await hub.call(([name]) => name === "event");
  let answers = 0;
  raw.socket.on("data", () => {
    answers += 1;
  });
  finish[1]?.(); // the second is done first, and waits for it
  const other = await hub.connect({ device: "plug-2" });
  await other.publishAsync("gatehouse/plug-2/state", "{}", { qos: 2 });
  t.equal(answers, 0, "nothing was acknowledged while others had their answers");
  finish[0]?.();
  const ids = [await raw.packet(), await raw.packet(), await raw.packet()].map((packet) => [
    packet?.first,
    packet?.body.readUInt16BE(0),
  ]);
  t.same(ids, [
    [0x40, 1],
    [0x40, 2],
    [0x40, 3],
  ]);
  raw.socket.destroy();
});

t.test("QoS 0 waits for nothing", async (t) => {
  const hub = await startBroker(t);
  hub.override.telemetry = () => new Promise(() => {});
  const plug = await hub.connect();
  for (let n = 0; n < 3; n++) await plug.publishAsync("gatehouse/plug-1/telemetry", `{"n":${n}}`);
  await until(() => hub.calls.filter(([name]) => name === "telemetry").length === 3);
  t.pass();
});

t.test("QoS 2 is handled once, however often the publish is repeated", async (t) => {
  const hub = await startBroker(t);
  const raw = await hub.raw();
  raw.connect("plug-1", { clean: false });
  await raw.packet();
  for (const dup of [false, true, true]) {
    raw.publish("gatehouse/plug-1/event", '{"kind":"x"}', { qos: 2, id: 7, dup });
    t.equal((await raw.packet())?.first, 0x50);
  }
  raw.send(0x62, [0, 7]);
  t.equal((await raw.packet())?.first, 0x70);
  t.equal(hub.calls.filter(([name]) => name === "event").length, 1);
  raw.publish("gatehouse/plug-1/event", '{"kind":"x"}', { qos: 2, id: 7 });
  t.equal((await raw.packet())?.first, 0x50);
  t.equal(hub.calls.filter(([name]) => name === "event").length, 2, "after PUBREL the identifier is free again");
  raw.socket.destroy();
});

t.test("a message that cannot be stored is not acknowledged, and comes again on the next connection", async (t) => {
  const hub = await startBroker(t);
  hub.override.telemetry = () => Promise.reject(new Problem("storage_full", "The disk is full."));
  const raw = await hub.raw();
  raw.connect("plug-1");
  await raw.packet();
  raw.publish("gatehouse/plug-1/telemetry", '{"watts":1}', { qos: 1, id: 5 });
  t.equal(await raw.packet(), null, "closed without PUBACK");
  t.hasStrict(hub.broker.refusals("plug-1"), [{ reason: "storage_full", count: 1 }]);

  hub.override.telemetry = async () => {};
  const again = await hub.raw();
  again.connect("plug-1");
  await again.packet();
  again.publish("gatehouse/plug-1/telemetry", '{"watts":1}', { qos: 1, id: 5, dup: true });
  t.equal((await again.packet())?.first, 0x40);
  again.socket.destroy();
});

t.test("a full disk does not keep devices from connecting and receiving commands", async (t) => {
  const hub = await startBroker(t, { limits: { unstoredCloseMs: 60_000 } });
  const full = (): Promise<void> => Promise.reject(new Problem("storage_full", "The disk is full."));
  Object.assign(hub.override, { status: full, info: full, state: full });
  const plug = await hub.connect();
  await plug.publishAsync("gatehouse/plug-1/status", "online", { qos: 1, retain: true });
  await plug.publishAsync("gatehouse/plug-1/info", "{}", { qos: 1, retain: true });
  plug.publish("gatehouse/plug-1/state", '{"on":true}', { qos: 1 });
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  const received = message(plug);
  t.equal(await hub.broker.publishCommand("plug-1", '{"on":false}', 1_000), "sent");
  t.equal((await received).payload, '{"on":false}');
});

t.test(
  "bad messages are acknowledged, dropped, counted with their reason, and do not end the connection",
  async (t) => {
    const hub = await startBroker(t);
    const plug = await hub.connect();
    const bad: [string, string | Buffer][] = [
      ["gatehouse/plug-1/state", "{not json"],
      ["gatehouse/plug-1/state", Buffer.from([0x22, 0xff, 0x22])],
      ["gatehouse/plug-1/state", "[1]"],
      ["gatehouse/plug-1/state", `${"[".repeat(40)}${"]".repeat(40)}`],
      ["gatehouse/plug-1/telemetry", JSON.stringify(Array.from({ length: 1_001 }, () => ({ watts: 1 })))],
      ["gatehouse/plug-1/capture/c1/0", "no picture"],
      ["gatehouse/plug-1/nothing", "{}"],
      ["gatehouse/plug-1/command", "{}"],
      ["gatehouse/plug-2/state", "{}"],
      ["elsewhere/plug-1/state", "{}"],
      ["$SYS/broker/new/clients", "plug-2"],
      [`gatehouse/plug-1/capture/${"x".repeat(300)}/0`, "{}"],
      ["gatehouse/plug-1/1/2/3/4/5/6/7/8/9", "{}"],
    ];
    for (const qos of [0, 1, 2] as const)
      for (const [topic, payload] of bad) await plug.publishAsync(topic, payload, { qos });
    await plug.publishAsync("gatehouse/plug-1/state", '{"on":true}', { qos: 1 });
    t.same(
      hub.calls.map((call) => call[0]),
      ["connected", "state"],
    );
    const counts = Object.fromEntries(hub.broker.refusals("plug-1").map((refusal) => [refusal.reason, refusal.count]));
    t.same(counts, {
      invalid_json: 6,
      invalid_payload: 9,
      not_a_jpeg: 3,
      unknown_topic: 12,
      foreign_topic: 6,
      reserved_topic: 3,
    });
    t.match(
      hub.broker.refusals("plug-1").find((refusal) => refusal.reason === "reserved_topic"),
      { lastTopic: "$SYS/broker/new/clients", lastExample: "plug-2", lastAt: Number },
    );
    t.equal(hub.broker.figures()?.refused, 39);
  },
);

t.test("a forged $SYS message disconnects no client", async (t) => {
  const hub = await startBroker(t);
  const victim = await hub.connect({ device: "plug-2" });
  let kicked = false;
  victim.on("close", () => {
    kicked = true;
  });
  const villain = await hub.connect();
  await villain.publishAsync("$SYS/other/new/clients", "plug-2", { qos: 1 });
  await victim.publishAsync("gatehouse/plug-2/state", "{}", { qos: 1 });
  t.notOk(kicked);
});

t.test("a device subscribes only below its own id", async (t) => {
  const hub = await startBroker(t);
  const raw = await hub.raw();
  raw.connect("plug-1", { clean: false });
  await raw.packet();
  const granted = async (filter: string): Promise<number | undefined> => {
    raw.subscribe(filter, 1);
    return (await raw.packet())?.body[2];
  };
  for (const filter of [
    "#",
    "+/plug-1/state",
    "$SYS/#",
    "gatehouse/#",
    "gatehouse/+/state",
    "gatehouse/plug-2/command",
    "gatehouse/plug-11/command",
  ]) {
    t.equal(await granted(filter), 0x80, filter);
  }
  for (const filter of ["gatehouse/plug-1/command", "gatehouse/plug-1/#", "gatehouse/plug-1/+"])
    t.equal(await granted(filter), 1, filter);
  t.hasStrict(hub.broker.refusals("plug-1"), [{ reason: "foreign_subscription", count: 7 }]);
  raw.socket.destroy();

  const other = await hub.connect({ device: "plug-2" });
  await other.publishAsync("gatehouse/plug-2/state", "{}", { qos: 1 });
  const stored = hub.database.raw.prepare("SELECT topic FROM mqtt_subscription ORDER BY topic").pluck().all();
  t.same(
    stored,
    ["gatehouse/plug-1/#", "gatehouse/plug-1/+", "gatehouse/plug-1/command"],
    "refused ones are not stored either",
  );
  t.equal(hub.broker.figures()?.stored.queued.messages, 0);
});

t.test("one SUBSCRIBE may be granted in part", async (t) => {
  const hub = await startBroker(t);
  const raw = await hub.raw();
  raw.connect("plug-1", { clean: false });
  await raw.packet();
  raw.send(0x82, [0, 10], text("gatehouse/plug-2/#"), [1], text("gatehouse/plug-1/command"), [1], text("$SYS/#"), [0]);
  t.same([...((await raw.packet())?.body ?? [])], [0, 10, 0x80, 1, 0x80]);
  t.equal(await hub.broker.publishCommand("plug-2", "{}", 10), "queued", "the refused subscription receives nothing");
  raw.socket.destroy();
});

t.test("one SUBSCRIBE with thousands of filters is granted as many as a session may hold", async (t) => {
  const hub = await startBroker(t, { limits: { subscriptionsPerSession: 20 } });
  const filters = Array.from({ length: 2_500 }, (_, n) => `gatehouse/plug-1/x${n}`);
  const raw = await hub.raw();
  raw.connect("plug-1", { clean: false });
  await raw.packet();
  raw.send(0x82, [0, 10], ...filters.flatMap((filter) => [text(filter), [1]]));
  const granted = [...((await raw.packet())?.body.subarray(2) ?? [])].filter((code) => code !== 0x80);
  t.equal(granted.length, 20, "although none of them is stored while the others are checked");
  t.equal(hub.database.raw.prepare("SELECT count(*) FROM mqtt_subscription").pluck().get(), 20);
  raw.send(0xa2, [0, 11], ...filters.slice(0, 5).map(text));
  await raw.packet();
  raw.send(0x82, [0, 12], ...filters.slice(100, 110).flatMap((filter) => [text(filter), [1]]));
  const later = [...((await raw.packet())?.body.subarray(2) ?? [])];
  t.equal(later.filter((code) => code !== 0x80).length, 5, "places it gave up are free again");
  raw.socket.destroy();
});

t.test("a client id can be taken over only by the same device", async (t) => {
  const hub = await startBroker(t);
  const first = await hub.connect();
  const gone = closed(first);
  const second = await hub.connect();
  await gone;
  await t.rejects(hub.connect({ device: "plug-2", clientId: "plug-1" }), "a foreign client id is refused");
  await second.publishAsync("gatehouse/plug-1/state", "{}", { qos: 1 });
  t.hasStrict(hub.broker.refusals("plug-2"), [{ reason: "foreign_client_id" }]);
});

t.test("a device may hold several connections, and goes offline with the last", async (t) => {
  const hub = await startBroker(t, { limits: { sessionsPerDevice: 2 } });
  const first = await hub.connect();
  const second = await hub.connect({ clientId: "plug-1:log" });
  await t.rejects(hub.connect({ clientId: "plug-1:third" }), { code: 3 });
  await first.endAsync();
  await second.publishAsync("gatehouse/plug-1/state", "{}", { qos: 1 });
  t.notOk(hub.calls.some(([name]) => name === "disconnected"));
  await second.endAsync();
  t.same(await hub.call(([name]) => name === "disconnected"), ["disconnected", "plug-1", "disconnect"]);
  t.equal(hub.calls.filter(([name]) => name === "connected").length, 1);
});

t.test("why a device went offline: its will, its keep-alive, its credential", async (t) => {
  const hub = await startBroker(t);
  const will = { topic: "gatehouse/plug-1/status", payload: Buffer.from("offline"), qos: 1 as const, retain: true };
  const plug = await hub.connect({ will });
  plug.stream.destroy();
  t.same(await hub.call(([name]) => name === "disconnected"), ["disconnected", "plug-1", "will"]);
  t.same(await hub.call(([name]) => name === "status"), ["status", "plug-1", { status: "offline" }]);

  const raw = await hub.raw();
  raw.connect("plug-2", { keepalive: 1 });
  t.same(await hub.call(([name, id]) => name === "disconnected" && id === "plug-2"), [
    "disconnected",
    "plug-2",
    "keepalive",
  ]);

  const third = await hub.connect({ device: "plug-3" });
  const cut = closed(third);
  hub.broker.disconnect("plug-3");
  await cut;
  t.same(await hub.call(([name, id]) => name === "disconnected" && id === "plug-3"), [
    "disconnected",
    "plug-3",
    "revoked",
  ]);
});

t.test("a removed device leaves nothing behind", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect({ clean: false });
  await plug.subscribeAsync("gatehouse/plug-1/command", { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/status", "online", { qos: 1, retain: true });
  await plug.endAsync();
  t.equal(await hub.broker.publishCommand("plug-1", "{}", 60_000), "queued");
  await hub.broker.forget("plug-1");
  for (const table of ["mqtt_retained", "mqtt_subscription", "mqtt_queue", "mqtt_will"]) {
    t.equal(hub.database.raw.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table);
  }
});

t.test("a device receives its own branch", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect();
  const log = await hub.connect({ clientId: "plug-1:log" });
  await log.subscribeAsync("gatehouse/plug-1/#", { qos: 1 });
  const seen = collect(log);
  await plug.publishAsync("gatehouse/plug-1/state", '{"on":true}', { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/capture/c1/0", Buffer.from([0xff, 0xd8, 0xff]), { qos: 1 });
  await plug.publishAsync("gatehouse/plug-1/event", '{"kind":"x"}', { qos: 0 });
  await until(() => seen.length >= 2);
  t.same(seen, ['gatehouse/plug-1/state {"on":true}', 'gatehouse/plug-1/event {"kind":"x"}'], "all but pictures");
});
