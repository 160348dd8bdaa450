// @ts-check
/** Numbers from a seed: the same seed gives the same faults. */

/** @typedef {{ next(): number, int(least: number, most: number): number, of<T>(items: readonly T[]): T }} Random */

/**
 * Mulberry32.
 * @param {number} seed
 * @returns {Random}
 */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (/** @type {number} */ least, /** @type {number} */ most) =>
    least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    of: (items) => {
      const item = items[int(0, items.length - 1)];
      if (item === undefined) throw new Error("nothing to choose from");
      return item;
    },
  };
}
