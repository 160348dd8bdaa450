/** The verdict of {@link TokenBuckets} on one request. */
export interface BucketVerdict {
  readonly allowed: boolean;
  /** Whole tokens left after this request. */
  readonly remaining: number;
  /** Seconds until one more token is there (0 while some are left); for `Retry-After` and `RateLimit`. */
  readonly retryAfterSeconds: number;
}

/** Size and speed of a bucket. */
export interface BucketPolicy {
  /** Tokens restored in one period; 0 switches the limit off. */
  readonly quota: number;
  readonly periodMs: number;
  /** Most tokens that can be saved up. */
  readonly burst: number;
}

/** Token buckets by key, bounded in number: the least recently used key is forgotten first (it then starts full). */
export class TokenBuckets {
  readonly #policy: BucketPolicy;
  readonly #maxKeys: number;
  readonly #buckets = new Map<string, { tokens: number; atMono: number }>();

  constructor(policy: BucketPolicy, maxKeys = 10_000) {
    this.#policy = policy;
    this.#maxKeys = maxKeys;
  }

  /** Takes one token of `key` if there is one; `nowMono` is monotonic milliseconds. */
  take(key: string, nowMono: number): BucketVerdict {
    const { quota, periodMs, burst } = this.#policy;
    if (quota === 0) return { allowed: true, remaining: burst, retryAfterSeconds: 0 };
    const perMs = quota / periodMs;
    const known = this.#buckets.get(key);
    const filled = known ? Math.min(burst, known.tokens + (nowMono - known.atMono) * perMs) : burst;
    const allowed = filled >= 1;
    const tokens = allowed ? filled - 1 : filled;
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens, atMono: nowMono });
    this.#forgetOldest();
    return {
      allowed,
      remaining: Math.floor(tokens),
      retryAfterSeconds: tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs / 1000),
    };
  }

  /** Puts back a token that was taken in advance. */
  giveBack(key: string): void {
    const known = this.#buckets.get(key);
    if (known) known.tokens = Math.min(this.#policy.burst, known.tokens + 1);
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= this.#maxKeys) return;
    const oldest = this.#buckets.keys().next();
    if (!oldest.done) this.#buckets.delete(oldest.value);
  }
}
