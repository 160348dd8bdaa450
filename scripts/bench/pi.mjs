// @ts-check
/**
 * npm run bench -- pi [--seconds N] [--boards pi3,pi4] [--disk MS] [--mips N] [--slower N] [--build FOLDER]
 *
 * What a household notices if the hub runs on a Raspberry Pi: the hub alone is limited to four cores of such a board, 1
 * GB of memory, and a disk whose every wait takes MS longer (50; scripts/lib/faults/faulty-disk.c). Sixty devices, a
 * camera whose bursts open a gate, twenty automations, an app, and a page of the console that is opened with nothing
 * cached. The baseline of the same run is the hub with this machine's own cores and disk.
 *
 * A board's core is simulated as a share of a core here, by 7-zip's benchmark: published figures for the boards,
 * measured here at the start (Debian's 7zip; or given by --mips). `--slower 2` halves that share. This cannot simulate
 * a board's memory and vector units. The neural networks use those, so the time at the gate includes an inference that
 * is shorter than on a board. Linux, root, gcc.
 */
import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, option, percentile, startBenchHub } from "../lib/bench-hub.mjs";
import { carPictures } from "../lib/car-pictures.mjs";
import { arrival, clientOf, gateOf, paced, timed } from "../lib/house-load.mjs";
import { slowDisk } from "../lib/slow-disk.mjs";
import { smallMachine, whyNoSmallMachine } from "../lib/small-machine.mjs";

/**
 * 7-zip MIPS of four threads, a quarter of which is a core's: "Raspberry Pi 3 B+ normal" and "Raspberry Pi 4 B 1500
 * MHz" in https://github.com/ThomasKaiser/sbc-bench/blob/master/Results.md.
 */
const BOARDS = new Map(
  Object.entries({
    pi3: { name: "Raspberry Pi 3 B+", mips: 3240 / 4 },
    pi4: { name: "Raspberry Pi 4 B", mips: 5750 / 4 },
  }),
);
/**
 * @typedef {{ what: string, times: number[] }} Row
 * @typedef {{ name: string, share: number | null, memory: number, rows: Row[] }} Column
 */
const CORES = 4;
const MEGABYTES = 1024;
const AUTOMATIONS = 20;
const PLUGS = 17;
const GIVEN_UP_MS = 30_000;

/** Runs this machine and each board, and prints a table; resolves with its rows. @param {string[]} options */
export async function run(options = []) {
  const why = whyNoSmallMachine();
  if (why !== null) throw new Error(`A small machine cannot be played here: ${why}.`);
  const seconds = Number(option(options, "--seconds", "40"));
  const build = option(options, "--build", "build-hub");
  const diskMs = Number(option(options, "--disk", "50"));
  const slower = Number(option(options, "--slower", "1"));
  const boards = option(options, "--boards", "pi4,pi3").split(",");
  const here = Number(option(options, "--mips", "0")) || ownMips();
  const cars = await carPictures();
  const columns = [await measure({ name: "this machine", share: null, diskMs: 0, seconds, build, cars })];
  for (const board of boards) {
    const known = BOARDS.get(board);
    if (known === undefined) throw new Error(`no such board: ${board}`);
    const { name, mips } = known;
    columns.push(await measure({ name, share: Math.min(1, mips / here / slower), diskMs, seconds, build, cars }));
  }
  print(columns, { here, diskMs, slower });
  return columns;
}

/** The rating of one core here in 7-zip's benchmark, by processor time, because other programs may be running. */
function ownMips() {
  const { stdout, error } = spawnSync("7zz", ["b", "1", "-mmt1", "-md22"], { encoding: "utf8" });
  if (error) throw new Error("The speed of this machine is measured with 7zz: install 7zip, or say it with --mips.");
  return Number(/^Tot:\s+\d+\s+(\d+)/m.exec(stdout)?.[1]);
}

function household() {
  return [
    ...benchDevices("sensor", AUTOMATIONS),
    ...benchDevices("smart-plug", AUTOMATIONS, "lamp"),
    ...benchDevices("smart-plug", PLUGS, "plug"),
    ...[...benchDevices("gate"), ...benchDevices("camera"), ...benchDevices("energy-meter", null, "meter")],
  ];
}

/**
 * @param {{ name: string, share: number | null, diskMs: number, seconds: number, build: string, cars:
 *   import("../lib/car-pictures.mjs").Car[] }} wishes
 * @returns {Promise<Column>}
 */
async function measure({ name, share, diskMs, seconds, build, cars }) {
  const disk = share === null ? null : slowDisk();
  const devices = household();
  const env = { ...(disk?.env ?? {}), GATEHOUSE_GATE_PASS_SECONDS: "1" };
  const hub = await startBenchHub({ build, devices, env });
  const machine = share === null ? null : smallMachine({ share, cores: CORES, megabytes: MEGABYTES });
  try {
    /** @type {Map<string, import("mqtt").MqttClient>} */
    const clients = new Map();
    for (const { id } of devices) clients.set(id, await hub.connect(id));
    for (const { id, type } of devices)
      if (type !== "sensor") await clientOf(clients, id).subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
    for (let n = 0; n < AUTOMATIONS; n++) {
      await hub.api("POST", "/v1/automations", {
        name: `Lamp ${n} follows its sensor`,
        trigger: { type: "state", deviceId: `sensor-${n}`, field: "round", op: "changed" },
        action: { type: "command", deviceId: `lamp-${n}`, command: { power: true } },
      });
      await clientOf(clients, `sensor-${n}`).publishAsync(
        `gatehouse/sensor-${n}/state`,
        JSON.stringify({ round: -1 }),
        { qos: 1 },
      );
    }
    const gate = await gateOf(hub, clients, { cars, givenUpMs: GIVEN_UP_MS });
    await openPage(hub);
    machine?.take(hub.pid());
    disk?.delay(diskMs);
    await pause(1_000);
    const until = performance.now() + seconds * 1000;
    const rows = await Promise.all([
      paced("last frame → gate command", until, 1_500, gate),
      paced("command POST → device", until, 370, (n) =>
        arrival(
          clientOf(clients, `plug-${n % PLUGS}`),
          () => hub.api("POST", `/v1/devices/plug-${n % PLUGS}/commands`, { power: n % 2 === 0 }),
          GIVEN_UP_MS,
        ),
      ),
      paced("sensor → automation → lamp", until, 430, (round) => {
        const n = round % AUTOMATIONS;
        const sensor = clientOf(clients, `sensor-${n}`);
        return arrival(
          clientOf(clients, `lamp-${n}`),
          () => sensor.publishAsync(`gatehouse/sensor-${n}/state`, JSON.stringify({ round }), { qos: 1 }),
          GIVEN_UP_MS,
        );
      }),
      paced("GET /v1/devices", until, 200, () => timed(() => hub.api("GET", "/v1/devices"))),
      paced("first view of the console (files and first answers)", until, 4_000, () => timed(() => openPage(hub))),
      ...devices
        .filter(({ type }) => ["smart-plug", "energy-meter"].includes(type))
        .map(({ id }, n) => samples(clientOf(clients, id), id, until, n)),
    ]);
    const column = { name, share, memory: hub.memory(), rows: rows.filter((row) => row !== undefined) };
    for (const client of clients.values()) client.end(true);
    return column;
  } finally {
    disk?.delay(0);
    await hub.stop();
    machine?.remove();
    disk?.remove();
  }
}

/**
 * One sample every five seconds, as plugs send them.
 * @param {import("mqtt").MqttClient} client
 * @param {string} id
 * @param {number} until
 * @param {number} n
 */
async function samples(client, id, until, n) {
  await pause((n * 5_000) / 40);
  for (let round = 0; performance.now() < until; round++) {
    await client.publishAsync(`gatehouse/${id}/telemetry`, JSON.stringify({ watts: 40 + (round % 300), round }), {
      qos: 1,
    });
    await pause(5_000);
  }
}

/**
 * The requests of a browser without cache before the first page is complete: the page, its files, and the console's
 * first calls.
 * @param {import("../lib/bench-hub.mjs").BenchHub} hub
 */
async function openPage(hub) {
  const page = await (await fetch(`${hub.url}/`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  const load = async (/** @type {string} */ path) => (await fetch(hub.url + path)).arrayBuffer();
  await Promise.all(files.map(load));
  await Promise.all(
    ["/api/standing", "/v1/devices", "/v1/rooms", "/v1/scenes", "/v1/occupancy"].map((path) =>
      hub.console("GET", path),
    ),
  );
}

/** @param {Column[]} columns @param {{ here: number, diskMs: number, slower: number }} settings */
function print(columns, { here, diskMs, slower }) {
  console.log(
    `A core here: ${here} MIPS in 7-zip's benchmark. The boards' disk: each wait ${diskMs} ms longer.${slower === 1 ? "" : ` Boards ${slower} times slower.`}\n`,
  );
  const head = columns.map(({ name, share }) =>
    share === null ? name : `${name} (${Math.round(share * 100)} % of a core, four of them)`,
  );
  console.log(`| p50 / p95 / p99, ms | ${head.join(" | ")} |\n| --- |${" ---: |".repeat(columns.length)}`);
  for (const [n, { what }] of (columns[0]?.rows ?? []).entries()) {
    const cells = columns.map(({ rows }) =>
      [0.5, 0.95, 0.99].map((part) => percentile(rows[n]?.times ?? [], part).toFixed(0)).join(" / "),
    );
    console.log(`| ${what} | ${cells.join(" | ")} |`);
  }
  console.log(`| hub's memory, MB | ${columns.map(({ memory }) => memory.toFixed(0)).join(" | ")} |`);
}
