import { Table } from "../../../core/storage/table.ts";

/** A row of `vehicle`: the sums of one plate. Times are epoch milliseconds. */
export interface VehicleRow {
  readonly siteId: number;
  readonly plate: string;
  readonly formatted: string;
  readonly passes: number;
  readonly entries: number;
  readonly exits: number;
  readonly visits: number;
  readonly closedVisits: number;
  readonly totalStaySeconds: number;
  readonly inside: 0 | 1;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** JSON array of device ids. */
  readonly cameras: string;
}

const COLUMNS = `site_id AS siteId, plate, formatted, passes, entries, exits, visits, closed_visits AS closedVisits,
  total_stay_seconds AS totalStaySeconds, inside, first_seen AS firstSeen, last_seen AS lastSeen, cameras`;

/** Letters that are taken for a digit, and the digit. */
const LOOK_ALIKE = [
  ["O", "0"],
  ["Q", "0"],
  ["D", "0"],
  ["I", "1"],
  ["Z", "2"],
  ["S", "5"],
  ["G", "6"],
  ["B", "8"],
] as const;
const FOLDED = LOOK_ALIKE.reduce((sql, [letter, digit]) => `replace(${sql}, '${letter}', '${digit}')`, "plate");

/** A plate or a part of one, in which what looks alike is equal. */
export function looksLike(plate: string): string {
  return LOOK_ALIKE.reduce((text, [letter, digit]) => text.replaceAll(letter, digit), plate);
}

/** All SQL of the table `vehicle`. Writing methods belong inside a write job. */
export class VehicleTable extends Table {
  readonly #list = this.sql.statement<[number, number, number], VehicleRow>(
    `SELECT ${COLUMNS} FROM vehicle WHERE site_id = ? AND last_seen >= ? ORDER BY last_seen DESC, plate DESC LIMIT ?`,
  );
  readonly #listBefore = this.sql.statement<
    [object],
    VehicleRow
  >(`SELECT ${COLUMNS} FROM vehicle WHERE site_id = @siteId AND last_seen >= @since AND (last_seen, plate) < (@lastSeen, @plate)
       ORDER BY last_seen DESC, plate DESC LIMIT @limit`);
  readonly #known = this.sql.statement<[number, number, number], { plate: string }>(
    "SELECT plate FROM vehicle WHERE site_id = ? AND passes >= ? ORDER BY last_seen DESC, plate DESC LIMIT ?",
  );
  readonly #forget = this.sql.statement<[number, string]>("DELETE FROM vehicle WHERE site_id = ? AND plate = ?");
  readonly #sum = this.sql.statement<
    [object]
  >(`INSERT INTO vehicle (site_id, plate, formatted, passes, entries, exits, visits, closed_visits, total_stay_seconds, inside, first_seen, last_seen, cameras)
       SELECT r.site_id, r.plate, max(r.formatted), count(*), sum(r.direction IS 'in'), sum(r.direction IS 'out'),
         (SELECT count(*) FROM visit v WHERE v.site_id = @siteId AND v.plate = @plate),
         (SELECT count(*) FROM visit v WHERE v.site_id = @siteId AND v.plate = @plate AND v.status = 'closed'),
         (SELECT ifnull(sum(v.stay_seconds), 0) FROM visit v WHERE v.site_id = @siteId AND v.plate = @plate AND v.status = 'closed'),
         EXISTS (SELECT 1 FROM visit v WHERE v.site_id = @siteId AND v.plate = @plate AND v.status = 'open'),
         min(r.at), max(r.last_at), json_group_array(DISTINCT r.device_id)
       FROM plate_read r WHERE r.site_id = @siteId AND r.plate = @plate GROUP BY r.site_id, r.plate`);

  /** Of the vehicles seen last, at most `searched`, those whose plate contains `part`; at most `limit`. */
  readonly containing = this.sql.all<
    [wanted: { siteId: number; part: string; searched: number; limit: number }],
    { plate: string }
  >(
    `SELECT plate FROM (SELECT plate FROM vehicle WHERE site_id = @siteId ORDER BY last_seen DESC, plate DESC LIMIT @searched)
       WHERE instr(plate, @part) > 0 LIMIT @limit`,
  );

  /** The same where letters and digits that look alike are equal; `part` is folded by {@link looksLike}. */
  readonly resembling = this.sql.all<
    [wanted: { siteId: number; part: string; searched: number; limit: number }],
    { plate: string }
  >(
    `SELECT plate FROM (SELECT plate FROM vehicle WHERE site_id = @siteId ORDER BY last_seen DESC, plate DESC LIMIT @searched)
       WHERE instr(${FOLDED}, @part) > 0 LIMIT @limit`,
  );

  /** One vehicle; null when its plate has never been seen. */
  readonly find = this.sql.first<[siteId: number, plate: string], VehicleRow>(
    `SELECT ${COLUMNS} FROM vehicle WHERE site_id = ? AND plate = ?`,
  );

  /**
   * Vehicles seen at or after `since`, most recently seen first; `before` continues after a row of an earlier answer.
   */
  list(
    siteId: number,
    since: number,
    limit: number,
    before: { readonly lastSeen: number; readonly plate: string } | null,
  ): VehicleRow[] {
    return before === null
      ? this.#list.all(siteId, since, limit)
      : this.#listBefore.all({ siteId, since, limit, lastSeen: before.lastSeen, plate: before.plate });
  }

  /** Plates with at least `passes` passes, those seen last first. */
  known(siteId: number, passes: number, limit: number): string[] {
    return this.#known.all(siteId, passes, limit).map((row) => row.plate);
  }

  /** Computes the sums of the plate's reads and visits again; forgets the vehicle when it has none left. */
  refresh(siteId: number, plate: string): void {
    this.#forget.run(siteId, plate);
    this.#sum.run({ siteId, plate });
  }
}
