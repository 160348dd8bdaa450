import { shareOf } from "../../core/kernel/admission.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";

/** Calls by links, of one address, of one link, and of all that are no links. */
const OF_ADDRESS = { quota: 30, periodMs: 60_000, burst: 15 };
const OF_LINK = { quota: 60, periodMs: 60_000, burst: 30 };
const UNKNOWN = { quota: 300, periodMs: 60_000, burst: 100 };

/** How often guests' links may be called. */
export class GuestCalls {
  readonly #ofAddress = new TokenBuckets(OF_ADDRESS);
  readonly #ofLink = new TokenBuckets(OF_LINK);
  readonly #unknown = new TokenBuckets(UNKNOWN);

  /**
   * Counts a call. Each link has a share that nobody else can use up; all who guess share one.
   * @param link what identifies the link; null for one that does not exist
   * @throws Problem `rate_limited`
   */
  count(link: string | null, address: string, nowMono: number): void {
    const shares: [TokenBuckets, string][] = [
      [this.#ofAddress, shareOf(address)],
      link === null ? [this.#unknown, ""] : [this.#ofLink, link],
    ];
    for (const [buckets, key] of shares) {
      const { allowed, retryAfterSeconds } = buckets.take(key, nowMono);
      if (allowed) continue;
      throw new Problem("rate_limited", "Too many requests by guests' links.", {
        fields: { retryAfterSeconds },
        headers: { "Retry-After": String(retryAfterSeconds) },
      });
    }
  }
}
