import type SqliteDatabase from "better-sqlite3";
import type { Decision } from "../../domain/plates/decide.js";
import type { PlateKind } from "../../domain/plates/forms.js";
import type { NotToldReason, OpeningReason, OpeningResult } from "../../domain/plates/opening.js";
import type { Direction, Trigger, UnrecognisedReason } from "../../domain/plates/reading.js";
import { tableOf } from "../table.js";

/** A row of `plate_read`: one pass of one vehicle, or one burst that showed none. Times are epoch milliseconds. */
export interface PlateReadRow {
  readonly id: number;
  readonly siteId: number;
  readonly deviceId: string;
  readonly captureId: number;
  readonly captureKey: string | null;
  readonly plate: string | null;
  readonly formatted: string | null;
  readonly seenPlate: string | null;
  readonly seenText: string;
  readonly plateKind: PlateKind;
  readonly confidence: number;
  readonly votes: number;
  readonly samples: number;
  readonly status: "recognised" | "unrecognised";
  readonly reason: UnrecognisedReason | null;
  readonly decision: Decision;
  readonly ruleId: number | null;
  readonly direction: Direction | null;
  readonly opensVisit: 0 | 1;
  readonly trigger: Trigger;
  readonly at: number;
  readonly lastAt: number;
  readonly storedAt: number;
  readonly correctedAt: number | null;
  readonly correctedBy: string | null;
  /** Why the gate was not told; null where it was, or where that is unknown. */
  readonly notTold: NotToldReason | null;
}

/** A row with whether its picture is still there. */
export type ListedRead = PlateReadRow & { readonly hasImage: 0 | 1 };

/** A row as it is shown: with the outcome of the gate's command, and with the label of the rule that decided. */
export type ShownRead = ListedRead & {
  readonly gateId: string | null;
  readonly result: OpeningResult | null;
  readonly resultReason: OpeningReason | null;
  readonly settledAt: number | null;
  readonly label: string | null;
};

/** What a list of reads may be narrowed to; absent members do not matter. */
export interface ReadFilter {
  readonly deviceId?: string | undefined;
  readonly plate?: string | undefined;
  readonly decision?: Decision | undefined;
  readonly status?: "recognised" | "unrecognised" | undefined;
  readonly direction?: "in" | "out" | undefined;
  /** At or after. */
  readonly since?: number | undefined;
  /** At or before. */
  readonly until?: number | undefined;
  /** Only rows that come after this one in the list. */
  readonly before?: { readonly at: number; readonly id: number } | undefined;
}

/** How many plates were read in a time. */
export interface ReadCounts {
  /** Recognised by the hub. */
  readonly read: number;
  /** Of these, put right by a person. */
  readonly corrected: number;
  /** Given by a person where the hub had recognised none. */
  readonly filledIn: number;
  /** Bursts without a plate. */
  readonly illegible: number;
}

/** A read that takes part in pairing visits. */
export type PassRow = Pick<PlateReadRow, "id" | "at" | "direction" | "deviceId" | "opensVisit">;

/** A recognised pass near a moment at one camera. */
export type NearbyRow = Pick<PlateReadRow, "id" | "confidence" | "direction" | "at" | "lastAt"> & {
  readonly plate: string;
};

/**
 * A pass that lasts longer than this (a parked car) is not looked for further back: that keeps the query in its index.
 */
const LONGEST_PASS_MS = 86_400_000;

/** All SQL of the table `plate_read`. Writing methods belong inside a write job. */
export class PlateReadTable extends tableOf(prepare) {
  /** One statement per combination of filters (at most 2^6). */
  readonly #lists = new Map<string, SqliteDatabase.Statement<[object], ShownRead>>();

  /** Newest first by (at, id). */
  list(siteId: number, filter: ReadFilter, limit: number): ShownRead[] {
    // keys of FILTER_SQL are those of ReadFilter
    const given = Object.entries(FILTER_SQL).filter(([name]) => filter[name as keyof ReadFilter] !== undefined);
    const where = ["r.site_id = @siteId", ...given.map(([, sql]) => sql)].join(" AND ");
    let statement = this.#lists.get(where);
    if (statement === undefined) {
      statement = this.database.raw.prepare<[object], ShownRead>(
        `${SHOWN} WHERE ${where} ORDER BY r.at DESC, r.id DESC LIMIT @limit`,
      );
      this.#lists.set(where, statement);
    }
    const { before, ...rest } = filter;
    return statement.all({ siteId, limit, ...rest, beforeAt: before?.at ?? null, beforeId: before?.id ?? null });
  }

  /** One read of a household; null when there is none. */
  find(siteId: number, id: number): ShownRead | null {
    return this.sql.find.get(siteId, id) ?? null;
  }

  /** Recognised passes of a camera that touch the time from `from` to `to`; at most 100, the latest ones. */
  nearby(siteId: number, deviceId: string, from: number, to: number): NearbyRow[] {
    return this.sql.nearby.all(siteId, deviceId, to, from - LONGEST_PASS_MS, from);
  }

  /** Whether a capture of this name was stored since `since`. */
  knowsCapture(deviceId: string, captureKey: string, since: number): boolean {
    return this.sql.knowsCapture.get({ deviceId, captureKey, since }) !== undefined;
  }

  /** Highest id and capture id ever given out. */
  highest(): { readonly id: number; readonly captureId: number } {
    const row = this.sql.highest.get();
    return { id: row?.id ?? 0, captureId: row?.captureId ?? 0 };
  }

  /** What persons put right at a camera, the latest first: the plate that was read, or else the text, and the right one. */
  corrections(siteId: number, deviceId: string, limit: number): { readonly seen: string; readonly plate: string }[] {
    return this.sql.corrections.all(siteId, deviceId, limit);
  }

  /** Reads of a household from `from` until before `to`. */
  accuracy(siteId: number, from: number, to: number): ReadCounts {
    const range = { siteId, from, to };
    const { corrected = 0, filledIn = 0 } = this.sql.countCorrected.get(range) ?? {};
    const count = (status: "recognised" | "unrecognised"): number =>
      this.sql.countStatus.get({ ...range, status })?.count ?? 0;
    return { read: count("recognised") - filledIn, corrected, filledIn, illegible: count("unrecognised") };
  }

  /** Every pass of a plate, oldest first. */
  passes(siteId: number, plate: string): PassRow[] {
    return this.sql.passes.all(siteId, plate);
  }

  insert(row: PlateReadRow): void {
    this.sql.insert.run(row);
  }

  /** Writes every member of a row that can change: a pass that grew, a person's correction. */
  update(row: PlateReadRow): void {
    this.sql.update.run(row);
  }

  /** Ids of all reads of a plate. */
  idsOf(siteId: number, plate: string): number[] {
    return this.sql.idsOf.all(siteId, plate).map((row) => row.id);
  }

  /** Deletes reads by id. */
  remove(ids: readonly number[]): void {
    for (const id of ids) this.sql.remove.run(id);
  }

  /** Reads older than `before` that no remaining visit depends on; oldest first. */
  expired(before: number, limit: number): Pick<PlateReadRow, "id" | "siteId" | "plate">[] {
    return this.sql.expired.all(before, limit);
  }

  /** How many those are. */
  countExpired(before: number): number {
    return this.sql.countExpired.get(before)?.count ?? 0;
  }

  /** Reads of all households about which somebody was asked and nobody has answered. */
  asked(): ShownRead[] {
    return this.sql.asked.all();
  }

  /** Why the gate was not told for a read; null: it was. */
  setNotTold(id: number, notTold: NotToldReason | null): void {
    this.sql.setNotTold.run({ id, notTold });
  }

  /** The vehicle of a read came in after all: its visit begins with it. */
  setOpensVisit(id: number): void {
    this.sql.setOpensVisit.run(id);
  }

  /** Reads of all households. */
  count(): number {
    return this.sql.count.get()?.count ?? 0;
  }

  /** When the oldest read was, epoch milliseconds; null without one. */
  oldestAt(): number | null {
    return this.sql.oldestAt.get()?.at ?? null;
  }
}

const SHOWN = `SELECT r.id, r.site_id AS siteId, r.device_id AS deviceId, r.capture_id AS captureId,
  r.capture_key AS captureKey, r.plate, r.formatted, r.seen_plate AS seenPlate, r.seen_text AS seenText,
  r.plate_kind AS plateKind, r.confidence, r.votes, r.samples, r.status, r.reason, r.decision,
  r.rule_id AS ruleId, r.direction, r.opens_visit AS opensVisit, r.trigger, r.at, r.last_at AS lastAt,
  r.stored_at AS storedAt, r.corrected_at AS correctedAt, r.corrected_by AS correctedBy,
  r.not_told AS notTold,
  i.read_id IS NOT NULL AS hasImage, o.device_id AS gateId, o.result, o.reason AS resultReason, o.settled_at AS settledAt, p.label
  FROM plate_read r LEFT JOIN plate_image i ON i.read_id = r.id LEFT JOIN opening o ON o.read_id = r.id LEFT JOIN plate_rule p ON p.id = r.rule_id`;

const FILTER_SQL: Readonly<Record<keyof ReadFilter, string>> = {
  deviceId: "r.device_id = @deviceId",
  plate: "r.plate = @plate",
  decision: "r.decision = @decision",
  status: "r.status = @status",
  direction: "r.direction = @direction",
  since: "r.at >= @since",
  until: "r.at <= @until",
  before: "(r.at, r.id) < (@beforeAt, @beforeId)",
};

function prepare(raw: SqliteDatabase.Database) {
  return {
    find: raw.prepare<[number, number], ShownRead>(`${SHOWN} WHERE r.site_id = ? AND r.id = ?`),
    asked: raw.prepare<[], ShownRead>(`${SHOWN} WHERE r.not_told = 'asked' ORDER BY r.id`),
    setNotTold: raw.prepare<[{ id: number; notTold: NotToldReason | null }]>(
      "UPDATE plate_read SET not_told = @notTold WHERE id = @id",
    ),
    setOpensVisit: raw.prepare<[number]>("UPDATE plate_read SET opens_visit = 1 WHERE id = ?"),
    nearby: raw.prepare<[number, string, number, number, number], NearbyRow>(
      `SELECT id, plate, confidence, direction, at, last_at AS lastAt FROM plate_read WHERE site_id = ? AND device_id = ? AND plate IS NOT NULL AND at <= ? AND at >= ? AND last_at >= ?
       ORDER BY at DESC, id DESC LIMIT 100`,
    ),
    corrections: raw.prepare<[number, string, number], { seen: string; plate: string }>(
      `SELECT ifnull(seen_plate, seen_text) AS seen, plate FROM plate_read
       WHERE site_id = ? AND device_id = ? AND corrected_at IS NOT NULL AND plate IS NOT NULL ORDER BY corrected_at DESC LIMIT ?`,
    ),
    countCorrected: raw.prepare<[object], { corrected: number; filledIn: number }>(
      `SELECT ifnull(sum(seen_plate IS NOT NULL AND seen_plate <> plate), 0) AS corrected, ifnull(sum(seen_plate IS NULL), 0) AS filledIn
       FROM plate_read WHERE site_id = @siteId AND corrected_at IS NOT NULL AND at >= @from AND at < @to`,
    ),
    countStatus: raw.prepare<[object], { count: number }>(
      "SELECT count(*) AS count FROM plate_read WHERE site_id = @siteId AND status = @status AND at >= @from AND at < @to",
    ),
    knowsCapture: raw.prepare<[object], { found: number }>(
      `SELECT 1 AS found FROM plate_read WHERE device_id = @deviceId AND capture_key = @captureKey AND stored_at >= @since
       UNION ALL SELECT 1 FROM plate_capture c JOIN plate_read r ON r.id = c.read_id
         WHERE c.capture_key = @captureKey AND c.stored_at >= @since AND r.device_id = @deviceId LIMIT 1`,
    ),
    highest: raw.prepare<[], { id: number | null; captureId: number | null }>(
      "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'plate_read') AS id, max(ifnull((SELECT max(capture_id) FROM plate_read WHERE capture_key IS NULL), 0), ifnull((SELECT max(capture_id) FROM plate_capture WHERE capture_key IS NULL), 0)) AS captureId",
    ),
    passes: raw.prepare<[number, string], PassRow>(
      "SELECT id, at, direction, device_id AS deviceId, opens_visit AS opensVisit FROM plate_read WHERE site_id = ? AND plate = ? ORDER BY at, id",
    ),
    insert: raw.prepare<[PlateReadRow]>(
      `INSERT INTO plate_read (id, site_id, device_id, capture_id, capture_key, plate, formatted, seen_plate, seen_text, plate_kind, confidence, votes, samples,
         status, reason, decision, rule_id, direction, opens_visit, trigger, at, last_at, stored_at, corrected_at, corrected_by, not_told)
       VALUES (@id, @siteId, @deviceId, @captureId, @captureKey, @plate, @formatted, @seenPlate, @seenText, @plateKind, @confidence, @votes, @samples,
         @status, @reason, @decision, @ruleId, @direction, @opensVisit, @trigger, @at, @lastAt, @storedAt, @correctedAt, @correctedBy, @notTold)`,
    ),
    update: raw.prepare<[PlateReadRow]>(
      `UPDATE plate_read SET capture_id = @captureId, capture_key = @captureKey, plate = @plate, formatted = @formatted, seen_plate = @seenPlate,
         seen_text = @seenText, plate_kind = @plateKind, confidence = @confidence, votes = @votes, samples = @samples, status = @status, reason = @reason,
         decision = @decision, rule_id = @ruleId, direction = @direction, opens_visit = @opensVisit, trigger = @trigger, at = @at, last_at = @lastAt,
         corrected_at = @correctedAt, corrected_by = @correctedBy, not_told = @notTold
       WHERE id = @id`,
    ),
    idsOf: raw.prepare<[number, string], { id: number }>("SELECT id FROM plate_read WHERE site_id = ? AND plate = ?"),
    remove: raw.prepare<[number]>("DELETE FROM plate_read WHERE id = ?"),
    countExpired: raw.prepare<[number], { count: number }>(
      `SELECT count(*) AS count FROM plate_read r WHERE at < ?
         AND NOT EXISTS (SELECT 1 FROM visit WHERE entry_read_id = r.id) AND NOT EXISTS (SELECT 1 FROM visit WHERE exit_read_id = r.id)`,
    ),
    count: raw.prepare<[], { count: number }>("SELECT count(*) AS count FROM plate_read"),
    oldestAt: raw.prepare<[], { at: number }>("SELECT at FROM plate_read ORDER BY at LIMIT 1"),
    expired: raw.prepare<[number, number], Pick<PlateReadRow, "id" | "siteId" | "plate">>(
      `SELECT id, site_id AS siteId, plate FROM plate_read r WHERE at < ?
         AND NOT EXISTS (SELECT 1 FROM visit WHERE entry_read_id = r.id) AND NOT EXISTS (SELECT 1 FROM visit WHERE exit_read_id = r.id)
       ORDER BY at LIMIT ?`,
    ),
  };
}
