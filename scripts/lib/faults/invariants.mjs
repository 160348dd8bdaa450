// @ts-check
/** The conditions after any fault. Each violation is a finding of the household with its evidence. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { all, eachStoredSample } from "../stored-samples.mjs";
import { METERS, OUTSIDE } from "./devices.mjs";
import { sha256 } from "./ledger.mjs";

/** Rows of the set-up that only their owner may delete. */
const KEPT_TABLES = {
  device: "SELECT id AS key FROM device",
  account: "SELECT id AS key FROM account",
  webhook: "SELECT id AS key FROM webhook",
  plate_rule: "SELECT id || ' ' || plate AS key FROM plate_rule",
  plate_read:
    "SELECT id || ' ' || coalesce(plate, '') || ' ' || at AS key FROM plate_read WHERE device_id = 'camera-1'",
  plate_image:
    "SELECT read_id AS key FROM plate_image JOIN plate_read ON plate_read.id = read_id WHERE device_id = 'camera-1'",
  visit: "SELECT id || ' ' || plate AS key FROM visit WHERE entry_camera = 'camera-1'",
  vehicle: "SELECT vehicle.plate AS key FROM vehicle JOIN plate_read USING (plate) WHERE device_id = 'camera-1'",
  feed_item: "SELECT id AS key FROM feed_item WHERE site_id = (SELECT id FROM site WHERE env = 'live')",
  audit: "SELECT id AS key FROM audit",
  automation: "SELECT name AS key FROM automation",
  scene: "SELECT name AS key FROM scene",
  api_key: "SELECT id AS key FROM api_key",
};
/** Data of the set-up written after its first backup. */
const AFTER_BACKUP = ["audit", "feed_item"];
/** After this long without a delivery, none will come. */
const STANDSTILL_MS = 20_000;
/**
 * If the hub's minutes are shortened, so are the receivers' timeouts: on a busy machine deliveries wait for later
 * attempts.
 */
const STANDSTILL_FAST_MS = 90_000;
/** The hub runs its first clean-up 20 s after a start. */
const TIDY_MS = 60_000;
/** Columns that may contain a plate. */
const PLATE_PLACES = ["plate_read", "visit", "vehicle", "plate_rule", "feed_item"];

/**
 * @typedef {import("./household.mjs").Household} Household
 * @typedef {import("../stored-samples.mjs").Formats} Formats
 */

/**
 * Checks while the hub runs: the owner gets in, the backups and the pictures are there, the receivers got all pending
 * deliveries; then stops it and checks the stored data.
 * @param {Household} house
 * @param {Formats} formats
 */
export async function verify(house, formats) {
  await house.calm();
  if (house.isEnded) house.devices.hangUp();
  else if (house.runs || (await restart(house))) {
    await ownerGetsIn(house);
    if (!house.wasReported) {
      if (!(await house.devices.settled(30_000)))
        house.find("not-acknowledged", "devices wait for an acknowledgement, and none came for 30 s");
      await filesAreThere(house).catch((error) => house.find("unanswered", String(error?.message ?? error)));
      if (!house.mayLackSecrets) await receiversGotAll(house);
      if (house.mayTidyUp) await tidiesUp(house, formats);
    }
    house.devices.hangUp();
    if (house.runs) {
      const code = await house.hub.stop();
      if (code !== 0 && !house.wasReported)
        house.find("exit-code", `SIGTERM ended it with ${code ?? "no end in 20 s"}; ${house.hub.lastWords}`);
    } else
      house.find(
        "exit-code",
        `it ended while it was looked at: ${house.hub.oddEnd ?? `exit ${house.hub.exitCode}`}; ${house.hub.stderr.slice(-200)}`,
      );
  }
  for (const process of house.processes) {
    if (process.oddEnd !== null) house.find("exit-code", `${process.oddEnd}; ${process.stderr.slice(-300)}`);
    const trace = process.stackTrace();
    if (trace !== null) house.find("stack-trace", trace);
  }
  await stored(house, formats);
}

/** Starts a hub that a fault has ended. @param {Household} house */
async function restart(house) {
  if (await house.start()) return true;
  const { hub } = house;
  house.wasReported = true;
  house.find("start-failed", `exit ${hub.exitCode}: ${hub.stderr.trim().split("\n").slice(0, 3).join(" | ")}`);
  return false;
}

/** @param {Household} house */
async function ownerGetsIn(house) {
  const storage = await house.hub.storage();
  if (storage !== null && storage.level !== "ok") house.wasReported = true;
  const standing = await house.hub.call("GET", "/api/standing").catch(() => null);
  if (standing?.body.claimed === false || house.hub.claimCode !== null)
    house.find("claimable", "the hub can be claimed, though it had an owner");
  const answer = await house.signIn().catch((error) => ({ status: 0, bytes: Buffer.from(String(error)) }));
  if (answer.status >= 300 || answer.status === 0)
    house.find(
      "owner-locked-out",
      `sign-in: ${answer.status} ${answer.bytes}; storage: ${storage?.level} ${storage?.text}`,
    );
}

/** @param {Household} house */
async function filesAreThere(house) {
  const { ledger } = house;
  const { status, body } = await house.call("GET", "/api/backups");
  if (status !== 200) return house.find("unanswered", `GET /api/backups: ${status}`);
  /** @type {{ backups: { file: string, present: boolean }[] }} */
  const { backups } = body;
  const listed = new Map(backups.map((backup) => [backup.file, backup]));
  for (const [id, { file, sha256: hash }] of ledger.backups) {
    const there = existsSync(file);
    if (!listed.has(file))
      house.find("lost", `backup ${id} is not in the list${there ? ", though its file is there" : ""}`);
    else if (!there || listed.get(file)?.present !== true)
      house.find("lost", `the file of backup ${id} is gone and its line is not`);
    else if (sha256(readFileSync(file)) !== hash) house.find("lost", `backup ${id} is not what was written`);
  }
  for (const [id, file] of ledger.goneBackups) {
    if (listed.has(file)) house.find("not-deleted", `backup ${id} was deleted and is in the list`);
    if (existsSync(file)) house.find("not-deleted", `backup ${id} was deleted and its file is there`);
  }
  /** @type {{ plates?: { id: number, plate: string }[] }} */
  const { plates = [] } = (await house.call("GET", "/v1/plates?limit=100")).body;
  for (const { readId, hash } of house.mayLosePictures ? [] : house.pictures()) {
    const read = plates.find((one) => one.id === readId);
    if (read === undefined || ledger.gonePlates.has(read.plate)) continue; // rows are checked in the file
    const picture = await house.call("GET", `/v1/plates/${readId}/image`);
    if (picture.status !== 200 || sha256(picture.bytes) !== hash)
      house.find("lost", `the picture of read ${readId}: ${picture.status}`);
  }
}

/**
 * A hub that ended after deleting rows and before deleting their files removes the files soon after its next start.
 * @param {Household} house
 * @param {Formats} formats
 */
async function tidiesUp(house, formats) {
  const gone = furnished(house, formats);
  const ids = [...house.ledger.gonePlates].flatMap((plate) => gone.readsOf(plate));
  const files = house
    .pictures()
    .flatMap(({ readId, name }) => (ids.includes(readId) ? [join(house.folder, "plates", name)] : []));
  for (
    const deadline = performance.now() + TIDY_MS;
    files.some((file) => existsSync(file)) && performance.now() < deadline;
  )
    await pause(100);
}

/** @param {Household} house */
async function receiversGotAll(house) {
  const { ledger, options } = house;
  const own = [...ledger.samples].filter((key) => Number(key.split(" ")[1]) >= house.baseSent);
  let counts = options.receivers.counts();
  const standstill = house.env.CLOCK_SPEED === undefined ? STANDSTILL_MS : STANDSTILL_FAST_MS;
  let deadline = performance.now() + standstill;
  while (own.some((key) => !counts.has(key)) && performance.now() < deadline) {
    await pause(100);
    const now = options.receivers.counts();
    if (now.size > counts.size) deadline = performance.now() + standstill;
    counts = now;
  }
  const missing = own.filter((key) => !counts.has(key));
  const twice = own.filter((key) => (counts.get(key) ?? 0) > 1);
  if (missing.length > 0) {
    const answer = await house.call("GET", "/api/webhooks").catch(() => ({ body: {} }));
    const webhook = answer.body.webhooks?.find((/** @type {{ url: string }} */ one) =>
      one.url.endsWith(`:${new URL(options.receivers.goodUrl).port}/`),
    );
    house.find(
      "not-delivered",
      `${missing.length} of ${own.length} acknowledged samples did not reach the receiver, such as ${missing[0]}; the hub: ${JSON.stringify(webhook)}`,
    );
  }
  if (twice.length > 0)
    house.find("doubled", `${twice.length} samples reached the receiver in two deliveries, such as ${twice[0]}`);
}

/** What the file holds, with the hub stopped. @param {Household} house @param {Formats} formats */
async function stored(house, formats) {
  const { ledger, wasReported } = house;
  const doctor = await askDoctor(house);
  /** @type {string} */
  let verdict;
  /** @type {ReturnType<typeof contents> | null} */
  let now = null;
  try {
    now = contents(house.folder, formats);
    verdict = now.verdict;
  } catch (error) {
    verdict = error instanceof Error ? error.message : String(error);
  }
  if (verdict !== "ok") {
    if (doctor.level !== "failed") house.find("doctor-lies", `doctor says "${doctor.text}"; the file: ${verdict}`);
    if (!wasReported) house.find("health-lies", `the hub reported that its storage is ok; the file: ${verdict}`);
  } else if (doctor.level === "failed") house.find("doctor-lies", `doctor says "${doctor.text}"; the file is sound`);
  if (now === null || wasReported) return;
  if (now.unreadable > 0 && doctor.level === "ok")
    house.find(
      "damage-unseen",
      `${now.unreadable} rows of samples cannot be read, and neither the hub nor doctor says so`,
    );
  const before = furnished(house, formats);
  const lost = [...ledger.samples].filter((key) => !now.samples.has(key));
  const twice = [...now.samples].filter(([, count]) => count > 1);
  const rooms = [...ledger.rooms].filter((name) => !now.rooms.has(name));
  if (lost.length > 0)
    house.find("lost", `${lost.length} of ${ledger.samples.size} acknowledged samples, such as ${lost[0]}`);
  if (twice.length > 0) house.find("doubled", `${twice.length} samples are stored twice, such as ${twice[0]?.[0]}`);
  if (rooms.length > 0)
    house.find("lost", `${rooms.length} of ${ledger.rooms.size} acknowledged rooms, such as ${rooms[0]}`);
  for (const [table, keys] of before.rows) {
    if (house.harmedTables.has(table) || (house.mayLosePictures && table === "plate_image")) continue;
    if (house.isRestored && AFTER_BACKUP.includes(table)) continue;
    const there = now.rows.get(table) ?? new Set();
    const gone = [...keys].filter(
      (key) => !there.has(key) && ![...ledger.gonePlates].some((plate) => mayGo(table, key, plate, before)),
    );
    if (gone.length > 0) house.find("lost", `${gone.length} of ${keys.size} rows of ${table}, such as ${gone[0]}`);
  }
  for (const plate of ledger.gonePlates) {
    const left = now.mentions(plate);
    if (left.length > 0) house.find("not-deleted", `${plate} was forgotten and stands in ${left.join(", ")}`);
    const ids = before.readsOf(plate);
    const picture = house
      .pictures()
      .find(({ readId, name }) => ids.includes(readId) && existsSync(join(house.folder, "plates", name)));
    if (picture !== undefined)
      house.find("not-deleted", `${plate} was forgotten and its picture ${picture.name} is there`);
  }
}

/**
 * Whether a row goes with a forgotten plate.
 * @param {string} table
 * @param {string} key
 * @param {string} plate
 * @param {ReturnType<typeof contents>} before
 */
function mayGo(table, key, plate, before) {
  if (table === "plate_image") return before.readsOf(plate).includes(Number(key));
  return key.includes(plate) || table === "feed_item";
}

/** By household. @type {WeakMap<Household, ReturnType<typeof contents>>} */
const templates = new WeakMap();

/** What the household held after its set-up; every fault begins with a copy. @param {Household} house @param {Formats} formats */
function furnished(house, formats) {
  const known = templates.get(house) ?? contents(house.template, formats);
  templates.set(house, known);
  return known;
}

/** Reads a data folder of a stopped hub. @param {string} folder @param {Formats} formats */
function contents(folder, formats) {
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { fileMustExist: true });
  try {
    const verdict = String(database.pragma("quick_check", { simple: true }));
    /** @type {Map<string, number>} */
    const samples = new Map();
    let unreadable = 0;
    const count = (/** @type {string} */ deviceId, /** @type {Record<string, unknown>} */ { n }) => {
      if (![...METERS, OUTSIDE].includes(deviceId)) return; // the simulated household continues
      const key = `${deviceId} ${n}`;
      samples.set(key, (samples.get(key) ?? 0) + 1);
    };
    eachStoredSample(database, formats, count, () => (unreadable += 1));
    /** @type {{ name: string }[]} */
    const roomRows = all(database, "SELECT name FROM room");
    const rooms = new Set(roomRows.map((row) => row.name));
    /** @param {string} sql @returns {{ key: unknown }[]} */
    const keyed = (sql) => all(database, sql);
    const rows = new Map(
      Object.entries(KEPT_TABLES).map(([table, sql]) => [table, new Set(keyed(sql).map((row) => String(row.key)))]),
    );
    /** @type {{ id: number, plate: string | null }[]} */
    const reads = all(database, "SELECT id, plate FROM plate_read");
    const texts = new Map(
      PLATE_PLACES.map((table) => [table, JSON.stringify(all(database, `SELECT * FROM ${table}`))]),
    );
    return {
      verdict,
      samples,
      unreadable,
      rooms,
      rows,
      readsOf: (/** @type {string} */ plate) => reads.filter((row) => row.plate === plate).map((row) => row.id),
      mentions: (/** @type {string} */ plate) => PLATE_PLACES.filter((table) => texts.get(table)?.includes(plate)),
    };
  } finally {
    database.close();
  }
}

/**
 * The report of `gatehouse doctor` on the database.
 * @param {Household} house
 * @returns {Promise<{ level: string, text: string }>}
 */
async function askDoctor(house) {
  const { root } = house.options;
  const { runCli } = await import("../../../src/cli/cli.ts");
  let output = "";
  const take = (/** @type {string} */ chunk) => {
    output += chunk;
  };
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_DATA: house.folder,
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    ...house.env,
  };
  const io = {
    env,
    out: take,
    err: take,
    readInput: async () => "",
    projectFolder: root,
    version: "0",
    whenUnread: () => {},
    leave: () => {},
  };
  await runCli(["doctor", "--json"], io);
  try {
    /** @type {{ checks: import("./hub.mjs").Check[] }} */
    const { checks } = JSON.parse(output);
    const found = (/** @type {string} */ code) => checks.find((check) => check.code === code);
    return found("database") ?? { level: "none", text: found("configuration")?.text ?? "nothing of the database" };
  } catch {
    if (/^\s+at /m.test(output)) house.find("stack-trace", `doctor: ${output}`);
    return { level: "none", text: output.slice(0, 200) };
  }
}
