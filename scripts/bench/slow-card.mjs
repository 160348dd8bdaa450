// @ts-check
/**
 * npm run bench -- slow-card [--delays 0,50,300,1000] [--seconds N] [--build FOLDER] [--without-gate]
 *
 * A hub whose every wait for the disk takes longer by a delay (scripts/lib/faults/faulty-disk.c, preloaded; needs gcc),
 * as on a worn SD card. Meanwhile ten devices send two samples a second, an app reads and commands, an automation
 * answers a sensor, and a camera sends bursts of pictures that open the gate. The row of 0 ms is the baseline of the
 * same run.
 */
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { carPictures } from "../lib/car-pictures.mjs";
import { arrival, clientOf, gateOf, paced, timed } from "../lib/house-load.mjs";
import { slowDisk } from "../lib/slow-disk.mjs";

const METERS = 10;
const SAMPLE_MS = 500;
const READ_MS = 100;
const COMMAND_MS = 190;
const AUTOMATION_MS = 900;
const BURST_REST_MS = 1_500;
const GIVEN_UP_MS = 15_000;

/** Runs all delays and prints a table; resolves with its rows. @param {string[]} options */
export async function run(options = []) {
  const delays = option(options, "--delays", "0,50,300,1000").split(",").map(Number);
  const seconds = Number(option(options, "--seconds", "25"));
  const build = option(options, "--build", "build-hub");
  const cars = options.includes("--without-gate") ? [] : await carPictures();
  /** @type {{ delay: number, what: string, times: number[] }[]} */
  const rows = [];
  for (const delay of delays) rows.push(...(await measure({ delay, seconds, build, cars })));
  console.log(`ten devices at two samples a second, ${seconds} s for each delay; milliseconds\n`);
  console.log("| each wait for the disk | what | count | p50 | p95 | p99 |\n| --- | --- | ---: | ---: | ---: | ---: |");
  for (const { delay, what, times } of rows) {
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(times, share).toFixed(1));
    console.log(`| + ${delay} ms | ${what} | ${times.length} | ${p50} | ${p95} | ${p99} |`);
  }
  return rows;
}

/**
 * @param {{ delay: number, seconds: number, build: string, cars: import("../lib/car-pictures.mjs").Car[] }} wishes
 */
async function measure({ delay, seconds, build, cars }) {
  const disk = slowDisk();
  const meters = benchDevices("energy-meter", METERS, "meter");
  const plugs = [...benchDevices("smart-plug", null, "plug"), ...benchDevices("smart-plug", null, "lamp")];
  const devices = [...meters, ...plugs, ...benchDevices("sensor"), ...benchDevices("camera"), ...benchDevices("gate")];
  const hub = await startBenchHub({ build, devices, env: { ...disk.env, GATEHOUSE_GATE_PASS_SECONDS: "1" } });
  try {
    /** @type {Map<string, import("mqtt").MqttClient>} */
    const clients = new Map();
    for (const { id } of devices) clients.set(id, await hub.connect(id));
    for (const id of ["plug", "lamp", "gate"])
      await clientOf(clients, id).subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
    await hub.api("POST", "/v1/automations", {
      name: "Lamp follows the sensor",
      trigger: { type: "state", deviceId: "sensor", field: "round", op: "changed" },
      action: { type: "command", deviceId: "lamp", command: { power: true } },
    });
    const sensor = clientOf(clients, "sensor");
    // the first value is not a change
    await sensor.publishAsync("gatehouse/sensor/state", JSON.stringify({ round: -1 }), { qos: 1 });
    const send = cars.length === 0 ? null : await gateOf(hub, clients, { cars, givenUpMs: GIVEN_UP_MS });
    await pause(1_000);
    disk.delay(delay);
    const until = performance.now() + seconds * 1000;
    /** @type {number[]} */
    const puback = [];
    const results = await Promise.all([
      ...meters.map(({ id }, n) =>
        samples(clientOf(clients, id), { id, until, puback, wait: (n * SAMPLE_MS) / METERS }),
      ),
      paced("GET /v1/devices", until, READ_MS, () => timed(() => hub.api("GET", "/v1/devices"))),
      paced("command POST → device", until, COMMAND_MS, (n) =>
        arrival(
          clientOf(clients, "plug"),
          () => hub.api("POST", "/v1/devices/plug/commands", { power: n % 2 === 0 }),
          GIVEN_UP_MS,
        ),
      ),
      paced("sensor → automation → lamp", until, AUTOMATION_MS, (round) =>
        arrival(
          clientOf(clients, "lamp"),
          () => sensor.publishAsync("gatehouse/sensor/state", JSON.stringify({ round }), { qos: 1 }),
          GIVEN_UP_MS,
        ),
      ),
      ...(send === null ? [] : [paced("last frame → gate command", until, BURST_REST_MS, send)]),
    ]);
    const rows = results.flatMap((row) => (row === undefined ? [] : [{ delay, ...row }]));
    rows.push({ delay, what: "sample → PUBACK", times: puback });
    disk.delay(0);
    for (const client of clients.values()) client.end(true);
    return rows;
  } finally {
    disk.delay(0);
    await hub.stop();
    disk.remove();
  }
}

/**
 * @param {import("mqtt").MqttClient} client
 * @param {{ id: string, until: number, puback: number[], wait: number }} wishes
 */
async function samples(client, { id, until, puback, wait }) {
  await pause(wait);
  /** @type {Promise<unknown>[]} */
  const sent = [];
  for (let n = 0; performance.now() < until; n++) {
    sent.push(
      timed(() =>
        client.publishAsync(`gatehouse/${id}/telemetry`, JSON.stringify({ watts: 40 + (n % 300), n }), { qos: 1 }),
      ).then((ms) => puback.push(ms)),
    );
    await pause(SAMPLE_MS);
  }
  await Promise.all(sent);
}
