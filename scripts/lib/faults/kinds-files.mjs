// @ts-check
/** Corrupted files: flipped bits, torn pages, truncated, emptied, malformed. */

import {
  closeSync,
  cpSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import { all } from "../stored-samples.mjs";

/** @typedef {import("./household.mjs").Household} Household */
/** @typedef {import("./random.mjs").Random} Random */

const PAGE = 4_096;

/**
 * Damages one file in one of the ways that disks and people do.
 * @param {string} file
 * @param {Random} random
 * @param {string[]} ways
 */
function harm(file, random, ways = ["flip", "torn", "zeros", "cut", "empty"]) {
  const size = statSync(file).size;
  const way = random.of(ways);
  const handle = openSync(file, "r+");
  const page = Math.floor(random.int(0, Math.max(0, size - 1)) / PAGE) * PAGE;
  if (way === "flip") {
    const at = random.int(0, Math.max(0, size - 1));
    const byte = Buffer.alloc(1);
    readSync(handle, byte, 0, 1, at);
    byte[0] = (byte[0] ?? 0) ^ (1 << random.int(0, 7));
    writeSync(handle, byte, 0, 1, at);
    closeSync(handle);
    return `one bit at ${at} of ${size}`;
  }
  if (way === "torn" || way === "zeros") {
    const length = Math.min(way === "torn" ? 512 * random.int(1, 7) : PAGE, fstatSync(handle).size - page);
    writeSync(
      handle,
      Buffer.alloc(length, way === "torn" ? 0x5a : 0),
      0,
      length,
      page + (way === "torn" ? Math.min(PAGE - length, 512) : 0),
    );
    closeSync(handle);
    return `${way}, page at ${page} of ${size}`;
  }
  closeSync(handle);
  const left = way === "empty" ? 0 : random.int(1, Math.max(1, size - 1));
  truncateSync(file, left);
  return `cut to ${left} of ${size}`;
}

/** Serves for a moment, and ends as in a power cut. @param {Household} house */
async function serveAndKill(house) {
  await house.start();
  await house.signIn();
  await house.devices.connect();
  house.busy();
  await pause(500);
  await house.hub.kill();
  await house.calm();
  house.devices.hangUp();
}

/**
 * Starts on the remaining data; a hub that does not run must give the reason in a plain message.
 * @param {Household} house
 * @param {{ mayRefuse?: boolean }} [rules]
 */
async function startsOrSays(house, { mayRefuse = false } = {}) {
  const runs = await house.start();
  if (runs) {
    await touchEverything(house);
    return;
  }
  house.wasReported = true;
  house.isEnded = true;
  if (!mayRefuse || house.hub.stderr.trim() === "")
    house.find("start-failed", `exit ${house.hub.exitCode}: ${house.hub.stderr.trim().slice(0, 300) || "no word"}`);
}

/** Reads and writes of every kind, so that damage anywhere is met. @param {Household} house */
async function touchEverything(house) {
  await house.signIn().catch(() => {});
  let failed = "";
  for (const path of [
    "/v1/devices",
    "/v1/plates?limit=100",
    "/v1/vehicles",
    "/v1/automations",
    "/v1/scenes",
    "/api/cameras",
    "/api/webhooks",
    "/api/backups",
    "/v1/events?limit=100",
    "/v1/devices/meter-0/telemetry?limit=1000",
  ]) {
    const { status } = await house.call("GET", path).catch(() => ({ status: 0 }));
    if (status >= 500 || status === 0) failed += ` ${path}: ${status}`;
  }
  await house.room().catch(() => {});
  await pause(1_200);
  const storage = await house.hub.storage();
  if (storage?.level !== "ok") house.wasReported = true;
  else if (failed !== "") house.find("health-lies", `storage reports ok and reads fail:${failed}`);
}

/** Every JSON cell of a table that has some. @param {SqliteDatabase.Database} database */
function jsonCells(database) {
  const tables = /** @type {{ name: string }[]} */ (
    database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  );
  return tables.flatMap(({ name }) =>
    /** @type {{ name: string }[]} */ (database.pragma(`table_info(${name})`)).flatMap((column) => {
      const row = database
        .prepare(`SELECT 1 FROM ${name} WHERE substr("${column.name}", 1, 1) IN ('{', '[') LIMIT 1`)
        .get();
      return row === undefined ? [] : [{ table: name, column: column.name }];
    }),
  );
}

/** @type {import("./kinds.mjs").Fault[]} */
export const fileFaults = [
  {
    name: "database-pages",
    async run(house, random) {
      await serveAndKill(house);
      const file = join(house.folder, "gatehouse.db");
      const moved = random.of([true, false]);
      if (moved) {
        const database = new SqliteDatabase(file);
        database.pragma("wal_checkpoint(TRUNCATE)");
        database.close();
      }
      const summary = harm(file, random);
      await startsOrSays(house);
      return `${summary}${moved ? "" : ", log beside it"}`;
    },
  },
  {
    name: "database-while-open",
    async run(house, random) {
      await house.start();
      await house.signIn();
      await house.devices.connect();
      house.busy();
      await pause(400);
      const summary = harm(join(house.folder, "gatehouse.db"), random, ["torn", "zeros", "torn", "cut"]);
      await pause(500);
      await touchEverything(house);
      await house.calm();
      await house.hub.kill();
      await startsOrSays(house);
      return `${summary}, while the hub ran`;
    },
  },
  {
    name: "database-emptied",
    async run(house, random) {
      await serveAndKill(house);
      const file = join(house.folder, "gatehouse.db");
      const ends = random.of([["", "-wal", "-shm"], [""]]);
      const isRemoved = random.of([true, false]);
      for (const end of ends) if (existsSync(file + end)) isRemoved ? rmSync(file + end) : truncateSync(file + end, 0);
      await startsOrSays(house);
      if (house.runs) {
        const storage = await house.hub.storage();
        if (storage?.level === "ok")
          house.find("health-lies", `everything is gone, and storage reports ok: ${storage.text}`);
        house.wasReported = true;
      }
      return `${isRemoved ? "removed" : "0 bytes"}: gatehouse.db${ends.length > 1 ? " with its log" : ""}`;
    },
  },
  {
    name: "log",
    async run(house, random) {
      await serveAndKill(house);
      const wal = join(house.folder, "gatehouse.db-wal");
      if (!existsSync(wal) || statSync(wal).size === 0) return "there was none";
      // Acknowledged data was there, and SQLite reads the log only as far as its checksums match: such a loss cannot be
      // detected.
      const summary = harm(wal, random);
      house.mayLoseLog();
      await startsOrSays(house);
      return summary;
    },
  },
  {
    name: "journal-row",
    async run(house, random) {
      await serveAndKill(house);
      const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
      /** @type {{ id: number, samples: Buffer }[]} */
      const [row] = all(database, "SELECT rowid AS id, samples FROM telemetry_journal ORDER BY random() LIMIT 1");
      if (row === undefined) return "there was none";
      const bytes = Buffer.from(row.samples);
      const at = random.int(0, bytes.length - 1);
      const isCut = random.of([true, false]);
      if (!isCut) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
      database
        .prepare("UPDATE telemetry_journal SET samples = ? WHERE rowid = ?")
        .run(isCut ? bytes.subarray(0, at) : bytes, row.id);
      database.close();
      house.mayLoseSamples();
      await startsOrSays(house);
      if (house.runs) {
        const storage = await house.hub.storage();
        if (!storage?.text.includes(`telemetry journal ${row.id} `))
          house.find(
            "health-lies",
            `row ${row.id} of the journal is not as it was written, and storage reports ${storage?.level}: ${storage?.text}`,
          );
      }
      return `row ${row.id}, ${isCut ? "cut" : "a bit"} at ${at} of ${bytes.length}`;
    },
  },
  {
    name: "json-cell",
    quick: true,
    async run(house, random) {
      await serveAndKill(house);
      const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
      const { table, column } = random.of(jsonCells(database));
      const text = random.of(['{"half":', "", "null", "[]", "7", '"x"', "{}"]);
      let summary = `${table}.${column} = ${text || "''"}`;
      try {
        const { changes } = database
          .prepare(
            `UPDATE ${table} SET "${column}" = ? WHERE rowid = (SELECT rowid FROM ${table} WHERE "${column}" IS NOT NULL LIMIT 1)`,
          )
          .run(text); // prettier-ignore
        if (changes === 0) summary += " (no row)";
      } catch {
        // Tables WITHOUT ROWID.
        try {
          database.prepare(`UPDATE ${table} SET "${column}" = ?`).run(text);
        } catch {
          summary += " (refused)";
        }
      }
      database.close();
      house.harmedTables.add(table);
      await startsOrSays(house);
      return summary;
    },
  },
  {
    name: "settings-file",
    async run(house, random) {
      await serveAndKill(house);
      const file = join(house.folder, "gatehouse.json");
      if (!existsSync(file))
        writeFileSync(file, JSON.stringify({ telemetry: { rawDays: 40 }, log: { level: "info" } }, null, 2));
      const how = random.of(["harm", "json", "value"]);
      let summary = how;
      if (how === "harm") summary = harm(file, random);
      else writeFileSync(file, how === "json" ? "[1, 2" : JSON.stringify({ telemetry: { rawDays: "many" } }));
      await startsOrSays(house, { mayRefuse: true });
      return summary;
    },
  },
  {
    name: "hub-key",
    async run(house, random) {
      await serveAndKill(house);
      const file = join(house.folder, "hub.key");
      const keyOf = () => Buffer.from(readFileSync(file, "utf8"), "base64").toString("hex"); // as the hub reads it
      const before = keyOf();
      const isRemoved = random.next() < 0.25;
      const isCopyRemoved = random.next() < 0.5;
      const summary = `${isRemoved ? "removed" : harm(file, random)}${isCopyRemoved ? ", without its copy" : ""}`;
      if (isRemoved) rmSync(file);
      if (isCopyRemoved) rmSync(`${file}.copy`);
      await startsOrSays(house, { mayRefuse: true });
      house.harmedTables.add("webhook");
      if (house.runs) {
        const { body } = await house.hub.call("GET", "/healthz");
        house.mayLackSecrets = body.checks.some(
          (/** @type {import("./hub.mjs").Check} */ check) => check.level !== "ok" && check.text.includes("hub.key"),
        );
        if (keyOf() !== before && !house.mayLackSecrets)
          house.find("health-lies", "the hub's key is another one, webhooks cannot be signed, and nothing says so");
      }
      return summary;
    },
  },
  {
    name: "certificates",
    async run(house, random) {
      await serveAndKill(house);
      const folder = join(house.folder, "tls");
      if (!existsSync(folder)) return "there are none";
      const name = random.of(readdirSync(folder));
      const isRemoved = random.next() < 0.2;
      const summary = isRemoved ? "removed" : harm(join(folder, name), random);
      if (isRemoved) rmSync(join(folder, name));
      house.env = { GATEHOUSE_TLS: "own", GATEHOUSE_PLAIN_HTTP: "open" };
      await startsOrSays(house);
      return `tls/${name}: ${summary}`;
    },
  },
  {
    name: "models",
    lacks: () => null,
    async run(house, random, { scratch }) {
      const models = join(scratch, "models");
      rmSync(models, { recursive: true, force: true });
      cpSync(join(house.options.root, "models"), models, {
        recursive: true,
        filter: (name) => !name.includes("training"),
      });
      const files = readdirSync(models).filter((name) => name.endsWith(".onnx"));
      if (files.length === 0) return "there are none";
      const name = random.of(files);
      const summary = harm(join(models, name), random, ["cut", "empty", "zeros", "torn"]);
      house.env = { GATEHOUSE_RECOGNITION: "true", GATEHOUSE_MODELS: models };
      await startsOrSays(house);
      if (house.runs) await pause(1_500);
      return `${name}: ${summary}`;
    },
  },
  {
    name: "backup-file",
    async run(house, random) {
      await house.start();
      await house.signIn();
      const [id, kept] = random.of([...house.ledger.backups]);
      const summary = harm(kept.file, random);
      house.ledger.backups.delete(id);
      const same = readFileSync(kept.file).equals(
        readFileSync(join(house.template, kept.file.slice(house.folder.length + 1))),
      );
      const { status, bytes } = await house.call("POST", `/api/backups/${id}/restore`, {});
      if (!same && status < 300) house.find("damage-unseen", `a backup with ${summary} is taken for sound: ${bytes}`);
      if (status >= 500) house.find("unanswered", `restore of a damaged backup: ${status} ${bytes}`);
      if (status < 300) rmSync(join(house.folder, "restore-ready"), { recursive: true, force: true });
      const rehearsed = await house.call("POST", "/api/backups/rehearse", {});
      if (rehearsed.status >= 500) house.find("unanswered", `rehearsal: ${rehearsed.status} ${rehearsed.bytes}`);
      return summary;
    },
  },
];
