import { CLASS_COUNT } from "../../core/plates/alphabet.ts";

/** The reader's steps per line, from left to right (models/README.md). */
export const STEPS_PER_LINE = 48;
const LINES = 2;
/** Length of the reader's answer for one plate. */
export const STEPS_LENGTH = LINES * STEPS_PER_LINE * CLASS_COUNT;

/** Steps are part of a character while that is more likely than blank. */
const CHARACTER = 0.5;
/** A run of steps below that may still be a character, if one of them is this likely. */
const DOUBTFUL = 0.08;
/** Two peaks with a dip below this share of the lower one are two characters. */
const DIP = 0.72;
const MAX_SLOTS = 20;

/**
 * Turns the reader's answer for one plate, the probabilities of 2 lines × 48 steps × 37 classes, into slots: one row of
 * 37 probabilities per character in reading order, blank first. A slot's blank says how likely it is that there is no
 * character at all.
 */
export function slotsOf(steps: Float32Array): Float32Array {
  const slots: number[][] = [];
  for (let line = 0; line < LINES; line++) {
    const from = line * STEPS_PER_LINE * CLASS_COUNT;
    const row = steps.subarray(from, from + STEPS_PER_LINE * CLASS_COUNT);
    for (const [start, end] of runsOf(row)) slots.push(slotOf(row, start, end));
  }
  while (slots.length > MAX_SLOTS)
    slots.splice(slots.indexOf(slots.reduce((a, b) => ((b[0] ?? 0) > (a[0] ?? 0) ? b : a))), 1);
  return Float32Array.from(slots.flat());
}

/** Fewer characters are no line of a plate: a mark, or an edge. */
const LEAST_OF_LINE = 2;

/** Whether the reader finds the text on two lines: characters on both of them. Takes what {@link slotsOf} takes. */
export function isOnTwoLines(steps: Float32Array): boolean {
  for (let line = 0; line < LINES; line++) {
    const from = line * STEPS_PER_LINE * CLASS_COUNT;
    const row = steps.subarray(from, from + STEPS_PER_LINE * CLASS_COUNT);
    const characters = runsOf(row).filter(([start, end]) => (slotOf(row, start, end)[0] ?? 1) < 1 - CHARACTER);
    if (characters.length < LEAST_OF_LINE) return false;
  }
  return true;
}

/**
 * The same for a reader that answers line by line with steps of 37 classes and no blank between different characters
 * (connectionist temporal classification): a new character begins after a blank, or where another one is likelier.
 */
export function slotsOfLines(lines: readonly Float32Array[]): Float32Array {
  const slots = lines.flatMap((row) => runsOfCharacters(row).map(([start, end]) => slotOf(row, start, end)));
  return Float32Array.from(slots.slice(0, MAX_SLOTS).flat());
}

function runsOfCharacters(row: Float32Array): (readonly [start: number, end: number])[] {
  const runs: (readonly [number, number])[] = [];
  let [start, highest, before] = [-1, 0, 0];
  const steps = row.length / CLASS_COUNT;
  for (let step = 0; step <= steps; step++) {
    const ink = step < steps ? 1 - (row[step * CLASS_COUNT] ?? 1) : 0;
    const likeliest = ink > DOUBTFUL ? likeliestOf(row, step) : 0;
    const isNext = likeliest !== before && ink > CHARACTER && highest > CHARACTER;
    if (start >= 0 && (likeliest === 0 || isNext)) {
      runs.push([start, step]);
      [start, highest] = [-1, 0];
    }
    if (likeliest > 0) {
      if (start < 0) start = step;
      highest = Math.max(highest, ink);
    }
    before = likeliest;
  }
  return runs;
}

function likeliestOf(row: Float32Array, step: number): number {
  let best = 1;
  for (let classIndex = 2; classIndex < CLASS_COUNT; classIndex++)
    if ((row[step * CLASS_COUNT + classIndex] ?? 0) > (row[step * CLASS_COUNT + best] ?? 0)) best = classIndex;
  return best;
}

/** First and last-but-one step of every character, from left to right. */
function runsOf(row: Float32Array): (readonly [start: number, end: number])[] {
  const ink = Array.from({ length: STEPS_PER_LINE }, (_, step) => 1 - (row[step * CLASS_COUNT] ?? 1));
  const runs: (readonly [number, number])[] = [];
  for (let step = 0; step < STEPS_PER_LINE; ) {
    const floor = (ink[step] ?? 0) > CHARACTER ? CHARACTER : DOUBTFUL;
    if ((ink[step] ?? 0) <= floor) {
      step += 1;
      continue;
    }
    let end = step;
    while (end < STEPS_PER_LINE && (ink[end] ?? 0) > floor && (floor === CHARACTER || (ink[end] ?? 0) <= CHARACTER))
      end += 1;
    if (floor === CHARACTER) runs.push(...atDips(ink, step, end));
    else if (!isShoulder(ink, step, end)) runs.push([step, end]);
    step = end;
  }
  return runs;
}

/** The slope of a neighbouring character is not a character itself. */
function isShoulder(ink: readonly number[], start: number, end: number): boolean {
  return (ink[start - 1] ?? 0) > CHARACTER || (ink[end] ?? 0) > CHARACTER;
}

function atDips(ink: readonly number[], start: number, end: number): (readonly [number, number])[] {
  let lowest = -1;
  let depth = 1;
  for (let step = start + 1; step < end - 1; step++) {
    const lower = Math.min(Math.max(...ink.slice(start, step)), Math.max(...ink.slice(step + 1, end)));
    const here = (ink[step] ?? 0) / lower;
    if (here < DIP && here < depth) [lowest, depth] = [step, here];
  }
  return lowest < 0 ? [[start, end]] : [...atDips(ink, start, lowest), ...atDips(ink, lowest + 1, end)];
}

/** What the steps of a run say together; the blank's share is that of the clearest step. */
function slotOf(row: Float32Array, start: number, end: number): number[] {
  const slot = new Array<number>(CLASS_COUNT).fill(0);
  let [blank, mass] = [1, 0];
  for (let step = start; step < end; step++) {
    blank = Math.min(blank, row[step * CLASS_COUNT] ?? 1);
    for (let classIndex = 1; classIndex < CLASS_COUNT; classIndex++) {
      const probability = row[step * CLASS_COUNT + classIndex] ?? 0;
      slot[classIndex] = (slot[classIndex] ?? 0) + probability;
      mass += probability;
    }
  }
  const scale = mass > 0 ? (1 - blank) / mass : 0;
  return slot.map((probability, classIndex) => (classIndex === 0 ? blank : probability * scale));
}
