/**
 * Whether a version comes after another (https://semver.org/#spec-item-11): `1.10.0` after `1.9.0`, `1.0.0` after
 * `1.0.0-rc.1`; what follows a `+` is ignored. A text that is not a version is never newer.
 */
export function isNewer(version: string, than: string): boolean {
  const [left, right] = [partsOf(version), partsOf(than)];
  if (left === null || right === null) return false;
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (left.words === null || right.words === null) return left.words === null && right.words !== null;
  for (let index = 0; index < Math.max(left.words.length, right.words.length); index++) {
    const order = compareWords(left.words[index], right.words[index]);
    if (order !== 0) return order > 0;
  }
  return false;
}

interface Parts {
  readonly numbers: readonly number[];
  /** The identifiers behind the first `-`; null for a release. */
  readonly words: readonly string[] | null;
}

function partsOf(version: string): Parts | null {
  const [plain = ""] = version.slice(0, 100).split("+");
  const [main = "", ...rest] = plain.split("-");
  const numbers = main.split(".").map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN));
  if (numbers.length !== 3 || numbers.some(Number.isNaN)) return null;
  return { numbers, words: rest.length === 0 ? null : rest.join("-").split(".") };
}

/** Numbers by size and before words, words by their letters; fewer words come first. */
function compareWords(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  const [a, b] = [left, right].map((text) => (/^\d{1,9}$/.test(text) ? Number(text) : null));
  if (a !== null && a !== undefined && b !== null && b !== undefined) return a - b;
  if (a !== null || b !== null) return a !== null ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}
