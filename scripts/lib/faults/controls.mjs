// @ts-check
/** Faults that the script commits itself, to prove that it detects them. */
import { readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";

/** @param {import("./household.mjs").Household} house */
async function serveAndKill(house) {
  await house.start();
  await house.signIn();
  await house.devices.connect();
  house.busy();
  await pause(800);
  await house.hub.kill();
  await house.calm();
}

/** @type {import("./kinds.mjs").Fault[]} */
export const CONTROLS = [
  {
    name: "file-before-row",
    async run(house) {
      await serveAndKill(house);
      const [, { file }] = [...house.ledger.backups][0] ?? [0, { file: "" }];
      rmSync(file);
      return "a backup's file is deleted, its row stays";
    },
  },
  {
    name: "lost-log",
    async run(house) {
      await serveAndKill(house);
      truncateSync(join(house.folder, "gatehouse.db-wal"), 0);
      return "the log is emptied after acknowledgements";
    },
  },
  {
    name: "lost-row",
    async run(house) {
      await serveAndKill(house);
      const database = new SqliteDatabase(join(house.folder, "gatehouse.db"));
      database.prepare("DELETE FROM visit").run();
      database.prepare("DELETE FROM audit WHERE id = (SELECT min(id) FROM audit)").run();
      database.close();
      return "visits and a line of the audit are deleted";
    },
  },
  {
    name: "claimed-twice",
    async run(house) {
      await serveAndKill(house);
      house.devices.hangUp();
      for (const name of readdirSync(house.folder)) rmSync(join(house.folder, name), { recursive: true });
      return "the folder is emptied";
    },
  },
];
