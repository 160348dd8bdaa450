/**
 * Runs everything that can be wrong with the host: each feature adds its checks (`checks` in core/feature.ts), in a
 * file of its own folder. `/healthz`, `/readyz`, the start-up lines and the console read the same list.
 */

import { reasonOf } from "../text/described-error.ts";
import { english, healthEnglish } from "../text/english.ts";
import type { CheckCode, HealthText } from "../text/keys.ts";

/** `ok`; `degraded`: something does not work, the hub serves; `failed`: the hub does not do its main job. */
type HealthLevel = "ok" | "degraded" | "failed";

/** Result of one check, in words that help a person in front of the host. */
interface HealthReport {
  readonly code: string;
  readonly level: HealthLevel;
  /** In English. */
  readonly title: string;
  /** The current state, in English; for levels other than ok, with the remedy. */
  readonly text: string;
  /** {@link text} as a code with values. */
  readonly words: HealthText;
  /** It works, and could be better: somebody may do something about it. */
  readonly advice: boolean;
}

/**
 * One check; its name is `check.CODE` in the catalogue. `check` is cheap and never throws; it is called for each
 * request.
 */
export interface HealthCheck {
  readonly code: CheckCode;
  readonly check: () => { readonly level: HealthLevel; readonly words: HealthText; readonly advice?: true };
}

/** The whole of the hub's health. */
export interface Health {
  readonly status: HealthLevel;
  readonly checks: readonly HealthReport[];
}

/** Runs every check; the worst level is the hub's. A check that throws counts as degraded. */
export function readHealth(checks: readonly HealthCheck[]): Health {
  const reports = checks.map(report);
  const status = reports.some((r) => r.level === "failed")
    ? "failed"
    : reports.some((r) => r.level === "degraded")
      ? "degraded"
      : "ok";
  return { status, checks: reports };
}

function report({ code, check }: HealthCheck): HealthReport {
  const { level, words, advice = false } = ask(check);
  return { code, title: english(`check.${code}`), level, words, advice, text: healthEnglish(words) };
}

function ask(check: HealthCheck["check"]): ReturnType<HealthCheck["check"]> {
  try {
    return check();
  } catch (error) {
    return { level: "degraded", words: { code: "checkFailed", reason: reasonOf(error) } };
  }
}
