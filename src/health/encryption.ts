import type { HealthCheck } from "./health.js";

/** How connections to the hub are encrypted. */
export interface EncryptionFacts {
  /** Null while TLS is off. */
  readonly tls: {
    /** The own authority; null with the owner's own certificate. */
    readonly authority: { readonly kind: "own" | "boundless" | "given"; readonly notAfter: number } | null;
    /** Whether the settings have a name that the own authority may not vouch for. Health is public: it does not say which. */
    readonly uncovered: boolean;
  } | null;
  readonly plainHttp: "open" | "closed";
  /** Epoch milliseconds. */
  readonly now: number;
}

const YEAR_MS = 365 * 86_400_000;

/** Whether what people type to the hub can be read on the way, and whether its authority is worth its trust. */
export function encryptionCheck(facts: () => EncryptionFacts): HealthCheck {
  return {
    code: "encryption",
    title: "Encryption",
    check: () => {
      const { tls, plainHttp, now } = facts();
      if (tls === null) return { level: "ok", text: "Off: whoever is in this network can read passwords on their way.", words: { code: "encryption.off" } };
      if (tls.authority?.kind === "boundless") {
        const text = "The hub's authority was made by an earlier version and could vouch for any website. Renew it under System, Network, and trust it again.";
        return { level: "degraded", text, words: { code: "encryption.boundless" } };
      }
      if (tls.authority !== null && tls.authority.notAfter - now < YEAR_MS) {
        const text = "The hub's authority ends within a year. Renew it under System, Network, and trust it again on each phone and computer.";
        return { level: "degraded", text, words: { code: "encryption.ends" } };
      }
      if (tls.uncovered) {
        const text = "The hub's authority vouches for the home network only; another name of the settings needs a certificate of your own (tls.mode files).";
        return { level: "ok", text, words: { code: "encryption.uncovered" } };
      }
      if (plainHttp === "open")
        return { level: "ok", text: "https is on; plain http is open too, and what is sent there can be read.", words: { code: "encryption.open" } };
      return { level: "ok", text: "https only.", words: { code: "encryption.only" } };
    },
  };
}
