/** What became of a door, a lock or a switch in a stretch of time, as one fact. It knows no words. */
import type { StateValue } from "./states.ts";

/** How a value counts: at rest, what one looks for (open, on), on its way between the two, or not known. */
export type Standing = "rest" | "active" | "moving" | "unknown";

/** A value from one moment to another, oldest first; epoch milliseconds. */
export interface KnownPiece {
  readonly from: number;
  readonly to: number;
  readonly value: StateValue;
  readonly standing: Standing;
}

/**
 * `unknown`: nothing is known. `stayed`: one value all the time. `since`: known only from then on. `ended`: it was open
 * before and then stayed shut. `began`: it stayed open from then on. `became`: one value at rest after another. `times`:
 * how often and how long it was open (`at`: when, if it was once; `isStill`: it was open at the end).
 */
export type StretchFact =
  | { readonly kind: "unknown" }
  | { readonly kind: "stayed"; readonly value: StateValue }
  | { readonly kind: "since"; readonly value: StateValue; readonly at: number }
  | { readonly kind: "ended"; readonly value: StateValue; readonly after: StateValue; readonly at: number }
  | { readonly kind: "began"; readonly value: StateValue; readonly at: number }
  | { readonly kind: "became"; readonly value: StateValue; readonly after: StateValue; readonly at: number }
  | {
      readonly kind: "times";
      readonly value: StateValue;
      readonly n: number;
      readonly ms: number;
      readonly at: number | null;
      readonly isStill: boolean;
    };

/** A time in which it was the same: at rest with one value, or open in some way. */
interface Same {
  readonly isActive: boolean;
  value: StateValue;
  from: number;
  to: number;
  ms: number;
}

/**
 * The fact of a stretch that begins at `start`. What is not known in between is no change, nor is a movement that ends
 * where it began: a gate that only says that it is closing has not been open.
 */
export function stretchFact(pieces: readonly KnownPiece[], start: number): StretchFact {
  const known = pieces.filter(({ standing }) => standing !== "unknown");
  const first = known[0];
  if (first === undefined) return { kind: "unknown" };
  const sames = samesOf(known);
  const last = sames.at(-1);
  const [one] = sames;
  if (one === undefined || last === undefined) return { kind: "since", value: first.value, at: first.from };
  if (sames.length === 1)
    return first.from <= start
      ? { kind: "stayed", value: one.value }
      : { kind: "since", value: one.value, at: one.from };
  const active = sames.filter(({ isActive }) => isActive);
  const [only] = active;
  if (only === undefined) return { kind: "became", value: one.value, after: last.value, at: last.from };
  if (active.length === 1 && only === last) return { kind: "began", value: only.value, at: only.from };
  if (active.length === 1 && only === one && sames.length === 2)
    return { kind: "ended", value: only.value, after: last.value, at: only.to };
  return {
    kind: "times",
    value: only.value,
    n: active.length,
    ms: active.reduce((sum, { ms }) => sum + ms, 0),
    at: active.length === 1 ? only.from : null,
    isStill: last.isActive,
  };
}

/** Pieces that follow each other and say the same, as one; a movement belongs to the opening that it leads to or ends. */
function samesOf(known: readonly KnownPiece[]): Same[] {
  const sames: Same[] = [];
  /** A movement that has not become anything yet. */
  let moving: KnownPiece | null = null;
  for (const piece of known) {
    const { from, to, value, standing } = piece;
    const last = sames.at(-1);
    if (standing === "moving") {
      if (last?.isActive) {
        last.ms += to - from;
        last.to = to;
      } else moving ??= piece;
      continue;
    }
    const isActive = standing === "active";
    const begin: number = isActive && moving !== null ? moving.from : from;
    moving = null;
    if (last !== undefined && last.isActive === isActive && (isActive || last.value === value)) {
      last.to = to;
      last.ms += to - begin;
    } else sames.push({ isActive, value, from: begin, to, ms: to - begin });
  }
  return sames;
}
