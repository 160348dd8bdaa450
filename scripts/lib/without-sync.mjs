// @ts-check
// Loaded before the hub (node --import) by the control of scripts/power-cut.mjs: neither SQLite nor the hub waits for
// the log to reach the disk, so that the check must find losses.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import SqliteDatabase from "better-sqlite3";

const { pragma } = SqliteDatabase.prototype;
if (process.env.LEFT_OUT !== "log") {
  SqliteDatabase.prototype.pragma = function (text, options) {
    return pragma.call(this, /^\s*synchronous\s*=/i.test(text) ? "synchronous = OFF" : text, options);
  };
}
Object.assign(fs, {
  fdatasync: (/** @type {number} */ _descriptor, /** @type {(error: null) => void} */ done) => setImmediate(done, null),
});
syncBuiltinESMExports();
