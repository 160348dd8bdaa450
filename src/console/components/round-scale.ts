/** Steps of a scale for one power of ten. */
const STEPS = [1, 2, 2.5, 5];

/** The three to five round numbers of a scale that holds all from `min` to `max`; it begins and ends with one. */
export function roundScale(min: number, max: number): number[] {
  let power = 10 ** Math.floor(Math.log10(Math.max(max - min, 1e-6) / 40));
  for (;;) {
    for (const factor of STEPS) {
      const step = factor * power;
      const [first, last] = [Math.floor(min / step + 1e-9), Math.ceil(max / step - 1e-9)];
      if (last - first <= 4) return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
    }
    power *= 10;
  }
}
