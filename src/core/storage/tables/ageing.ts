import type { AgedKind } from "../../kernel/aged-history.ts";
import { Table } from "../table.ts";

/** A row of `ageing`: how much of one kind of history may be deleted for its age. */
export interface AgeingRow {
  readonly kind: AgedKind;
  readonly keepDays: number;
  /** When the current day of 24 hours began, epoch milliseconds. */
  readonly dayFrom: number;
  /** How many may be deleted in it. */
  readonly dayShare: number;
  /** How many of them were. */
  readonly taken: number;
  /** How many more may be deleted by the owner's override. */
  readonly allowed: number;
  /** How many are too old and stay for now. */
  readonly waiting: number;
  /** 1: the feed has reported that they wait. */
  readonly told: 0 | 1;
}

const COLUMNS = `kind, keep_days AS keepDays, day_from AS dayFrom, day_share AS dayShare, taken, allowed, waiting, told`;

/** All SQL of the table `ageing`. Writing methods belong inside a write job. */
export class AgeingTable extends Table {
  /** The row of a kind; null before its first sweep. */
  readonly get = this.sql.first<[kind: AgedKind], AgeingRow>(`SELECT ${COLUMNS} FROM ageing WHERE kind = ?`);

  readonly all = this.sql.all<[], AgeingRow>(`SELECT ${COLUMNS} FROM ageing`);

  readonly put = this.sql.run<
    [row: AgeingRow]
  >(`INSERT OR REPLACE INTO ageing (kind, keep_days, day_from, day_share, taken, allowed, waiting, told)
       VALUES (@kind, @keepDays, @dayFrom, @dayShare, @taken, @allowed, @waiting, @told)`);
}
