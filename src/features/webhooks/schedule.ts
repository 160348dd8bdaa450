import { randomBytes } from "node:crypto";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A webhook is disabled after this many failed attempts in a row (docs/spec/device-control-api.md §3 and §6). */
export const FAILURES_TO_DISABLE = 20;
/**
 * Refusals of one delivery that move it to the retry queue, with the younger ones of its device behind it. Until the
 * receiver has taken something else meanwhile, further refusals do not count: it may refuse everything.
 */
export const REFUSALS_TO_SLOW = 5;
const LONGEST_GAP_MS = 15_000;
const FIRST_GAP_MS = 1_000;
const SPREAD = 0.2;
const SLOW_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, 24 * HOUR_MS];
const PROBE_MS = [1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE_MS);
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/**
 * The gap after the n-th failed attempt in a row, ms: min(15 s, 2^(n−1) s) ± 20 %. `random` is in [0, 1).
 */
export function gapAfter(failures: number, random: number): number {
  const gap = Math.min(LONGEST_GAP_MS, FIRST_GAP_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(gap * (1 - SPREAD + 2 * SPREAD * random));
}

/** How long a delivery waits in the retry queue after its n-th refusal there (n from 0); null: it is given up. */
export function retryGap(refusalsInRetryQueue: number): number | null {
  return SLOW_MS[refusalsInRetryQueue] ?? null;
}

/** How long after being disabled, or after the last probe, the n-th probe (n from 0) is made. */
export function probeGap(probesMade: number): number {
  return PROBE_MS[probesMade] ?? HOUR_MS;
}

/**
 * Milliseconds that a `Retry-After` header requests (seconds or a date), at most one hour; null without a usable one.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, seconds * 1000)) : null;
}

/** A random share in [0, 1), for the spread of gaps. */
export function anyShare(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
