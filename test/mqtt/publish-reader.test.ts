import { mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Aedes, type Client } from "aedes";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { freeBytes } from "../../src/core/kernel/free-bytes.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { acknowledge, begun, finished, live } from "../../src/core/mqtt/aedes/client.ts";
import { readPublishes } from "../../src/core/mqtt/aedes/publish-reader.ts";
import { type Acknowledgement, OrderedAcks } from "../../src/core/mqtt/connection.ts";
import { Database } from "../../src/core/storage/database.ts";
import { unpackJournal } from "../../src/features/telemetry/journal-format.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";
import { startTelemetry } from "../telemetry/setup.ts";
import { startBroker, text, until, varint } from "./harness.ts";

/** The part of a tap test that is needed. */
interface Tap {
  testdir(): string;
  teardown(task: () => void | Promise<void>): void;
}

function packet(first: number, ...body: (Buffer | readonly number[])[]): Buffer {
  const rest = Buffer.concat(body.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([first]), varint(rest.length), rest]);
}

/** A client of the real broker library without a peer, recording what its parser parsed. */
async function parsingClient(t: Tap, options: { connackSent: boolean; own: boolean }) {
  const aedes = await Aedes.createBroker();
  t.teardown(() => new Promise<void>((resolve) => aedes.close(resolve)));
  const socket = connect({ host: "127.0.0.1", port: 1, autoSelectFamily: false });
  socket.on("error", () => {});
  aedes.on("connectionError", () => {});
  const client = live(aedes.handle(socket) as Client);
  const seen: string[] = [];
  const by = { parser: 0, reader: 0 };
  const parser = client._parser as typeof client._parser & NodeJS.EventEmitter; // mqtt-packet's parser is an emitter
  parser.removeAllListeners("packet");
  parser.on("packet", ({ cmd, topic, payload, qos, retain, dup, messageId = null }) => {
    by.parser += 1;
    seen.push(JSON.stringify(cmd === "publish" ? [topic, String(payload), qos, retain, dup, messageId] : cmd));
  });
  Object.assign(client, { connackSent: options.connackSent });
  if (options.own) {
    readPublishes(client, ({ topic, payload, qos, retain, dup, messageId }) => {
      by.reader += 1;
      seen.push(JSON.stringify([topic, String(payload), qos, retain, dup, messageId]));
    });
  }
  return { client, seen, by };
}

const PING = packet(0xc0);
const SUBSCRIBE = packet(0x82, [0, 9], text("gatehouse/plug/command"), [1]);
const STREAM = Buffer.concat([
  PING,
  packet(0x32, text("gatehouse/plug/telemetry"), [0, 7], Buffer.from('{"watts":1}')),
  packet(0x30, text("gatehouse/plug/telemetry"), Buffer.from("")),
  packet(0x3b, text("zwölf/ä"), [255, 254], Buffer.alloc(300, "x")),
  SUBSCRIBE,
  packet(0x34, text("gatehouse/plug/event"), [1, 1], Buffer.from("two")),
  packet(0x31, text("gatehouse/plug/telemetry"), Buffer.from("kept")),
  PING,
  packet(0x32, text("gatehouse/plug/telemetry"), [0, 8], Buffer.from("last")),
]);

t.test(
  "yields the packets of the library's own parser in the same order, in whatever chunks they arrive",
  async (t) => {
    const plain = await parsingClient(t, { connackSent: true, own: false });
    plain.client._parser.parse(STREAM);
    t.equal(plain.seen.length, 9, "the library reads them all");
    const wrong: number[] = [];
    for (let size = 1; size <= STREAM.length; size++) {
      const { client, seen, by } = await parsingClient(t, { connackSent: true, own: true });
      for (let at = 0; at < STREAM.length; at += size) client._parser.parse(STREAM.subarray(at, at + size));
      if (JSON.stringify(seen) !== JSON.stringify(plain.seen) || by.reader !== 5 || by.parser !== 4) wrong.push(size);
    }
    t.same(wrong, []);
  },
);

t.test("a packet that arrives byte by byte takes little more than its own size", async (t) => {
  const { client, seen } = await parsingClient(t, { connackSent: true, own: true });
  const long = packet(0x30, text("gatehouse/camera/capture/1/0"), Buffer.alloc(400_000, "x"));
  const before = process.memoryUsage();
  for (let at = 0; at < long.length - 1; at++) client._parser.parse(Buffer.from([long[at] ?? 0]));
  const after = process.memoryUsage();
  t.ok(after.heapUsed + after.external - before.heapUsed - before.external < 40_000_000);
  client._parser.parse(long.subarray(-1));
  t.equal(seen.length, 1);
});

t.test("before CONNACK everything goes to the library", async (t) => {
  const { client, by } = await parsingClient(t, { connackSent: false, own: true });
  client._parser.parse(STREAM);
  t.same(by, { parser: 9, reader: 0 });
});

t.test("the library reads on when everything begun is finished", async (t) => {
  const { client } = await parsingClient(t, { connackSent: true, own: false });
  const before = client._parsingBatch;
  begun(client, 3);
  t.equal(client._parsingBatch, before + 3);
  finished(client, 3);
  t.equal(client._parsingBatch, before);
  t.type(client.waitForDrain, "function");
  acknowledge(client, [1]);
  t.equal(client.conn.writableLength, 0, "nothing is sent to a disconnected client");
});

t.test("a violation of MQTT ends the connection as before", async (t) => {
  const hub = await startBroker(t);
  const cases: Record<string, Buffer> = {
    "no topic": packet(0x32, text(""), [0, 1]),
    "a wildcard": packet(0x32, text("gatehouse/plug-1/+"), [0, 1]),
    "many levels": packet(0x30, text("a/".repeat(120))),
    "a topic longer than the packet": packet(0x32, [0, 40], Buffer.from("gatehouse/plug-1/telemetry")),
    "both bits of QoS": packet(0x36, text("gatehouse/plug-1/telemetry"), [0, 1]),
  };
  for (const [what, bytes] of Object.entries(cases)) {
    const raw = await hub.raw();
    raw.connect("plug-1");
    t.equal((await raw.packet())?.first, 0x20);
    raw.publish("gatehouse/plug-1/telemetry", '{"watts":1}', { qos: 1, id: 5 });
    t.equal((await raw.packet())?.first, 0x40, "valid packets are answered");
    raw.socket.write(bytes);
    await raw.closed();
    t.equal(await raw.packet(), null, what);
  }
});

t.test("answers leave in order, consecutive PUBACKs together", (t) => {
  const sent: unknown[] = [];
  const answers = new OrderedAcks((ids) => sent.push(ids));
  const place = (messageId: number | null): Acknowledgement => ({
    isReady: false,
    messageId,
    send: messageId === null ? (isAnswered) => sent.push(isAnswered) : null,
  });
  const places = [1, 2, null, 3, 4, 5].map(place);
  for (const answer of places) answers.reserve(answer);
  const ready = (index: number): void => {
    const answer = places[index];
    if (answer) answer.isReady = true;
    answers.flush();
  };
  ready(1);
  ready(2);
  t.same(sent, [], "the first is not done");
  ready(0);
  t.same(sent.splice(0), [[1, 2], true]);
  t.equal(answers.unconfirmed, 3);
  ready(5);
  const [, , , third, fourth] = places;
  if (third && fourth) {
    answers.abandon(fourth);
    answers.flush();
    t.same(sent, [], "the one before it is not done");
    third.isReady = true;
    answers.flush();
  }
  t.same(sent, [[3, 5]]);
  t.equal(answers.unconfirmed, 3, "the client sends again what has no answer, and perhaps what came after it");
  t.end();
});

/**
 * Sends 100 messages at once; returns the acknowledged identifiers in order, the chunks they came in, and how many were
 * not yet in the file.
 */
async function acknowledgements(t: Tap, isAwaited: boolean): Promise<{ ids: number[]; pieces: number; early: number }> {
  const folder = testFolder(t);
  const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");
  const database = new Database({
    file: join(folder, "gatehouse.db"),
    migrationsFolder,
    commitIntervalMs: 200,
    clock: systemClock,
    logger: silentLogger,
  });
  await database.start();
  const { telemetry } = await startTelemetry(database);
  const hub = await startBroker(
    { testdir: () => join(folder, "broker"), teardown: (task) => t.teardown(task) },
    { folder: mkdtempSync(join(folder, "broker-")) },
  );
  hub.override.telemetry = async (deviceId, samples, { messageId, duplicate }) => {
    const stored = telemetry.ingest(deviceId, samples, { messageId, duplicate, at: Date.now() });
    if (isAwaited) await stored;
  };
  const file = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  const journal = file.prepare<[], { samples: Buffer }>("SELECT samples FROM telemetry_journal");
  t.teardown(async () => {
    file.close();
    await telemetry.stop();
    await database.stop();
  });
  const raw = await hub.raw();
  raw.connect("plug-1");
  await raw.packet();
  const ids: number[] = [];
  let pieces = 0;
  let early = 0;
  raw.socket.on("data", (piece: Buffer) => {
    const entries = journal.all().flatMap(({ samples }) => unpackJournal(samples));
    const stored = new Set(entries.map((entry) => (entry.kind === "message" ? entry.messageId : null)));
    for (let at = 0; at < piece.length; at += 4) ids.push(piece.readUInt16BE(at + 2));
    early += ids.filter((id) => !stored.has(id)).length;
    pieces += 1;
  });
  await database.write(() => {}); // the next commit is 200 ms away
  raw.socket.cork();
  for (let id = 1; id <= 100; id++) raw.publish("gatehouse/plug-1/telemetry", `{"watts":${id}}`, { qos: 1, id });
  raw.socket.uncork();
  await until(() => ids.length === 100);
  raw.socket.destroy();
  return { ids, pieces, early };
}

t.test(
  "messages of one commit are acknowledged in one chunk, in order, and each only once another reader finds it in the file",
  async (t) => {
    const { ids, pieces, early } = await acknowledgements(t, true);
    t.same(
      ids,
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    t.ok(pieces <= 3, `in ${pieces} chunks`);
    t.equal(early, 0);
  },
);

t.test("control: a handler that does not wait for the disk is detected", async (t) => {
  t.ok((await acknowledgements(t, false)).early > 0);
});

t.test("freeing the memory of a payload leaves its neighbours intact, in whatever chunks they came", async (t) => {
  const { client } = await parsingClient(t, { connackSent: true, own: false });
  const kept: (() => Buffer)[] = [];
  const freed: Buffer[] = [];
  readPublishes(client, (message) => {
    if (message.topic !== "frame") return void kept.push(() => message.payload);
    const own = message.ownPayload();
    freed.push(own);
    t.ok(own.equals(Buffer.alloc(own.length, "f")));
    freeBytes(own);
  });
  const small = (letter: string) => packet(0x32, text("small"), [0, 1], Buffer.alloc(40, letter));
  const stream = Buffer.concat([
    small("a"),
    packet(0x32, text("frame"), [0, 2], Buffer.alloc(70_000, "f")),
    small("b"),
    packet(0x32, text("frame"), [0, 3], Buffer.alloc(100, "f")),
    small("c"),
  ]);
  for (const size of [1, 7, 1_000, 65_536, stream.length]) {
    kept.length = 0;
    for (let at = 0; at < stream.length; at += size) client._parser.parse(Buffer.from(stream.subarray(at, at + size)));
    t.same(
      kept.map((payload) => String(payload())),
      ["a", "b", "c"].map((letter) => letter.repeat(40)),
      `in chunks of ${size}`,
    );
  }
  t.ok(Buffer.from("a piece of Node's pool").every((byte) => byte > 0));
  t.same(
    freed.filter((own) => own.length === 70_000),
    [],
    "a large frame's memory was freed",
  );
  t.equal(freed.length, 10);
});
