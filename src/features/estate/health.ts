import type { HealthCheck } from "../../core/health/health.ts";

/** The facts this check judges. */
export interface EstateFacts {
  readonly connected: boolean;
  /** Epoch ms; null before the first report. */
  readonly since: number | null;
  /** Own reads that the estate does not have yet. */
  readonly waiting: number;
  /** Why the servers refuse this hub's messages; null while they accept them. */
  readonly refusal: string | null;
  /** How far this hub's clock is ahead of the servers'. */
  readonly clockOffMs: number | null;
}

/** A clock that is further off is worth a look, although reads are corrected for it. */
const CLOCK_OFF_MS = 60_000;

/** Whether the hub is connected to its estate; `broken`: why its file cannot be used. */
export function estateCheck(facts: () => EstateFacts | { readonly broken: string }, now: () => number): HealthCheck {
  return {
    code: "estate",
    check: () => {
      const found = facts();
      if ("broken" in found) return { level: "degraded", words: { code: "estate.broken", reason: found.broken } };
      const { connected, since, waiting, refusal, clockOffMs } = found;
      const n = since === null ? 0 : Math.floor((now() - since) / 60_000);
      if (!connected) return { level: "degraded", words: { code: "estate.away", n, waiting } };
      if (refusal !== null) return { level: "degraded", words: { code: "estate.refused", reason: refusal, waiting } };
      if (Math.abs(clockOffMs ?? 0) > CLOCK_OFF_MS)
        return { level: "degraded", words: { code: "estate.clock", n: Math.round(Math.abs(clockOffMs ?? 0) / 1000) } };
      return { level: "ok", words: { code: "estate.ok", n } };
    },
  };
}
