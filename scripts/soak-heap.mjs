// @ts-check
/**
 * node scripts/soak-heap.mjs [--build FOLDER] [--minutes N] [--pace N] [--snapshots FOLDER]
 *
 * A household under load for N minutes (120 unless given): fifty devices that measure, report states and lose their
 * connections, commands, rules, calls of the API, event streams that come and go, sign-ins, webhooks whose receiver
 * fails now and then. Each minute the hub collects its garbage and its live heap is printed; at the end, the slope of
 * the last half by least squares. `--pace 1` is about twelve messages a second. With `--snapshots` heap snapshots are
 * written at a third and at the end, to be compared.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { benchDevices, benchEnvironment, option, provision } from "./lib/bench-hub.mjs";
import { callAs, signIn, startHub } from "./lib/hub-process.mjs";
import { prepare } from "./lib/prepare.mjs";

const options = process.argv.slice(2);
await prepare({ tests: true, isBuilt: options.includes("--build") });
const build = option(options, "--build", "build-hub");
const minutes = Number(option(options, "--minutes", "120"));
const pace = Number(option(options, "--pace", "4"));
const snapshots = option(options, "--snapshots", "");
const DEVICES = 50;
const MOST_SLOPE_MB = 1;
const ACKNOWLEDGED_MS = 3_000;

const data = mkdtempSync(join(tmpdir(), "gatehouse-soak-"));
const heapFile = join(data, "heap.json");
if (snapshots !== "") mkdirSync(snapshots, { recursive: true });
const devices = benchDevices("smart-plug", DEVICES, "plug");
const env = benchEnvironment(join(data, "hub"), {
  HEAP_FILE: heapFile,
  HEAP_SNAPSHOTS: snapshots,
  GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
});
const { account, key } = provision(build, env, devices);
const hub = await startHub({
  build,
  env,
  preload: ["--expose-gc", "--import", new URL("./lib/collected-heap.mjs", import.meta.url).href],
});
const api = callAs(hub.url, { authorization: `Bearer ${key}` });
const cookie = await signIn(hub.url, account);
const owner = callAs(hub.url, { cookie });
const counts = {
  samples: 0,
  states: 0,
  commands: 0,
  calls: 0,
  streams: 0,
  cuts: 0,
  signIns: 0,
  deliveries: 0,
  errors: 0,
};

/** A receiver that fails one time in five. */
const receiver = createServer((request, response) => {
  request.resume();
  counts.deliveries += 1;
  response.writeHead(counts.deliveries % 5 === 0 ? 500 : 204).end();
});
await new Promise((done) => receiver.listen(0, "127.0.0.1", () => done(null)));
const address = receiver.address();
const receiverUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
await owner("POST", "/api/webhooks", {
  url: receiverUrl,
  events: ["device.state", "device.online", "device.offline"],
}).catch((error) => console.error(`no webhook: ${error.message}`));
for (let n = 0; n < 10; n++)
  await api("POST", "/v1/automations", {
    name: `rule ${n}`,
    trigger: { type: "state", deviceId: `plug-${n}`, field: "power", op: "changed" },
    action: { type: "command", deviceId: `plug-${n + 10}`, command: { power: true } },
  });

/** @type {import("mqtt").MqttClient[]} */
const clients = [];
/** @param {number} n */
const connect = async (n) => {
  const id = `plug-${n}`;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: id,
    password: `password-of-${id}`,
    clientId: id,
    clean: false,
    reconnectPeriod: 0,
  });
  client.on("error", () => {});
  await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
  clients[n] = client;
};
for (let n = 0; n < DEVICES; n++) await connect(n);

const until = performance.now() + minutes * 60_000;
/** @param {number} perSecond @param {(n: number) => Promise<unknown>} once */
const every = async (perSecond, once) => {
  for (let n = 0; performance.now() < until; n++) {
    const before = performance.now();
    await once(n).catch(() => {
      counts.errors += 1;
    });
    await pause(Math.max(0, 1_000 / perSecond - (performance.now() - before)));
  }
};
/** @param {number} n @param {string} topic @param {object} body */
const say = async (n, topic, body) => {
  const id = n % DEVICES;
  const sent = clients[id]?.publishAsync(`gatehouse/plug-${id}/${topic}`, JSON.stringify(body), { qos: 1 });
  await Promise.race([sent, pause(ACKNOWLEDGED_MS)]); // a connection that is cut acknowledges nothing
};
const PATHS = [
  "/v1/devices",
  "/v1/devices/plug-1",
  "/v1/devices/plug-2/telemetry",
  "/v1/events",
  "/v1/automations",
  "/v1/rooms",
];
const load = [
  every(10 * pace, async (n) => {
    counts.samples += 1;
    await say(n, "telemetry", { watts: n % 400, volts: 230 + (n % 7), kwh: n / 1_000 });
  }),
  every(1.5 * pace, async (n) => {
    counts.states += 1;
    await say(n, "state", { power: Math.floor(n / DEVICES) % 2 === 0 });
  }),
  every(pace, async (n) => {
    counts.commands += 1;
    await api("POST", `/v1/devices/plug-${n % DEVICES}/commands`, { power: n % 2 === 0 });
  }),
  every(4 * pace, async (n) => {
    counts.calls += 1;
    await api("GET", PATHS[n % PATHS.length] ?? "/v1");
  }),
  every(0.5 * pace, async () => {
    counts.streams += 1;
    const end = new AbortController();
    const response = await fetch(`${hub.url}/v1/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal: end.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    setTimeout(() => end.abort(), 3_000);
    reader?.closed.catch(() => {});
  }),
  every(0.3 * pace, async (n) => {
    counts.cuts += 1;
    const id = (n * 7) % DEVICES;
    clients[id]?.stream.destroy();
    await connect(id);
  }),
  every(0.02 * pace, async () => {
    counts.signIns += 1;
    await signIn(hub.url, account);
  }),
];

/** @type {{ minute: number, heapMb: number }[]} */
const heap = [];
console.log("minute | living heap MB | external MB | resident MB | counts");
for (let minute = 1; minute <= minutes; minute++) {
  await pause(60_000);
  rmSync(heapFile, { force: true });
  process.kill(hub.pid, "SIGUSR2");
  while (!existsSync(heapFile)) await pause(50);
  const { heapUsed, external, rss } = JSON.parse(readFileSync(heapFile, "utf8"));
  const mb = (/** @type {number} */ bytes) => bytes / 1_048_576;
  heap.push({ minute, heapMb: mb(heapUsed) });
  console.log(
    `${String(minute).padStart(6)} | ${mb(heapUsed).toFixed(2).padStart(14)} | ${mb(external).toFixed(1).padStart(11)} | ${mb(rss).toFixed(0).padStart(11)} | ${JSON.stringify(counts)}`,
  );
  if (snapshots !== "" && (minute === Math.ceil(minutes / 3) || minute === minutes)) {
    process.kill(hub.pid, "SIGWINCH");
    await pause(15_000);
  }
}
await Promise.all(load);
for (const client of clients) client.end(true);
receiver.close();
receiver.closeAllConnections();
const code = await hub.stop();
rmSync(data, { recursive: true, force: true });
const slope = slopeOf(heap.slice(Math.floor(heap.length / 2))) * 60;
console.log(`\nslope of the living heap over the last half: ${slope.toFixed(2)} MB an hour; exit code ${code}`);
process.exit(slope <= MOST_SLOPE_MB && code === 0 ? 0 : 1);

/** Least squares, MB a minute. @param {{ minute: number, heapMb: number }[]} points */
function slopeOf(points) {
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map(({ heapMb }) => heapMb))];
  const over = points.reduce((sum, { minute, heapMb }) => sum + (minute - x) * (heapMb - y), 0);
  return over / points.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}
