import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../table.ts";

/** What wrote: parts of the hub, or anything at all on the block device. */
export type WriteCause = "database" | "pictures" | "backups" | "other" | "device";

/** Bytes of one cause on one day. */
export interface WriteDayRow {
  /** `2026-03-01`, UTC. */
  readonly day: string;
  readonly cause: WriteCause;
  readonly bytes: number;
}

/** All SQL of the table `write_day`. Writing methods belong inside a write job. */
export class WriteDayTable extends tableOf(prepare) {
  /** Adds to a day's sum. */
  add(row: WriteDayRow): void {
    this.sql.add.run(row);
  }

  /** From `day` on, newest day first. */
  since(day: string): WriteDayRow[] {
    return this.sql.since.all(day);
  }

  /** Forgets days before `day`. */
  deleteBefore(day: string): void {
    this.sql.deleteBefore.run(day);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    add: raw.prepare<[WriteDayRow]>(
      "INSERT INTO write_day (day, cause, bytes) VALUES (@day, @cause, @bytes) ON CONFLICT (day, cause) DO UPDATE SET bytes = bytes + excluded.bytes",
    ),
    since: raw.prepare<[string], WriteDayRow>(
      "SELECT day, cause, bytes FROM write_day WHERE day >= ? ORDER BY day DESC, cause",
    ),
    deleteBefore: raw.prepare<[string]>("DELETE FROM write_day WHERE day < ?"),
  };
}
