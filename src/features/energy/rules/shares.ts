/** Shares in whole percent. Pure. */

/**
 * What each part is of the whole, in whole percent. Where the parts make up the whole, the percents make up 100: those
 * that are cut most by rounding are rounded up.
 */
export function sharesOf(parts: readonly number[], whole: number): number[] {
  if (whole <= 0) return parts.map(() => 0);
  const exact = parts.map((part) => (part / whole) * 100);
  const sum = exact.reduce((all, one) => all + one, 0);
  if (Math.abs(sum - 100) > 0.5) return exact.map(Math.round);
  const shares = exact.map(Math.floor);
  const missing = 100 - shares.reduce((all, one) => all + one, 0);
  const most = exact
    .map((one, index) => ({ index, cut: one - Math.floor(one) }))
    .sort((one, other) => other.cut - one.cut || one.index - other.index);
  for (const { index } of most.slice(0, Math.max(0, missing))) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}
