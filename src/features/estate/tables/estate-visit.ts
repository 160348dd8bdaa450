import type { VisitStatus } from "../../../core/plates/visits.ts";
import { Table } from "../../../core/storage/table.ts";
import type { EventPlace } from "./estate-read.ts";

/** A row of `estate_visit`. Times are epoch milliseconds by the estate's clock. */
export interface EstateVisitRow {
  readonly part: string;
  readonly plate: string;
  readonly startAt: number;
  readonly startHub: string;
  readonly startUid: number;
  readonly entryAt: number | null;
  readonly entryHub: string | null;
  readonly entryUid: number | null;
  readonly exitAt: number | null;
  readonly exitHub: string | null;
  readonly exitUid: number | null;
  readonly status: VisitStatus;
  readonly staySeconds: number | null;
}

/** A vehicle that is inside a part of the site. */
export interface InsideRow {
  readonly part: string;
  readonly plate: string;
  readonly formatted: string;
  readonly entryAt: number;
  readonly hub: string;
  readonly deviceId: string;
  readonly camera: string;
}

const COLUMNS = `part, plate, start_at AS startAt, start_hub AS startHub, start_uid AS startUid, entry_at AS entryAt, entry_hub AS entryHub, entry_uid AS entryUid,
  exit_at AS exitAt, exit_hub AS exitHub, exit_uid AS exitUid, status, stay_seconds AS staySeconds`;

/** All SQL of the table `estate_visit`. Writing methods belong inside a write job. */
export class EstateVisitTable extends Table {
  readonly #removeAll = this.sql.statement<[string, string]>("DELETE FROM estate_visit WHERE part = ? AND plate = ?");
  readonly #removeFrom = this.sql.statement<[object]>(
    "DELETE FROM estate_visit WHERE part = @part AND plate = @plate AND (start_at, start_hub, start_uid) >= (@at, @hub, @uid)",
  );

  readonly insert = this.sql.run<
    [row: EstateVisitRow]
  >(`INSERT INTO estate_visit (part, plate, start_at, start_hub, start_uid, entry_at, entry_hub, entry_uid, exit_at, exit_hub, exit_uid, status, stay_seconds)
       VALUES (@part, @plate, @startAt, @startHub, @startUid, @entryAt, @entryHub, @entryUid, @exitAt, @exitHub, @exitUid, @status, @staySeconds)`);

  /** Deletes the visits of a plate that begin at a place or after it; all of them without one. */
  removeFrom(part: string, plate: string, place: EventPlace | null): void {
    if (place === null) this.#removeAll.run(part, plate);
    else this.#removeFrom.run({ part, plate, ...place });
  }

  /** Visits of a plate, newest first. */
  readonly of = this.sql.all<[plate: string, limit: number], EstateVisitRow>(
    `SELECT ${COLUMNS} FROM estate_visit WHERE plate = ? ORDER BY start_at DESC, start_hub DESC, start_uid DESC LIMIT ?`,
  );

  /** How many vehicles are in each part that has any. */
  readonly insideParts = this.sql.all<[], { part: string; inside: number }>(
    "SELECT part, count(*) AS inside FROM estate_visit WHERE status = 'open' GROUP BY part",
  );

  /** How many vehicles are in any part. */
  readonly countInside = this.sql.value<[], number>(
    "SELECT count(DISTINCT plate) AS count FROM estate_visit WHERE status = 'open'",
    0,
  );

  /** Vehicles inside, those that came last first. */
  readonly inside = this.sql.all<
    [limit: number],
    InsideRow
  >(`SELECT v.part, v.plate, r.formatted, v.entry_at AS entryAt, r.hub, r.device_id AS deviceId, r.camera
       FROM estate_visit v JOIN estate_read r ON r.hub = v.entry_hub AND r.uid = v.entry_uid WHERE v.status = 'open'
       ORDER BY v.entry_at DESC, v.plate LIMIT ?`);

  /** Deletes visits that ended before `before`. Returns how many. */
  readonly purge = this.sql.changes<
    [before: number, limit: number]
  >(`DELETE FROM estate_visit WHERE (part, plate, start_at, start_hub, start_uid) IN (SELECT part, plate, start_at, start_hub, start_uid FROM estate_visit
         WHERE status <> 'open' AND coalesce(exit_at, entry_at) < ? ORDER BY coalesce(exit_at, entry_at) LIMIT ?)`);
}
