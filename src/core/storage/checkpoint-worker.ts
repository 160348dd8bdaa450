/**
 * The thread that moves the log into the database file. It has its own connections, so only it blocks when it waits for
 * the disk. In: orders, one at a time. Out: their results. It must never write the hub's rows.
 */
import { parentPort, workerData } from "node:worker_threads";
import SqliteDatabase from "better-sqlite3";
import type { CheckpointOrder, CheckpointReply } from "./checkpointer.ts";
import { rewriteLog } from "./log-file.ts";

// its only caller is the checkpointer
const { file, keepBytes } = workerData as { readonly file: string; readonly keepBytes: number };

const own = open();
// syncs the log before it writes the database, the database before it starts the log over, and a new log's header
own.pragma("synchronous = NORMAL");
own.pragma(`journal_size_limit = ${keepBytes}`);
/**
 * Its open read keeps the hub's own connection from starting the log over: SQLite would do that by waiting for the disk
 * in the event loop.
 */
const guard = open();
const look = guard.prepare("SELECT 1 FROM hub LIMIT 1");
const begun = own.prepare(
  "INSERT INTO hub (key, value) VALUES ('log_number', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
);

function open(): SqliteDatabase.Database {
  const raw = new SqliteDatabase(file, { fileMustExist: true, timeout: 0 });
  raw.pragma("wal_autocheckpoint = 0");
  raw.pragma("cache_size = -256");
  return raw;
}

/** Moves what is in the log now, while others keep writing to it. */
function copy(): void {
  release();
  guard.exec("BEGIN");
  look.get();
  own.pragma("wal_checkpoint(PASSIVE)");
}

/**
 * Moves the rest and starts the log over with a meaningless row; false if a reader still needs it. Needs all writes
 * held.
 */
function renew(): boolean {
  release();
  const [result] = own.pragma("wal_checkpoint(PASSIVE)") as { log: number; checkpointed: number }[]; // SQLite's own
  if (result === undefined || result.checkpointed < result.log) return false;
  own.exec("BEGIN IMMEDIATE");
  try {
    begun.run();
    own.exec("COMMIT");
  } finally {
    if (own.inTransaction) own.exec("ROLLBACK");
  }
  return true;
}

function release(): void {
  if (guard.inTransaction) guard.exec("COMMIT");
}

function carryOut(order: CheckpointOrder): boolean {
  switch (order.kind) {
    case "copy":
      copy();
      return true;
    case "renew":
      return renew();
    case "rewrite":
      rewriteLog(file, order.frames);
      return true;
  }
}

parentPort?.on("message", (order: CheckpointOrder) => {
  let reply: CheckpointReply;
  try {
    reply = { done: carryOut(order) };
  } catch (error) {
    const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
    reply = { code, text: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
