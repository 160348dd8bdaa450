/**
 * The templates of one device. Each is compiled once; all draw on the device's budget and on one shared by all devices.
 * A template that runs too long is switched off, also across a restart: it is not tried again at the next message.
 */
import { nameHash } from "../json-values.ts";
import type { EvaluationBudget } from "./evaluation-budget.ts";
import { type Evaluated, MOST_STEPS, type ParsedTemplate, parsedTemplate, type Template } from "./template.ts";

/** Most templates of a device that are switched off individually; with one more all of them are. */
const MOST_OFF = 32;
/** In {@link TemplateSet.switchedOff}: all. */
const ALL = "*";
/** Most compiled templates that are kept: enough for a device of 200 components with two each. */
const MOST_KEPT = 400;
const SHOWN_CHARACTERS = 80;

const TOGETHER = "the templates of this device work too long together; values are left out";

/** The templates of one device. */
export class TemplateSet {
  readonly #budgets: readonly EvaluationBudget[];
  readonly #off: Set<string>;
  readonly #parsed = new Map<string, ParsedTemplate | { readonly unsupported: string }>();
  readonly #reported = new Set<string>();
  readonly #now: () => number;
  #news: string[] = [];
  #hasChanged = false;

  /** @param known `switchedOff`: the value of {@link switchedOff} before a restart */
  constructor(
    budgets: readonly EvaluationBudget[],
    { switchedOff = [], now = () => performance.now() }: { switchedOff?: readonly string[]; now?: () => number } = {},
  ) {
    this.#budgets = budgets;
    this.#now = now;
    this.#off = new Set(switchedOff.slice(0, MOST_OFF + 1));
  }

  /** Marks of the templates that are switched off. */
  get switchedOff(): readonly string[] {
    return [...this.#off];
  }

  /**
   * Whether {@link switchedOff} has changed since the last call, and new reasons why templates gave nothing, each
   * reported once.
   */
  news(): { readonly hasChanged: boolean; readonly reasons: readonly string[] } {
    const news = { hasChanged: this.#hasChanged, reasons: this.#news };
    this.#hasChanged = false;
    this.#news = [];
    return news;
  }

  /** A template ready for use; `{ unsupported }` names the unsupported part. */
  compile(source: string): Template | { readonly unsupported: string } {
    const parsed = this.#parsed.get(source) ?? parsedTemplate(source);
    this.#parsed.set(source, parsed);
    if (this.#parsed.size > MOST_KEPT) this.#parsed.clear(); // of a device that announces ever other ones
    if ("unsupported" in parsed) return parsed;
    const mark = nameHash(source);
    return { source, evaluate: (variables) => this.#evaluate(parsed, mark, variables) };
  }

  /** Refills the device's budgets up to `at`, epoch milliseconds. */
  refill(at: number): void {
    for (const budget of this.#budgets) budget.refill(at);
  }

  #evaluate(parsed: ParsedTemplate, mark: string, variables: Readonly<Record<string, unknown>>): Evaluated {
    if (this.#off.has(mark) || this.#off.has(ALL))
      return this.#refused(
        `a template works too long and is switched off: ${parsed.source.slice(0, SHOWN_CHARACTERS)}`,
      );
    const left = Math.min(...this.#budgets.map((budget) => budget.left));
    if (left === 0) return this.#refused(TOGETHER);
    const { result, steps, stopped } = parsed.run(variables, { left, now: this.#now });
    for (const budget of this.#budgets) budget.take(stopped === "time" ? MOST_STEPS : steps);
    if (stopped === null) return result;
    if (stopped !== "itself") return this.#refused(TOGETHER); // a busy machine is not the template's fault
    this.#off.add(this.#off.size < MOST_OFF ? mark : ALL);
    this.#hasChanged = true;
    return this.#refused(`a template works too long and is switched off: ${parsed.source.slice(0, SHOWN_CHARACTERS)}`);
  }

  #refused(reason: string): Evaluated {
    if (!this.#reported.has(reason) && this.#reported.size < MOST_KEPT) {
      this.#reported.add(reason);
      this.#news.push(reason);
    }
    return { refused: reason };
  }
}
