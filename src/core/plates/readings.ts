import { CLASS_COUNT, characterOf, classOf, TWINS } from "./alphabet.ts";
import { type Candidate, candidatesFor, type Observation } from "./correct.ts";

/** The reader's answer for one view of a plate: `slots × 37` probabilities, blank first (see {@link CLASS_COUNT}). */
export type SlotProbabilities = Float32Array;

/** One way of telling characters from blanks in a reader's answer. */
interface Reading extends Observation {
  /** −ln of what was given up by deciding doubtful blanks this way. */
  readonly blankCost: number;
}

/** The most log-likelihood that correcting a reader's answer may give up. */
const MAX_READ_COST = 9;
/** Shorter Indian plates exist on paper; in pictures such texts are longer ones that were cut off. */
const SHORTEST_INDIAN_READ = 7;
/** A slot whose blank is between these may hold a character or not: both are tried. */
const UNSURE_BLANK = { from: 0.08, to: 0.92, most: 3 } as const;
/**
 * A reader sometimes says a character twice; leaving one of the two out costs this much, and at most this many places
 * are tried.
 */
const STUTTER = { cost: 2, most: 3 } as const;
/** Probabilities count as at least this. */
export const FLOOR = 1e-6;

/** The characters of the most likely class per slot, without blanks, before any correction. */
export function freeText(slots: SlotProbabilities): string {
  return filledSlots(slots)
    .map((slot) => likeliestCharacter(slots, slot).character)
    .join("");
}

/** The slots in which a character is more likely than none, in order. */
export function filledSlots(slots: SlotProbabilities): number[] {
  const count = Math.floor(slots.length / CLASS_COUNT);
  return Array.from({ length: count }, (_, slot) => slot).filter(
    (slot) => likeliestCharacter(slots, slot).probability > (slots[slot * CLASS_COUNT] ?? 0),
  );
}

/**
 * Indian plates that the answer may mean, most likely first; one plate may occur several times, by different readings.
 */
export function rankedPlates(slots: SlotProbabilities): Candidate[] {
  return variants(slots)
    .flatMap((reading) => candidatesFor(reading, MAX_READ_COST).map((candidate) => atLength(candidate, reading)))
    .filter(({ plate }) => plate.length >= SHORTEST_INDIAN_READ)
    .sort((a, b) => a.rank - b.rank);
}

/** −ln of the probability of a class in a slot. */
export function minusLog(slots: SlotProbabilities, slot: number, classIndex: number): number {
  return -Math.log(Math.max(slots[slot * CLASS_COUNT + classIndex] ?? 0, FLOOR));
}

/**
 * −ln of the probability that a slot shows what the character of a class looks like: on most plates nothing
 * distinguishes O from 0 and I from 1 but their position.
 */
export function minusLogDrawn(slots: SlotProbabilities, slot: number, classIndex: number): number {
  const twin = TWIN_CLASSES[classIndex] ?? 0;
  const drawn =
    (slots[slot * CLASS_COUNT + classIndex] ?? 0) + (twin === 0 ? 0 : (slots[slot * CLASS_COUNT + twin] ?? 0));
  return -Math.log(Math.max(drawn, FLOOR));
}

/** By class, the class that looks alike; 0: none. */
const TWIN_CLASSES = Array.from({ length: CLASS_COUNT }, (_, classIndex) =>
  classOf(TWINS[characterOf(classIndex)] ?? ""),
);

function atLength(candidate: Candidate, reading: Reading): Candidate {
  return { ...candidate, cost: candidate.cost + reading.blankCost, rank: candidate.rank + reading.blankCost };
}

/** The reading with every slot's most likely class, then those in which doubtful blanks are decided the other way. */
function variants(slots: SlotProbabilities): Reading[] {
  const count = Math.floor(slots.length / CLASS_COUNT);
  const filled: boolean[] = [];
  const costs: Float64Array[] = [];
  const doubtful: { slot: number; cost: number }[] = [];
  for (let slot = 0; slot < count; slot++) {
    const blank = slots[slot * CLASS_COUNT] ?? 0;
    const likeliest = likeliestCharacter(slots, slot);
    filled.push(likeliest.probability > blank);
    costs.push(costsOf(slots, slot, likeliest.probability));
    const cost = Math.abs(Math.log(Math.max(blank, FLOOR)) - Math.log(Math.max(likeliest.probability, FLOOR)));
    if (blank > UNSURE_BLANK.from && blank < UNSURE_BLANK.to) doubtful.push({ slot, cost });
  }
  doubtful.sort((a, b) => a.cost - b.cost).splice(UNSURE_BLANK.most);
  const readings: Reading[] = [];
  for (let mask = 0; mask < 1 << doubtful.length; mask++) {
    const flipped = doubtful.filter((_, bit) => (mask >> bit) & 1);
    const used = filled.map((isFilled, slot) => isFilled !== flipped.some((flip) => flip.slot === slot));
    const blankCost = flipped.reduce((sum, flip) => sum + flip.cost, 0);
    readings.push(readingOf(costs, used, blankCost));
  }
  return [...readings, ...withoutStutter(slots, costs, filled)];
}

/** Readings in which one of two equal neighbours is left out. */
function withoutStutter(
  slots: SlotProbabilities,
  costs: readonly Float64Array[],
  filled: readonly boolean[],
): Reading[] {
  const used = filled.flatMap((isFilled, slot) => (isFilled ? [slot] : []));
  const doubled = used.filter((slot, index) => {
    const next = used[index + 1];
    return (
      next !== undefined && likeliestCharacter(slots, slot).character === likeliestCharacter(slots, next).character
    );
  });
  return doubled.slice(-STUTTER.most).map((slot) =>
    readingOf(
      costs,
      filled.map((isFilled, place) => isFilled && place !== slot),
      STUTTER.cost,
    ),
  );
}

function readingOf(slotCosts: readonly Float64Array[], used: readonly boolean[], blankCost: number): Reading {
  const positions = used.flatMap((isUsed, slot) => (isUsed ? [slot] : []));
  const costs = positions.map((slot) => slotCosts[slot]);
  return {
    length: positions.length,
    blankCost,
    cost: (index, character) => costs[index]?.[classOf(character)] ?? Number.POSITIVE_INFINITY,
  };
}

/** By class: how much less likely than the likeliest character, as a difference of logarithms. */
function costsOf(slots: SlotProbabilities, slot: number, best: number): Float64Array {
  const row = slots.subarray(slot * CLASS_COUNT, (slot + 1) * CLASS_COUNT);
  const costs = new Float64Array(CLASS_COUNT);
  const least = Math.log(Math.max(best, FLOOR));
  for (let classIndex = 0; classIndex < CLASS_COUNT; classIndex++)
    costs[classIndex] = least - Math.log(Math.max(row[classIndex] ?? 0, FLOOR));
  return costs;
}

function likeliestCharacter(slots: SlotProbabilities, slot: number): { character: string; probability: number } {
  let best = 1;
  for (let classIndex = 2; classIndex < CLASS_COUNT; classIndex++) {
    if ((slots[slot * CLASS_COUNT + classIndex] ?? 0) > (slots[slot * CLASS_COUNT + best] ?? 0)) best = classIndex;
  }
  return { character: characterOf(best), probability: slots[slot * CLASS_COUNT + best] ?? 0 };
}
