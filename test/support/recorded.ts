/**
 * The events of a scenario, step by step and in full, against its file in test/fixtures/in-full: results, refusals with
 * all their members, and everything announced besides. After an intended change: `GATEHOUSE_WRITE_IN_FULL=1 npm test --
 * test/…/in-full.test.ts`, and review its diff there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { PROJECT_ROOT } from "./database.ts";

/** Lists that grow while a scenario runs, by their content. */
type Told = Readonly<Record<string, unknown[]>>;

/** The steps of one scenario. */
export class Recorded {
  readonly steps: Record<string, unknown> = {};
  readonly #told: Told;
  readonly #startMs: number;
  readonly #settle: () => unknown;
  readonly #shown: (text: string) => string;

  /**
   * `told`: messages to others; `settle` waits until they have arrived. Times are written as milliseconds from
   * `startMs`, and texts as `shown` makes them, if they differ from run to run.
   */
  constructor(told: Told, startMs: number, settle: () => unknown, shown = (text: string): string => text) {
    this.#told = told;
    this.#startMs = startMs;
    this.#settle = settle;
    this.#shown = shown;
  }

  /** Does something and records its result or error, with the messages sent meanwhile. */
  async step(name: string, what: () => unknown): Promise<void> {
    if (name in this.steps) throw new Error(`two steps are called "${name}"`);
    for (const list of Object.values(this.#told)) list.length = 0;
    let answer: object;
    try {
      answer = { answers: await what() };
    } catch (error) {
      answer = { throws: refusal(error) };
    }
    await this.#settle();
    const told = Object.fromEntries(Object.entries(this.#told).filter(([, list]) => list.length > 0));
    this.steps[name] = this.#plain({ ...answer, ...told });
  }

  /** In the form of a JSON file. */
  #plain(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value, (_, part: unknown) => {
        if (part instanceof Map) return Object.fromEntries(part);
        if (part instanceof Set) return [...part];
        if (typeof part === "string") return this.#shown(part);
        if (typeof part === "number" && Math.abs(part - this.#startMs) < 10 ** 11)
          return `T${signed(part - this.#startMs)}`;
        return part;
      }),
    );
  }
}

/** A table of a function's result for each of its inputs. */
export function table<Input>(
  inputs: Iterable<Input>,
  output: (input: Input) => unknown,
  nameOf: (input: Input) => string = (input) => JSON.stringify(input),
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const input of inputs) {
    const name = nameOf(input);
    if (name in found) throw new Error(`two inputs are called "${name}"`);
    try {
      found[name] = inJson(output(input));
    } catch (error) {
      found[name] = inJson({ throws: refusal(error) });
    }
  }
  return found;
}

/** In the form of a JSON file, numbers to nine digits. */
function inJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null, (_, part: unknown) => {
      if (part instanceof Map) return Object.fromEntries(part);
      if (part instanceof Set || part instanceof Float64Array || part instanceof Float32Array) return [...part];
      if (typeof part !== "number" || Number.isInteger(part)) return part;
      return Number.isFinite(part) ? Number(part.toPrecision(9)) : String(part);
    }),
  );
}

/** Compares the results of scenarios with the record; each by its name. */
export function sameAsRecorded(t: Test, name: string, scenarios: Readonly<Record<string, unknown>>): void {
  const file = join(PROJECT_ROOT, "test/fixtures/in-full", `${name}.json`);
  if (process.env.GATEHOUSE_WRITE_IN_FULL === "1") writeFileSync(file, text(scenarios));
  const wanted = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, unknown>>; // written above
  t.same(Object.keys(scenarios), Object.keys(wanted));
  for (const [scenario, steps] of Object.entries(wanted)) {
    const found = scenarios[scenario] as Record<string, unknown>; // they have the same names
    t.same(Object.keys(found), Object.keys(steps), scenario);
    for (const [step, one] of Object.entries(steps)) t.strictSame(found[step], one, `${scenario}: ${step}`);
  }
}

/** A line for each step, so that a change shows as the steps that it affects. */
function text(scenarios: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(scenarios).map(([name, steps]) => {
    const lines = Object.entries(steps as object).map(
      ([step, one]) => `  ${JSON.stringify(step)}: ${JSON.stringify(one)}`,
    );
    return ` ${JSON.stringify(name)}: {\n${lines.join(",\n")}\n }`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}

function refusal(error: unknown): unknown {
  if (!(error instanceof Problem)) return String(error);
  const { code, message, details, fields, headers, hint } = error;
  return { code, message, details, fields, headers, hint };
}

function signed(ms: number): string {
  return ms < 0 ? String(ms) : `+${ms}`;
}
