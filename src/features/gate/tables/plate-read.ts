import type SqliteDatabase from "better-sqlite3";
import type { Decision } from "../../../core/plates/decide.ts";
import type { PlateKind } from "../../../core/plates/forms.ts";
import type { NotToldReason, OpeningReason, OpeningResult } from "../../../core/plates/opening.ts";
import type { Direction, Trigger, UnrecognisedReason } from "../../../core/plates/reading.ts";
import { Table } from "../../../core/storage/table.ts";

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
  /** JSON list of what was odd about how the plate came (core/plates/presented.ts); null: nothing, or not looked at. */
  readonly odd: string | null;
  /** The gate stood open, or moved, as it was decided. */
  readonly gateWasOpen: 0 | 1;
  /** It was known to be shut. Neither: nobody knows. */
  readonly gateWasShut: 0 | 1;
  /** Since when it stood open; null: it did not, or nobody knows. */
  readonly gateOpenSince: number | null;
  /** When somebody was asked; null: nobody was. */
  readonly askedAt: number | null;
  /** When somebody answered; null: nobody did. */
  readonly answeredAt: number | null;
  /** The name of who answered, as it was then. */
  readonly answeredBy: string | null;
}

/** A row with whether its picture is still there. */
export type ListedRead = PlateReadRow & { readonly hasImage: 0 | 1 };

/** A row as it is shown: with the outcome of the gate's command, and with the label of the rule that decided. */
export type ShownRead = ListedRead & {
  readonly gateId: string | null;
  readonly result: OpeningResult | null;
  readonly resultReason: OpeningReason | null;
  readonly settledAt: number | null;
  /** Who opened, where it was not the plate by itself. */
  readonly openedBy: string | null;
  readonly label: string | null;
};

/** What a list of reads may be narrowed to; absent members do not matter. */
export interface ReadFilter {
  readonly deviceId?: string | undefined;
  readonly plate?: string | undefined;
  /** One of these, as a JSON array. */
  readonly plates?: string | undefined;
  readonly decision?: Decision | undefined;
  /** One of these, as a JSON array. */
  readonly decisions?: string | undefined;
  readonly status?: "recognised" | "unrecognised" | undefined;
  readonly direction?: "in" | "out" | undefined;
  /** At or after. */
  readonly since?: number | undefined;
  /** At or before. */
  readonly until?: number | undefined;
  /** Only rows that come after this one in the list. */
  readonly before?: { readonly at: number; readonly id: number } | undefined;
}

/** How many sightings of one kind an hour had. */
export interface HourCount {
  /** Hours since the start of the range. */
  readonly hour: number;
  readonly decision: Decision;
  readonly status: "recognised" | "unrecognised";
  readonly count: number;
}

/** Sightings, and the distinct plates among them. */
export interface ReadSums {
  readonly passes: number;
  readonly cars: number;
  /** Sightings without a plate. */
  readonly unread: number;
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
export class PlateReadTable extends Table {
  readonly #setNotTold = this.sql.statement<[{ id: number; notTold: NotToldReason | null }]>(
    "UPDATE plate_read SET not_told = @notTold WHERE id = @id",
  );
  readonly #nearby = this.sql.statement<
    [number, string, number, number, number],
    NearbyRow
  >(`SELECT id, plate, confidence, direction, at, last_at AS lastAt FROM plate_read WHERE site_id = ? AND device_id = ? AND plate IS NOT NULL AND at <= ? AND at >= ? AND last_at >= ?
       ORDER BY at DESC, id DESC LIMIT 100`);
  readonly #countCorrected = this.sql.statement<
    [object],
    { corrected: number; filledIn: number }
  >(`SELECT ifnull(sum(seen_plate IS NOT NULL AND seen_plate <> plate), 0) AS corrected, ifnull(sum(seen_plate IS NULL), 0) AS filledIn
       FROM plate_read WHERE site_id = @siteId AND corrected_at IS NOT NULL AND at >= @from AND at < @to`);
  readonly #countStatus = this.sql.statement<[object], { count: number }>(
    "SELECT count(*) AS count FROM plate_read WHERE site_id = @siteId AND status = @status AND at >= @from AND at < @to",
  );
  readonly #knowsCapture = this.sql.statement<
    [object],
    { found: number }
  >(`SELECT 1 AS found FROM plate_read WHERE device_id = @deviceId AND capture_key = @captureKey AND stored_at >= @since
       UNION ALL SELECT 1 FROM plate_capture c JOIN plate_read r ON r.id = c.read_id
         WHERE c.capture_key = @captureKey AND c.stored_at >= @since AND r.device_id = @deviceId LIMIT 1`);
  readonly #highest = this.sql.statement<[], { id: number | null; captureId: number | null }>(
    "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'plate_read') AS id, max(ifnull((SELECT max(capture_id) FROM plate_read WHERE capture_key IS NULL), 0), ifnull((SELECT max(capture_id) FROM plate_capture WHERE capture_key IS NULL), 0)) AS captureId",
  );
  readonly #idsOf = this.sql.statement<[number, string], { id: number }>(
    "SELECT id FROM plate_read WHERE site_id = ? AND plate = ?",
  );
  readonly #remove = this.sql.statement<[number]>("DELETE FROM plate_read WHERE id = ?");

  /** One statement per order and combination of filters that somebody has used. */
  readonly #lists = new Map<string, SqliteDatabase.Statement<[object], ShownRead>>();
  /** The same for counts. */
  readonly #counts = new Map<string, SqliteDatabase.Statement<[object], unknown>>();

  /** Sightings that fit by hour from `from` until before `to`; read in the order of the index by time. */
  hours(siteId: number, filter: ReadFilter, from: number, to: number): HourCount[] {
    const sql = `SELECT (r.at - @from) / 3600000 AS hour, r.decision, r.status, count(*) AS count FROM plate_read r
       WHERE ${whereOf(filter)} AND r.at >= @from AND r.at < @to GROUP BY 1, 2, 3 ORDER BY 1`;
    return this.#counting<HourCount>(sql).all({ siteId, ...filter, from, to });
  }

  /** How many of the newest `most` sightings that fit there are, and of how many plates. */
  sums(siteId: number, filter: ReadFilter, most: number): ReadSums {
    const sql = `SELECT count(*) AS passes, count(DISTINCT plate) AS cars, ifnull(sum(plate IS NULL), 0) AS unread
       FROM (SELECT r.plate FROM plate_read r WHERE ${whereOf(filter)} ORDER BY r.at DESC LIMIT @most)`;
    return this.#counting<ReadSums>(sql).get({ siteId, ...filter, most }) ?? { passes: 0, cars: 0, unread: 0 };
  }

  #counting<Row>(sql: string): SqliteDatabase.Statement<[object], Row> {
    const known = this.#counts.get(sql) ?? this.database.raw.prepare<[object], unknown>(sql);
    this.#counts.set(sql, known);
    return known as SqliteDatabase.Statement<[object], Row>; // its columns are those of the statement's text
  }

  /** Newest first by (at, id), or oldest first. */
  list(siteId: number, filter: ReadFilter, limit: number, order: "newest" | "oldest" = "newest"): ShownRead[] {
    const where = whereOf(filter);
    const [way, after] = order === "newest" ? ["DESC", "<"] : ["ASC", ">"];
    const sql = `${SHOWN} WHERE ${where.replace(") < (", `) ${after} (`)} ORDER BY r.at ${way}, r.id ${way} LIMIT @limit`;
    let statement = this.#lists.get(sql);
    if (statement === undefined) {
      statement = this.database.raw.prepare<[object], ShownRead>(sql);
      this.#lists.set(sql, statement);
    }
    const { before, ...rest } = filter;
    return statement.all({ siteId, limit, ...rest, beforeAt: before?.at ?? null, beforeId: before?.id ?? null });
  }

  /** One read of a household; null when there is none. */
  readonly find = this.sql.first<[siteId: number, id: number], ShownRead>(`${SHOWN} WHERE r.site_id = ? AND r.id = ?`);

  /** Recognised passes of a camera that touch the time from `from` to `to`; at most 100, the latest ones. */
  nearby(siteId: number, deviceId: string, from: number, to: number): NearbyRow[] {
    return this.#nearby.all(siteId, deviceId, to, from - LONGEST_PASS_MS, from);
  }

  /** Whether a capture of this name was stored since `since`. */
  knowsCapture(deviceId: string, captureKey: string, since: number): boolean {
    return this.#knowsCapture.get({ deviceId, captureKey, since }) !== undefined;
  }

  /** Highest id and capture id ever given out. */
  highest(): { readonly id: number; readonly captureId: number } {
    const row = this.#highest.get();
    return { id: row?.id ?? 0, captureId: row?.captureId ?? 0 };
  }

  /** What persons put right at a camera, the latest first: the plate that was read, or else the text, and the right one. */
  readonly corrections = this.sql.all<
    [siteId: number, deviceId: string, limit: number],
    { seen: string; plate: string }
  >(`SELECT ifnull(seen_plate, seen_text) AS seen, plate FROM plate_read
       WHERE site_id = ? AND device_id = ? AND corrected_at IS NOT NULL AND plate IS NOT NULL ORDER BY corrected_at DESC LIMIT ?`);

  /** Reads of a household from `from` until before `to`. */
  accuracy(siteId: number, from: number, to: number): ReadCounts {
    const range = { siteId, from, to };
    const { corrected = 0, filledIn = 0 } = this.#countCorrected.get(range) ?? {};
    const count = (status: "recognised" | "unrecognised"): number =>
      this.#countStatus.get({ ...range, status })?.count ?? 0;
    return { read: count("recognised") - filledIn, corrected, filledIn, illegible: count("unrecognised") };
  }

  /** Every pass of a plate, oldest first. */
  readonly passes = this.sql.all<[siteId: number, plate: string], PassRow>(
    "SELECT id, at, direction, device_id AS deviceId, opens_visit AS opensVisit FROM plate_read WHERE site_id = ? AND plate = ? ORDER BY at, id",
  );

  readonly insert = this.sql.run<
    [row: PlateReadRow]
  >(`INSERT INTO plate_read (id, site_id, device_id, capture_id, capture_key, plate, formatted, seen_plate, seen_text, plate_kind, confidence, votes, samples,
         status, reason, decision, rule_id, direction, opens_visit, trigger, at, last_at, stored_at, corrected_at, corrected_by, not_told, odd, gate_was_open, gate_was_shut, gate_open_since, asked_at, answered_at, answered_by)
       VALUES (@id, @siteId, @deviceId, @captureId, @captureKey, @plate, @formatted, @seenPlate, @seenText, @plateKind, @confidence, @votes, @samples,
         @status, @reason, @decision, @ruleId, @direction, @opensVisit, @trigger, @at, @lastAt, @storedAt, @correctedAt, @correctedBy, @notTold, @odd, @gateWasOpen, @gateWasShut, @gateOpenSince, @askedAt, @answeredAt, @answeredBy)`);

  /** Writes every member of a row that can change: a pass that grew, a person's correction. */
  readonly update = this.sql.run<
    [row: PlateReadRow]
  >(`UPDATE plate_read SET capture_id = @captureId, capture_key = @captureKey, plate = @plate, formatted = @formatted, seen_plate = @seenPlate,
         seen_text = @seenText, plate_kind = @plateKind, confidence = @confidence, votes = @votes, samples = @samples, status = @status, reason = @reason,
         decision = @decision, rule_id = @ruleId, direction = @direction, opens_visit = @opensVisit, trigger = @trigger, at = @at, last_at = @lastAt,
         corrected_at = @correctedAt, corrected_by = @correctedBy, not_told = @notTold, odd = @odd, asked_at = @askedAt
       WHERE id = @id`);

  /** Whether a camera has read anything from after one moment up to another (epoch ms). */
  readonly anyBetween = this.sql.any<[siteId: number, deviceId: string, after: number, to: number]>(
    "SELECT 1 FROM plate_read WHERE site_id = ? AND device_id = ? AND at > ? AND at <= ? LIMIT 1",
  );

  /** Ids of all reads of a plate. */
  idsOf(siteId: number, plate: string): number[] {
    return this.#idsOf.all(siteId, plate).map((row) => row.id);
  }

  /** Deletes reads by id. */
  remove(ids: readonly number[]): void {
    for (const id of ids) this.#remove.run(id);
  }

  /** Reads older than `before` that no remaining visit depends on; oldest first. */
  readonly expired = this.sql.all<
    [before: number, limit: number],
    Pick<PlateReadRow, "id" | "siteId" | "plate">
  >(`SELECT id, site_id AS siteId, plate FROM plate_read r WHERE at < ?
         AND NOT EXISTS (SELECT 1 FROM visit WHERE entry_read_id = r.id) AND NOT EXISTS (SELECT 1 FROM visit WHERE exit_read_id = r.id)
       ORDER BY at LIMIT ?`);

  /** How many those are. */
  readonly countExpired = this.sql.value<[before: number], number>(
    `SELECT count(*) AS count FROM plate_read r WHERE at < ?
         AND NOT EXISTS (SELECT 1 FROM visit WHERE entry_read_id = r.id) AND NOT EXISTS (SELECT 1 FROM visit WHERE exit_read_id = r.id)`,
    0,
  );

  /** Reads of all households about which somebody was asked and nobody has answered. */
  readonly asked = this.sql.all<[], ShownRead>(`${SHOWN} WHERE r.not_told = 'asked' ORDER BY r.id`);

  /** Why the gate was not told for a read; null: it was. */
  setNotTold(id: number, notTold: NotToldReason | null): void {
    this.#setNotTold.run({ id, notTold });
  }

  /** Somebody answered the question about a read. */
  readonly setAnswer = this.sql.run<[answer: Pick<PlateReadRow, "id" | "answeredAt" | "answeredBy">]>(
    "UPDATE plate_read SET answered_at = @answeredAt, answered_by = @answeredBy WHERE id = @id",
  );

  /** The vehicle of a read came in after all: its visit begins with it. */
  readonly setOpensVisit = this.sql.run<[id: number]>("UPDATE plate_read SET opens_visit = 1 WHERE id = ?");

  /** Reads of all households. */
  readonly count = this.sql.value<[], number>("SELECT count(*) AS count FROM plate_read", 0);

  /** When the oldest read was, epoch milliseconds; null without one. */
  readonly oldestAt = this.sql.value<[], number | null>("SELECT at FROM plate_read ORDER BY at LIMIT 1", null);
}

const SHOWN = `SELECT r.id, r.site_id AS siteId, r.device_id AS deviceId, r.capture_id AS captureId,
  r.capture_key AS captureKey, r.plate, r.formatted, r.seen_plate AS seenPlate, r.seen_text AS seenText,
  r.plate_kind AS plateKind, r.confidence, r.votes, r.samples, r.status, r.reason, r.decision,
  r.rule_id AS ruleId, r.direction, r.opens_visit AS opensVisit, r.trigger, r.at, r.last_at AS lastAt,
  r.stored_at AS storedAt, r.corrected_at AS correctedAt, r.corrected_by AS correctedBy,
  r.not_told AS notTold, r.odd, r.gate_was_open AS gateWasOpen, r.gate_was_shut AS gateWasShut,
  r.gate_open_since AS gateOpenSince, r.asked_at AS askedAt, r.answered_at AS answeredAt, r.answered_by AS answeredBy,
  i.read_id IS NOT NULL AS hasImage, o.device_id AS gateId, o.result, o.reason AS resultReason, o.settled_at AS settledAt,
  CASE WHEN o.by_kind <> 'plate' THEN o.by_name END AS openedBy, p.label
  FROM plate_read r LEFT JOIN plate_image i ON i.read_id = r.id LEFT JOIN opening o ON o.read_id = r.id LEFT JOIN plate_rule p ON p.id = r.rule_id`;

function whereOf(filter: ReadFilter): string {
  // keys of FILTER_SQL are those of ReadFilter
  const given = Object.entries(FILTER_SQL).filter(([name]) => filter[name as keyof ReadFilter] !== undefined);
  return ["r.site_id = @siteId", ...given.map(([, sql]) => sql)].join(" AND ");
}

const FILTER_SQL: Readonly<Record<keyof ReadFilter, string>> = {
  deviceId: "r.device_id = @deviceId",
  plate: "r.plate = @plate",
  plates: "r.plate IN (SELECT value FROM json_each(@plates))",
  decision: "r.decision = @decision",
  decisions: "r.decision IN (SELECT value FROM json_each(@decisions))",
  status: "r.status = @status",
  direction: "r.direction = @direction",
  since: "r.at >= @since",
  until: "r.at <= @until",
  before: "(r.at, r.id) < (@beforeAt, @beforeId)",
};
