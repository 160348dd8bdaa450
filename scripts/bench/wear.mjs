// @ts-check
/**
 * npm run bench -- wear [--seconds N] [--idle N] [--rate N] [--devices N] [--build FOLDER]
 *
 * The writes that reach the card: bytes written to the data partition (an ext4 on its own loop device, by the kernel's
 * count of sectors, so the file system's journal is included) per telemetry sample and per idle hour. Next to it the
 * same messages into a plain SQLite, one insert and one commit per message, as hubs that keep history usually do it.
 * Both wait for the disk (synchronous = FULL). After the load the hub stops cleanly, so that checkpoints and compaction
 * count too. Root.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, option, startBenchHub } from "../lib/bench-hub.mjs";
import { loopDevice, makeExt4, mountLoop } from "../lib/exported-disk.mjs";

/**
 * @typedef {{ seconds: number, idle: number, rate: number, devices: number, build: string }} Settings
 * @typedef {{ written(): number }} Disk `written` syncs and counts the bytes that reached it
 * @typedef {{ sent: number, bytes: number, idleBytes: number }} Figures
 */

const SECTOR = 512;
const DISK_MB = 512;

/** Runs the comparison and prints it; resolves with the figures. @param {string[]} options */
export async function run(options = []) {
  if (process.getuid?.() !== 0) throw new Error("wear needs root: it mounts a disk of its own");
  const settings = {
    seconds: Number(option(options, "--seconds", "60")),
    idle: Number(option(options, "--idle", "60")),
    rate: Number(option(options, "--rate", "10")),
    devices: Number(option(options, "--devices", "20")),
    build: option(options, "--build", "build-hub"),
  };
  const plain = await onDisk((folder, disk) => plainSqlite(folder, disk, settings));
  const hub = await onDisk((folder, disk) => wholeHub(folder, disk, settings));
  print(settings, { plain, hub });
  return { plain, hub };
}

/** Runs `work` on a fresh ext4 of its own. @param {(folder: string, disk: Disk) => Promise<Figures>} work */
async function onDisk(work) {
  const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-wear-"));
  const [image, mountPoint] = [join(folder, "disk.img"), join(folder, "disk")];
  writeFileSync(image, "");
  truncateSync(image, DISK_MB << 20);
  mkdirSync(mountPoint);
  makeExt4(image);
  const loop = loopDevice(image);
  const unmount = mountLoop(loop, mountPoint);
  const written = () => {
    execFileSync("sync", ["-f", mountPoint]);
    const fields = readFileSync(`/sys/block/${basename(loop)}/stat`, "utf8")
      .trim()
      .split(/\s+/);
    return Number(fields[6]) * SECTOR;
  };
  try {
    return await work(mountPoint, { written });
  } finally {
    unmount();
    rmSync(folder, { recursive: true, force: true });
  }
}

const message = (/** @type {number} */ n) =>
  JSON.stringify({ watts: 40 + (n % 300), voltage: 230 + (n % 7), energy: 1000 + n });

/** @param {string} folder @param {Disk} disk @param {Settings} settings */
async function plainSqlite(folder, disk, { seconds, idle, rate, devices }) {
  const { default: SqliteDatabase } = await import("better-sqlite3");
  const database = new SqliteDatabase(join(folder, "plain.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(
    "CREATE TABLE sample (id INTEGER PRIMARY KEY, device TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL); CREATE INDEX sample_by_device ON sample (device, at)",
  );
  const insert = database.prepare("INSERT INTO sample (device, at, data) VALUES (?, ?, ?)");
  const before = disk.written();
  const sent = await paced({ seconds, rate }, (n) => {
    insert.run(`meter-${n % devices}`, Date.now(), message(n));
  });
  const afterLoad = disk.written();
  await pause(idle * 1000);
  const idleBytes = disk.written() - afterLoad;
  database.close();
  return { sent, bytes: disk.written() - before - idleBytes, idleBytes };
}

/** @param {string} folder @param {Disk} disk @param {Settings} settings */
async function wholeHub(folder, disk, { seconds, idle, rate, devices, build }) {
  const meters = benchDevices("energy-meter", devices, "meter");
  const hub = await startBenchHub({
    build,
    devices: meters,
    data: join(folder, "data"),
    env: { GATEHOUSE_SNTP: "false" },
  });
  /** @type {import("mqtt").MqttClient[]} */
  const clients = [];
  for (const { id } of meters) clients.push(await hub.connect(id));
  await pause(3_000);
  const before = disk.written();
  let acknowledged = 0;
  const sent = await paced({ seconds, rate }, (n) => {
    clients[n % devices]?.publish(`gatehouse/meter-${n % devices}/telemetry`, message(n), { qos: 1 }, (error) => {
      if (!error) acknowledged++;
    });
  });
  while (acknowledged < sent) await pause(20);
  const afterLoad = disk.written();
  await pause(idle * 1000);
  const idleBytes = disk.written() - afterLoad;
  for (const client of clients) client.end(true);
  await hub.stop();
  return { sent, bytes: disk.written() - before - idleBytes, idleBytes };
}

/**
 * Returns the number sent: fewer than due if `send` itself takes longer than its share of a second.
 * @param {Pick<Settings, "seconds" | "rate">} pace
 * @param {(n: number) => void} send
 */
async function paced({ seconds, rate }, send) {
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  let sent = 0;
  while (elapsed() < seconds) {
    for (const due = elapsed() * rate; sent < due && elapsed() < seconds; sent++) send(sent);
    await pause(10);
  }
  return sent;
}

/** @param {Settings} settings @param {{ plain: Figures, hub: Figures }} figures */
function print({ seconds, idle, rate, devices }, { plain, hub }) {
  console.log(
    `${rate} samples/s from ${devices} devices for ${seconds} s, then ${idle} s idle; bytes that reached the data partition`,
  );
  console.log(`${"".padEnd(26)} samples/s bytes/sample   KB/idle hour   MB/day at this rate`);
  for (const [name, { sent, bytes, idleBytes }] of /** @type {const} */ ([
    ["plain SQLite, each message", plain],
    ["hub", hub],
  ])) {
    const perSample = bytes / sent;
    const perHour = (idleBytes / idle) * 3.6;
    console.log(
      `${name.padEnd(26)}${(sent / seconds).toFixed(0).padStart(10)}${perSample.toFixed(0).padStart(13)}${perHour.toFixed(0).padStart(15)}${((perSample * rate * 86_400) / 1e6).toFixed(0).padStart(22)}`,
    );
  }
  console.log(
    `ratio: the hub writes ${(plain.bytes / plain.sent / (hub.bytes / hub.sent)).toFixed(2)} times less for each sample`,
  );
}
