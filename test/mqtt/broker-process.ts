/** A broker in its own process, for tests that kill it: `node broker-process.ts FOLDER` prints the port as JSON. */
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Broker } from "../../src/core/mqtt/broker.ts";
import type { NativeHandlers } from "../../src/core/mqtt/native-topics.ts";
import { openDatabase } from "../support/database.ts";
import { credentials, TEST_LIMITS } from "./harness.ts";

const folder = process.argv[2] ?? "";
const database = await openDatabase(folder);
const handlers: NativeHandlers = {
  status: async () => {},
  info: async () => {},
  state: async () => {},
  telemetry: async () => {},
  event: async () => {},
  frame: async () => {},
  captureDone: async () => {},
  connected: () => {},
  disconnected: () => {},
};
const broker = new Broker({
  host: "127.0.0.1",
  port: 0,
  tls: null,
  topicRoot: "gatehouse",
  limits: TEST_LIMITS,
  database,
  authenticate: credentials,
  handlers,
  results: { onDelivered: () => {} },
  clockTrusted: () => true,
  clock: systemClock,
  logger: silentLogger,
});
await broker.start();
process.stdout.write(`${JSON.stringify({ port: broker.port })}\n`);
process.stdin.on("data", (line: Buffer) => {
  const { deviceId, payload, ttlMs } = JSON.parse(line.toString()) as {
    deviceId: string;
    payload: string;
    ttlMs: number;
  }; // written by the test
  void broker
    .publishCommand(deviceId, payload, ttlMs)
    .then((verdict) => process.stdout.write(`${JSON.stringify({ verdict })}\n`));
});
