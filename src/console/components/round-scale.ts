/** The round numbers beside a chart. */

/** 1, 2, 2.5 or 5 times a power of ten, so that three to five lines cover the range. */
export function niceStep(range: number): number {
  if (range <= 0) return 0.25;
  const raw = range / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power;
  return (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 2.5 ? 2.5 : factor <= 5 ? 5 : 10) * power;
}

/** The three to five round numbers of a scale that holds all from `min` to `max`; it begins and ends with one. */
export function roundScale(min: number, max: number): number[] {
  let step = niceStep(Math.max(max - min, 1e-6));
  for (;;) {
    const [first, last] = [Math.floor(min / step + 1e-9), Math.ceil(max / step - 1e-9)];
    if (last - first <= 4) return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
    step = niceStep(4.1 * step); // the next one
  }
}
