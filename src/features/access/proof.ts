/**
 * Owns the time when each session's person last proved their identity: at sign-in, and by password, second factor or
 * passkey since. Kept in memory by monotonic time: setting the wall clock back extends nothing, and a restart asks
 * again. Each route declares whether it needs a proof.
 */
import type { Caller } from "../../core/api/caller.ts";
import type { ProofAge } from "../../core/api/route.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";

/** How long a proof counts, in milliseconds. */
export const PROOF_MS = 5 * 60_000;
/** How long the claim of a new hub counts as a proof for what adds a device, in milliseconds. */
export const SET_UP_MS = 60 * 60_000;

/** The ways a person can prove their identity, for the page that asks. */
export interface ProofWays {
  /** The password must come with a code. */
  readonly secondFactor: boolean;
  /** A passkey of theirs works on the page that asks. */
  readonly passkey: boolean;
}

interface Proven {
  readonly accountId: number;
  readonly atMono: number;
}

/** The fresh proofs of all sessions. */
export class Proofs {
  readonly #clock: Clock;
  readonly #bySession = new Map<number, Proven>();
  /** The session in which this hub was claimed; null: not since the process started. */
  #claim: (Proven & { readonly sessionId: number }) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that the session's person has just proved who they are. */
  proved(sessionId: number, accountId: number): void {
    this.#bySession.delete(sessionId); // the map stays in the order of time
    this.#bySession.set(sessionId, { accountId, atMono: this.#clock.mono() });
    for (const [id, { atMono }] of this.#bySession) {
      if (this.#clock.mono() - atMono <= PROOF_MS) break;
      this.#bySession.delete(id);
    }
  }

  /** Notes that the hub was claimed in this session. */
  claimed(sessionId: number, accountId: number): void {
    this.#claim = { sessionId, accountId, atMono: this.#clock.mono() };
  }

  /**
   * Forgets the proofs of a person's sessions but one (0: all), for when their rights or their ways to prove themselves
   * have changed.
   */
  forget(accountId: number, keepSessionId = 0): void {
    for (const [id, proven] of this.#bySession)
      if (proven.accountId === accountId && id !== keepSessionId) this.#bySession.delete(id);
    if (this.#claim?.accountId === accountId && this.#claim.sessionId !== keepSessionId) this.#claim = null;
  }

  /**
   * Lets a caller pass whose person, in the session `sessionId`, has proved their identity within the last five
   * minutes; for `set-up` also if they claimed this hub in it within the last hour. The host always passes.
   * @throws Problem `fresh_proof_required` otherwise, and for every API key
   */
  check(caller: Caller, sessionId: number, ways: () => ProofWays, age: ProofAge = "fresh"): void {
    if (caller.method === "session" && caller.actor === "cli") return;
    const proven = this.#bySession.get(sessionId);
    if (this.#isFrom(proven, caller, PROOF_MS)) return;
    if (age === "set-up" && this.#claim?.sessionId === sessionId && this.#isFrom(this.#claim, caller, SET_UP_MS))
      return;
    if (caller.method !== "session")
      throw new Problem(
        "fresh_proof_required",
        "This needs a person who has just proved who they are; an API key cannot.",
      );
    const { secondFactor, passkey } = ways();
    const what = `${secondFactor ? "the password with a code of the second factor" : "the password"}${passkey ? ", or a passkey" : ""}`;
    throw new Problem(
      "fresh_proof_required",
      `Confirm that it is you: this needs ${what}, not more than five minutes ago.`,
      {
        fields: { maxAgeSeconds: PROOF_MS / 1000, secondFactor, passkey },
      },
    );
  }

  #isFrom(proven: Proven | undefined, { accountId }: Caller, withinMs: number): boolean {
    return proven?.accountId === accountId && this.#clock.mono() - proven.atMono <= withinMs;
  }
}
