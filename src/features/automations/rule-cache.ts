import type { Rule, RunResult } from "./rules/rule.ts";

/** The rules in memory, as the database has them. Lists and triggers are answered from here. */
export class RuleCache {
  readonly #rules = new Map<number, Rule>();

  get(id: number): Rule | null {
    return this.#rules.get(id) ?? null;
  }

  /** Every rule by id. */
  all(): readonly Rule[] {
    return [...this.#rules.values()];
  }

  /** Adds a rule, or replaces the one with its id. */
  set(rule: Rule): void {
    this.#rules.set(rule.id, rule);
  }

  delete(id: number): void {
    this.#rules.delete(id);
  }

  clear(): void {
    this.#rules.clear();
  }

  /** Notes when a rule last began to run, or how that ended; returns the current rule, null when it was deleted. */
  note(id: number, what: { lastTriggeredAt?: number; lastResult?: RunResult }): Rule | null {
    const rule = this.#rules.get(id);
    if (rule === undefined) return null;
    const noted = { ...rule, ...what };
    this.#rules.set(id, noted);
    return noted;
  }
}
