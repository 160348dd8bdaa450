import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import mqtt from "mqtt";
import { type Clock, systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Broker } from "../../src/core/mqtt/broker.ts";
import type { BrokerOptions } from "../../src/core/mqtt/broker-options.ts";
import type { DeviceIdentity } from "../../src/core/mqtt/connection.ts";
import { DEFAULT_LIMITS, type MqttLimits } from "../../src/core/mqtt/limits.ts";
import type { NativeHandlers } from "../../src/core/mqtt/native-topics.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

/** One call of a handler: its name and arguments. */
export type Call = readonly [name: string, ...args: unknown[]];

/** The part of a tap test that the tests need. */
interface Test {
  testdir(): string;
  teardown(task: () => void | Promise<void>): void;
}

/** A broker on a real database and a free port, with handlers that only record. */
export interface Harness {
  readonly broker: Broker;
  readonly database: Database;
  readonly calls: Call[];
  readonly delivered: [string, string][];
  /** Replaces single handlers from now on. */
  readonly override: Partial<NativeHandlers>;
  readonly port: number;
  /** Resolves once a recorded call satisfies `check`. */
  call(check: (call: Call) => boolean): Promise<Call>;
  connect(options?: Partial<mqtt.IClientOptions> & { device?: string }): Promise<mqtt.MqttClient>;
  raw(): Promise<RawClient>;
}

/** Devices whose password is `secret`; `camera…` is a camera. */
export function credentials(deviceId: string, password: string): DeviceIdentity | null {
  if (password !== "secret" || deviceId === "nobody") return null;
  return { deviceId, siteId: 1, type: deviceId.startsWith("camera") ? "camera" : "smart-plug" };
}

/** Fast limits for tests; refused credentials are answered at once. */
export const TEST_LIMITS: MqttLimits = {
  ...DEFAULT_LIMITS,
  refusalDelayMs: 0,
  unstoredCloseMs: 50,
  messagesPerSecond: 0,
  stopDrainMs: 300,
};

/** Starts a broker; it and its database stop with the test. */
export async function startBroker(
  t: Test,
  options: { limits?: Partial<MqttLimits>; folder?: string; clock?: Clock; broker?: Partial<BrokerOptions> } = {},
): Promise<Harness> {
  const database = await openDatabase(options.folder ?? testFolder(t));
  const calls: Call[] = [];
  const delivered: [string, string][] = [];
  const override: Partial<NativeHandlers> = {};
  const waiting = new Set<() => void>();
  const note = (call: Call): void => {
    calls.push(call);
    for (const look of waiting) look();
  };
  const handlers = recordingHandlers(note, override);
  const broker = new Broker({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    topicRoot: "gatehouse",
    limits: { ...TEST_LIMITS, ...options.limits },
    database,
    authenticate: credentials,
    handlers,
    results: {
      onDelivered: (deviceId, payload) => {
        delivered.push([deviceId, payload]);
        note(["delivered", deviceId, payload]);
      },
    },
    clockTrusted: () => true,
    clock: options.clock ?? systemClock,
    logger: silentLogger,
    ...options.broker,
  });
  const clients: mqtt.MqttClient[] = [];
  t.teardown(async () => {
    for (const client of clients) client.end(true);
    await broker.stop();
    await database.stop();
  });
  await broker.start();
  const port = broker.port ?? 0;
  return {
    broker,
    database,
    calls,
    delivered,
    override,
    port,
    call: (check) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = calls.find(check);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    connect: async ({ device = "plug-1", ...more } = {}) => {
      const client = mqtt.connect({ ...clientOptions(port, device), ...more });
      clients.push(client);
      await new Promise<void>((resolve, reject) => {
        client.once("connect", () => resolve());
        client.once("error", reject);
      });
      return client;
    },
    raw: async () => {
      const client = new RawClient(connectSocket(port, "127.0.0.1"));
      await once(client.socket, "connect");
      return client;
    },
  };
}

/** Options of an mqtt.js client of a device. */
export function clientOptions(port: number, device: string): mqtt.IClientOptions {
  return {
    host: "127.0.0.1",
    port,
    protocol: "mqtt",
    username: device,
    password: "secret",
    clientId: device,
    reconnectPeriod: 0,
    keepalive: 60,
  };
}

function recordingHandlers(note: (call: Call) => void, override: Partial<NativeHandlers>): NativeHandlers {
  const recorded =
    (name: keyof NativeHandlers) =>
    async (...args: unknown[]) => {
      note([name, ...args]);
      const replaced = override[name];
      if (replaced !== undefined) await Reflect.apply(replaced, override, args);
    };
  return {
    connected: (deviceId) => note(["connected", deviceId]),
    disconnected: (deviceId, reason) => note(["disconnected", deviceId, reason]),
    status: recorded("status"),
    info: recorded("info"),
    state: recorded("state"),
    telemetry: recorded("telemetry"),
    event: recorded("event"),
    frame: recorded("frame"),
    captureDone: recorded("captureDone"),
  };
}

/** MQTT by hand, byte for byte. */
class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #look: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => this.#look());
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#look();
    });
  }

  /** Sends a packet: type and flags, then the body. */
  send(first: number, ...body: (Buffer | readonly number[])[]): void {
    const rest = Buffer.concat(body.map((part) => Buffer.from(part)));
    this.socket.write(Buffer.concat([Buffer.from([first]), varint(rest.length), rest]));
  }

  /** CONNECT with user name and password. */
  connect(
    device: string,
    options: { clientId?: string; clean?: boolean; password?: string; level?: number; keepalive?: number } = {},
  ): void {
    const { clientId = device, clean = true, password = "secret", level = 4, keepalive = 60 } = options;
    const flags = 0xc0 | (clean ? 2 : 0);
    this.send(
      0x10,
      text("MQTT"),
      [level, flags, keepalive >> 8, keepalive & 255],
      text(clientId),
      text(device),
      text(password),
    );
  }

  /** PUBLISH. */
  publish(
    topic: string,
    payload: string | Buffer,
    options: { qos?: number; id?: number; retain?: boolean; dup?: boolean } = {},
  ): void {
    const { qos = 0, id = 1, retain = false, dup = false } = options;
    const packetId = qos > 0 ? [id >> 8, id & 255] : [];
    this.send(0x30 | (qos << 1) | (retain ? 1 : 0) | (dup ? 8 : 0), text(topic), packetId, Buffer.from(payload));
  }

  /** SUBSCRIBE to one filter. */
  subscribe(filter: string, qos: number, id = 10): void {
    this.send(0x82, [id >> 8, id & 255], text(filter), [qos]);
  }

  /** The next packet with type and flags, or null when the connection ends first. */
  async packet(): Promise<{ first: number; body: Buffer } | null> {
    for (;;) {
      const packet = this.#take();
      if (packet) return packet;
      if (this.socket.destroyed) return null;
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  /** Resolves when the connection is closed. */
  async closed(): Promise<void> {
    // events.once would reject on ECONNRESET, which is one way to be closed
    if (!this.socket.closed) await new Promise<void>((resolve) => this.socket.once("close", () => resolve()));
  }

  #take(): { first: number; body: Buffer } | null {
    let length = 0;
    for (let index = 0; index < 4; index++) {
      const byte = this.#received[1 + index];
      if (byte === undefined) return null;
      length += (byte & 127) * 128 ** index;
      if (byte >= 128) continue;
      const start = 2 + index;
      if (this.#received.length < start + length) return null;
      const packet = { first: this.#received[0] ?? 0, body: this.#received.subarray(start, start + length) };
      this.#received = this.#received.subarray(start + length);
      return packet;
    }
    return null;
  }
}

/** A length in MQTT's variable encoding. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  do {
    const more = value >= 128;
    bytes.push((value & 127) | (more ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Buffer.from(bytes);
}

/** A text with its length before it. */
export function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}

/** The next message of a client, as topic, text and flags. */
export async function message(
  client: mqtt.MqttClient,
): Promise<{ topic: string; payload: string; qos: number; retain: boolean; dup: boolean }> {
  return new Promise((resolve) => {
    client.once("message", (topic, payload, { qos, retain, dup }) =>
      resolve({ topic, payload: payload.toString(), qos, retain, dup }),
    );
  });
}

/** Resolves when the connection of a client is closed. */
export async function closed(client: mqtt.MqttClient): Promise<void> {
  await new Promise<void>((resolve) => client.once("close", () => resolve()));
}

/** Collects the messages of a client from now on. */
export function collect(client: mqtt.MqttClient): string[] {
  const seen: string[] = [];
  client.on("message", (topic, payload) => seen.push(`${topic} ${payload.toString()}`));
  return seen;
}

/** Resolves once `check` holds; the test's own time limit is the only clock. */
export async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Ends a child process of the test, if it still runs. */
export function kill(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}
