import type SqliteDatabase from "better-sqlite3";
import type { Decision } from "../../../core/plates/decide.ts";
import type { Direction } from "../../../core/plates/reading.ts";
import { Table } from "../../../core/storage/table.ts";

/**
 * A row of `estate_read`: a pass at a gate of the estate, or a visit closed there by a person. Times are epoch
 * milliseconds by the estate's clock.
 */
export interface EstateReadRow {
  readonly hub: string;
  readonly uid: number;
  readonly version: number;
  /** 0: a pass; 1: a closure. */
  readonly kind: 0 | 1;
  readonly part: string;
  readonly plate: string;
  readonly formatted: string;
  readonly token: string;
  readonly deviceId: string;
  readonly camera: string;
  readonly direction: Direction | null;
  readonly opensVisit: 0 | 1;
  readonly decision: Decision;
  readonly confidence: number;
  readonly label: string;
  readonly at: number;
  readonly lastAt: number;
  /** Of this hub's own row; null for other hubs'. */
  readonly localId: number | null;
  readonly sent: 0 | 1;
}

/** A read's place in the order in which visits are paired. */
export type EventPlace = Pick<EstateReadRow, "at" | "hub" | "uid">;

/** The columns that pairing looks at. */
export type PairedRow = Pick<EstateReadRow, "hub" | "uid" | "kind" | "deviceId" | "direction" | "opensVisit" | "at">;

/** How many reads a range of numbers has, and the sum of the differences of their versions from its first number. */
export interface ReadTally {
  readonly count: number;
  readonly sum: number;
}

/** Filters of a list; absent members match everything. */
export interface EstateReadFilter {
  readonly hub?: string | undefined;
  readonly plate?: string | undefined;
  readonly decision?: Decision | undefined;
  readonly direction?: Direction | undefined;
  readonly deviceId?: string | undefined;
  /** At or after. */
  readonly since?: number | undefined;
  /** At or before. */
  readonly until?: number | undefined;
  readonly before?: EventPlace | undefined;
}

const COLUMNS = `hub, uid, version, kind, part, plate, formatted, token, device_id AS deviceId, camera, direction, opens_visit AS opensVisit, decision, confidence,
  label, at, last_at AS lastAt, local_id AS localId, sent`;

const PAIRED = "hub, uid, kind, device_id AS deviceId, direction, opens_visit AS opensVisit, at";

/** All SQL of the table `estate_read`. Writing methods belong inside a write job. */
export class EstateReadTable extends Table {
  readonly #all = this.sql.statement<[string, string], PairedRow>(
    `SELECT ${PAIRED} FROM estate_read WHERE part = ? AND plate = ? ORDER BY at, kind, hub, uid`,
  );
  readonly #from = this.sql.statement<[object], PairedRow>(
    `SELECT ${PAIRED} FROM estate_read WHERE part = @part AND plate = @plate AND (at, kind, hub, uid) >= (@at, 0, @hub, @uid) ORDER BY at, kind, hub, uid`,
  );
  readonly #tally = this.sql.statement<[object], ReadTally>(
    "SELECT count(*) AS count, coalesce(sum(version - @from), 0) AS sum FROM estate_read WHERE hub = @hub AND uid >= @from AND uid < @to",
  );
  readonly #unsentTwin = this.sql.statement<
    [object],
    EstateReadRow
  >(`SELECT ${COLUMNS} FROM estate_read WHERE hub = @hub AND at BETWEEN @at - @within AND @at + @within AND token = @token AND kind = @kind
         AND device_id = @deviceId AND sent = 0 AND local_id IS NOT NULL ORDER BY abs(at - @at), uid LIMIT 1`);
  readonly #unnotedClosures = this.sql.statement<
    [number, number],
    { id: number }
  >(`SELECT id FROM visit_closure c WHERE site_id = ? AND at >= ?
         AND NOT EXISTS (SELECT 1 FROM estate_read e WHERE e.kind = 1 AND e.local_id = c.id) ORDER BY at, id`);
  readonly #unnotedPasses = this.sql.statement<
    [number, number],
    { id: number }
  >(`SELECT id FROM plate_read r WHERE site_id = ? AND at >= ? AND plate IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM estate_read e WHERE e.kind = 0 AND e.local_id = r.id) ORDER BY at, id`);
  readonly #countSince = this.sql.statement<[string, number], { count: number }>(
    "SELECT count(*) AS count FROM estate_read WHERE hub = ? AND at >= ?",
  );
  readonly #lastOf = this.sql.statement<[string], { at: number }>(
    "SELECT at FROM estate_read WHERE hub = ? ORDER BY at DESC LIMIT 1",
  );

  /** One statement per combination of filters. */
  readonly #lists = new Map<string, SqliteDatabase.Statement<[object], EstateReadRow>>();

  /** One read; null when there is none. */
  readonly find = this.sql.first<[hub: string, uid: number], EstateReadRow>(
    `SELECT ${COLUMNS} FROM estate_read WHERE hub = ? AND uid = ?`,
  );

  /** This hub's row of a read or closure of its own. */
  readonly own = this.sql.first<[kind: 0 | 1, localId: number], EstateReadRow>(
    `SELECT ${COLUMNS} FROM estate_read WHERE kind = ? AND local_id = ?`,
  );

  /** Stores a read, or replaces the one that stands. */
  readonly put = this.sql.run<
    [row: EstateReadRow]
  >(`INSERT OR REPLACE INTO estate_read (hub, uid, version, kind, part, plate, formatted, token, device_id, camera, direction, opens_visit, decision, confidence,
         label, at, last_at, local_id, sent)
       VALUES (@hub, @uid, @version, @kind, @part, @plate, @formatted, @token, @deviceId, @camera, @direction, @opensVisit, @decision, @confidence,
         @label, @at, @lastAt, @localId, @sent)`);

  readonly remove = this.sql.run<[hub: string, uid: number]>("DELETE FROM estate_read WHERE hub = ? AND uid = ?");

  /** Passes newest first by (at, hub, uid). */
  list(filter: EstateReadFilter, limit: number): EstateReadRow[] {
    // keys of FILTER_SQL are those of the filter
    const given = Object.entries(FILTER_SQL).filter(([name]) => filter[name as keyof EstateReadFilter] !== undefined);
    const where = ["kind = 0", ...given.map(([, sql]) => sql)].join(" AND ");
    let statement = this.#lists.get(where);
    if (statement === undefined) {
      statement = this.database.raw.prepare<[object], EstateReadRow>(
        `SELECT ${COLUMNS} FROM estate_read WHERE ${where} ORDER BY at DESC, hub DESC, uid DESC LIMIT @limit`,
      );
      this.#lists.set(where, statement);
    }
    const { before, ...rest } = filter;
    return statement.all({
      limit,
      ...rest,
      beforeAt: before?.at ?? null,
      beforeHub: before?.hub ?? null,
      beforeUid: before?.uid ?? null,
    });
  }

  /** The last pass before a moment that begins a visit: later passes can be paired without earlier ones. */
  readonly lastEntryBefore = this.sql.first<
    [part: string, plate: string, at: number],
    EventPlace
  >(`SELECT at, hub, uid FROM estate_read WHERE part = ? AND plate = ? AND at < ? AND kind = 0 AND direction = 'in' AND opens_visit = 1
       ORDER BY at DESC, kind DESC, hub DESC, uid DESC LIMIT 1`);

  /** Everything about a plate in a part from `place` on, in the order of pairing; from the beginning without one. */
  from(part: string, plate: string, place: EventPlace | null): PairedRow[] {
    return place === null ? this.#all.all(part, plate) : this.#from.all({ part, plate, ...place });
  }

  /** This hub's rows that the stream does not have, oldest change first, after a version. */
  readonly unsent = this.sql.all<[after: number, limit: number], EstateReadRow>(
    `SELECT ${COLUMNS} FROM estate_read WHERE sent = 0 AND version > ? ORDER BY version LIMIT ?`,
  );

  readonly countUnsent = this.sql.value<[], number>("SELECT count(*) AS count FROM estate_read WHERE sent = 0", 0);

  /** Notes that the stream has this version. */
  readonly markSent = this.sql.run<[hub: string, uid: number, version: number]>(
    "UPDATE estate_read SET sent = 1 WHERE hub = ? AND uid = ? AND version = ?",
  );

  /** Marks everything of this hub seen at or after `since` as unsent. */
  readonly markUnsent = this.sql.run<[hub: string, since: number]>(
    "UPDATE estate_read SET sent = 0 WHERE hub = ? AND at >= ?",
  );

  /** Counts the reads of a hub whose numbers are at or after `from` and before `to`. */
  tally(hub: string, from: number, to: number): ReadTally {
    return this.#tally.get({ hub, from, to }) ?? { count: 0, sum: 0 };
  }

  /** Marks a hub's reads in such a range as unsent. */
  readonly markStretchUnsent = this.sql.run<[hub: string, from: number, to: number]>(
    "UPDATE estate_read SET sent = 0 WHERE hub = ? AND uid >= ? AND uid < ?",
  );

  /** One hub's reads of a plate. */
  readonly ownOf = this.sql.all<[hub: string, token: string], EstateReadRow>(
    `SELECT ${COLUMNS} FROM estate_read WHERE hub = ? AND token = ?`,
  );

  /** Plates with this hash, with the parts where they were seen. */
  readonly platesOf = this.sql.all<[token: string], { part: string; plate: string; first: number }>(
    "SELECT part, plate, min(at) AS first FROM estate_read WHERE token = ? GROUP BY part, plate",
  );

  /** Deletes what was seen of a plate up to a moment. */
  readonly forget = this.sql.run<[token: string, until: number]>("DELETE FROM estate_read WHERE token = ? AND at <= ?");

  /** Highest number and version of a hub; 0 without any. */
  readonly highest = this.sql.value<[hub: string], number>(
    "SELECT max(max(uid), max(version)) AS highest FROM estate_read WHERE hub = ?",
    0,
  );

  /** Own passes or closures that were never noted, oldest first. */
  unnoted(kind: 0 | 1, siteId: number, since: number): number[] {
    const statement = kind === 0 ? this.#unnotedPasses : this.#unnotedClosures;
    return statement.all(siteId, since).map(({ id }) => id);
  }

  /** An own row that was not sent, of the same plate at the same camera within the given milliseconds; the nearest. */
  unsentTwin(like: Pick<EstateReadRow, "hub" | "token" | "kind" | "deviceId" | "at"> & { readonly within: number }) {
    return this.#unsentTwin.get(like) ?? null;
  }

  /** How many passes a hub has had since a moment, and when the latest was; null without any. */
  sum(hub: string, since: number): { readonly reads: number; readonly lastAt: number | null } {
    return { reads: this.#countSince.get(hub, since)?.count ?? 0, lastAt: this.#lastOf.get(hub)?.at ?? null };
  }

  /** Deletes reads from before `before` that no visit depends on. Returns how many. */
  readonly purge = this.sql.changes<
    [before: number, limit: number]
  >(`DELETE FROM estate_read WHERE (hub, uid) IN (SELECT hub, uid FROM estate_read r WHERE at < ?
         AND NOT EXISTS (SELECT 1 FROM estate_visit v WHERE v.part = r.part AND v.plate = r.plate AND (v.entry_hub, v.entry_uid) = (r.hub, r.uid))
         AND NOT EXISTS (SELECT 1 FROM estate_visit v WHERE v.part = r.part AND v.plate = r.plate AND (v.exit_hub, v.exit_uid) = (r.hub, r.uid))
       ORDER BY at LIMIT ?)`);
}

const FILTER_SQL: Readonly<Record<keyof EstateReadFilter, string>> = {
  hub: "hub = @hub",
  plate: "plate = @plate",
  decision: "decision = @decision",
  direction: "direction = @direction",
  deviceId: "device_id = @deviceId",
  since: "at >= @since",
  until: "at <= @until",
  before: "(at, hub, uid) < (@beforeAt, @beforeHub, @beforeUid)",
};
