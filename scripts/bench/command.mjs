// @ts-check
/**
 * npm run bench -- command [--build FOLDER] [--commands N]
 *
 * From an app's POST of a command to its arrival at the device, on a quiet hub, then while 500 messages a second come
 * in at QoS 1 and bursts of four pictures are recognised. Baseline in the same run: Node's own web server in front of a
 * bare Aedes, in a separate process, which checks nothing; its figure is the cost of this machine and the client.
 *
 * The app is node:http with one keep-alive connection, in this process, as is the device. It used to be `fetch`, which
 * takes half a millisecond more processor time per request (1.14 against 0.64 ms, the tenth percentile of 130 each, in
 * turns) and does not belong to the hub.
 */
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, createServer as createWebServer, request } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { say, startHelper } from "../lib/helper-process.mjs";
import { root } from "../lib/prepare.mjs";

const SELF = fileURLToPath(import.meta.url);
/**
 * Rest between two bursts; with 250 the recogniser is busy nearly all the time, and p99 rises to 12 to 15 ms on two
 * cores.
 */
const BURST_REST_MS = 1_500;
const PICTURES = join(root, "test/fixtures/plates");

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const commands = Number(option(options, "--commands", "200"));
  const hub = await startBenchHub({
    build,
    devices: [...benchDevices("smart-plug", 11, "plug"), ...benchDevices("camera", null, "cam")],
  });
  const { url, key, port } = hub;
  try {
    const target = await hub.connect("plug-0");
    await target.subscribeAsync("gatehouse/plug-0/command", { qos: 1 });
    await measure({ url, key, target, commands: 30 }); // warms up code that is compiled at first use
    const bare = await measureBare(commands);
    const quiet = await measure({ url, key, target, commands });
    const load = await startHelper(SELF, ["--load", String(port)]);
    const loaded = await measure({ url, key, target, commands });
    const memory = hub.memory();
    const { sent, bursts } = await load.ask("stop");
    load.end();
    target.end(true);
    console.log("command POST → device receives\n| | p50 ms | p99 ms |\n| --- | --- | --- |");
    console.log(`| bare web server and Aedes | ${bare.p50.toFixed(2)} | ${bare.p99.toFixed(2)} |`);
    console.log(`| quiet hub | ${quiet.p50.toFixed(2)} | ${quiet.p99.toFixed(2)} |`);
    console.log(`| 500 messages/s and bursts | ${loaded.p50.toFixed(2)} | ${loaded.p99.toFixed(2)} |`);
    console.log(
      `\n${sent} messages and ${bursts} bursts meanwhile; resident memory ${memory.toFixed(0)} MB with the recogniser loaded`,
    );
    return { bare, quiet, loaded, memory };
  } finally {
    await hub.stop();
  }
}

/**
 * Posts a command; resolves with the answer's status and text.
 * @param {Agent} agent
 * @param {string} url
 * @param {{ key: string, body: string }} what
 * @returns {Promise<{ status: number, text: string }>}
 */
function post(agent, url, { key, body }) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** @param {{ url: string, key: string, target: import("mqtt").MqttClient, commands: number }} wishes */
async function measure({ url, key, target, commands }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** @type {number[]} */
  const times = [];
  for (let n = 0; n < commands; n++) {
    /** @type {Promise<number>} */
    const arrived = new Promise((resolve) => target.once("message", () => resolve(performance.now())));
    const before = performance.now();
    const { status, text } = await post(agent, `${url}/v1/devices/plug-0/commands`, {
      key,
      body: JSON.stringify({ power: n % 2 === 0 }),
    });
    if (status !== 202) throw new Error(`${status} ${text}`);
    times.push((await arrived) - before);
    await pause(40);
  }
  agent.destroy();
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** @param {number} commands */
async function measureBare(commands) {
  const child = await startHelper(SELF, ["--bare"]);
  /** @type {{ http: number, broker: number }} */
  const { http, broker } = child.ready;
  const target = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker}`, { clientId: "plug-0" });
  try {
    await target.subscribeAsync("gatehouse/plug-0/command", { qos: 1 });
    const where = { url: `http://127.0.0.1:${http}`, key: "none", target };
    await measure({ ...where, commands: 30 });
    return await measure({ ...where, commands });
  } finally {
    target.end(true);
    child.end();
  }
}

async function serveBare() {
  const { Aedes } = await import("aedes");
  const aedes = await Aedes.createBroker();
  const broker = createTcpServer({ noDelay: true }, aedes.handle).listen(0, "127.0.0.1");
  const web = createWebServer(async (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    /** @type {import("aedes").PublishPacket} */
    const packet = {
      cmd: "publish",
      topic: "gatehouse/plug-0/command",
      payload: Buffer.concat(chunks),
      qos: 1,
      retain: false,
      dup: false,
    };
    aedes.publish(packet, () => response.writeHead(202, { "Content-Type": "application/json" }).end("{}"));
  }).listen(0, "127.0.0.1");
  await Promise.all([once(broker, "listening"), once(web, "listening")]);
  const [http, mqttPort] = [web, broker].map(
    (server) => /** @type {import("node:net").AddressInfo} */ (server.address()).port,
  );
  say({ http, broker: mqttPort });
}

/**
 * Ten devices that publish fifty messages a second each at QoS 1, and a camera that sends bursts.
 * @param {(id: string) => Promise<import("mqtt").MqttClient>} connect
 */
async function startLoad(connect) {
  const clients = await Promise.all(Array.from({ length: 10 }, (_, n) => connect(`plug-${n + 1}`)));
  const camera = await connect("cam");
  const pictures = readdirSync(PICTURES)
    .filter((file) => file.endsWith(".jpg"))
    .map((file) => readFileSync(join(PICTURES, file)));
  let running = true;
  let sent = 0;
  let bursts = 0;
  const timers = clients.map((client, n) =>
    setInterval(() => {
      sent += 1;
      client.publish(`gatehouse/plug-${n + 1}/telemetry`, JSON.stringify({ watts: sent % 100 }), { qos: 1 }, () => {});
    }, 20),
  );
  const filming = (async () => {
    while (running) {
      bursts += 1;
      for (const [n, picture] of pictures.entries())
        await camera.publishAsync(`gatehouse/cam/capture/${bursts}/${n}`, picture, { qos: 1 });
      await camera.publishAsync(
        `gatehouse/cam/capture/${bursts}/done`,
        JSON.stringify({ trigger: "motion", frames: pictures.length }),
        { qos: 1 },
      );
      await pause(BURST_REST_MS);
    }
  })();
  await pause(2000);
  return {
    stop: async () => {
      running = false;
      for (const timer of timers) clearInterval(timer);
      await filming;
      for (const client of [...clients, camera]) client.end(true);
      return { sent, bursts };
    },
  };
}

if (process.argv[2] === "--bare") await serveBare();
if (process.argv[2] === "--load") {
  const port = process.argv[3];
  const load = await startLoad((id) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: id, password: `password-of-${id}`, clientId: id }),
  );
  say("running");
  process.once("message", async () => say(await load.stop()));
}
