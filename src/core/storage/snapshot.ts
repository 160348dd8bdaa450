/**
 * A snapshot of the database at one moment, read page by page while writes continue: a backup streams it into its
 * packed form, without a copy on the disk.
 *
 * A read transaction of SQLite's own holds the moment. Each page comes from its last frame in the log up to that
 * moment, else from the file (https://www.sqlite.org/fileformat2.html §4, https://www.sqlite.org/walformat.html).
 * Neither changes meanwhile: a checkpoint moves only pages into the file that are read from the log here, and the log
 * restarts only after all of it has been moved and has no reader; then the file is the moment, and the transaction
 * keeps later checkpoints from it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** How often the moment is taken again because of a concurrent commit. */
const MOST_TRIES = 1_000;
/** The second of the columns busy, log, checkpointed. */
const FRAMES_COLUMN = 1;
/** Places in the first page. */
const FIRST_PAGE = { writeVersion: 18, readVersion: 19, counter: 24, pages: 28, validFor: 92 };
const ROLLBACK_JOURNAL = 1;

/** A moment of a database. */
export class Snapshot {
  readonly #file: string;
  readonly #source: SqliteDatabase.Database;
  readonly #log: OpenLog | null;
  readonly #pageBytes: number;
  readonly #pages: number;

  /** @throws SqliteError, Error of the system when the file cannot be read */
  constructor(file: string) {
    this.#file = file;
    this.#source = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    try {
      this.#log = beginAt(this.#source, file);
      this.#pageBytes = Number(this.#source.pragma("page_size", { simple: true }));
      this.#pages = Number(this.#source.pragma("page_count", { simple: true }));
      this.#log?.index(this.#pageBytes);
    } catch (error) {
      this.#source.close();
      throw error;
    }
  }

  /** The connection that holds the moment, for questions about it. */
  get raw(): SqliteDatabase.Database {
    return this.#source;
  }

  /** All bytes of the database file of this moment, as a file without a log. Blocks its thread page by page. */
  async *chunks(): AsyncGenerator<Buffer, void> {
    let page = 0;
    for await (const pages of wholePages(this.#file, this.#pageBytes, this.#pages)) {
      for (let at = 0; at < pages.length; at += this.#pageBytes) {
        page += 1;
        this.#log?.take(page, pages.subarray(at, at + this.#pageBytes));
      }
      if (page * this.#pageBytes === pages.length) asFileWithoutLog(pages, this.#pages);
      yield pages;
    }
  }

  close(): void {
    this.#source.close();
    this.#log?.close();
  }
}

/** The frames of the log up to a moment. */
class OpenLog {
  readonly #descriptor: number;
  readonly #frames: number;
  readonly #salts: Buffer;
  /** Place of the last frame of a page. */
  #places = new Map<number, number>();

  constructor(descriptor: number, frames: number, salts: Buffer) {
    this.#descriptor = descriptor;
    this.#frames = frames;
    this.#salts = salts;
  }

  index(pageBytes: number): void {
    const header = Buffer.alloc(FRAME_HEADER_BYTES);
    for (let frame = 0; frame < this.#frames; frame++) {
      const at = LOG_HEADER_BYTES + frame * (FRAME_HEADER_BYTES + pageBytes);
      if (!fill(this.#descriptor, header, at) || !this.#isOwn(header)) {
        this.#places = new Map(); // the log restarted: the file has everything
        return;
      }
      this.#places.set(header.readUInt32BE(0), at);
    }
  }

  /** Puts a page as the log has it, if it has it. */
  take(page: number, into: Buffer): void {
    const at = this.#places.get(page);
    if (at === undefined) return;
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + into.length);
    if (!fill(this.#descriptor, frame, at) || !this.#isOwn(frame) || frame.readUInt32BE(0) !== page) return; // as above
    frame.copy(into, 0, FRAME_HEADER_BYTES);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #isOwn(frame: Buffer): boolean {
    return frame.subarray(8, 16).equals(this.#salts);
  }
}

/** Begins a read transaction; returns the log of exactly that moment, null if it is empty. */
function beginAt(source: SqliteDatabase.Database, file: string): OpenLog | null {
  // Reads the log's length without moving anything; a connection within a transaction cannot.
  const beside = new SqliteDatabase(file, { fileMustExist: true });
  try {
    const length = beside.prepare<[], number[]>("PRAGMA wal_checkpoint(NOOP)").raw();
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = length.get()?.[FRAMES_COLUMN] ?? 0;
      const log = before > 0 ? openLog(file, before) : null;
      source.exec("BEGIN");
      source.pragma("user_version"); // the first read begins the transaction
      const after = length.get()?.[FRAMES_COLUMN] ?? 0;
      const isSame = log === null || log.salts.equals(openLogSalts(log.descriptor));
      if (Math.max(0, before) === Math.max(0, after) && isSame)
        return log === null ? null : new OpenLog(log.descriptor, before, log.salts);
      if (log !== null) closeSync(log.descriptor);
      source.exec("ROLLBACK");
    }
  } finally {
    beside.close();
  }
  throw Object.assign(new Error("the database is written to without a pause"), { code: "SQLITE_BUSY" });
}

function openLog(file: string, frames: number): { descriptor: number; frames: number; salts: Buffer } {
  const descriptor = openSync(`${file}-wal`, "r");
  return { descriptor, frames, salts: openLogSalts(descriptor) };
}

function openLogSalts(descriptor: number): Buffer {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  fill(descriptor, header, 0);
  return header.subarray(16, 24);
}

/**
 * The first `pages` pages of a file, some at a time; those beyond its end are empty. Another program reads it: a
 * process that closes a file of SQLite's loses every lock that SQLite has on it.
 */
async function* wholePages(file: string, pageBytes: number, pages: number): AsyncGenerator<Buffer, void> {
  const reader = spawn("cat", ["--", file], { stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(reader, "close");
  ended.catch(() => {}); // waited for below
  let left = pages * pageBytes;
  let rest = Buffer.alloc(0);
  try {
    for await (const piece of reader.stdout) {
      const bytes = Buffer.concat([rest, piece as Buffer]); // the stream has no encoding
      const whole = Math.min(left, bytes.length - (bytes.length % pageBytes));
      if (whole > 0) yield bytes.subarray(0, whole);
      left -= whole;
      rest = bytes.subarray(whole);
      if (left === 0) break;
    }
    if (left > 0) {
      const [code] = await ended;
      if (code !== 0) throw Object.assign(new Error("the database could not be read"), { code: "EIO" });
    }
  } finally {
    reader.kill();
  }
  for (; left > 0; left -= pageBytes) yield Buffer.alloc(pageBytes);
}

/** The first page of a file that needs no log beside it, and whose size counts. */
function asFileWithoutLog(page: Buffer, pages: number): void {
  page[FIRST_PAGE.writeVersion] = ROLLBACK_JOURNAL;
  page[FIRST_PAGE.readVersion] = ROLLBACK_JOURNAL;
  page.writeUInt32BE(pages, FIRST_PAGE.pages);
  page.copy(page, FIRST_PAGE.validFor, FIRST_PAGE.counter, FIRST_PAGE.counter + 4);
}

/** Whether all of it was there. */
function fill(descriptor: number, into: Buffer, at: number): boolean {
  for (let done = 0; done < into.length; ) {
    const count = readSync(descriptor, into, done, into.length - done, at + done);
    if (count === 0) return false;
    done += count;
  }
  return true;
}
