import { randomBytes } from "node:crypto";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "./database.ts";

/** Enough for SQLite's log to record the deletion of thousands of rows. */
const RESERVE_BYTES = 1_048_576;
/** The reserve is only set aside while the disk has this much left. */
const ROOM_BYTES = 4 * RESERVE_BYTES;

/** The part of the database that a {@link Reserve} uses. */
export type ReservedDatabase = Pick<Database, "write" | "state" | "roomMade">;

/**
 * A file that reserves room for the day on which the disk is full: then it is deleted, so that deletions that make room
 * can be written down.
 */
export class Reserve {
  readonly name = "reserve";
  readonly #file: string;
  readonly #database: ReservedDatabase;

  /** @param file on the database's disk; only the reserve writes it */
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
   * Like {@link Database.write}, for jobs that free room on the disk: where that is full, the reserve is used.
   * @throws like {@link Database.write}
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

  /** Allocates the reserve, unless it exists already or the disk has no room for it. */
  keep(): void {
    if (this.#database.state !== "ok" || this.isThere) return;
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#file));
      if (bavail * bsize < ROOM_BYTES) return;
      writeFileSync(this.#file, randomBytes(RESERVE_BYTES)); // incompressible for any file system
    } catch {
      this.#release(); // the disk has less room than it reported: another time
    }
  }

  /** Gives the reserve's room back; returns whether there was any. */
  #release(): boolean {
    try {
      rmSync(this.#file);
      return true;
    } catch {
      return false;
    }
  }
}
