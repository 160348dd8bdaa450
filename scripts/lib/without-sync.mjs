// Loaded before the hub (node --import) by the control of scripts/power-cut.mjs: SQLite no longer waits for the disk, so that
// the check has something to find.
import SqliteDatabase from "better-sqlite3";

const { pragma } = SqliteDatabase.prototype;
SqliteDatabase.prototype.pragma = function (text, options) {
  return pragma.call(this, /^\s*synchronous\s*=/i.test(text) ? "synchronous = OFF" : text, options);
};
