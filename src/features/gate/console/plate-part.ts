/** Where in a text something stands. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Where in a plate as it is written (`MH 12 AB 1234`) something stands that was searched for: spacing, dashes and letter
 * case do not matter. Null: nowhere.
 */
export function partOf(formatted: string, searched: string): Part | null {
  const letters = [...formatted].flatMap((letter, at) => (isSpacing(letter) ? [] : [{ letter, at }]));
  const wanted = [...searched]
    .filter((letter) => !isSpacing(letter))
    .join("")
    .toUpperCase();
  const start = letters
    .map(({ letter }) => letter)
    .join("")
    .toUpperCase()
    .indexOf(wanted);
  const first = letters[start];
  const last = letters[start + wanted.length - 1];
  return wanted === "" || first === undefined || last === undefined ? null : { from: first.at, to: last.at + 1 };
}

function isSpacing(letter: string): boolean {
  return /[\s.\u00b7-]/.test(letter);
}
