// @ts-check
/**
 * npm run bench -- wear-day [--hours N] [--speed N] [--meters N] [--cars N] [--no-year] [--build FOLDER]
 *
 * The bytes that a household writes in a day: 50 meters report once a minute at QoS 1, 80 cars come to a camera that
 * sends three frames of each, the hub makes its daily backup and its weekly rehearsal, on top of a year of history. The
 * hub's day begins at midnight UTC and passes `--speed` times as fast (60; scripts/lib/faults/shifted-clock.mjs), its
 * disk does not: the effect on the number of shared commits is at most the disk's own time. The figure is `write_bytes`
 * of /proc/PID/io: all writes that the hub's process caused, to any file. At the end: the hub's own figures by cause,
 * one more backup alone, and whether each acknowledged sample is stored exactly once.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import mqtt from "mqtt";
import { benchDevices, benchEnvironment, option, percentile, provision } from "../lib/bench-hub.mjs";
import { carPictures, encodedAnew } from "../lib/car-pictures.mjs";
import { callAs, signIn, startHub } from "../lib/hub-process.mjs";
import { eachStoredSample, sampleFormats } from "../lib/stored-samples.mjs";
import { fillYear } from "../lib/year-of-samples.mjs";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const FRAMES = 3;
const MOST_MB = 400;
const MOST_BACKUP = 1.3;
/** The hub's minutes are short: its limits for a slow machine have to be in real time here. */
const PATIENT = { GATEHOUSE_RECOGNITION_BUDGET_MS: "60000" };

/** @param {string[]} options */
export async function run(options = []) {
  const hours = Number(option(options, "--hours", "24"));
  const speed = Number(option(options, "--speed", "60"));
  const meters = Number(option(options, "--meters", "50"));
  const carsADay = Number(option(options, "--cars", "80"));
  const build = option(options, "--build", "build");
  const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-wear-day-"));
  const data = join(folder, "data");
  const database = join(data, "gatehouse.db");
  const devices = [
    ...benchDevices("energy-meter", meters, "meter"),
    ...benchDevices("camera"),
    ...benchDevices("gate"),
  ];
  const env = benchEnvironment(data, { ...PATIENT, CLOCK_FILE: join(folder, "clock"), CLOCK_SPEED: String(speed) });
  try {
    const { account, key } = provision(build, env, devices);
    const cars = await carPictures();
    const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
    if (!options.includes("--no-year"))
      fillYear(
        database,
        devices.slice(0, meters).map(({ id }) => id),
        midnight,
      );
    const before = statSync(database).size;
    writeFileSync(join(folder, "clock"), String(midnight - Date.now()));
    const hub = await startHub({
      build,
      env,
      preload: ["--import", new URL("../lib/faults/shifted-clock.mjs", import.meta.url).href],
    });
    const owner = callAs(hub.url, { cookie: await signIn(hub.url, account) });
    const api = callAs(hub.url, { authorization: `Bearer ${key}` });
    for (const { plate } of cars) await api("POST", "/v1/plate-rules", { plate });
    await owner("PATCH", "/api/cameras/camera", {
      direction: "in",
      gate: { deviceId: "gate", command: { open: true } },
      presented: "open", // the same pictures are sent again and again
    });
    const started = writtenBytes(hub.pid);
    const connect = (/** @type {string} */ id) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
        username: id,
        password: `password-of-${id}`,
        clientId: id,
        clean: false,
        keepalive: 0,
        reconnectPeriod: 100,
      });
    /** @type {import("mqtt").MqttClient[]} */
    const clients = [];
    for (const { id } of devices) clients.push(await connect(id));
    const [camera, gate] = clients.slice(-2);
    await gate?.subscribeAsync("gatehouse/gate/command", { qos: 1 });

    const realMs = (hours * HOUR_MS) / speed;
    const until = performance.now() + realMs;
    /** @type {number[]} */
    const waits = [];
    /** Numbers of the samples that were acknowledged. @type {number[]} */
    const acknowledged = [];
    const counts = { sent: 0, acknowledged: 0, refused: 0, cars: 0, opened: 0 };
    gate?.on("message", () => {
      counts.opened += 1;
    });
    /** @type {{ hour: number, bytes: number }[]} */
    const marks = [];
    const marking = every(until, HOUR_MS / speed, async (hour) => {
      marks.push({ hour, bytes: writtenBytes(hub.pid) });
    });
    const measuring = every(until, MINUTE_MS / meters / speed, async (n) => {
      const meter = n % meters;
      const asked = performance.now();
      counts.sent += 1;
      const sample = JSON.stringify({ watts: 40 + (n % 300), voltage: 230 + (n % 7), number: n });
      clients[meter]?.publish(`gatehouse/meter-${meter}/telemetry`, sample, { qos: 1 }, (error) => {
        counts[error ? "refused" : "acknowledged"] += 1;
        if (!error) acknowledged.push(n);
        waits.push(((performance.now() - asked) * speed) / 1_000);
      });
    });
    const coming = every(until, DAY_MS / carsADay / speed, async (n) => {
      const jpeg = cars[n % cars.length]?.jpeg ?? Buffer.alloc(0);
      counts.cars += 1;
      const frames = await Promise.all(Array.from({ length: FRAMES }, () => encodedAnew(jpeg)));
      const topic = `gatehouse/camera/capture/${n + 1}`;
      for (const [at, frame] of frames.entries()) await camera?.publishAsync(`${topic}/${at}`, frame, { qos: 1 });
      await camera?.publishAsync(`${topic}/done`, JSON.stringify({ trigger: "loop", frames: FRAMES }), { qos: 1 });
    });
    await Promise.all([measuring, coming, marking]);
    for (const limit = performance.now() + 30_000; counts.acknowledged + counts.refused < counts.sent; await pause(20))
      if (performance.now() > limit) break;
    const day = writtenBytes(hub.pid);
    const wear = await owner("GET", "/api/storage/wear").catch(() => null);
    const { rehearsal = null } = await owner("GET", "/api/backups").catch(() => ({}));
    for (const client of clients) client.end(true);
    await pause(2_000);
    const beforeBackup = writtenBytes(hub.pid);
    const { backups } = await owner("POST", "/api/backups", {});
    const backup = { written: writtenBytes(hub.pid) - beforeBackup, bytes: backups[0]?.bytes ?? Number.NaN };
    await hub.stop();
    const stored = await storedTimes(database);
    const lost = acknowledged.filter((n) => !stored.has(n)).length;
    const doubled = [...stored.values()].filter((times) => times > 1).length;
    const megabytes = (day / 1e6) * (24 / hours);
    console.log(
      `${hours} h at ${speed} times the pace; ${counts.sent} samples of ${meters} meters, ${counts.cars} cars, ${counts.opened} openings; the database ${mb(before)} MB before, ${mb(statSync(database).size)} MB after`,
    );
    console.log(
      `MB by hour: ${marks
        .slice(1)
        .map(({ bytes }, n) => mb(bytes - (marks[n]?.bytes ?? 0)))
        .join(" ")}`,
    );
    console.log(`start and setting up: ${mb(started)} MB; the hub's own books: ${JSON.stringify(wear?.today ?? null)}`);
    console.log(`rehearsal: ${JSON.stringify(rehearsal)}`);
    console.log(
      `acknowledged ${counts.acknowledged} (refused ${counts.refused}), after ${percentile(waits, 0.5).toFixed(1)} s of the hub's in the median, ${percentile(waits, 0.99).toFixed(1)} s at p99; not stored ${lost}, stored twice ${doubled}`,
    );
    console.log(
      `a backup: ${mb(backup.bytes)} MB, ${(backup.written / backup.bytes).toFixed(2)} times that was written`,
    );
    console.log(`a day: ${megabytes.toFixed(0)} MB written (at most ${MOST_MB})`);
    const isOver = megabytes > MOST_MB || backup.written > MOST_BACKUP * backup.bytes;
    if (isOver || lost > 0 || doubled > 0) process.exitCode = 1;
    return { megabytes, backup, counts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {number} until @param {number} gapMs @param {(n: number) => Promise<void>} once */
async function every(until, gapMs, once) {
  const begun = performance.now();
  for (let n = 0; performance.now() < until; n++) {
    await once(n);
    const due = begun + (n + 1) * gapMs;
    if (due > performance.now()) await pause(due - performance.now());
  }
}

/** What a process has caused to be written to disks, all its threads together. @param {number} pid */
function writtenBytes(pid) {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

/**
 * How often each numbered sample is stored. @param {string} file
 * @returns {Promise<Map<number, number>>}
 */
async function storedTimes(file) {
  const database = new SqliteDatabase(file);
  /** @type {Map<number, number>} */
  const times = new Map();
  try {
    eachStoredSample(database, await sampleFormats(), (_deviceId, { number }) => {
      if (typeof number === "number") times.set(number, (times.get(number) ?? 0) + 1); // the year of history has none
    });
  } finally {
    database.close();
  }
  return times;
}

/** @param {number} bytes */
function mb(bytes) {
  return (bytes / 1e6).toFixed(1);
}
