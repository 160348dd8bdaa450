import type { PairedVisit } from "../../../core/plates/visits.ts";
import { Table } from "../../../core/storage/table.ts";

/** A row of `visit`. Times are epoch milliseconds. */
export interface VisitRow extends PairedVisit {
  readonly id: number;
  readonly siteId: number;
  readonly plate: string;
}

/** A row of `visit_closure`: a person closed the open visit of a plate. */
export interface VisitClosureRow {
  readonly id: number;
  readonly at: number;
}

const COLUMNS = `id, site_id AS siteId, plate, entry_read_id AS entryReadId, exit_read_id AS exitReadId, entry_at AS entryAt,
  exit_at AS exitAt, entry_camera AS entryCamera, exit_camera AS exitCamera, status, stay_seconds AS staySeconds`;

/** All SQL of the tables `visit` and `visit_closure`. Writing methods belong inside a write job. */
export class VisitTable extends Table {
  readonly #forgetVisits = this.sql.statement<[number, string]>("DELETE FROM visit WHERE site_id = ? AND plate = ?");
  readonly #forgetClosures = this.sql.statement<[number, string]>(
    "DELETE FROM visit_closure WHERE site_id = ? AND plate = ?",
  );

  /** One visit of a household; null when there is none. */
  readonly find = this.sql.first<[siteId: number, id: number], VisitRow>(
    `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND id = ?`,
  );

  /** All visits of a plate, newest first. */
  readonly of = this.sql.all<[siteId: number, plate: string], VisitRow>(
    `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND plate = ? ORDER BY coalesce(entry_at, exit_at) DESC, id DESC`,
  );

  /** Visits that are open now, the latest first. */
  readonly open = this.sql.all<[siteId: number], VisitRow>(
    `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND status = 'open' ORDER BY entry_at DESC, id DESC`,
  );

  /** The open visit of a plate; null when there is none. */
  readonly openOf = this.sql.first<[siteId: number, plate: string], VisitRow>(
    `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND plate = ? AND status = 'open'`,
  );

  /** Status of the visit that began with a read; null: none did. */
  readonly statusOfEntry = this.sql.value<[readId: number], VisitRow["status"] | null>(
    "SELECT status FROM visit WHERE entry_read_id = ?",
    null,
  );

  /** How long a plate's latest visits were, of those that were seen to end; seconds. */
  readonly latestStays = this.sql.all<[siteId: number, plate: string, limit: number], { seconds: number }>(
    `SELECT stay_seconds AS seconds FROM visit WHERE site_id = ? AND plate = ? AND status = 'closed'
       ORDER BY id DESC LIMIT ?`,
  );

  /** Visits whose vehicle left unseen and that began at or after `since`, the latest first. */
  readonly leftUnseen = this.sql.all<[siteId: number, since: number, limit: number], VisitRow>(
    `SELECT ${COLUMNS} FROM visit INDEXED BY visit_by_age WHERE site_id = ? AND status <> 'open' AND status = 'exit_missed' AND coalesce(exit_at, entry_at) >= ?
       ORDER BY coalesce(exit_at, entry_at) DESC LIMIT ?`,
  );

  /** How many visits are open. */
  readonly countOpen = this.sql.value<[siteId: number], number>(
    "SELECT count(*) AS count FROM visit WHERE site_id = ? AND status = 'open'",
    0,
  );

  /** Stores a new visit and answers its id. */
  readonly insert = this.sql.insert<
    [row: Omit<VisitRow, "id">]
  >(`INSERT INTO visit (site_id, plate, entry_read_id, exit_read_id, entry_at, exit_at, entry_camera, exit_camera, status, stay_seconds)
       VALUES (@siteId, @plate, @entryReadId, @exitReadId, @entryAt, @exitAt, @entryCamera, @exitCamera, @status, @staySeconds)`);

  readonly update = this.sql.run<
    [row: VisitRow]
  >(`UPDATE visit SET entry_read_id = @entryReadId, exit_read_id = @exitReadId, entry_at = @entryAt, exit_at = @exitAt,
         entry_camera = @entryCamera, exit_camera = @exitCamera, status = @status, stay_seconds = @staySeconds WHERE id = @id`);

  readonly remove = this.sql.run<[id: number]>("DELETE FROM visit WHERE id = ?");

  /** Times at which the plate's open visit was closed by hand. */
  readonly closures = this.sql.all<[siteId: number, plate: string], VisitClosureRow>(
    "SELECT id, at FROM visit_closure WHERE site_id = ? AND plate = ? ORDER BY at, id",
  );

  /** One closure with its plate; null when there is none. */
  readonly closure = this.sql.first<[siteId: number, id: number], VisitClosureRow & { plate: string }>(
    "SELECT id, plate, at FROM visit_closure WHERE site_id = ? AND id = ?",
  );

  /** Notes that the open visit of a plate was closed by hand. */
  readonly close = this.sql.run<[siteId: number, plate: string, at: number, actor: string]>(
    "INSERT INTO visit_closure (site_id, plate, at, actor) VALUES (?, ?, ?, ?)",
  );

  /** Forgets visits and closures of a plate. */
  forget(siteId: number, plate: string): void {
    this.#forgetVisits.run(siteId, plate);
    this.#forgetClosures.run(siteId, plate);
  }

  /** Ended visits from before `before`, oldest first. */
  readonly expired = this.sql.all<[before: number, limit: number], Pick<VisitRow, "id" | "siteId" | "plate">>(
    "SELECT id, site_id AS siteId, plate FROM visit WHERE status <> 'open' AND coalesce(exit_at, entry_at) < ? ORDER BY coalesce(exit_at, entry_at) LIMIT ?",
  );

  /** How many those are. */
  readonly countExpired = this.sql.value<[before: number], number>(
    "SELECT count(*) AS count FROM visit WHERE status <> 'open' AND coalesce(exit_at, entry_at) < ?",
    0,
  );

  /** Visits of all households. */
  readonly count = this.sql.value<[], number>("SELECT count(*) AS count FROM visit", 0);

  /** Closures of all households. */
  readonly countClosures = this.sql.value<[], number>("SELECT count(*) AS count FROM visit_closure", 0);

  /** How many closures are from before `before`. */
  readonly countExpiredClosures = this.sql.value<[before: number], number>(
    "SELECT count(*) AS count FROM visit_closure WHERE at < ?",
    0,
  );

  /** Forgets up to `most` closures from before `before`, the oldest first; returns how many went. */
  readonly purgeClosures = this.sql.changes<[before: number, most: number]>(
    "DELETE FROM visit_closure WHERE id IN (SELECT id FROM visit_closure WHERE at < ? ORDER BY at, id LIMIT ?)",
  );
}
