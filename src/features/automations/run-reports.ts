import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Detail, FeedText } from "../../core/text/keys.ts";
import type { House } from "./house.ts";
import { tellsOfVehicles, tellsWhereabouts } from "./rights.ts";
import type { RuleCache } from "./rule-cache.ts";
import { type Rule, type RunResult, stepsOf } from "./rules/rule.ts";
import { setOffBy } from "./steps.ts";
import type { StepTrace, Traces } from "./traces.ts";

/** A rule that runs often appears in the feed once a minute; its traces have every run. */
const FEED_EVERY_MS = 60_000;
/** Steps of a run that the feed names. */
const MOST_NAMED = 5;

/** Records on the rule, and in the feed, that it ran and how that ended. */
export class RunReports {
  readonly #options: ConstructorParameters<typeof RunReports>[0];
  readonly #inFeedMono = new Map<string, number>();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly house: House;
    readonly rules: RuleCache;
    readonly traces: Traces;
  }) {
    this.#options = options;
  }

  /** A run began at `at` (epoch ms). */
  began(rule: Rule, at: number): void {
    this.#note(rule.id, { lastTriggeredAt: at });
  }

  /** A run has ended. */
  ended(
    ruleId: number,
    result: RunResult,
    steps: readonly StepTrace[],
    trigger: Readonly<Record<string, unknown>>,
  ): void {
    const before = this.#options.rules.get(ruleId);
    const staysPaused = before?.lastResult === "paused" && !before.enabled; // a run from before the pause ends after it
    const rule = staysPaused ? before : this.#note(ruleId, { lastResult: result });
    if (rule === null || result === "stopped" || !this.#due(`${ruleId} ${result}`)) return;
    const { name } = rule;
    // what a person's coming and going sets off is in the rule's own list: not everybody is shown that
    if (result === "ok" && tellsWhereabouts(rule)) return;
    // this line is for everybody; what a message says is for whom it was sent to
    const named = tellsChosen(rule) ? steps.map(withoutTitle) : steps;
    if (result === "ok")
      this.#feed(rule, "automation.fired", { code: "automation.fired", name, ...summary(named) }, setOffBy(trigger));
    else {
      const failure = named.find((step) => step.error !== undefined);
      const text: FeedText = {
        code: "automation.failed",
        name,
        what: failure === undefined ? "" : stepName(failure),
        why: failure?.words ?? failure?.error ?? "",
      };
      this.#feed(rule, tellsWhereabouts(rule) ? "automation.private" : "automation.failed", text);
    }
  }

  /** A rule ran well in a made-up past, of which its traces tell too. */
  past(ruleId: number, at: number): void {
    const rule = this.#note(ruleId, { lastTriggeredAt: at, lastResult: "ok" });
    if (rule === null) return;
    const { type, ...members } = rule.trigger;
    this.#options.traces.add(ruleId, {
      at,
      outcome: "ran",
      result: "ok",
      trigger: { type, ...("at" in members ? { at: members.at } : {}) },
      steps: stepsOf(rule.action).flatMap((step) =>
        step.type === "command" ? [{ type: step.type, what: step.deviceId, result: "sent" as const }] : [],
      ),
    });
  }

  /** The rule was switched off because it ran too often. */
  paused(ruleId: number): void {
    this.#note(ruleId, { lastResult: "paused" });
  }

  #note(ruleId: number, what: { lastTriggeredAt?: number; lastResult?: RunResult }): Rule | null {
    const rule = this.#options.rules.note(ruleId, what);
    if (rule !== null) this.#options.traces.ran(ruleId, rule.lastTriggeredAt, rule.lastResult);
    return rule;
  }

  #due(key: string): boolean {
    const now = this.#options.clock.mono();
    const last = this.#inFeedMono.get(key);
    if (last !== undefined && now - last < FEED_EVERY_MS) return false;
    this.#inFeedMono.set(key, now);
    return true;
  }

  #feed(
    rule: Rule,
    kind: "automation.fired" | "automation.failed" | "automation.private",
    text: FeedText,
    becauseOf: string | null = null,
  ): void {
    const { database, house, clock, logger } = this.#options;
    const item = {
      siteId: rule.siteId,
      kind,
      deviceId: null,
      text,
      aboutVehicles: tellsOfVehicles(rule),
      becauseOf,
      at: clock.now(),
    };
    database
      .write(() => house.feed.record(item))
      .catch((error: unknown) =>
        logger.warn({ automationId: rule.id, err: error }, "a run could not be added to the feed"),
      );
  }
}

/** Whether a rule sends messages to chosen persons only. */
function tellsChosen(rule: Rule): boolean {
  return stepsOf(rule.action).some((step) => step.type === "notify" && step.to !== undefined);
}

function withoutTitle(step: StepTrace): StepTrace {
  return step.type === "notify" ? { ...step, what: "" } : step;
}

/** A message by its title, or just as a message. */
function messageName({ what }: StepTrace): Detail {
  return what === "" ? { code: "step.aMessage" } : { code: "step.message", title: what };
}

function stepName(step: StepTrace): string | Detail {
  return step.type === "notify" && step.what === "" ? messageName(step) : step.what;
}

/** A summary of the sent commands; the first by name. */
function summary(steps: readonly StepTrace[]): {
  readonly n: number;
  readonly steps: readonly Detail[];
  readonly more: number;
} {
  const sent = steps.filter((step) => step.result === "sent");
  const named = sent.slice(0, MOST_NAMED).map((step): Detail => {
    if (step.type === "command") return { code: "step.command", device: step.what };
    if (step.type === "house") return { code: "step.house", mode: step.what };
    return step.type === "scene" ? { code: "step.scene", scene: step.what } : messageName(step);
  });
  return { n: sent.length, steps: named, more: sent.length - named.length };
}
