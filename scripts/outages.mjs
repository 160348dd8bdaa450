// @ts-check
/**
 * node scripts/outages.mjs [--hubs N] [--away 3,10,40] [--build FOLDER]
 *
 * Webhooks whose receivers are down, on the real clock, whose timers fire early: N hubs (10) with twenty webhooks each.
 * Every receiver is down (nothing listens) for a number of seconds while its hub's device changes, and returns on the
 * same port. Prints the time until the last of them had everything. The limit is the delay of the next attempt in the
 * schedule plus five seconds. Exits 1 if one took longer, or got an event twice or out of order.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { benchDevices, benchEnvironment, option, provision } from "./lib/bench-hub.mjs";
import { callAs, signIn, startHub } from "./lib/hub-process.mjs";
import { prepare } from "./lib/prepare.mjs";

const WEBHOOKS = 20;
const CHANGES = 5;
const SLACK_MS = 5_000;
const SPREAD = 1.2;

/**
 * @typedef {{ port: number, got: number[], doneAt: number, come: () => Promise<void>, go: () => Promise<void> }}
 *   Receiver
 */

const options = process.argv.slice(2);
await prepare({ tests: true });
const build = option(options, "--build", "build-hub");
const hubs = Number(option(options, "--hubs", "10"));
const aways = option(options, "--away", "3,10,40").split(",").map(Number);
const data = mkdtempSync(join(tmpdir(), "gatehouse-outages-"));
let isBad = false;
try {
  const houses = [];
  for (let n = 0; n < hubs; n++) houses.push(await openHouse(join(data, String(n))));
  console.log(`${hubs * WEBHOOKS} webhooks at ${hubs} hubs\n`);
  console.log("| away s | allowed s after they are back | slowest s | without everything | out of order |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const away of aways) {
    const results = await Promise.all(houses.map((house) => outage(house, away * 1_000)));
    const allowedMs = gapAt(away * 1_000) + SLACK_MS;
    const slowest = Math.max(...results.map(({ slowestMs }) => slowestMs));
    const missing = results.reduce((sum, result) => sum + result.missing, 0);
    const disordered = results.reduce((sum, result) => sum + result.disordered, 0);
    isBad ||= missing > 0 || disordered > 0 || slowest > allowedMs;
    const cells = [away, (allowedMs / 1_000).toFixed(1), (slowest / 1_000).toFixed(1), missing, disordered];
    console.log(`| ${cells.join(" | ")} |`);
  }
  for (const house of houses) await house.close();
} finally {
  rmSync(data, { recursive: true, force: true });
}
process.exit(isBad ? 1 : 0);

/**
 * The longest gap between two attempts around that moment of an outage (1, 2, 4, 8, 15 … s, each ± 20 %). @param
 * {number} ms
 */
function gapAt(ms) {
  let gap = 1_000;
  for (let at = 0; at + gap < ms; gap = Math.min(15_000, gap * 2)) at += gap;
  return SPREAD * gap;
}

/** @returns {Promise<Receiver>} */
async function receiver() {
  /** @type {Receiver} */
  const one = { port: 0, got: [], doneAt: 0, come: async () => {}, go: async () => {} };
  const serve = () =>
    createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (part) => (body += part));
      request.on("end", () => {
        const n = JSON.parse(body).data.state?.n;
        if (typeof n === "number") one.got.push(n);
        one.doneAt = performance.now();
        response.writeHead(204).end();
      });
    });
  let server = serve();
  one.come = async () => {
    server = serve();
    server.listen(one.port, "127.0.0.1");
    await once(server, "listening");
  };
  one.go = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a receiver listens on TCP");
  one.port = address.port;
  return one;
}

/** A hub with one device and its webhooks. @param {string} folder */
async function openHouse(folder) {
  const env = benchEnvironment(folder, { GATEHOUSE_RECOGNITION: "false", GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true" });
  const { account } = provision(build, env, benchDevices("smart-plug", null, "plug"));
  const hub = await startHub({ build, env });
  const call = callAs(hub.url, { cookie: await signIn(hub.url, account) });
  const receivers = await Promise.all(Array.from({ length: WEBHOOKS }, receiver));
  for (const { port } of receivers)
    await call("POST", "/api/webhooks", { url: `http://127.0.0.1:${port}/`, events: ["device.state"] });
  const device = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "plug",
    password: "password-of-plug",
    clientId: "plug",
  });
  return {
    receivers,
    n: 0,
    /** @param {number} n */
    change: (n) => device.publishAsync("gatehouse/plug/state", JSON.stringify({ n }), { qos: 1 }),
    close: async () => {
      device.end(true);
      for (const { go } of receivers) await go();
      await hub.stop();
    },
  };
}

/**
 * @param {Awaited<ReturnType<typeof openHouse>>} house
 * @param {number} awayMs
 */
async function outage(house, awayMs) {
  for (const one of house.receivers) {
    await one.go();
    one.got.length = 0;
  }
  /** @type {number[]} */
  const made = [];
  for (let i = 0; i < CHANGES; i++) {
    house.n += 1;
    made.push(house.n);
    await house.change(house.n);
    await pause(300); // more than five changes a second would become one
  }
  await pause(awayMs - CHANGES * 300);
  await Promise.all(house.receivers.map(({ come }) => come()));
  const back = performance.now();
  const last = made.at(-1) ?? 0;
  const has = (/** @type {Receiver} */ one) => one.got.includes(last);
  const until = back + 2 * (gapAt(awayMs) + SLACK_MS);
  while (!house.receivers.every(has) && performance.now() < until) await pause(20);
  await pause(200);
  const took = house.receivers.filter(has).map(({ doneAt }) => doneAt - back);
  return {
    slowestMs: Math.max(0, ...took),
    missing: house.receivers.filter((one) => made.some((n) => !one.got.includes(n))).length,
    disordered: house.receivers.filter(({ got }) => got.some((n, at) => at > 0 && n <= (got[at - 1] ?? 0))).length,
  };
}
