import { pairVisits, type VisitEvent } from "../../core/plates/visits.ts";
import type { Database } from "../../core/storage/database.ts";
import { type EstateReadRow, EstateReadTable, type PairedRow } from "./tables/estate-read.ts";
import { type EstateVisitRow, EstateVisitTable } from "./tables/estate-visit.ts";

/**
 * Reads of all gates and the visits that follow from them. However out of order, often or late reads arrive, the visits
 * are the same as for reads in order: each change re-pairs everything after the last entry before it.
 */
export class ReadBook {
  readonly reads: EstateReadTable;
  readonly visits: EstateVisitTable;
  /** Per part and plate, the first moment at which something changed in this job. */
  readonly #changed = new Map<string, { readonly part: string; readonly plate: string; at: number }>();

  constructor(database: Database) {
    this.reads = new EstateReadTable(database);
    this.visits = new EstateVisitTable(database);
  }

  /** Stores a read, or a later version of one. Called inside a job that ends with {@link pair}. */
  put(row: EstateReadRow, standing: EstateReadRow | null): void {
    if (standing !== null) this.#note(standing);
    this.reads.put(row);
    this.#note(row);
  }

  /** Takes a read back. Like {@link put}. */
  remove(row: EstateReadRow): void {
    this.reads.remove(row.hub, row.uid);
    this.#note(row);
  }

  /**
   * Forgets what was seen of a plate up to a moment. Like {@link put}. Returns the plates: one, or none if it was never
   * seen.
   */
  forget(token: string, until: number): string[] {
    const seen = this.reads.platesOf(token);
    for (const { part, plate, first } of seen) this.#note({ part, plate, at: first });
    this.reads.forget(token, until);
    return [...new Set(seen.map(({ plate }) => plate))];
  }

  /** Pairs what changed. Called at the end of each job. */
  pair(): void {
    const changed = [...this.#changed.values()];
    this.#changed.clear();
    for (const { part, plate, at } of changed) this.#pairOne(part, plate, at);
  }

  /** A job failed: discards what it noted. */
  abandon(): void {
    this.#changed.clear();
  }

  #note({ part, plate, at }: Pick<EstateReadRow, "part" | "plate" | "at">): void {
    const key = `${part} ${plate}`;
    const standing = this.#changed.get(key);
    if (standing === undefined) this.#changed.set(key, { part, plate, at });
    else standing.at = Math.min(standing.at, at);
  }

  #pairOne(part: string, plate: string, at: number): void {
    const place = this.reads.lastEntryBefore(part, plate, at);
    const rows = this.reads.from(part, plate, place);
    this.visits.removeFrom(part, plate, place);
    // The pairing orders events of one moment by number; in the estate's order the numbers are the positions in this
    // list.
    const events = rows.map(
      (row, index): VisitEvent => ({
        kind: row.kind === 1 ? "closure" : "pass",
        id: index,
        at: row.at,
        direction: row.kind === 1 ? null : row.direction,
        deviceId: row.deviceId,
        opensVisit: row.opensVisit === 1,
      }),
    );
    for (const visit of pairVisits(events)) {
      const entry = visit.entryReadId === null ? null : (rows[visit.entryReadId] ?? null);
      const exit = visit.exitReadId === null ? null : (rows[visit.exitReadId] ?? null);
      const row = visitRow({ part, plate, entry, exit, status: visit.status, staySeconds: visit.staySeconds });
      if (row !== null) this.visits.insert(row);
    }
  }
}

function visitRow({
  entry,
  exit,
  ...visit
}: Pick<EstateVisitRow, "part" | "plate" | "status" | "staySeconds"> & {
  readonly entry: PairedRow | null;
  readonly exit: PairedRow | null;
}): EstateVisitRow | null {
  const start = entry ?? exit;
  if (start === null) return null;
  return {
    ...visit,
    startAt: start.at,
    startHub: start.hub,
    startUid: start.uid,
    entryAt: entry?.at ?? null,
    entryHub: entry?.hub ?? null,
    entryUid: entry?.uid ?? null,
    exitAt: exit?.at ?? null,
    exitHub: exit?.hub ?? null,
    exitUid: exit?.uid ?? null,
  };
}
