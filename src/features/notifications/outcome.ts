import type { ReceiverResponse } from "../../core/kernel/post.ts";
import type { Detail } from "../../core/text/keys.ts";

/**
 * The outcome of an attempt: `delivered`; `retry`: it may work later (`afterMs` if the receiver stated when);
 * `rejected`: this message is not accepted; `ended`: the receiver is gone for good.
 */
export interface Outcome {
  readonly result: "delivered" | "retry" | "rejected" | "ended";
  /** What happened, for the person who pressed the test button. */
  readonly words: Detail;
  readonly afterMs?: number;
}

export const DELIVERED: Outcome = { result: "delivered", words: { code: "notify.delivered" } };

/** The outcome of a POST that got no answer, or one that asks for a later try. Null: the channel has to judge. */
export function commonOutcome({ ok, status, error, retryAfter }: ReceiverResponse): Outcome | null {
  if (ok) return DELIVERED;
  if (status === null) {
    const [, refused] = /^refused: (.*)/.exec(error ?? "") ?? [];
    return refused === undefined
      ? { result: "retry", words: { code: "notify.away", why: error ?? "" } }
      : { result: "rejected", words: { code: "notify.refused", why: refused } };
  }
  const seconds = Number(retryAfter);
  const afterMs = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3_600) * 1_000 : undefined;
  const later = afterMs === undefined ? {} : { afterMs };
  if (status === 429) return { result: "retry", words: { code: "notify.tooMany", status }, ...later };
  if (status >= 500 || status === 408) return { result: "retry", words: answered(status), ...later };
  return null;
}

/** A status with the receiver's explanation. */
export function answered(status: number, explanation = ""): Detail {
  const why = explanation
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 160);
  return { code: "notify.answered", status, why: why === "" ? "" : `: ${why}` };
}
