#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/durability.mjs [--build FOLDER] [--runs N] [--rate N] [--devices N] [--json]
 *
 * Kills a whole hub (SIGKILL) at a random moment while real MQTT clients with persistent sessions send it telemetry at
 * QoS 1, restarts it on the same data, and lets the clients resend unacknowledged messages. After each run:
 *   - every message that was acknowledged is stored, and after redelivery every message is stored exactly once;
 *   - the database passes quick_check;
 *   - a webhook receiver has got every sample, none in two different deliveries.
 * One device always sends the same reading: equal readings must be counted, not merged.
 * Exits 0 if everything held in all runs, 1 otherwise.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import SqliteDatabase from "better-sqlite3";
import mqtt from "mqtt";
import { hubMain } from "./lib/hub-environment.mjs";
import { prepare } from "./lib/prepare.mjs";
import { eachStoredSample, sampleFormats } from "./lib/stored-samples.mjs";

/**
 * @typedef {import("../test/support/hub-process.ts").Person} Person
 * @typedef {{ id: string, password: string, constant: boolean }} Meter
 * @typedef {Awaited<ReturnType<typeof startReceiver>>} Receiver
 */

const WAIT_MS = 60_000;

/** Runs the trial; resolves with the findings. */
export async function run({ build = "build-hub", runs = 50, rate = 500, devices = 12, print = console.log } = {}) {
  /** @type {typeof import("../test/support/hub-process.ts")} */
  const { startHubProcess, Person } = await import("../test/support/hub-process.ts");
  const formats = await sampleFormats();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-durability-"));
  const receiver = await startReceiver();
  /** @type {Record<string, string>} */
  const environment = { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" };
  let hub = await startHubProcess(folder, environment, { main: hubMain(build) });
  environment.GATEHOUSE_MQTT_PORT = String(hub.mqttPort);
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode ?? "");
  const household = await furnish(owner, { devices, receiver });
  const clients = household.map((device) => new Sender(device, hub.mqttPort));
  await Promise.all(clients.map((client) => client.connected()));
  const total = { runs: 0, sent: 0, repeated: 0, failures: /** @type {string[]} */ ([]) };
  try {
    for (let round = 1; round <= runs; round++) {
      const loadMs = 200 + Math.random() * 2_300;
      const stopLoad = load(clients, rate);
      await pause(loadMs);
      await hub.kill();
      stopLoad();
      const unacknowledged = sum(clients, (client) => client.waiting.size);
      hub = await startHubProcess(folder, environment, { main: hubMain(build) });
      await Promise.all(clients.map((client) => client.settled()));
      const findings = await check({ folder, formats, clients, receiver });
      total.runs = round;
      total.sent = sum(clients, (client) => client.sent);
      total.repeated += unacknowledged;
      total.failures.push(...findings.map((finding) => `run ${round}: ${finding}`));
      print(
        `run ${String(round).padStart(2)}: killed after ${loadMs.toFixed(0).padStart(4)} ms, ${String(unacknowledged).padStart(3)} unacknowledged, ${total.sent} sent in all${findings.length === 0 ? "" : `  FAILED: ${findings.join("; ")}`}`,
      );
    }
  } finally {
    for (const client of clients) client.end();
    await hub.stop();
    receiver.close();
    if (total.failures.length === 0) rmSync(folder, { recursive: true, force: true });
    else print(`the data is kept in ${folder}`);
  }
  print(
    `${total.runs} runs, ${total.sent} messages, ${total.repeated} unacknowledged when the hub was killed, ${receiver.deliveries.size} webhook deliveries, ${total.failures.length} failures`,
  );
  return total;
}

/** One device's client. The device with number 0 always sends the same reading. */
class Sender {
  sent = 0;
  /** @type {Set<number>} */
  waiting = new Set();
  #client;
  #device;

  /** @param {Meter} device @param {number} port */
  constructor(device, port) {
    this.#device = device;
    this.#client = mqtt.connect({
      host: "127.0.0.1",
      port,
      username: device.id,
      password: device.password,
      clientId: device.id,
      clean: false,
      reconnectPeriod: 50,
      connectTimeout: 5_000,
      keepalive: 60,
    }); // prettier-ignore
    this.#client.on("error", () => {});
  }

  get id() {
    return this.#device.id;
  }

  /** All readings of this device are equal. */
  get constant() {
    return this.#device.constant;
  }

  connected() {
    return until(() => this.#client.connected, `${this.id} connected`);
  }

  send() {
    const n = this.sent++;
    this.waiting.add(n);
    const data = this.constant ? { watts: 60 } : { n, watts: 60 + (n % 40), voltage: 230.5 };
    this.#client.publish(`gatehouse/${this.id}/telemetry`, JSON.stringify(data), { qos: 1 }, (error) => {
      if (!error) this.waiting.delete(n);
    });
  }

  /** Resolves once every message has been acknowledged. */
  settled() {
    return until(() => this.waiting.size === 0, `${this.id} acknowledged`);
  }

  end() {
    this.#client.end(true);
  }
}

/** @param {Person} owner @param {{ devices: number, receiver: Receiver }} household */
async function furnish(owner, { devices, receiver }) {
  /** @type {Meter[]} */
  const household = [];
  for (let i = 0; i < devices; i++) {
    const id = `meter-${i}`;
    /** @type {{ status: number, body: { password: string } }} */
    const { status, body } = await owner.call("POST", "/api/devices", { id, name: `Meter ${i}`, type: "energy-meter" });
    if (status !== 201) throw new Error(`device: ${status} ${JSON.stringify(body)}`);
    household.push({ id, password: body.password, constant: i === 0 });
  }
  const { status, body } = await owner.call("POST", "/api/webhooks", {
    url: receiver.url,
    events: ["device.telemetry"],
  });
  if (status !== 201) throw new Error(`webhook: ${status} ${JSON.stringify(body)}`);
  return household;
}

/**
 * Sends `rate` messages a second, the devices in turn, until the returned function is called.
 * @param {Sender[]} clients
 * @param {number} rate
 */
function load(clients, rate) {
  const started = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * rate;
    for (; sent < due; sent++) clients[sent % clients.length]?.send();
  }, 5);
  return () => clearInterval(timer);
}

/**
 * @typedef {{ folder: string, formats: import("./lib/stored-samples.mjs").Formats, clients: Sender[], receiver:
 *   Receiver }} Found
 */

/** What is wrong, in words; nothing when all is well. @param {Found} found @returns {Promise<string[]>} */
async function check({ folder, formats, clients, receiver }) {
  /** @type {string[]} */
  const findings = [];
  const stored = readStored({ folder, formats, clients });
  if (stored.verdict !== "ok") findings.push(`quick_check: ${stored.verdict}`);
  for (const client of clients) {
    findings.push(...compare(client, stored.byDevice.get(client.id) ?? [], "stored"));
  }
  const complete = () => clients.every((client) => receiver.samples(client.id).length >= client.sent);
  await until(complete, "webhook deliveries").catch(() => {});
  for (const client of clients) findings.push(...compare(client, receiver.samples(client.id), "delivered"));
  return findings;
}

/** @param {Sender} client @param {number[]} numbers @param {string} what */
function compare(client, numbers, what) {
  /** @type {string[]} */
  const findings = [];
  if (numbers.length !== client.sent) findings.push(`${client.id}: ${numbers.length} ${what} of ${client.sent}`);
  if (client.constant) return findings;
  const seen = new Set(numbers);
  const missing = Array.from({ length: client.sent }, (_, n) => n).filter((n) => !seen.has(n));
  if (missing.length > 0) findings.push(`${client.id}: missing ${what} ${missing.slice(0, 5).join(", ")}`);
  if (seen.size !== numbers.length) findings.push(`${client.id}: ${numbers.length - seen.size} ${what} twice`);
  return findings;
}

/** The samples on disk, read from the file beside the running hub. @param {Omit<Found, "receiver">} found */
function readStored({ folder, formats, clients }) {
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  try {
    const verdict = database.pragma("quick_check", { simple: true });
    /** @type {Map<string, number[]>} */
    const byDevice = new Map(clients.map((client) => [client.id, []]));
    eachStoredSample(database, formats, (deviceId, data) => byDevice.get(deviceId)?.push(Number(data.n)));
    return { verdict, byDevice };
  } finally {
    database.close();
  }
}

/** A webhook receiver that records its deliveries; a repeated one counts once. */
async function startReceiver() {
  /** @type {Map<string, true>} */
  const deliveries = new Map();
  /** @type {Map<string, number[]>} */
  const byDevice = new Map();
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { id, deviceId, data } = JSON.parse(Buffer.concat(chunks).toString());
      if (!deliveries.has(id)) {
        deliveries.set(id, true);
        const samples = byDevice.get(deviceId) ?? [];
        byDevice.set(deviceId, samples);
        for (const sample of data.samples) samples.push(sample.data.n);
      }
      response.writeHead(204).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    deliveries,
    /** Numbers of the samples of a device that came. @param {string} deviceId */
    samples: (deviceId) => byDevice.get(deviceId) ?? [],
    close: () => server.close(),
  };
}

/** @param {() => boolean} condition @param {string} what */
async function until(condition, what) {
  const deadline = performance.now() + WAIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await pause(10);
  }
}

/** @template Item @param {Item[]} items @param {(item: Item) => number} value */
function sum(items, value) {
  return items.reduce((total, item) => total + value(item), 0);
}

if (import.meta.filename === resolve(process.argv[1] ?? "")) {
  const { values } = parseArgs({
    options: {
      build: { type: "string" },
      runs: { type: "string" },
      rate: { type: "string" },
      devices: { type: "string" },
      json: { type: "boolean" },
    },
  });
  /** @param {string | undefined} text @param {number} otherwise */
  const number = (text, otherwise) => (text === undefined ? otherwise : Number(text));
  await prepare({ tests: true, isBuilt: values.build !== undefined });
  const { build = "build-hub" } = values;
  const result = await run({
    build,
    runs: number(values.runs, 50),
    rate: number(values.rate, 500),
    devices: number(values.devices, 12),
    print: values.json ? () => {} : console.log,
  }); // prettier-ignore
  if (values.json) console.log(JSON.stringify(result));
  process.exit(result.failures.length === 0 ? 0 : 1);
}
