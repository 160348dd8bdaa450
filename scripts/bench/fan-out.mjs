// @ts-check
/**
 * npm run bench -- fan-out [--build FOLDER] [--seconds N] [--rate N]
 *
 * The cost of listeners while messages come in at QoS 1 (500 a second from ten devices): none (the baseline), one open
 * console, ten of them, and a webhook for every sample. Prints the hub's processor time per message, and the time from
 * the device's publish to the console's line (p50, p99). Everything except the hub runs in a separate process.
 */
import { once } from "node:events";
import { createServer, get } from "node:http";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import mqtt from "mqtt";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { processorSeconds, say, startHelper } from "../lib/helper-process.mjs";

/** @typedef {import("mqtt").MqttClient} MqttClient */

const SELF = fileURLToPath(import.meta.url);
const DEVICES = 10;
/** @typedef {{ consoles?: number, cookie?: string, receiver?: boolean, seconds?: number }} Order */
const EVERY_MS = 20;
const CONSOLES = 10;

/** @param {string[]} options */
export async function run(options = []) {
  const [build, seconds, rate] = [
    option(options, "--build", "build-hub"),
    Number(option(options, "--seconds", "5")),
    Number(option(options, "--rate", "500")),
  ];
  const hub = await startBenchHub({
    build,
    devices: benchDevices("smart-plug", DEVICES, "plug"),
    env: { GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" },
  });
  const others = await startHelper(SELF, ["--others", JSON.stringify({ port: hub.port, url: hub.url, rate })]);
  try {
    /** @type {[name: string, prepare: () => Promise<void>][]} */
    const cases = [
      ["nobody listens", async () => {}],
      ["one console", () => others.ask({ consoles: 1, cookie: hub.cookie() })],
      [`${CONSOLES} consoles`, () => others.ask({ consoles: CONSOLES, cookie: hub.cookie() })],
      [
        "a webhook",
        async () => {
          const { receiver } = await others.ask({ consoles: 0, receiver: true });
          await hub.console("POST", "/api/webhooks", { url: receiver, events: ["device.telemetry"] });
        },
      ],
    ];
    const rows = [];
    for (const [name, prepare] of cases) {
      if (name !== "nobody listens") await hub.console("GET", "/api/health");
      await prepare();
      if (rows.length === 0) await others.ask({ seconds: seconds * 2 }); // Node compiles what runs often
      const cpu = processorSeconds(hub.pid());
      /** @type {{ sent: number, heard: number, times: number[] }} */
      const { sent, heard, times } = await others.ask({ seconds });
      const used = processorSeconds(hub.pid()) - cpu;
      rows.push({ name, sent, heard, used, p50: percentile(times, 0.5), p99: percentile(times, 0.99) });
    }
    console.log(
      `${rate} messages a second for ${seconds} s\n| | CPU ms a message | lines or calls | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- |`,
    );
    for (const { name, sent, heard, used, p50, p99 } of rows) {
      const late = Number.isNaN(p50) ? "- | -" : `${p50.toFixed(1)} | ${p99.toFixed(1)}`;
      console.log(`| ${name} | ${((used * 1000) / sent).toFixed(3)} | ${heard} | ${late} |`);
    }
    return rows;
  } finally {
    others.end();
    await hub.stop();
  }
}

/** Devices, consoles and a receiver. @param {{ port: number, url: string, rate: number }} wishes */
async function others({ port, url, rate }) {
  const connect = (/** @type {string} */ id) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: id, password: `password-of-${id}`, clientId: id });
  const clients = await Promise.all(Array.from({ length: DEVICES }, (_, n) => connect(`plug-${n}`)));
  /** @type {{ heard: number, times: number[], streams: import("node:http").ClientRequest[] }} */
  const state = { heard: 0, times: [], streams: [] };
  /** @param {string} cookie @returns {Promise<import("node:http").ClientRequest>} */
  const open = (cookie) =>
    new Promise((done, failed) => {
      const request = get(`${url}/api/stream`, { headers: { cookie } }, (response) => {
        response.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
          const now = performance.now();
          for (const [, sentAt] of text.matchAll(/"sent":([\d.]+)/g)) {
            state.heard += 1;
            state.times.push(now - Number(sentAt));
          }
        });
        done(request);
      });
      request.on("error", failed);
    });
  const receiver = createServer((request, response) => {
    state.heard += 1;
    request.resume().on("end", () => response.writeHead(200).end());
  });
  process.on(
    "message",
    async (/** @type {Order} */ { consoles, cookie = "", receiver: wanted = false, seconds = 0 }) => {
      if (consoles !== undefined) {
        for (const stream of state.streams.splice(0)) stream.on("error", () => {}).destroy();
        for (let n = 0; n < consoles; n++) state.streams.push(await open(cookie));
        if (wanted) await once(receiver.listen(0, "127.0.0.1"), "listening");
        const address = /** @type {import("node:net").AddressInfo | null} */ (receiver.address());
        say({ receiver: address === null ? null : `http://127.0.0.1:${address.port}/` });
        return;
      }
      Object.assign(state, { heard: 0, times: [] });
      const sent = await send(clients, rate, seconds);
      await pause(200);
      say({ sent, heard: state.heard, times: state.times });
    },
  );
  say({});
}

/** @param {MqttClient[]} clients @param {number} rate @param {number} seconds */
async function send(clients, rate, seconds) {
  let sent = 0;
  const started = performance.now();
  /** @type {(Promise<unknown> | undefined)[]} */
  const acknowledged = [];
  while (performance.now() - started < seconds * 1_000) {
    await pause(EVERY_MS);
    const due = ((performance.now() - started) / 1_000) * rate;
    for (; sent < due; sent++) {
      const n = sent % clients.length;
      acknowledged.push(
        clients[n]?.publishAsync(
          `gatehouse/plug-${n}/telemetry`,
          JSON.stringify({ watts: sent % 100, sent: performance.now() }),
          { qos: 1 },
        ),
      );
    }
  }
  await Promise.all(acknowledged);
  return sent;
}

if (process.argv[2] === "--others" && SELF === resolve(process.argv[1] ?? ""))
  await others(JSON.parse(process.argv[3] ?? ""));
