// @ts-check
// node scripts/bench/mqtt.mjs [--seconds 1] [--rounds 3]
// The broker against bare Aedes (no persistence) and Debian's mosquitto (with persistence; left out if not installed).
// Columns: QoS 0 messages/s published → received; QoS 1 messages/s acknowledged; the same with a committed row for every
// message; both also per second of the server's processor time; publish → other client p50/p99 in ms at 500 messages/s;
// RSS; bytes written to disk per message.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import mqtt from "mqtt";
import { freePort } from "../lib/free-port.mjs";
import { processorSeconds } from "../lib/helper-process.mjs";
import { residentMegabytes } from "../lib/hub-process.mjs";

/**
 * @typedef {import("mqtt").MqttClient} MqttClient
 * @typedef {import("node:child_process").ChildProcess} ChildProcess
 * @typedef {{ port: number, pid: number, stop(): Promise<void> }} Server
 * @typedef {Awaited<ReturnType<typeof measure>>} Figures
 */

const MOSQUITTO = "/usr/sbin/mosquitto";
const PAYLOAD = JSON.stringify({
  at: 1_772_366_400,
  data: { watts: 123.4, volts: 230.1, amps: 0.54, on: true, note: "x".repeat(48) },
});
const WINDOW = 400;
const WARM_UP_SECONDS = 1;
const OPTIONS = /** @type {const} */ ({
  seconds: { type: "string", default: "1" },
  rounds: { type: "string", default: "3" },
});

/** Runs everything and prints a table; answers the figures by server. @param {string[]} args */
export async function run(args = []) {
  const { values } = parseArgs({ args, options: OPTIONS });
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  /** @type {[name: string, start: () => Promise<Server>][]} */
  const servers = [
    ["gatehouse, handlers idle", () => ownServer("gatehouse", "idle")],
    ["gatehouse, each message a row", () => ownServer("gatehouse", "row")],
    ["aedes 1.2.0, no persistence", () => ownServer("aedes", "")],
  ];
  if (existsSync(MOSQUITTO)) servers.push(["mosquitto, persistence on", mosquitto]);
  /** @type {Map<string, Figures[]>} */
  const measured = new Map(servers.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, start] of servers) {
      const server = await start();
      try {
        measured.get(name)?.push(await measure(server, seconds));
      } finally {
        await server.stop();
      }
    }
  }
  const figures = Object.fromEntries([...measured].map(([name, all]) => [name, medians(all)]));
  console.table(figures);
  return figures;
}

/**
 * The median of every figure over the rounds: other load on the machine distorts single ones.
 * @param {Figures[]} all
 */
function medians(all) {
  const names = /** @type {(keyof Figures)[]} */ (Object.keys(all[0] ?? {}));
  return Object.fromEntries(
    names.map((figure) => {
      const sorted = all.map((round) => round[figure]).sort((a, b) => a - b);
      return [figure, sorted[Math.floor(sorted.length / 2)]];
    }),
  );
}

/** @param {Server} server @param {number} seconds */
async function measure({ port, pid }, seconds) {
  const options = (/** @type {string} */ id) => ({
    host: "127.0.0.1",
    port,
    username: "bench",
    password: "secret",
    clientId: id,
    reconnectPeriod: 0,
  });
  const publisher = await mqtt.connectAsync(options("bench"));
  const subscriber = await mqtt.connectAsync(options("bench:log"));
  for (const { stream } of [publisher, subscriber]) /** @type {import("node:net").Socket} */ (stream).setNoDelay(true);
  const idleRss = Math.round(residentMegabytes(pid));
  await acknowledgedQos1(publisher, WARM_UP_SECONDS); // warm-up, because a broker runs for weeks
  const startCpu = processorSeconds(pid);
  const qos0 = await throughQos0(publisher, subscriber, seconds);
  const qos0Cpu = processorSeconds(pid) - startCpu;
  await subscriber.unsubscribeAsync("gatehouse/bench/state");
  const [written, cpu, acknowledged] = [
    writtenBy(pid),
    processorSeconds(pid),
    await acknowledgedQos1(publisher, seconds),
  ];
  const qos1Cpu = processorSeconds(pid) - cpu;
  const bytes = (writtenBy(pid) - written) / Math.max(1, acknowledged);
  const trips = await roundTrips(publisher, subscriber, seconds);
  const rss = Math.round(residentMegabytes(pid));
  await Promise.all([publisher.endAsync(), subscriber.endAsync()]);
  return {
    "QoS 0 /s": Math.round(qos0 / seconds),
    "QoS 0 /CPU s": Math.round(qos0 / qos0Cpu),
    "QoS 1 /s": Math.round(acknowledged / seconds),
    "QoS 1 /CPU s": Math.round(acknowledged / qos1Cpu),
    "p50 ms": percentile(trips, 0.5),
    "p99 ms": percentile(trips, 0.99),
    "RSS idle MB": idleRss,
    "RSS MB": rss,
    "disk B/msg": Math.round(bytes),
  };
}

/**
 * Messages from one client to another; as many in flight as a window allows, so that no broker has to drop any.
 * @param {MqttClient} publisher
 * @param {MqttClient} subscriber
 * @param {number} seconds
 */
async function throughQos0(publisher, subscriber, seconds) {
  await subscriber.subscribeAsync("gatehouse/bench/state", { qos: 0 });
  let received = 0;
  let published = 0;
  const end = performance.now() + seconds * 1_000;
  const fill = () => {
    for (; published - received < WINDOW && performance.now() < end; published++)
      publisher.publish("gatehouse/bench/state", PAYLOAD);
  };
  const count = () => {
    received += 1;
    if (published - received < WINDOW / 2) fill();
  };
  subscriber.on("message", count);
  fill();
  await new Promise((done) => setTimeout(done, seconds * 1_000));
  subscriber.off("message", count);
  return received;
}

/** @param {MqttClient} publisher @param {number} seconds */
async function acknowledgedQos1(publisher, seconds) {
  let acknowledged = 0;
  const end = performance.now() + seconds * 1_000;
  const lane = async () => {
    while (performance.now() < end) {
      await publisher.publishAsync("gatehouse/bench/telemetry", PAYLOAD, { qos: 1 });
      acknowledged += 1;
    }
  };
  await Promise.all(Array.from({ length: WINDOW }, lane));
  return acknowledged;
}

/**
 * Milliseconds from a publish to its receipt by another client, one after the other, while 500 messages/s come in.
 * @param {MqttClient} publisher
 * @param {MqttClient} subscriber
 * @param {number} seconds
 */
async function roundTrips(publisher, subscriber, seconds) {
  const topic = "gatehouse/bench/event";
  await subscriber.subscribeAsync(topic, { qos: 1 });
  /** @type {number[]} */
  const trips = [];
  const load = setInterval(() => {
    for (let n = 0; n < 5; n++) publisher.publish("gatehouse/bench/telemetry", PAYLOAD, { qos: 1 });
  }, 10);
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const started = performance.now();
    const received = new Promise((resolve) => subscriber.once("message", resolve));
    publisher.publish(topic, '{"kind":"bench"}', { qos: 1 });
    await received;
    trips.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  clearInterval(load);
  return trips.sort((a, b) => a - b);
}

/** @param {number[]} sorted @param {number} share */
function percentile(sorted, share) {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return Math.round(value * 100) / 100;
}

/** @param {number} pid */
function writtenBy(pid) {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
  } catch {
    return 0; // a process of another user
  }
}

/** @param {string} kind @param {string} mode @returns {Promise<Server>} */
async function ownServer(kind, mode) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), "--serve", kind, "--mode", mode, "--folder", folder],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  /** @type {number} */
  const port = await new Promise((done, fail) => {
    child.stdout.once("data", (line) => done(Number(line)));
    child.once("exit", () => fail(new Error(`${kind} did not start`)));
  });
  return { port, pid: child.pid ?? 0, stop: () => stopped(child, folder) };
}

/** @returns {Promise<Server>} */
async function mosquitto() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const port = await freePort();
  const lines = [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous true",
    "persistence true",
    `persistence_location ${folder}/`,
    "set_tcp_nodelay true",
  ];
  const queues = [
    "max_queued_messages 0",
    "max_inflight_messages 0",
    `user ${process.env.USER ?? "root"}`,
    "log_dest none",
  ];
  writeFileSync(join(folder, "mosquitto.conf"), `${[...lines, ...queues].join("\n")}\n`);
  const child = spawn(MOSQUITTO, ["-c", join(folder, "mosquitto.conf")], { stdio: "ignore" });
  await new Promise((done) => setTimeout(done, 500));
  return { port, pid: child.pid ?? 0, stop: () => stopped(child, folder) };
}

/** @param {ChildProcess} child @param {string} folder */
async function stopped(child, folder) {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  rmSync(folder, { recursive: true, force: true });
}

/** @param {import("node:net").Server} server */
function portOf(server) {
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

/** @param {{ serve: string, mode: string, folder: string }} wishes */
async function serve({ serve: kind, mode, folder }) {
  if (kind === "aedes") {
    const { Aedes } = await import("aedes");
    const aedes = await Aedes.createBroker();
    const server = createServer({ noDelay: true }, aedes.handle).listen(0, "127.0.0.1");
    await once(server, "listening");
    console.log(portOf(server));
    return;
  }
  const { startBroker } = await import("../../test/mqtt/harness.ts");
  const { openDatabase } = await import("../../test/support/database.ts");
  const database = await openDatabase(folder);
  database.raw.exec("CREATE TABLE bench (id INTEGER PRIMARY KEY, at INTEGER, data TEXT) STRICT");
  const insert = database.raw.prepare("INSERT INTO bench (at, data) VALUES (?, ?)");
  const idle = async () => {};
  const telemetry = (
    /** @type {string} */ _deviceId,
    /** @type {readonly { at: number | null, data: object }[]} */ samples,
  ) =>
    database.write(() => {
      for (const { at, data } of samples) insert.run(at, JSON.stringify(data));
    });
  const handlers = {
    status: idle,
    info: idle,
    state: idle,
    event: idle,
    frame: idle,
    captureDone: idle,
    connected: idle,
    disconnected: idle,
    telemetry: mode === "row" ? telemetry : idle,
  };
  const hub = await startBroker(
    { testdir: () => folder, teardown: () => {} },
    { folder: mkdtempSync(join(folder, "own-")), broker: { database, handlers } },
  );
  console.log(hub.port);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      ...OPTIONS,
      serve: { type: "string" },
      mode: { type: "string", default: "" },
      folder: { type: "string", default: "" },
    },
  });
  if (values.serve) await serve({ ...values, serve: values.serve });
  else await run(["--seconds", values.seconds, "--rounds", values.rounds]);
}
