/**
 * Goes through a long list of plate rules: some lines, then whatever else the hub has to do, then the next. Of each
 * household one list at a time.
 */
import { setImmediate } from "node:timers/promises";
import { Problem } from "../../core/kernel/problem.ts";
import { Slots } from "../../core/kernel/slots.ts";
import type { RuleKind } from "../../core/plates/decide.ts";

/** A rule that is, or could be, on a list. */
interface Listed {
  readonly plate: string;
  readonly formatted: string;
  readonly kind: RuleKind;
  readonly deviceId: string | null;
}

/** A rule of a list that could not be added. */
interface RefusedRule {
  readonly index: number;
  readonly plate: string;
  readonly problem: Problem;
}

/** What became of a list of rules, or would. */
export interface ImportedRules<Added> {
  readonly added: readonly Added[];
  readonly refused: readonly RefusedRule[];
}

/** How the lines of a list are taken. */
export interface ImportWay<Line, Added> {
  readonly linesAtOnce: number;
  /** False: a rehearsal. */
  readonly changes: boolean;
  /** Takes some lines, all or none of them; each becomes a rule or is refused. `batch`: those before that became rules. */
  take(lines: readonly Line[], batch: ImportBatch): Promise<readonly (Added | Problem)[]>;
}

/** What a list has added by now: a plate that stands in it twice is refused the second time. */
export class ImportBatch {
  readonly #kinds: Map<string, RuleKind>;

  constructor(kinds: ReadonlyMap<string, RuleKind> = new Map()) {
    this.#kinds = new Map(kinds);
  }

  get size(): number {
    return this.#kinds.size;
  }

  copy(): ImportBatch {
    return new ImportBatch(this.#kinds);
  }

  add(rule: Listed): void {
    this.#kinds.set(scopeOf(rule), rule.kind);
  }

  /** @throws Problem plate_already_listed */
  check(rule: Listed): void {
    const kind = this.#kinds.get(scopeOf(rule));
    if (kind !== undefined) throw alreadyListed(rule.formatted, kind);
  }
}

function scopeOf({ plate, deviceId }: Listed): string {
  return `${plate} ${deviceId ?? ""}`;
}

/** The refusal of a plate that has a rule for the same cameras. */
export function alreadyListed(
  formatted: string,
  kind: RuleKind,
  fields: Readonly<Record<string, unknown>> = {},
): Problem {
  return new Problem("plate_already_listed", `${formatted} is already on the ${kind} list for this scope.`, { fields });
}

/** Why a line is refused. @throws the error, where it is not about the line */
export function refusalOf(error: unknown): Problem {
  if (!(error instanceof Problem) || error.code === "forbidden") throw error;
  return error;
}

/** Takes all lines. @throws what `way` throws before a line was added, and what is no Problem */
export async function importRules<Line extends { readonly plate: string }, Added extends Listed>(
  rules: readonly Line[],
  way: ImportWay<Line, Added>,
): Promise<ImportedRules<Added>> {
  const added: Added[] = [];
  const refused: RefusedRule[] = [];
  const batch = new ImportBatch();
  for (let from = 0; from < rules.length; from += way.linesAtOnce) {
    if (from > 0) await setImmediate();
    const lines = rules.slice(from, from + way.linesAtOnce);
    try {
      const taken = await way.take(lines, batch);
      for (const [at, one] of taken.entries()) {
        if (one instanceof Problem) refused.push({ index: from + at, plate: lines[at]?.plate ?? "", problem: one });
        else {
          added.push(one);
          batch.add(one);
        }
      }
    } catch (error) {
      if (!way.changes || added.length === 0 || !(error instanceof Problem)) throw error;
      // what was added stays, and the answer has to say so
      for (const [at, { plate }] of rules.slice(from).entries())
        refused.push({ index: from + at, plate, problem: error });
      break;
    }
  }
  return { added, refused };
}

/** Lists of one person that are gone through or wait. */
const MOST_OF_ONE = 3;
const RETRY_SECONDS = 5;

/** Lets one list of each household through at a time. */
export class ImportTurns {
  readonly #slots = new Map<number, Slots>();
  /** How many each person has here. */
  readonly #of = new Map<string, number>();

  /** @throws Problem rate_limited */
  async run<Answer>(siteId: number, from: string, work: () => Promise<Answer>): Promise<Answer> {
    const theirs = this.#of.get(from) ?? 0;
    if (theirs >= MOST_OF_ONE) {
      throw new Problem(
        "rate_limited",
        { code: "refusal.import.waiting" },
        { fields: { retryAfterSeconds: RETRY_SECONDS }, headers: { "Retry-After": String(RETRY_SECONDS) } },
      );
    }
    const slots = this.#slots.get(siteId) ?? new Slots(1);
    this.#slots.set(siteId, slots);
    this.#of.set(from, theirs + 1);
    try {
      return await slots.run(work);
    } finally {
      const left = (this.#of.get(from) ?? 1) - 1;
      if (left === 0) this.#of.delete(from);
      else this.#of.set(from, left);
    }
  }
}
