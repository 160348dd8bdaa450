import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "./database.js";

/** Enough for SQLite's log to take in the deletion of thousands of rows. */
const RESERVE_BYTES = 1_048_576;
/** It is laid by while the disk has as much beside it. */
const ROOM_BYTES = 4 * RESERVE_BYTES;

/** What a {@link Reserve} asks of the database. */
export type ReservedDatabase = Pick<Database, "write" | "state" | "roomMade">;

/**
 * A file that holds room for the day on which the disk is full: then it goes, so that what makes room can be written
 * down.
 */
export class Reserve {
  readonly name = "reserve";
  readonly #file: string;
  readonly #database: ReservedDatabase;

  /** @param file on the database's disk; nobody else writes it */
  constructor(file: string, database: ReservedDatabase) {
    this.#file = file;
    this.#database = database;
  }

  async start(): Promise<void> {
    this.keep();
  }

  async stop(): Promise<void> {}

  get isThere(): boolean {
    return existsSync(this.#file);
  }

  /**
   * As {@link Database.write}, for what gives room back on the disk: where that is full, the reserve is used.
   * @throws as {@link Database.write}
   */
  async write<Result>(job: () => Result): Promise<Result> {
    try {
      return await this.#database.write(job);
    } catch (error) {
      if (this.#database.state !== "full" || !this.#release()) throw error;
    }
    this.#database.roomMade();
    return this.#database.write(job);
  }

  /** Lays it by, unless it is there or the disk has no room for it. */
  keep(): void {
    if (this.#database.state !== "ok" || this.isThere) return;
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file));
      if (bavail * bsize < ROOM_BYTES) return;
      writeFileSync(this.#file, randomBytes(RESERVE_BYTES)); // nothing that a file system could pack or leave out
    } catch {
      this.#release(); // the disk is worse than it said: another time
    }
  }

  /** Gives its room back; answers whether there was any. */
  #release(): boolean {
    try {
      rmSync(this.#file);
      return true;
    } catch {
      return false;
    }
  }
}
