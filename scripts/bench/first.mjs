// @ts-check
/**
 * npm run bench -- first [--build FOLDER] [--rounds N] [--rest MS] [--no-code] [--share N]
 *   [--kinds command,gate,devices,page,car]
 *
 * The latency of the first request after a start, compared with later ones in the same process: a command (from the
 * POST until the device has it), the same for a gate, the list of devices, a page of the console, and a car (from a burst of three frames
 * sent at once until the gate has its command, inference included). For each, the hub is restarted with the compiled
 * code of earlier starts, as `npm start` and an installed hub keep it (--no-code: without), and left alone for --rest
 * ms (2,000) after it is ready. One start before the first round is not counted: it fills the code cache and warms up
 * this process. --share 0.34 limits each thread of the hub to that share of a core once it is ready, as `bench -- pi`
 * does for a Pi 4 (Pi 3: 0.19; root).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { benchDevices, benchEnvironment, option, percentile, provision } from "../lib/bench-hub.mjs";
import { carPictures, encodedAnew } from "../lib/car-pictures.mjs";
import { arrival } from "../lib/house-load.mjs";
import { callAs, signIn, startHub } from "../lib/hub-process.mjs";
import { smallMachine } from "../lib/small-machine.mjs";

/**
 * @typedef {{ hub: Awaited<ReturnType<typeof startHub>>, key: string, agent: Agent, device: import("mqtt").MqttClient,
 *   camera: import("mqtt").MqttClient, gate: import("mqtt").MqttClient }} World
 * @typedef {(world: World, n: number) => Promise<number>} Once
 */

const FRAMES = 3;
const LATER = 20;
const LATER_CARS = 5;
/** src/core/platform/kept-program.ts keeps the code five seconds after the start. */
const KEEPS_MS = 9_000;
const GIVEN_UP_MS = 60_000;
/** On a busy machine a picture may take longer than a gate allows; this measures how long, not whether. */
const PATIENT = { GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" };
/** A board's. */
const CORES = 4;
const MEGABYTES = 1_024;
const KINDS = /** @type {const} */ (["command", "gate", "devices", "page", "car"]);

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const rounds = Number(option(options, "--rounds", "5"));
  const restMs = Number(option(options, "--rest", "2000"));
  const kinds = KINDS.filter((kind) => option(options, "--kinds", KINDS.join(",")).split(",").includes(kind));
  const share = Number(option(options, "--share", "1"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-first-"));
  const cars = await carPictures();
  const kept = options.includes("--no-code") ? {} : { NODE_COMPILE_CACHE: join(data, "compiled") };
  const env = benchEnvironment(data, { ...kept, GATEHOUSE_GATE_PASS_SECONDS: "1", ...PATIENT });
  try {
    const devices = [...benchDevices("smart-plug", 50, "plug"), ...benchDevices("camera"), ...benchDevices("gate")];
    const { account, key } = provision(build, env, devices);
    const tasks = tasksOf(cars);
    const furnish = async (/** @type {World} */ world) => {
      const { hub } = world;
      const api = callAs(hub.url, { authorization: `Bearer ${key}` });
      for (const { plate } of cars) await api("POST", "/v1/plate-rules", { plate });
      const cookie = await signIn(hub.url, account);
      const gate = { deviceId: "gate", command: { open: true } };
      await callAs(hub.url, { cookie })("PATCH", "/api/cameras/camera", { direction: "in", gate });
      for (const kind of kinds) await tasks[kind](world, 0);
      await pause(KEEPS_MS);
    };
    await started(build, env, key, furnish);
    await started(build, env, key, () => pause(KEEPS_MS)); // as a later start keeps it, without clients
    console.log(
      `| first after a start | first, median ms | worst | later, median ms | ratio |\n| --- | --- | --- | --- | --- |`,
    );
    /** @type {Record<string, { first: number, later: number }>} */
    const found = {};
    for (const kind of kinds) {
      /** @type {number[]} */
      const firsts = [];
      /** @type {number[]} */
      const laters = [];
      for (let round = 0; round < rounds; round++)
        await started(build, env, key, async (world) => {
          const machine = share < 1 ? smallMachine({ share, cores: CORES, megabytes: MEGABYTES }) : null;
          machine?.take(world.hub.pid);
          await pause(restMs);
          const once = tasks[kind];
          firsts.push(await once(world, 0));
          /** @type {number[]} */
          const later = [];
          const count = kind === "car" ? LATER_CARS : LATER;
          for (let n = 1; n <= count; n++) {
            await pause(40);
            later.push(await once(world, n));
          }
          laters.push(percentile(later, 0.5));
          return machine;
        });
      const [first, later] = [percentile(firsts, 0.5), percentile(laters, 0.5)];
      const cells = [first, Math.max(...firsts), later].map((ms) => ms.toFixed(1));
      console.log(`| ${kind} | ${cells.join(" | ")} | ${(first / later).toFixed(1)} |`);
      found[kind] = { first, later };
    }
    return found;
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/**
 * @param {string} build @param {Record<string, string>} env @param {string} key
 * @param {(world: World) => Promise<{ remove(): void } | null | void>} work answers what is taken away after the hub
 */
async function started(build, env, key, work) {
  const hub = await startHub({ build, env });
  const world = await worldOf(hub, key);
  /** @type {{ remove(): void } | null | void} */
  let machine = null;
  try {
    machine = await work(world);
  } finally {
    world.agent.destroy();
    for (const client of [world.device, world.camera, world.gate]) client.end(true);
    await hub.stop();
    machine?.remove();
  }
}

/** @param {World["hub"]} hub @param {string} key @returns {Promise<World>} */
async function worldOf(hub, key) {
  const connect = (/** @type {string} */ id) =>
    mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
      username: id,
      password: `password-of-${id}`,
      clientId: id,
    });
  const [device, camera, gate] = await Promise.all([connect("plug-0"), connect("camera"), connect("gate")]);
  await device.subscribeAsync("gatehouse/plug-0/command", { qos: 1 });
  await gate.subscribeAsync("gatehouse/gate/command", { qos: 1 });
  return { hub, key, agent: new Agent({ keepAlive: true, maxSockets: 1 }), device, camera, gate };
}

/** @param {import("../lib/car-pictures.mjs").Car[]} cars @returns {Record<typeof KINDS[number], Once>} */
function tasksOf(cars) {
  let capture = Date.now();
  return {
    command: (world, n) => {
      const body = JSON.stringify({ power: n % 2 === 0 });
      return arrival(world.device, () => call(world, "POST", "/v1/devices/plug-0/commands", body), GIVEN_UP_MS);
    },
    gate: (world, n) => {
      const body = JSON.stringify({ open: n % 2 === 0 });
      return arrival(world.gate, () => call(world, "POST", "/v1/devices/gate/commands", body), GIVEN_UP_MS);
    },
    devices: (world) => timedCall(world, "/v1/devices"),
    page: (world) => timedCall(world, "/", "text/html"),
    car: async ({ camera, gate }, n) => {
      await pause(1_100); // a pass lasts a second here: every burst is a separate car
      const jpeg = cars[n % cars.length]?.jpeg ?? Buffer.alloc(0);
      // the hub opens for no repeated frame
      const frames = await Promise.all(Array.from({ length: FRAMES }, () => encodedAnew(jpeg)));
      capture += 1;
      const topic = `gatehouse/camera/capture/${capture}`;
      const done = JSON.stringify({ trigger: "loop", frames: FRAMES });
      const burst = () =>
        Promise.all([
          ...frames.map((frame, at) => camera.publishAsync(`${topic}/${at}`, frame, { qos: 1 })),
          camera.publishAsync(`${topic}/done`, done, { qos: 1 }),
        ]);
      return arrival(gate, burst, GIVEN_UP_MS);
    },
  };
}

/** @param {World} world @param {string} path @param {string} [accept] */
async function timedCall(world, path, accept) {
  const before = performance.now();
  await call(world, "GET", path, "", accept);
  return performance.now() - before;
}

/**
 * @param {World} world @param {string} method @param {string} path @param {string} [body] @param {string} [accept]
 * @returns {Promise<void>}
 */
function call({ hub, key, agent }, method, path, body = "", accept = "application/json") {
  const headers = {
    accept,
    authorization: `Bearer ${key}`,
    ...(body === "" ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${hub.url}${path}`, { method, agent, headers }, (answer) => {
      answer.resume();
      answer.on("end", () =>
        (answer.statusCode ?? 500) < 400 ? resolve() : reject(new Error(`${method} ${path}: ${answer.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
