import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { text, varint } from "./harness.ts";

/** Findings of a fuzz run. */
export interface FuzzReport {
  readonly packets: number;
  readonly connections: number;
  /** Growth of the heap between the first tenth of the run and its end, bytes. */
  readonly heapGrowth: number;
}

type Random = (below: number) => number;

const PACKETS_PER_CONNECTION = 20;

/**
 * Sends `packets` valid, mutated and random packets to a broker on `port`, over many connections of the devices
 * `plug-1` to `plug-4`. The same seed sends the same bytes.
 */
export async function fuzzBroker(port: number, packets: number, seed: number): Promise<FuzzReport> {
  const random = seeded(seed);
  let sent = 0;
  let connections = 0;
  let baseline: number | null = null;
  while (sent < packets) {
    const lanes = [1, 2, 3, 4].map(async (lane) => {
      connections += 1;
      sent += await oneConnection(port, `plug-${lane}`, random);
    });
    await Promise.all(lanes);
    if (baseline === null && sent >= packets / 10) baseline = heapUsed();
  }
  return { packets: sent, connections, heapGrowth: heapUsed() - (baseline ?? 0) };
}

async function oneConnection(port: number, device: string, random: Random): Promise<number> {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await Promise.race([once(socket, "connect").catch(() => {}), closed]);
  const answered = new Promise<void>((resolve) => socket.once("data", () => resolve()));
  if (random(10) > 0) {
    await write(socket, connectPacket(device, random));
    if (random(4) > 0) await Promise.race([answered, closed]);
  }
  let sent = 1;
  for (; sent < PACKETS_PER_CONNECTION && !socket.destroyed; sent++) {
    const packet = validPacket(device, random);
    await write(socket, random(3) > 0 ? packet : mutate(packet, random));
    // A truncated packet swallows the next ones; a broken connection ends here.
    if (random(4) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (random(2) === 0) socket.destroy();
  else socket.end();
  const late = setTimeout(() => socket.destroy(), 200);
  await closed;
  clearTimeout(late);
  return sent;
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (!socket.write(bytes, () => resolve())) socket.once("close", () => resolve());
  });
}

function packetOf(first: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([first]), varint(body.length), body]);
}

function connectPacket(device: string, random: Random): Buffer {
  const will = random(2) === 0;
  const flags = 0xc0 | (random(2) << 1) | (will ? 0x2c : 0);
  const willParts = will ? [text(`gatehouse/${device}/status`), text("offline")] : [];
  return packetOf(
    0x10,
    text("MQTT"),
    Buffer.from([4, flags, 0, 30]),
    text(`${device}:${random(3)}`),
    ...willParts,
    text(device),
    text("secret"),
  );
}

function validPacket(device: string, random: Random): Buffer {
  const id = Buffer.from([0, 1 + random(8)]);
  const topics = [
    "state",
    "status",
    "info",
    "telemetry",
    "event",
    "command",
    "capture/c1/0",
    "capture/c1/done",
    "x/y/z",
  ];
  const topic = text(`gatehouse/${device}/${random(20) === 0 ? "#" : topics[random(topics.length)]}`);
  const payloads = [
    '{"on":true}',
    "online",
    '[{"at":1772366400,"data":{"watts":1}}]',
    '{"kind":"x"}',
    "{",
    "",
    "x".repeat(random(2_000)),
  ];
  const payload = Buffer.from(payloads[random(payloads.length)] ?? "");
  const makers: (() => Buffer)[] = [
    () => packetOf(0x30 | random(2), topic, payload),
    () => packetOf(0x32 | random(2) | (random(2) << 3), topic, id, payload),
    () => packetOf(0x34, topic, id, payload),
    () => packetOf(0x62, id),
    () => packetOf([0x40, 0x50, 0x70][random(3)] ?? 0x40, id),
    () => packetOf(0x82, id, topic, Buffer.from([random(3)])),
    () => packetOf(0xa2, id, topic),
    () => packetOf(0xc0),
    () => (random(5) === 0 ? packetOf(0xe0) : packetOf(0xc0)),
    () => (random(5) === 0 ? connectPacket(device, random) : packetOf(0xc0)),
    () => (random(5) === 0 ? Buffer.from(Array.from({ length: random(64) }, () => random(256))) : packetOf(0xc0)),
  ];
  return makers[random(makers.length)]?.() ?? Buffer.alloc(0);
}

function mutate(packet: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(packet);
  const at = random(Math.max(1, bytes.length));
  const mutations: (() => Buffer)[] = [
    () => {
      if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      return bytes;
    },
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(4))]),
    () => Buffer.concat([bytes, bytes.subarray(random(bytes.length + 1))]),
    () => {
      if (bytes.length > 1) bytes[1] = random(256);
      return bytes;
    },
    () => {
      for (let n = 0; n < 4 && bytes.length > 0; n++) bytes[random(bytes.length)] = random(256);
      return bytes;
    },
  ];
  return mutations[random(mutations.length)]?.() ?? bytes;
}

/** Integers below the argument, the same ones for the same seed (mulberry32). */
function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void; // what --expose-gc exposes
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
