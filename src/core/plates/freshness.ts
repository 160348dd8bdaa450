/** A capture older than this opens no gate. */
const FRESH_MS = 120_000;
const MAX_FUTURE_MS = 5 * 60_000;
const MAX_AGE_MS = 90 * 86_400_000;

/** The end of a capture from the past, which opens no gate at any time: see {@link opensUntil}. */
export const OPENS_NEVER = Number.NEGATIVE_INFINITY;

/**
 * Until when a capture may open a gate, in monotonic milliseconds of the hub. Its age is what the hub measures from the
 * arrival of its first frame, and what the sender admits to have passed before; a clock that is ahead admits nothing.
 * @param arrived when the first frame arrived, by both readings of the hub's clock
 * @param at when the capture was made by its sender's word, epoch milliseconds; null: it does not say
 * @param freshMs the age up to which it may open a gate
 */
export function opensUntil(
  arrived: { readonly mono: number; readonly wall: number },
  at: number | null,
  freshMs = FRESH_MS,
): number {
  return arrived.mono + freshMs - Math.max(0, arrived.wall - (at ?? arrived.wall));
}

/**
 * When a capture was made, for display and for the order of captures: the sender's time if it is plausible
 * (docs/spec/domain.md §4.1), else now. Epoch milliseconds.
 */
export function plausibleTime(at: number | null, now: number): number {
  return at === null || at > now + MAX_FUTURE_MS || at < now - MAX_AGE_MS ? now : at;
}
