import type { RouteSpec } from "../../api/route.ts";
import { shareOf } from "../../kernel/admission.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import { type BucketPolicy, TokenBuckets } from "../../kernel/token-bucket.ts";
import type { Exchange, HubMiddleware } from "../exchange.ts";

/** Rate limits of the API; 0 switches one off. */
export interface RateSettings {
  readonly requestsPerMinute: number;
  readonly requestBurst: number;
  readonly commandsPerMinute: number;
  readonly commandBurst: number;
  readonly deviceCommandsPer10Seconds: number;
  readonly scenesPerMinute: number;
  readonly imagesPerMinute: number;
  readonly failedCredentialsPerMinute: number;
}

const MINUTE_MS = 60_000;
/** The console loads a page with many small requests; a person cannot flood the hub with it. */
const SESSION_FACTOR = 5;

/** One named limit with the text of its RateLimit-Policy member. */
class Limit {
  readonly name: string;
  readonly policyText: string;
  readonly buckets: TokenBuckets;
  readonly isOff: boolean;

  constructor(name: string, policy: BucketPolicy) {
    this.name = name;
    this.policyText = `"${name}";q=${policy.quota};w=${policy.periodMs / 1000}`;
    this.buckets = new TokenBuckets(policy);
    this.isOff = policy.quota === 0;
  }
}

/**
 * Counts requests per credential, per address, and per credential and device (using one allowance does not reduce
 * another), and reports the remainder in headers (draft RateLimit fields; Retry-After is RFC 9110).
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #key: Limit;
  readonly #session: Limit;
  readonly #anonymous: Limit;
  readonly #credentials: Limit;
  readonly #device: Limit;
  readonly #byKind: Readonly<Record<NonNullable<RouteSpec["rate"]>, Limit>>;

  constructor(settings: RateSettings, clock: Clock) {
    const perMinute = (quota: number, burst = quota): BucketPolicy => ({ quota, periodMs: MINUTE_MS, burst });
    const { requestsPerMinute, requestBurst } = settings;
    this.#clock = clock;
    this.#key = new Limit("key", perMinute(requestsPerMinute, requestBurst));
    this.#session = new Limit("session", perMinute(requestsPerMinute * SESSION_FACTOR, requestBurst * SESSION_FACTOR));
    this.#anonymous = new Limit("address", perMinute(requestsPerMinute, requestBurst));
    this.#credentials = new Limit("failed-credentials", perMinute(settings.failedCredentialsPerMinute));
    this.#device = new Limit("device-commands", {
      quota: settings.deviceCommandsPer10Seconds,
      periodMs: 10_000,
      burst: settings.deviceCommandsPer10Seconds,
    });
    this.#byKind = {
      command: new Limit("commands", perMinute(settings.commandsPerMinute, settings.commandBurst)),
      scene: new Limit("scenes", perMinute(settings.scenesPerMinute)),
      image: new Limit("images", perMinute(settings.imagesPerMinute)),
    };
  }

  /** Takes each request of an operation from every limit that concerns it. @throws Problem `rate_limited` */
  of({ rate }: RouteSpec): HubMiddleware {
    return ({ state }, next) => {
      this.#check(state, rate);
      return next();
    };
  }

  #check(exchange: Exchange, rate: RouteSpec["rate"]): void {
    const { caller, facts } = exchange;
    if (facts.box) return;
    if (caller === null) this.#take(exchange, this.#anonymous, shareOf(facts.address));
    else this.#take(exchange, caller.method === "session" ? this.#session : this.#key, caller.actor);
    if (caller === null || rate === undefined) return;
    this.#take(exchange, this.#byKind[rate], caller.actor);
    if (rate === "command") this.#take(exchange, this.#device, `${caller.actor}/${exchange.rawParams.id ?? ""}`);
  }

  /**
   * Counts a wrong credential of an address. Within the limit the failure itself is answered; beyond it the answer is
   * 429, which reveals nothing to a guesser. A correct credential from the same address is never delayed.
   */
  failedCredential(exchange: Exchange, failure: Problem): Problem {
    try {
      this.#take(exchange, this.#credentials, shareOf(exchange.facts.address));
      return failure;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  #take(exchange: Exchange, limit: Limit, key: string): void {
    if (limit.isOff) return;
    const { allowed, remaining, retryAfterSeconds } = limit.buckets.take(key, this.#clock.mono());
    const { headers } = exchange;
    const state = `"${limit.name}";r=${remaining};t=${retryAfterSeconds}`;
    headers["RateLimit-Policy"] = joined(headers["RateLimit-Policy"], limit.policyText);
    headers.RateLimit = joined(headers.RateLimit, state);
    if (allowed) return;
    const seconds = Math.max(1, retryAfterSeconds);
    throw new Problem("rate_limited", `Too many requests; try again in ${seconds} s.`, {
      fields: { limit: limit.name, retryAfterSeconds: seconds },
      headers: { "Retry-After": String(seconds) },
    });
  }
}

function joined(before: string | readonly string[] | undefined, next: string): string {
  return typeof before === "string" ? `${before}, ${next}` : next;
}
