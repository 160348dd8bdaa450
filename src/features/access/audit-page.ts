/**
 * A page of the audit list as people read it: narrowed, and with what somebody did to many things at once as one event,
 * so that an import of three hundred rules leaves the rest of the day in sight. It reads a bounded number of lines.
 */
import { setImmediate } from "node:timers/promises";

/** What is looked at of a line. */
interface LookedAt {
  readonly id: number;
  readonly person: string | null;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** A word that is looked for. */
export interface AuditWord {
  /** In small letters. */
  readonly word: string;
  /** Actions and targets that the reader knows by a name with this word. */
  readonly named: ReadonlySet<string>;
}

/** One act: a line, and those that say the same of something else. */
interface AuditEvent<Line> {
  readonly line: Line;
  /** The same by the same actor right before, newest first; the first {@link MOST_NAMED} of them. */
  readonly alike: readonly Line[];
  /** How many lines there are in all. */
  readonly count: number;
}

/** A page of events, newest first. */
export interface AuditPage<Line> {
  readonly events: readonly AuditEvent<Line>[];
  /** The id before which the list goes on; null: this is the end. */
  readonly next: number | null;
  /** How far a search has looked that found less than a page, epoch milliseconds; null: it has not stopped early. */
  readonly searchedTo: number | null;
}

/** Lines that are looked at for one page. */
const MOST_LOOKED_AT = 20_000;
/** Lines that are looked at before others get their turn. */
const AT_ONCE = 500;
/** What is done at once comes this close together, ms. */
const TOGETHER_MS = 60_000;
/** Lines of an event that are given, besides its first. */
const MOST_NAMED = 200;
/** What people do to many things at once. */
const OF_MANY = /\.(created|added|removed)$/;

/**
 * Reads a page of at most `limit` events before the line `beforeId`.
 * @param read lines before an id, newest first, already narrowed to a person and a time
 */
export async function auditPage<Line extends LookedAt>(
  {
    limit,
    beforeId,
    words,
  }: { readonly limit: number; readonly beforeId: number; readonly words: readonly AuditWord[] },
  read: (beforeId: number, limit: number) => readonly Line[],
): Promise<AuditPage<Line>> {
  const events: { readonly lines: Line[]; count: number }[] = [];
  const page = (next: number | null, searchedTo: number | null): AuditPage<Line> => ({
    events: events.flatMap(({ lines: [line, ...alike], count }) =>
      line === undefined ? [] : [{ line, alike, count }],
    ),
    next,
    searchedTo,
  });
  let next = beforeId;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += AT_ONCE) {
    const lines = read(next, AT_ONCE);
    for (const line of lines) {
      if (words.every((word) => hasWord(line, word))) {
        const last = events.at(-1);
        if (last !== undefined && isSameAct(last.lines, line)) {
          last.count += 1;
          if (last.lines.length <= MOST_NAMED) last.lines.push(line);
          else last.lines[MOST_NAMED] = line; // how far it has come
        } else if (events.length === limit) return page(next, null);
        else events.push({ lines: [line], count: 1 });
      }
      next = line.id;
    }
    if (lines.length < AT_ONCE) return page(null, null);
    if (looked + AT_ONCE >= MOST_LOOKED_AT) return page(next, lines.at(-1)?.at ?? null);
    await setImmediate();
  }
  return page(null, null);
}

function isSameAct(act: readonly LookedAt[], line: LookedAt): boolean {
  const last = act.at(-1);
  return (
    last !== undefined &&
    OF_MANY.test(line.action) &&
    last.action === line.action &&
    last.actor === line.actor &&
    Math.abs(last.at - line.at) <= TOGETHER_MS
  );
}

function hasWord({ person, action, target, detail }: LookedAt, { word, named }: AuditWord): boolean {
  if (named.has(action) || named.has(target)) return true;
  const said = `${person ?? ""} ${target} ${Object.values(detail).map(plainText).join(" ")}`.toLowerCase();
  // plates are written with and without spaces
  return said.includes(word) || said.replaceAll(" ", "").includes(word);
}

function plainText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
