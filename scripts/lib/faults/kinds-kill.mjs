// @ts-check
/** kill -9 at random moments, and during operations of several steps. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";

/** @typedef {import("./household.mjs").Household} Household */
/** @typedef {import("./random.mjs").Random} Random */

/** @param {Household} house */
async function serve(house, rate = 80) {
  if (!(await house.start())) return false;
  await house.signIn();
  await house.devices.connect();
  house.busy(rate);
  return true;
}

/** Every name in a folder and one level below. @param {string} folder */
function names(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() && entry.name !== "plates"
        ? [entry.name, ...readdirSync(join(folder, entry.name)).map((name) => `${entry.name}/${name}`)]
        : [entry.name],
    );
  } catch {
    return []; // it changes while it is listed
  }
}

/**
 * Begins something, and kills the hub at one of its steps: when the n-th change of the data folder's files is seen, or
 * some milliseconds in.
 * @param {Household} house @param {Random} random @param {() => Promise<unknown>} begin @param {number} longestMs
 */
async function killWithin(house, random, begin, longestMs) {
  const changes = random.of([0, 1, 2, 3, 4]);
  const until = random.int(0, longestMs);
  let seen = 0;
  let before = names(house.folder).join();
  const began = performance.now();
  let isDone = false;
  const done = begin().then(
    () => (isDone = true),
    () => (isDone = true),
  );
  const when = () => (changes === 0 ? performance.now() - began >= until : seen >= changes);
  while (!when() && !isDone && performance.now() - began < 8_000) {
    await pause(1);
    const now = names(house.folder).join();
    if (now !== before) seen += 1;
    before = now;
  }
  const took = Math.round(performance.now() - began);
  if (house.runs) await house.hub.kill();
  await done;
  return `killed ${took} ms in${changes === 0 ? "" : `, at change ${seen} of the files`}${isDone ? "" : ""}`;
}

/** @type {import("./kinds.mjs").Fault[]} */
export const killFaults = [
  {
    name: "kill-anywhere",
    async run(house, random) {
      const summary = [];
      for (let times = random.int(1, 3); times > 0; times--) {
        if (!(await serve(house))) return "the hub did not start";
        const ms = random.int(50, 1_500);
        await pause(ms);
        await house.hub.kill();
        await house.calm();
        summary.push(ms);
      }
      return `after ${summary.join(", ")} ms under load`;
    },
  },
  {
    name: "kill-start",
    async run(house, random) {
      const summary = [];
      await serve(house);
      await pause(300);
      await house.hub.kill();
      await house.calm();
      house.devices.hangUp();
      for (let times = random.int(1, 4); times > 0; times--) {
        const ms = random.int(50, 1_200);
        const started = house.start();
        await pause(ms);
        await house.hub.kill();
        await started;
        summary.push(ms);
      }
      return `${summary.join(", ")} ms into the start`;
    },
  },
  {
    name: "kill-backup",
    quick: true,
    async run(house, random) {
      await serve(house, 40);
      await pause(200);
      return killWithin(house, random, () => house.backUp(), 700);
    },
  },
  {
    name: "kill-delete-backup",
    async run(house, random) {
      await serve(house, 40);
      const [id, kept] = random.of([...house.ledger.backups]);
      const summary = await killWithin(
        house,
        random,
        async () => {
          house.ledger.backups.delete(id); // requested: from here on both are right
          const { status } = await house.call("DELETE", `/api/backups/${id}`);
          if (status === 200) house.ledger.goneBackups.set(id, kept.file);
        },
        60,
      );
      // A row without its file is a loss at any stage.
      if (!existsSync(kept.file)) {
        const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
        const row = database.prepare("SELECT id FROM backup WHERE id = ?").get(id);
        database.close();
        if (row !== undefined) house.find("lost", `the file of backup ${id} went before its line`);
      }
      return summary;
    },
  },
  {
    name: "kill-restore",
    async run(house, random) {
      await serve(house, 40);
      await pause(300);
      await house.calm();
      await house.devices.settled(5_000);
      house.devices.hangUp();
      const id = random.of([...house.ledger.backups.keys()]);
      let isStaged = false;
      const summary = await killWithin(
        house,
        random,
        async () => {
          const { status } = await house.call("POST", `/api/backups/${id}/restore`, {});
          isStaged = status < 300;
          if (isStaged) await pause(random.int(0, 50));
        },
        900,
      );
      // The switch happens at the next start, and is interrupted there too.
      const willSwitch = isStaged || existsSync(join(house.folder, "restore-ready"));
      if (random.of([true, false])) {
        const started = house.start();
        await pause(random.int(50, 700));
        await house.hub.kill();
        await started;
      }
      if (willSwitch) {
        // It restores the backup: data recorded since is set aside, the backup's data must be there.
        house.toBackup();
      }
      return `${summary}${willSwitch ? ", laid out" : ", not laid out"}`;
    },
  },
  {
    name: "kill-migration",
    async run(house, random) {
      const { root } = house.options;
      const { addFunctions, readMigrations } = await import("../../../src/core/storage/migrate.ts");
      const migrations = readMigrations(join(root, "src/core/storage/migrations"));
      const from = random.int(3, migrations.length - 1);
      const file = join(house.folder, "gatehouse.db");
      for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
      const old = new SqliteDatabase(file);
      old.pragma("journal_mode = WAL");
      addFunctions(old);
      for (const { version, sql } of migrations.slice(0, from)) {
        old.exec(sql);
        old.pragma(`user_version = ${version}`);
      }
      old.exec("CREATE TABLE faults_ballast (text TEXT)");
      for (let n = 0; n < 500; n++) old.prepare("INSERT INTO faults_ballast VALUES (?)").run("x".repeat(2_000));
      old.close();
      let kills = random.int(1, 4);
      const ms = [];
      for (; kills > 0; kills--) {
        const started = house.start();
        const wait = random.int(200, 900);
        ms.push(wait);
        await pause(wait);
        await house.hub.kill();
        await started;
      }
      if (!(await house.start())) house.find("start-failed", `after a migration from ${from}: ${house.hub.stderr}`);
      else await house.hub.stop();
      const now = new SqliteDatabase(file);
      const version = now.pragma("user_version", { simple: true });
      const count = /** @type {{ n: number }} */ (now.prepare("SELECT count(*) AS n FROM faults_ballast").get()).n;
      const check = now.pragma("quick_check", { simple: true });
      const broken = /** @type {unknown[]} */ (now.pragma("foreign_key_check"));
      now.close();
      if (version !== migrations.length || count !== 500 || check !== "ok" || broken.length > 0)
        house.find(
          "lost",
          `version ${version} of ${migrations.length}, ${count} of 500 rows, ${check}, ${broken.length} broken references`,
        );
      for (const process of house.processes)
        if (process.stackTrace() !== null) house.find("stack-trace", process.stackTrace() ?? "");
      house.isLookedAt = true; // another database: the household's own invariants do not apply
      return `from version ${from}, killed ${ms.join(", ")} ms into the start`;
    },
  },
  {
    name: "kill-forget",
    async run(house, random) {
      await serve(house, 40);
      const { plates } = await house.must("GET", "/v1/plates?limit=10");
      const known = plates
        .map((/** @type {{ plate: string | null }} */ read) => read.plate)
        .filter((/** @type {string | null} */ plate) => plate !== null);
      if (known.length === 0) return "no plate is known: there are no models";
      const plate = random.of(/** @type {string[]} */ (known));
      let isForgotten = false;
      const summary = await killWithin(
        house,
        random,
        async () => {
          isForgotten = (await house.call("DELETE", `/api/vehicles/${plate}`)).status === 200;
        },
        60,
      );
      if (isForgotten || house.isForgotten(plate)) house.ledger.gonePlates.add(plate);
      house.mayTidyUp = !isForgotten; // its rows were deleted first, and the deletion was not acknowledged
      return `${summary}${isForgotten ? ", answered" : ""}`;
    },
  },
  {
    name: "kill-compaction",
    async run(house, random, { scratch }) {
      house.env = { CLOCK_FILE: join(scratch, "no-clock"), CLOCK_SPEED: "30" };
      house.imports = [new URL("./shifted-clock.mjs", import.meta.url).href];
      const summary = [];
      for (let times = random.int(2, 3); times > 0; times--) {
        if (!(await serve(house))) return "the hub did not start";
        const ms = random.int(300, 2_500);
        await pause(ms);
        await house.hub.kill();
        await house.calm();
        summary.push(ms);
      }
      return `an hour in two minutes; killed after ${summary.join(", ")} ms`;
    },
  },
  {
    name: "kill-retention",
    async run(house, random, { scratch }) {
      // All of one device's samples are too old; recent ones must stay, wherever the sweep was interrupted.
      const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
      const old = Date.now() - 400 * 86_400_000;
      database
        .prepare("UPDATE feed_item SET at = ? WHERE site_id <> (SELECT id FROM site WHERE env = 'live')")
        .run(old);
      const site = database.prepare("SELECT id FROM site WHERE env = 'live'").pluck().get();
      const insert = database.prepare(
        "INSERT INTO plate_read (site_id, device_id, capture_id, plate, formatted, seen_text, plate_kind, confidence, votes, samples, status, decision, direction, opens_visit, trigger, at, last_at, stored_at) VALUES (?, 'camera-9', ?, 'KA01AB1234', 'KA 01 AB 1234', '', 'standard', 95, 1, 1, 'recognised', 'allow', 'in', 0, 'motion', ?, ?, ?)",
      );
      database.transaction(() => {
        for (let n = 0; n < 3_000; n++) insert.run(site, 10_000 + n, old, old, old);
      })();
      database.close();
      house.env = { CLOCK_FILE: join(scratch, "no-clock"), CLOCK_SPEED: "30" };
      house.imports = [new URL("./shifted-clock.mjs", import.meta.url).href];
      await serve(house);
      const ms = random.int(200, 2_500);
      await pause(ms);
      await house.hub.kill();
      return `killed ${ms} ms in`;
    },
  },
];
