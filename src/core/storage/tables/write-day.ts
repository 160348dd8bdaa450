import { Table } from "../table.ts";

/** The cause of a write: parts of the hub, or anything at all on the block device. */
export type WriteCause = "database" | "pictures" | "backups" | "other" | "device";

/** Bytes of one cause on one day. */
export interface WriteDayRow {
  /** `2026-03-01`, UTC. */
  readonly day: string;
  readonly cause: WriteCause;
  readonly bytes: number;
}

/** All SQL of the table `write_day`. Writing methods belong inside a write job. */
export class WriteDayTable extends Table {
  /** Adds to a day's sum. */
  readonly add = this.sql.run<[row: WriteDayRow]>(
    "INSERT INTO write_day (day, cause, bytes) VALUES (@day, @cause, @bytes) ON CONFLICT (day, cause) DO UPDATE SET bytes = bytes + excluded.bytes",
  );

  /** From `day` on, newest day first. */
  readonly since = this.sql.all<[day: string], WriteDayRow>(
    "SELECT day, cause, bytes FROM write_day WHERE day >= ? ORDER BY day DESC, cause",
  );

  /** Forgets days before `day`. */
  readonly deleteBefore = this.sql.run<[day: string]>("DELETE FROM write_day WHERE day < ?");
}
