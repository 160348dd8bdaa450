// @ts-check
/**
 * npm run bench -- slow-backup [--megabytes N] [--disk-megabytes-per-second N] [--build FOLDER]
 *
 * A backup of a large database on a separate disk that takes 10 MB/s, while devices send samples, an app reads, and
 * people sign in: the longest block of the event loop (elapsed, and in processor time), and the longest wait of its
 * thread for the disk. The baseline is the same load before the backup. Root; see
 * scripts/lib/throttled-disk.mjs.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, benchEnvironment, HELD_LOOP, held, option, percentile, provision } from "../lib/bench-hub.mjs";
import { callAs, signIn, startHub } from "../lib/hub-process.mjs";
import { root } from "../lib/prepare.mjs";
import { throttledDisk } from "../lib/throttled-disk.mjs";

/**
 * @typedef {import("../lib/hub-process.mjs").Hub} Hub
 * @typedef {ReturnType<typeof provision>} Owner
 * @typedef {import("../lib/bench-hub.mjs").BenchDevice} Device
 */

const LOOK_MS = 2;
const BASELINE_MS = 10_000;
const ROW_BYTES = 100_000;

/** Runs the load and the backup, and prints a table; resolves with its rows. @param {string[]} options */
export async function run(options = []) {
  const megabytes = Number(option(options, "--megabytes", "300"));
  const rate = Number(option(options, "--disk-megabytes-per-second", "10"));
  const build = option(options, "--build", "build-hub");
  const meters = benchDevices("energy-meter", 10, "meter");
  /** @type {Owner | undefined} */
  let owner;
  const fill = (/** @type {string} */ folder) => {
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    owner = provision(build, benchEnvironment(data, {}), meters);
    enlarge(join(data, "gatehouse.db"), megabytes);
  };
  const disk = await throttledDisk({ megabytes: megabytes * 5 + 256, bytesPerSecond: rate * 1_000_000, fill });
  try {
    if (owner === undefined) throw new Error("nobody owns the hub");
    const data = join(disk.folder, "data");
    const heldFile = join(data, "held.json");
    const env = benchEnvironment(data, { HELD_FILE: heldFile, GATEHOUSE_RECOGNITION: "false" });
    const hub = await startHub({ build, env, preload: HELD_LOOP });
    try {
      return await compare({ hub, heldFile, owner, meters, megabytes, rate });
    } finally {
      await hub.stop();
    }
  } finally {
    await disk.remove();
  }
}

/** @param {{ hub: Hub, heldFile: string, owner: Owner, meters: Device[], megabytes: number, rate: number }} what */
async function compare({ hub, heldFile, owner, meters, megabytes, rate }) {
  const call = callAs(hub.url, { cookie: await signIn(hub.url, owner.account) });
  const load = await startLoad(hub, owner, meters);
  await pause(2_000);
  /** @type {[what: string, task: () => Promise<unknown>][]} */
  const tasks = [
    ["before", () => pause(BASELINE_MS)],
    ["backup", () => call("POST", "/api/backups", {})],
  ];
  const rows = [];
  for (const [what, task] of tasks) {
    load.reads.length = 0;
    await held(hub, heldFile);
    const waits = diskWaits(hub.pid);
    const begun = performance.now();
    await task();
    const seconds = (performance.now() - begun) / 1000;
    rows.push({ what, seconds, held: await held(hub, heldFile), wait: waits.stop(), reads: [...load.reads] });
  }
  await load.stop();
  console.log(`${megabytes} MB on a disk that takes ${rate} MB/s; milliseconds\n`);
  console.log(
    "| | s | loop held at most | in processor time | thread in a wait for the disk at most | GET /v1/devices p99 |\n| --- | ---: | ---: | ---: | ---: | ---: |",
  );
  for (const {
    what,
    seconds,
    held: { mostElapsed, most },
    wait,
    reads,
  } of rows)
    console.log(
      `| ${what} | ${seconds.toFixed(0)} | ${mostElapsed.toFixed(0)} | ${most.toFixed(0)} | ${wait.toFixed(0)} | ${percentile(reads, 0.99).toFixed(0)} |`,
    );
  return rows;
}

/**
 * Incompressible rows, in a table that the hub does not know.
 * @param {string} file
 * @param {number} megabytes
 */
function enlarge(file, megabytes) {
  const SqliteDatabase = createRequire(join(root, "package.json"))("better-sqlite3");
  const database = new SqliteDatabase(file);
  database.exec("CREATE TABLE bench_load (n INTEGER PRIMARY KEY, filler BLOB)");
  const insert = database.prepare("INSERT INTO bench_load (filler) VALUES (randomblob(?))");
  database.transaction(() => {
    for (let done = 0; done < megabytes * 1_000_000; done += ROW_BYTES) insert.run(ROW_BYTES);
  })();
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

/**
 * Two samples a second of each device, ten reads, and a sign-in every two seconds.
 * @param {Hub} hub
 * @param {Owner} owner
 * @param {Device[]} meters
 */
async function startLoad(hub, owner, meters) {
  const { connectAsync } = await import("mqtt");
  const clients = await Promise.all(
    meters.map(({ id, password }) =>
      connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { username: id, password, clientId: id }),
    ),
  );
  /** @type {number[]} */
  const reads = [];
  const read = async () => {
    const begun = performance.now();
    await (await fetch(`${hub.url}/v1/devices`, { headers: { authorization: `Bearer ${owner.key}` } })).arrayBuffer();
    reads.push(performance.now() - begun);
  };
  const timers = [
    setInterval(() => void read().catch(() => {}), 100),
    setInterval(() => void signIn(hub.url, owner.account).catch(() => {}), 2_000),
    ...clients.map((client, n) =>
      setInterval(
        () =>
          client.publish(
            `gatehouse/meter-${n}/telemetry`,
            JSON.stringify({ watts: Math.round(performance.now()) % 300 }),
            { qos: 1 },
          ),
        500,
      ),
    ),
  ];
  return {
    reads,
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(clients.map((client) => client.endAsync(true)));
    },
  };
}

/**
 * The longest uninterruptible wait of a process's main thread, sampled every few milliseconds; load on the machine does
 * not lengthen it.
 * @param {number} pid
 */
function diskWaits(pid) {
  /** @type {number | null} */
  let since = null;
  let most = 0;
  const timer = setInterval(() => {
    const isWaiting = /^\d+ \(.*\) D /.test(readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8"));
    const now = performance.now();
    if (isWaiting) {
      since ??= now;
      most = Math.max(most, now - since);
    } else since = null;
  }, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}
