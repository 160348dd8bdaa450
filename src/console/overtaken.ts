/** Of several answers about one thing, the one that was requested later is shown, whichever comes first. */

/** Counts requests, and changes that come without one. */
let last = 0;
/** When what is shown was requested, or changed. */
const shownSince = new WeakMap<object, number>();

/** The moment of a request or a change, which is later than all before it. */
export function nextMoment(): number {
  last += 1;
  return last;
}

/**
 * Whether something later than an answer to a request of the moment `asked` is shown at `place`; if not, that answer is
 * from now on.
 */
export function isOvertaken(place: object, asked: number): boolean {
  if (asked < (shownSince.get(place) ?? 0)) return true;
  shownSince.set(place, asked);
  return false;
}
