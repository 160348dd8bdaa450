import type { HealthCheck } from "../../../core/health/health.ts";

/** How connections to the hub are encrypted. */
export interface EncryptionFacts {
  /** Null while TLS is off. */
  readonly tls: {
    /** The hub's own authority; null with the owner's own certificate. */
    readonly authority: { readonly kind: "own" | "boundless" | "given"; readonly notAfter: number } | null;
    /** Whether the hub had an authority that can no longer be used. */
    readonly isLost: boolean;
    /**
     * Whether the settings have a name that the own authority may not vouch for. Health is public: it does not name it.
     */
    readonly uncovered: boolean;
  } | null;
  readonly plainHttp: "open" | "closed";
  /** Epoch milliseconds. */
  readonly now: number;
}

const YEAR_MS = 365 * 86_400_000;

/** Whether what people type can be read on its way to the hub, and whether its authority deserves its trust. */
export function encryptionCheck(facts: () => EncryptionFacts): HealthCheck {
  return {
    code: "encryption",
    check: () => {
      const { tls, plainHttp, now } = facts();
      if (tls === null) return { level: "ok", advice: true, words: { code: "encryption.off" } };
      if (tls.isLost) return { level: "failed", words: { code: "encryption.lost" } };
      if (tls.authority?.kind === "boundless") {
        return { level: "degraded", words: { code: "encryption.boundless" } };
      }
      if (tls.authority !== null && tls.authority.notAfter - now < YEAR_MS) {
        return { level: "degraded", words: { code: "encryption.ends" } };
      }
      if (tls.uncovered) {
        return { level: "ok", advice: true, words: { code: "encryption.uncovered" } };
      }
      if (plainHttp === "open") return { level: "ok", advice: true, words: { code: "encryption.open" } };
      return { level: "ok", words: { code: "encryption.only" } };
    },
  };
}
