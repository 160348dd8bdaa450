import t, { type Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { CommandDelivery } from "../../src/core/mqtt/command-delivery.ts";
import { OutgoingQueues, type QueueLimits } from "../../src/core/mqtt/outgoing-queues.ts";
import type { StoredPacket } from "../../src/core/mqtt/stored-packet.ts";
import { MqttQueueTable } from "../../src/core/mqtt/tables/mqtt-queue.ts";
import { WriteBehind } from "../../src/core/mqtt/write-behind.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

async function queuesIn(t: Test, limits: Partial<QueueLimits> = {}) {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const clock = new FakeClock();
  const table = new MqttQueueTable(database);
  const build = () => {
    const writes = new WriteBehind({ database, delayMs: 50, clock, logger: silentLogger });
    const bounds = { queuedMessagesPerSession: 10, queuedBytesPerSession: 10_000, queuedBytesTotal: 50_000, ...limits };
    return { queues: new OutgoingQueues({ table, writes, limits: bounds, clock }), writes };
  };
  let counter = 0;
  const packet = (more: Partial<StoredPacket> = {}): StoredPacket => {
    counter += 1;
    const made = {
      cmd: "publish",
      topic: "t",
      payload: Buffer.from(String(counter)),
      qos: 1,
      retain: false,
      dup: false,
    };
    return { ...made, brokerId: "b", brokerCounter: counter, ...more } as StoredPacket;
  };
  return { database, clock, table, build, packet };
}

function textsOf(packets: Iterable<StoredPacket>): string[] {
  return [...packets].map(({ cmd, payload }) => (cmd === "pubrel" ? "pubrel" : String(payload)));
}

t.test("a session's pending messages come in order, once, by the replay or by their publication", async (t) => {
  const { build, packet } = await queuesIn(t);
  const { queues } = build();
  const [one, two, three] = [packet(), packet(), packet()];
  queues.enqueue("plug", one);
  queues.enqueue("plug", one);
  queues.enqueue("plug", two);
  t.match(queues.figures, { messages: 2, bytes: 2 * (200 + 1 + 1), dropped: 0, expired: 0 });
  t.equal(queues.publish("plug", one), true, "the publication is first");
  t.same(textsOf(queues.undelivered("plug")), ["2"]);
  t.equal(queues.publish("plug", two), false, "the replay sends it");
  queues.enqueue("plug", three);
  t.equal(queues.publish("plug", three), true);
  t.equal(queues.publish("fan", three), true, "nothing pending");
  queues.begin("plug");
  t.same(textsOf(queues.undelivered("plug")), ["1", "2", "3"], "all of it once more on the next connection");
  t.same(textsOf(queues.undelivered("fan")), []);
  t.same(queues.clients(), ["plug"]);
});

t.test("a packet without content is kept as an empty message, without an identifier", async (t) => {
  const { database, table, build } = await queuesIn(t);
  const { queues, writes } = build();
  queues.enqueue("plug", { messageId: 5, clientId: "fan" });
  const empty = { cmd: "publish", topic: "", payload: Buffer.alloc(0), qos: 0, retain: false, dup: false };
  t.same([...queues.undelivered("plug")], [{ ...empty, messageId: undefined }]);
  await writes.flush();
  const rows = await database.write(() => table.all());
  t.match(rows, [{ kind: /^publish$/, messageId: null, topic: /^$/, payload: Buffer.alloc(0), qos: 0, retain: 0 }]);
});

t.test(
  "a message is acknowledged by its packet identifier, and repeated only on the connection it was sent on",
  async (t) => {
    const { build, packet } = await queuesIn(t);
    const { queues } = build();
    const [one, two] = [packet(), packet()];
    queues.enqueue("plug", one);
    queues.enqueue("plug", two);
    queues.update("plug", { ...one, messageId: 7 });
    t.equal(queues.isRepeated("plug", 7), false);
    queues.begin("plug");
    t.equal(queues.isRepeated("plug", 7), true);
    queues.update("plug", { ...one, messageId: 8 });
    t.equal(queues.isRepeated("plug", 7), false, "it has another identifier now");
    t.equal(queues.isRepeated("plug", 8), true);
    t.equal(queues.isRepeated("fan", 8), false);
    t.equal(queues.acknowledge("plug", 7), undefined);
    t.equal(queues.acknowledge("plug", undefined), undefined);
    t.equal(queues.acknowledge("fan", 8), undefined, "another client's identifier");
    t.equal(String(queues.acknowledge("plug", 8)?.payload), "1");
    t.equal(queues.acknowledge("plug", 8), undefined);
    queues.update("plug", { ...two, messageId: 9 });
    queues.update("plug", { cmd: "publish", messageId: 9 } as StoredPacket);
    t.same(textsOf(queues.undelivered("plug")), ["2"]);
    queues.update("plug", { cmd: "pubrel", messageId: 9 } as StoredPacket);
    t.same(textsOf(queues.undelivered("plug")), ["pubrel"], "a QoS 2 message is replaced by its PUBREL");
    queues.update("plug", { cmd: "pubrel", messageId: 99 } as StoredPacket);
    queues.update("fan", { cmd: "pubrel", messageId: 9 } as StoredPacket);
    t.equal(queues.acknowledge("plug", 9)?.cmd, "pubrel");
    t.match(queues.figures, { messages: 0, bytes: 0 });
    t.same(queues.clients(), []);
  },
);

t.test("queues are bounded by messages and bytes per session, and by bytes in total", async (t) => {
  const { build, packet } = await queuesIn(t, {
    queuedMessagesPerSession: 3,
    queuedBytesPerSession: 1_000,
    queuedBytesTotal: 1_200,
  });
  const { queues } = build();
  const bytes = (count: number) => packet({ payload: Buffer.alloc(count - 201, "x") });
  for (let n = 0; n < 3; n++) queues.enqueue("plug", packet());
  t.equal(queues.figures.dropped, 0);
  queues.enqueue("plug", packet());
  t.match(queues.figures, { messages: 3, dropped: 1 });
  t.same(textsOf(queues.undelivered("plug")), ["2", "3", "4"], "the oldest is dropped first");
  queues.clear("plug");
  t.match(queues.figures, { messages: 0, bytes: 0 });
  queues.enqueue("plug", bytes(500));
  queues.enqueue("plug", bytes(500));
  t.match(queues.figures, { messages: 2, bytes: 1_000 });
  queues.enqueue("fan", bytes(201));
  t.match(queues.figures, { messages: 2, bytes: 1_000, dropped: 2 }, "beyond the bytes in total, it makes room itself");
  queues.enqueue("plug", bytes(202));
  t.match(queues.figures, { messages: 2, bytes: 702, dropped: 3 }, "beyond the bytes of the session");
  const none = build().queues;
  t.same(none.clients(), []);
  const { build: buildNone, packet: other } = await queuesIn(t, { queuedMessagesPerSession: 0 });
  const { queues: off } = buildNone();
  off.enqueue("plug", other());
  t.same(off.clients(), [], "a limit of zero keeps nothing");
});

t.test("an expiring message is dropped at its end, and after a restart also if the time is unknown", async (t) => {
  const { build, packet, clock, database } = await queuesIn(t);
  const { queues, writes } = build();
  const until = (ms: number) => packet({ messageExpiry: clock.mono() + ms });
  queues.enqueue("plug", until(1_000));
  queues.enqueue("plug", until(2_000));
  queues.enqueue("plug", packet());
  clock.advance(999);
  queues.sweep();
  t.equal(queues.figures.expired, 0);
  clock.advance(1);
  queues.sweep();
  t.match(queues.figures, { messages: 2, expired: 1 });
  await writes.flush();
  await database.write(() => {});
  const after = (trusted: boolean) => {
    const { queues: again } = build();
    again.load(trusted);
    return [textsOf(again.undelivered("plug")), again.figures.expired];
  };
  t.same(after(true), [["2", "3"], 0]);
  t.same(after(false), [["3"], 1], "the time is not known");
  clock.jump(999);
  t.same(after(true), [["2", "3"], 0]);
  clock.jump(1);
  t.same(after(true), [["3"], 1], "its end has come");
  clock.jump(-2_000);
  t.same(after(true), [["2", "3"], 0]);
  clock.jump(-1);
  t.same(after(true), [["3"], 1], "the clock is before the time of queueing");
  const { queues: last } = build();
  clock.jump(1_500);
  last.load(true);
  const [first] = [...last.undelivered("plug")];
  t.match(first, { qos: 1, retain: false, topic: /^t$/, brokerId: "earlier" });
  last.enqueue("plug", packet());
  t.equal(textsOf(last.undelivered("plug")).length, 3, "ids continue");
});

t.test("a message acknowledged soon never reaches the disk, a later one is deleted from it", async (t) => {
  const { build, packet, table, clock, database } = await queuesIn(t);
  const { queues, writes } = build();
  const one = packet({ retain: true, qos: 2 });
  queues.enqueue("plug", one);
  queues.update("plug", { ...one, messageId: 1 });
  queues.acknowledge("plug", 1);
  clock.advance(60);
  await writes.flush();
  t.same(table.all(), []);
  const two = packet({ retain: true, qos: 2, topic: "gatehouse/x" });
  queues.enqueue("plug", two);
  await writes.flush();
  t.match(table.all(), [
    { clientId: /^plug$/, kind: /^publish$/, messageId: null, topic: /^gatehouse\/x$/, qos: 2, retain: 1 },
  ]);
  queues.update("plug", { ...two, messageId: 3 });
  await writes.flush();
  t.match(table.all(), [{ messageId: 3 }]);
  queues.update("plug", { cmd: "pubrel", messageId: 3 } as StoredPacket);
  await writes.flush();
  t.hasStrict(table.all(), [{ kind: "pubrel", messageId: 3 }]);
  const { queues: again } = build();
  again.load(true);
  t.equal(again.acknowledge("plug", 3)?.cmd, "pubrel", "known after a restart");
  queues.acknowledge("plug", 3);
  await writes.flush();
  t.same(table.all(), []);
  await database.write(() => {});
});

function deliveries(options: { perDevice?: number; total?: number } = {}) {
  const clock = new FakeClock();
  const delivered: string[] = [];
  const delivery = new CommandDelivery({
    heldPerDevice: options.perDevice ?? 10,
    heldTotal: options.total ?? 100,
    clock,
    results: { onDelivered: (deviceId, payload) => void delivered.push(`${deviceId} ${payload}`) },
  });
  const command = (payload: string, { deviceId = "plug", from = "", forMs = 1_000 } = {}) => ({
    deviceId,
    payload,
    from,
    deadlineMono: clock.mono() + forMs,
  });
  const taken = (deviceId = "plug"): string[] => delivery.take(deviceId).map(({ payload }) => payload);
  return { clock, delivery, delivered, command, taken };
}

t.test("a held command is delivered before its end, once, to its own device", async (t) => {
  const { clock, delivery, command, taken } = deliveries();
  delivery.hold(command("a", { forMs: 1_000 }));
  delivery.hold(command("b", { forMs: 1_001 }));
  delivery.hold(command("c", { deviceId: "fan" }));
  clock.advance(1_000);
  t.same(taken(), ["b"]);
  t.same(taken(), []);
  t.match(delivery.figures, { held: 1, expired: 1 });
  delivery.sweep();
  t.match(delivery.figures, { held: 0, expired: 2 });
  t.same(taken("fan"), []);
  delivery.hold(command("d"));
  delivery.sweep();
  t.equal(delivery.figures.held, 1);
  delivery.forget("plug");
  t.equal(delivery.figures.held, 0);
});

t.test("tidying up drops expired messages and counts them; the rest stays in order", async (t) => {
  const { clock, delivery, command, taken } = deliveries();
  delivery.hold(command("a", { forMs: 1_000 }));
  delivery.hold(command("b", { forMs: 1_001 }));
  delivery.hold(command("c", { forMs: 3_000 }));
  clock.advance(1_000);
  delivery.sweep();
  t.match(delivery.figures, { held: 2, expired: 1, dropped: 0 });
  delivery.sweep();
  t.match(delivery.figures, { held: 2, expired: 1, dropped: 0 });
  t.same(taken(), ["b", "c"]);
});

t.test("held commands are bounded by device and in total, and the sender with the most loses the oldest", async (t) => {
  const { delivery, command, taken } = deliveries({ perDevice: 3, total: 4 });
  for (const [payload, from] of [
    ["a", "one"],
    ["b", "two"],
    ["c", "one"],
  ] as const)
    delivery.hold(command(payload, { from }));
  t.equal(delivery.figures.dropped, 0);
  delivery.hold(command("d", { from: "two" }));
  t.match(delivery.figures, { held: 3, dropped: 1 });
  delivery.hold(command("e", { deviceId: "fan", from: "three" }));
  t.match(delivery.figures, { held: 4, dropped: 1 });
  delivery.hold(command("f", { deviceId: "fan", from: "three" }));
  t.match(delivery.figures, { held: 4, dropped: 2 });
  t.equal(taken().length + taken("fan").length, 4);
});

t.test("a command lost with its connection is sent once more, and not a third time", async (t) => {
  const { clock, delivery, delivered, command, taken } = deliveries();
  delivery.sent("plug:1", 1, command("a"));
  delivery.sent("plug:1", 2, command("b", { forMs: 500 }));
  delivery.acknowledged("plug:1", 9);
  delivery.acknowledged("fan", 1);
  t.same(delivered, []);
  t.equal(delivery.figures.unacknowledged, 2);
  clock.advance(500);
  delivery.lost("plug:1", true);
  t.same([delivery.figures.unacknowledged, delivery.figures.held], [0, 1], "b's end has come");
  t.same(taken(), ["a"]);
  delivery.sent("plug:1", 3, command("a"));
  delivery.lost("plug:1", true);
  t.equal(delivery.figures.held, 0);
  delivery.sent("plug:1", 4, command("a"));
  delivery.lost("plug:1", true);
  t.equal(delivery.figures.held, 1, "the same text in another command");
  taken();
  delivery.sent("plug:1", 5, command("x"));
  delivery.lost("plug:1", false);
  t.equal(delivery.figures.held, 0, "its session keeps it");
  delivery.sent("plug:1", 6, command("y"));
  delivery.acknowledged("plug:1", 6);
  delivery.acknowledged("plug:1", 6);
  t.same(delivered, ["plug y"]);
  t.equal(delivery.figures.delivered, 1);
  delivery.sent("plug:1", 7, command("z"));
  clock.advance(999);
  delivery.sweep();
  t.equal(delivery.figures.unacknowledged, 1);
  clock.advance(1);
  delivery.sweep();
  t.equal(delivery.figures.unacknowledged, 0);
});
