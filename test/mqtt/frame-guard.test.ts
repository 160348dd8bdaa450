import { once } from "node:events";
import t from "tap";
import { FrameGuard, type SkippedPublish } from "../../src/core/mqtt/frame-guard.ts";
import { startBroker, text, until, varint } from "./harness.ts";

function packet(first: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([first]), varint(body.length), body]);
}

const CONNECT = packet(0x10, Buffer.alloc(20, 1));
const PING = packet(0xc0, Buffer.alloc(0));

function newGuard(): { guard: FrameGuard; skipped: SkippedPublish[]; violations: string[] } {
  const skipped: SkippedPublish[] = [];
  const violations: string[] = [];
  const guard = new FrameGuard({
    connectBytes: 64,
    messagesAtOnce: 100,
    onSkipped: (publish) => skipped.push(publish),
    onViolation: (why) => violations.push(why),
  });
  return { guard, skipped, violations };
}

t.test("packets within the limits pass unchanged, in whatever chunks they arrive", (t) => {
  const publish = packet(0x32, Buffer.concat([text("a/b"), Buffer.from([0, 7]), Buffer.alloc(150)]));
  const stream = Buffer.concat([CONNECT, publish, PING, publish]);
  let wrong = 0;
  for (let size = 1; size <= stream.length; size++) {
    const { guard, skipped, violations } = newGuard();
    const passed: Buffer[] = [guard.filter(CONNECT)];
    guard.accept(200);
    for (let at = CONNECT.length; at < stream.length; at += size)
      passed.push(guard.filter(stream.subarray(at, at + size)));
    wrong += Buffer.concat(passed).equals(stream) && skipped.length + violations.length === 0 ? 0 : 1;
  }
  t.equal(wrong, 0);
  t.end();
});

t.test("an oversize PUBLISH is cut out, and its topic and identifier reported, in whatever chunks it arrives", (t) => {
  const big = packet(0x34, Buffer.concat([text("big/topic"), Buffer.from([1, 2]), Buffer.alloc(500)]));
  const qos0 = packet(0x30, Buffer.concat([text("big/zero"), Buffer.alloc(400)]));
  const stream = Buffer.concat([PING, big, PING, qos0, qos0, PING]);
  const expected = JSON.stringify([
    { topic: "big/topic", qos: 2, packetId: 258, bytes: 513 },
    { topic: "big/zero", qos: 0, packetId: null, bytes: 410 },
    { topic: "big/zero", qos: 0, packetId: null, bytes: 410 },
  ]);
  let wrong = 0;
  for (let size = 1; size <= stream.length; size++) {
    const { guard, skipped } = newGuard();
    guard.filter(CONNECT);
    guard.accept(200);
    const passed: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) passed.push(guard.filter(stream.subarray(at, at + size)));
    wrong +=
      Buffer.concat(passed).equals(Buffer.concat([PING, PING, PING])) && JSON.stringify(skipped) === expected ? 0 : 1;
  }
  t.equal(wrong, 0);
  t.end();
});

t.test("of thousands of pings in one chunk a thousand pass per turn; messages pass as they come", (t) => {
  const { guard } = newGuard();
  guard.filter(CONNECT);
  guard.accept(200);
  const publish = packet(0x30, Buffer.concat([text("a"), Buffer.from("b")]));
  const messages = Buffer.concat(Array.from({ length: 3_000 }, () => publish));
  t.ok(guard.filter(messages).equals(messages));
  t.equal(guard.takeRest(), null);
  let left: Buffer | null = Buffer.concat([...Array.from({ length: 2_500 }, () => PING), publish, PING]);
  const turns: number[] = [];
  while (left !== null) {
    turns.push(guard.filter(left).length);
    left = guard.takeRest();
  }
  t.same(turns, [2_000, 2_000, 1_000 + publish.length + PING.length]);
  t.end();
});

t.test("messages that are to be acknowledged pass a hundred per turn, so that reading can stop in between", (t) => {
  const { guard } = newGuard();
  guard.filter(CONNECT);
  guard.accept(200);
  const publish = packet(0x32, Buffer.concat([text("a"), Buffer.from([0, 7]), Buffer.from("b")]));
  let left: Buffer | null = Buffer.concat(Array.from({ length: 250 }, () => publish));
  const turns: number[] = [];
  while (left !== null) {
    turns.push(guard.filter(left).length / publish.length);
    left = guard.takeRest();
  }
  t.same(turns, [100, 100, 50]);
  t.end();
});

t.test("5,000 pings at once are all answered, with other clients served in between", async (t) => {
  const hub = await startBroker(t);
  const plug = await hub.connect({ device: "plug-2" });
  const raw = await hub.raw();
  raw.connect("plug-1");
  await raw.packet();
  raw.socket.write(Buffer.concat(Array.from({ length: 5_000 }, () => PING)));
  let answers = 0;
  const pinged = (async () => {
    while (answers < 5_000 && (await raw.packet())?.first === 0xd0) answers += 1;
  })();
  await plug.publishAsync("gatehouse/plug-2/state", "{}", { qos: 1 });
  await pinged;
  t.equal(answers, 5_000);
  raw.socket.destroy();
});

t.test("anything else that is too large, or not MQTT at all, is a violation, and nothing passes after it", (t) => {
  const cases: [string, boolean, Buffer][] = [
    ["connect_expected", false, PING],
    ["connect_expected", false, Buffer.from("GET / HTTP/1.1\r\n")],
    ["connect_too_large", false, packet(0x10, Buffer.alloc(65))],
    ["malformed_length", true, Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ["packet_too_large", true, packet(0x82, Buffer.alloc(300))],
    ["packet_too_large", true, packet(0xa2, Buffer.alloc(300))],
    ["topic_too_long", true, packet(0x30, Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.alloc(70_000)]))],
  ];
  for (const [why, accepted, data] of cases) {
    const { guard, violations } = newGuard();
    if (accepted) {
      guard.filter(CONNECT);
      guard.accept(200, 400);
    }
    t.equal(guard.filter(data).length, 0, why);
    t.equal(guard.filter(PING).length, 0);
    t.same(violations, [why]);
  }
  t.end();
});

t.test("an oversize message is refused, acknowledged and counted; the connection goes on", async (t) => {
  const hub = await startBroker(t, { limits: { packetBytes: 1_000, cameraPacketBytes: 100_000 } });
  const plug = await hub.connect();
  for (const qos of [0, 1, 2] as const)
    await plug.publishAsync("gatehouse/plug-1/state", `{"x":"${"y".repeat(5_000)}"}`, { qos });
  await plug.publishAsync("gatehouse/plug-1/state", "{}", { qos: 1 });
  t.equal(hub.calls.filter(([name]) => name === "state").length, 1);
  t.hasStrict(hub.broker.refusals("plug-1"), [{ reason: "oversize", count: 3, lastTopic: "gatehouse/plug-1/state" }]);

  const camera = await hub.connect({ device: "camera-1" });
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(50_000)]);
  await camera.publishAsync("gatehouse/camera-1/capture/c1/0", jpeg, { qos: 1 });
  t.same((hub.calls.find(([name]) => name === "frame") ?? [])[4], jpeg, "a camera may send a picture");
  await camera.publishAsync("gatehouse/camera-1/state", `{"x":"${"y".repeat(5_000)}"}`, { qos: 1 });
  t.hasStrict(hub.broker.refusals("camera-1"), [{ reason: "oversize", count: 1 }], "and nothing else of that size");
});

t.test("announced lengths take no memory before a client is accepted", async (t) => {
  const hub = await startBroker(t);
  const before = process.memoryUsage().rss;
  const chunk = Buffer.alloc(1 << 20);
  const sockets = await Promise.all(Array.from({ length: 8 }, () => hub.raw()));
  for (const { socket } of sockets) {
    socket.write(Buffer.concat([Buffer.from([0x10]), varint(268_435_455)]));
    for (let n = 0; n < 16; n++) socket.write(chunk, () => {});
  }
  await Promise.all(sockets.map((raw) => raw.closed()));
  t.hasStrict(hub.broker.refusals(""), [{ reason: "connect_too_large", count: 8 }]);
  t.ok(process.memoryUsage().rss - before < 160 << 20, "128 MB were sent, in this very process");
});

t.test("a silent socket is closed; beyond ten of one address each waits for its turn", async (t) => {
  const hub = await startBroker(t, { limits: { connectTimeoutMs: 300, maxUnauthenticatedPerAddress: 2 } });
  const silent = [await hub.raw(), await hub.raw()];
  const third = await hub.raw();
  third.connect("plug-9");
  await until(() => hub.broker.figures()?.connections.unauthenticated === 3);
  t.match(hub.broker.figures()?.connections, { open: 3, turnedAway: 0 });
  await Promise.race(silent.map((raw) => raw.closed()));
  t.equal((await third.packet())?.first, 0x20, "it got in once one of the silent ones was closed");
  await Promise.all(silent.map((raw) => raw.closed()));
  third.socket.destroy();
  await until(() => hub.broker.figures()?.connections.open === 0);
  for (const device of ["plug-1", "plug-2", "plug-3"]) await hub.connect({ device });
  t.match(hub.broker.figures()?.connections, { open: 3, unauthenticated: 0 }, "accepted clients do not count");
});

t.test("the total number of connections is bounded", async (t) => {
  const hub = await startBroker(t, { limits: { maxConnections: 2 } });
  await hub.connect({ device: "plug-1" });
  const second = await hub.connect({ device: "plug-2" });
  const third = await hub.raw();
  third.connect("plug-3");
  t.same((await third.packet())?.body, Buffer.from([0, 3]), "server unavailable");
  await third.closed();
  const other = await hub.raw();
  other.connect("plug-1");
  t.same((await other.packet())?.body, Buffer.from([0, 0]), "a reconnecting client replaces its old connection");
  await second.endAsync();
  await until(() => hub.broker.figures()?.connections.open === 1);
  const again = await hub.raw();
  again.connect("plug-3");
  t.equal((await again.packet())?.first, 0x20);
  again.socket.end();
  await once(again.socket, "close");
});
