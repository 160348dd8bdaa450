import type SqliteDatabase from "better-sqlite3";
import type { PairedVisit } from "../../../core/plates/visits.ts";
import { tableOf } from "../../../core/storage/table.ts";

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
export class VisitTable extends tableOf(prepare) {
  /** One visit of a household; null when there is none. */
  find(siteId: number, id: number): VisitRow | null {
    return this.sql.find.get(siteId, id) ?? null;
  }

  /** All visits of a plate, newest first. */
  of(siteId: number, plate: string): VisitRow[] {
    return this.sql.of.all(siteId, plate);
  }

  /** Visits that are open now, the latest first. */
  open(siteId: number): VisitRow[] {
    return this.sql.open.all(siteId);
  }

  /** The open visit of a plate; null when there is none. */
  openOf(siteId: number, plate: string): VisitRow | null {
    return this.sql.openOf.get(siteId, plate) ?? null;
  }

  /** How many visits are open. */
  countOpen(siteId: number): number {
    return this.sql.countOpen.get(siteId)?.count ?? 0;
  }

  /** Stores a new visit and answers its id. */
  insert(row: Omit<VisitRow, "id">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  update(row: VisitRow): void {
    this.sql.update.run(row);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }

  /** Times at which the plate's open visit was closed by hand. */
  closures(siteId: number, plate: string): VisitClosureRow[] {
    return this.sql.closures.all(siteId, plate);
  }

  /** One closure with its plate; null when there is none. */
  closure(siteId: number, id: number): (VisitClosureRow & { readonly plate: string }) | null {
    return this.sql.closure.get(siteId, id) ?? null;
  }

  /** Notes that the open visit of a plate was closed by hand. */
  close(siteId: number, plate: string, at: number, actor: string): void {
    this.sql.close.run(siteId, plate, at, actor);
  }

  /** Forgets visits and closures of a plate. */
  forget(siteId: number, plate: string): void {
    this.sql.forgetVisits.run(siteId, plate);
    this.sql.forgetClosures.run(siteId, plate);
  }

  /** Ended visits from before `before`, oldest first. */
  expired(before: number, limit: number): Pick<VisitRow, "id" | "siteId" | "plate">[] {
    return this.sql.expired.all(before, limit);
  }

  /** How many those are. */
  countExpired(before: number): number {
    return this.sql.countExpired.get(before)?.count ?? 0;
  }

  /** Visits of all households. */
  count(): number {
    return this.sql.count.get()?.count ?? 0;
  }

  /** Closures of all households. */
  countClosures(): number {
    return this.sql.countClosures.get()?.count ?? 0;
  }

  /** How many closures are from before `before`. */
  countExpiredClosures(before: number): number {
    return this.sql.countExpiredClosures.get(before)?.count ?? 0;
  }

  /** Forgets up to `most` closures from before `before`, the oldest first; returns how many went. */
  purgeClosures(before: number, most: number): number {
    return this.sql.purgeClosures.run(before, most).changes;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    find: raw.prepare<[number, number], VisitRow>(`SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND id = ?`),
    of: raw.prepare<[number, string], VisitRow>(
      `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND plate = ? ORDER BY coalesce(entry_at, exit_at) DESC, id DESC`,
    ),
    open: raw.prepare<[number], VisitRow>(
      `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND status = 'open' ORDER BY entry_at DESC, id DESC`,
    ),
    openOf: raw.prepare<[number, string], VisitRow>(
      `SELECT ${COLUMNS} FROM visit WHERE site_id = ? AND plate = ? AND status = 'open'`,
    ),
    countOpen: raw.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM visit WHERE site_id = ? AND status = 'open'",
    ),
    insert: raw.prepare<[Omit<VisitRow, "id">]>(
      `INSERT INTO visit (site_id, plate, entry_read_id, exit_read_id, entry_at, exit_at, entry_camera, exit_camera, status, stay_seconds)
       VALUES (@siteId, @plate, @entryReadId, @exitReadId, @entryAt, @exitAt, @entryCamera, @exitCamera, @status, @staySeconds)`,
    ),
    update: raw.prepare<[VisitRow]>(
      `UPDATE visit SET entry_read_id = @entryReadId, exit_read_id = @exitReadId, entry_at = @entryAt, exit_at = @exitAt,
         entry_camera = @entryCamera, exit_camera = @exitCamera, status = @status, stay_seconds = @staySeconds WHERE id = @id`,
    ),
    remove: raw.prepare<[number]>("DELETE FROM visit WHERE id = ?"),
    closures: raw.prepare<[number, string], VisitClosureRow>(
      "SELECT id, at FROM visit_closure WHERE site_id = ? AND plate = ? ORDER BY at, id",
    ),
    closure: raw.prepare<[number, number], VisitClosureRow & { plate: string }>(
      "SELECT id, plate, at FROM visit_closure WHERE site_id = ? AND id = ?",
    ),
    close: raw.prepare<[number, string, number, string]>(
      "INSERT INTO visit_closure (site_id, plate, at, actor) VALUES (?, ?, ?, ?)",
    ),
    forgetVisits: raw.prepare<[number, string]>("DELETE FROM visit WHERE site_id = ? AND plate = ?"),
    forgetClosures: raw.prepare<[number, string]>("DELETE FROM visit_closure WHERE site_id = ? AND plate = ?"),
    expired: raw.prepare<[number, number], Pick<VisitRow, "id" | "siteId" | "plate">>(
      "SELECT id, site_id AS siteId, plate FROM visit WHERE status <> 'open' AND coalesce(exit_at, entry_at) < ? ORDER BY coalesce(exit_at, entry_at) LIMIT ?",
    ),
    countExpired: raw.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM visit WHERE status <> 'open' AND coalesce(exit_at, entry_at) < ?",
    ),
    count: raw.prepare<[], { count: number }>("SELECT count(*) AS count FROM visit"),
    countClosures: raw.prepare<[], { count: number }>("SELECT count(*) AS count FROM visit_closure"),
    countExpiredClosures: raw.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM visit_closure WHERE at < ?",
    ),
    purgeClosures: raw.prepare<[number, number]>(
      "DELETE FROM visit_closure WHERE id IN (SELECT id FROM visit_closure WHERE at < ? ORDER BY at, id LIMIT ?)",
    ),
  };
}
