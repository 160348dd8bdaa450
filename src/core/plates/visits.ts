import type { Direction } from "./reading.ts";

/** State of a visit (docs/spec/device-control-api.md §2). */
export type VisitStatus = "open" | "closed" | "entry_missed" | "exit_missed";

/** A pass of one vehicle, or a person closing its visit by hand. */
export interface VisitEvent {
  readonly kind: "pass" | "closure";
  /** Id of the read, or of the closure. */
  readonly id: number;
  readonly at: number;
  /** Always null for a closure. */
  readonly direction: Direction | null;
  readonly deviceId: string;
  /** False for a denied vehicle at an entry that it did not get through. */
  readonly opensVisit: boolean;
}

/** One stay of a vehicle. */
export interface PairedVisit {
  readonly entryReadId: number | null;
  readonly exitReadId: number | null;
  readonly entryAt: number | null;
  readonly exitAt: number | null;
  readonly entryCamera: string | null;
  readonly exitCamera: string | null;
  readonly status: VisitStatus;
  /** Whole seconds; null unless both ends were seen. */
  readonly staySeconds: number | null;
}

/**
 * Pairs all passes of one vehicle into visits (docs/spec/domain.md §8), oldest first. The order of the input does not
 * matter: passes count in order of their time, then of their id.
 */
export function pairVisits(events: readonly VisitEvent[]): PairedVisit[] {
  const visits: PairedVisit[] = [];
  let open: VisitEvent | null = null;
  for (const event of [...events].sort(byTime)) {
    if (event.kind === "closure" || (event.direction === "in" && event.opensVisit)) {
      if (open !== null) visits.push(visit(open, null, "exit_missed"));
      open = event.kind === "closure" ? null : event;
    } else if (event.direction === "out") {
      visits.push(open === null ? visit(null, event, "entry_missed") : visit(open, event, "closed"));
      open = null;
    }
  }
  if (open !== null) visits.push(visit(open, null, "open"));
  return visits;
}

/** Passes by time, then by id; at the same moment a closure comes after passes. */
function byTime(a: VisitEvent, b: VisitEvent): number {
  return a.at - b.at || Number(a.kind === "closure") - Number(b.kind === "closure") || a.id - b.id;
}

function visit(entry: VisitEvent | null, exit: VisitEvent | null, status: VisitStatus): PairedVisit {
  return {
    entryReadId: entry?.id ?? null,
    exitReadId: exit?.id ?? null,
    entryAt: entry?.at ?? null,
    exitAt: exit?.at ?? null,
    entryCamera: entry?.deviceId ?? null,
    exitCamera: exit?.deviceId ?? null,
    status,
    staySeconds: entry !== null && exit !== null ? Math.floor((exit.at - entry.at) / 1000) : null,
  };
}

/** A visit that is already stored. */
export interface StoredVisit extends PairedVisit {
  readonly id: number;
}

/** What must change so that the stored visits are the paired ones. */
export interface VisitChanges {
  readonly insert: readonly PairedVisit[];
  readonly update: readonly StoredVisit[];
  readonly remove: readonly StoredVisit[];
}

/** Compares; a visit keeps its id as long as its entry stays the same or, if the entry was missed, its exit. */
export function visitChanges(stored: readonly StoredVisit[], paired: readonly PairedVisit[]): VisitChanges {
  const known = new Map(stored.map((old) => [identity(old), old]));
  const insert: PairedVisit[] = [];
  const update: StoredVisit[] = [];
  for (const next of paired) {
    const old = known.get(identity(next));
    if (old === undefined) insert.push(next);
    else if (differs(old, next)) update.push({ ...next, id: old.id });
    known.delete(identity(next));
  }
  return { insert, update, remove: [...known.values()] };
}

function identity(visit: PairedVisit): string {
  return visit.entryReadId === null ? `exit ${visit.exitReadId}` : `entry ${visit.entryReadId}`;
}

function differs(a: PairedVisit, b: PairedVisit): boolean {
  return (
    a.entryReadId !== b.entryReadId ||
    a.exitReadId !== b.exitReadId ||
    a.entryAt !== b.entryAt ||
    a.exitAt !== b.exitAt ||
    a.entryCamera !== b.entryCamera ||
    a.exitCamera !== b.exitCamera ||
    a.status !== b.status
  );
}
