/**
 * The registry of everything that can be wrong with the box: one file per check in this folder, named after its
 * code. `/healthz`, `/readyz`, the start-up lines and the console read the same list.
 */

/** `ok`; `degraded`: something does not work, the hub serves; `failed`: the hub does not do its main job. */
type HealthLevel = "ok" | "degraded" | "failed";

/** Result of one check, in words that help the person at the box. */
interface HealthReport {
  readonly code: string;
  readonly level: HealthLevel;
  readonly title: string;
  /** What it is now; for levels other than ok, what to do. */
  readonly text: string;
  /** The text in a form that other languages are made from; absent where there is none. */
  readonly words?: HealthWords;
}

/** A code of the console's catalogue with what stands in its text. */
export interface HealthWords {
  readonly code: string;
  readonly [name: string]: string | number;
}

/** One check. `check` is cheap and never throws; it is called on each question. */
export interface HealthCheck {
  readonly code: string;
  readonly title: string;
  readonly check: () => { level: HealthLevel; text: string; words?: HealthWords };
}

/** The whole of the hub's health. */
export interface Health {
  readonly status: HealthLevel;
  readonly checks: readonly HealthReport[];
}

/** Asks every check; the worst level is the hub's. A check that throws counts as degraded. */
export function readHealth(checks: readonly HealthCheck[]): Health {
  const reports = checks.map(report);
  const status = reports.some((r) => r.level === "failed") ? "failed" : reports.some((r) => r.level === "degraded") ? "degraded" : "ok";
  return { status, checks: reports };
}

function report(check: HealthCheck): HealthReport {
  try {
    return { code: check.code, title: check.title, ...check.check() };
  } catch (error) {
    return {
      code: check.code,
      title: check.title,
      level: "degraded",
      text: `The check itself failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
