import { CLASS_COUNT, classOf } from "./alphabet.ts";
import type { Candidate } from "./correct.ts";
import type { Form } from "./forms.ts";
import { FLOOR, minusLog, minusLogDrawn, rankedPlates, type SlotProbabilities } from "./readings.ts";

/** What it costs if a view shows no character where the text has one, or a character that the text does not have. */
const LACKING = 5;
/**
 * The most that a view speaks against a text, per character: its corners may be wrong, and then it shows something
 * else.
 */
const WORST_PER_CHARACTER = 1;
/** Views in which the text costs more than this per character do not affect how sure its characters are. */
const UNLIKE_PER_CHARACTER = 3.2;
/** Characters of the longest plates. */
const LONGEST = 12;
/** Most plates that one view proposes for the vote. */
const PER_VIEW = 5;
/**
 * How much more the rarity of a layout counts between plates proposed by views than within one view: a cut-off plate
 * looks like a rare one. It counts less, the more frames there are.
 */
const PRIOR = 13;
/**
 * What speaks against letters that the reader often sees by mistake, in nats per letter: a V in narrow, raised letters
 * looks like a Y to it more often than there is a Y.
 */
const SEEN_TOO_OFTEN: Readonly<Record<string, number>> = { Y: 1.5 };

/** A plate that the views may mean, with their evidence. */
export interface PlateCandidate {
  readonly plate: string;
  readonly form: Form;
  /** Mean cost for the views to accept it, in nats. */
  readonly shown: number;
  /** The same plus what speaks against the plate itself and against its letters: the lowest wins. */
  readonly cost: number;
  /** The part of the cost that speaks against the plate itself. */
  readonly prior: number;
  /** Weighted share of the views whose own first choice it is. */
  readonly support: number;
}

/** A view with its legibility. */
export interface WeighedView {
  readonly slots: SlotProbabilities;
  readonly legible: number;
  /** Its weight among the views. */
  readonly weight: number;
  /** By slot and class, the cost of the slot showing this, in nats: every text is aligned with the same view. */
  readonly costs: Float64Array;
  /** What was worked out of the slots already: a further view of a plate lets all earlier ones vote again. */
  readonly known: KnownOfView;
}

interface KnownOfView {
  /** By text, the cost of its cheapest alignment. */
  readonly costs: Map<string, number>;
  /** The best few plates that the layouts allow. */
  firsts: readonly Candidate[] | null;
  /** The logarithm of every probability. */
  logs: Float64Array | null;
}

/** The views that say anything, with weights. */
export function weighed(views: readonly SlotProbabilities[]): WeighedView[] {
  return views
    .filter((slots) => slots.length >= CLASS_COUNT)
    .map((slots) => {
      const legible = legibility(slots) + 1e-9;
      const known = { costs: new Map(), firsts: null, logs: null };
      return { slots, legible, weight: legible, costs: costsOf(slots), known };
    });
}

function costsOf(slots: SlotProbabilities): Float64Array {
  const costs = new Float64Array(slots.length);
  for (let slot = 0; slot * CLASS_COUNT < slots.length; slot++) {
    costs[slot * CLASS_COUNT] = Math.min(LACKING, minusLog(slots, slot, 0));
    for (let i = 1; i < CLASS_COUNT; i++) costs[slot * CLASS_COUNT + i] = minusLogDrawn(slots, slot, i);
  }
  return costs;
}

/**
 * The Indian plates that the views may mean, the most likely first, each once. Every view proposes the best few that
 * the layouts allow, and all views vote on all proposals: a text that one view had, and the others nearly, wins over
 * three that differ.
 * @param frames the number of frames that the views come from
 */
export function standings(views: readonly WeighedView[], frames = 1): PlateCandidate[] {
  const weightOfPrior = PRIOR / Math.sqrt(frames);
  const total = views.reduce((sum, { weight }) => sum + weight, 0);
  const findings = new Map<string, Candidate>();
  const firsts: (string | null)[] = [];
  for (const { slots, known } of views) {
    known.firsts ??= firstFew(rankedPlates(slots));
    const ranked = known.firsts;
    firsts.push(ranked[0]?.plate ?? null);
    for (const one of ranked) {
      const found = findings.get(one.plate);
      if (found === undefined || one.cost < found.cost) findings.set(one.plate, one);
    }
  }
  const found = [...findings].map(([plate, { form, rank, cost }]) => {
    const prior = weightOfPrior * (rank - cost);
    const support = views.reduce((sum, { weight }, index) => sum + (firsts[index] === plate ? weight : 0), 0) / total;
    const shown = meanCost(views, plate);
    return { plate, form, prior, support, shown, cost: shown + prior + seenTooOften(plate) };
  });
  return found.sort((a, b) => a.cost - b.cost);
}

function seenTooOften(plate: string): number {
  return [...plate].reduce((sum, character) => sum + (SEEN_TOO_OFTEN[character] ?? 0), 0);
}

function firstFew(ranked: readonly Candidate[]): Candidate[] {
  const first = new Map<string, Candidate>();
  for (const one of ranked) {
    if (first.size >= PER_VIEW) break;
    if (!first.has(one.plate)) first.set(one.plate, one);
  }
  return [...first.values()];
}

/** What it costs the views to accept the text, in nats; no view counts for more than {@link WORST_PER_CHARACTER}. */
export function meanCost(views: readonly WeighedView[], text: string): number {
  return boundedCost(views, text, text.length);
}

/** What it costs one view to accept the text, in nats, without a limit. */
export function costIn({ costs, known }: WeighedView, text: string): number {
  const before = known.costs.get(text);
  if (before !== undefined) return before;
  const cost = align(costs, text);
  known.costs.set(text, cost);
  return cost;
}

/** The same with one limit for texts of any length: for comparing them. */
export function longestCost(views: readonly WeighedView[], text: string): number {
  return boundedCost(views, text, LONGEST);
}

function boundedCost(views: readonly WeighedView[], text: string, characters: number): number {
  let [sum, total] = [0, 0];
  for (const view of views) {
    sum += view.weight * Math.min(costIn(view, text), WORST_PER_CHARACTER * characters);
    total += view.weight;
  }
  return sum / total;
}

/**
 * The views as one answer with as many slots as the text has characters: per character the weighted mean of the
 * log-probabilities of those that show this text at all.
 */
export function laidOver(views: readonly WeighedView[], text: string): SlotProbabilities {
  const fused = new Float32Array(text.length * CLASS_COUNT);
  const aligned = views.map((view) => {
    const steps = new Uint8Array((view.costs.length / CLASS_COUNT + 1) * (text.length + 1));
    const cost = align(view.costs, text, steps);
    return { ...view, cost, places: placesOf(steps, text.length) };
  });
  const worst = Math.max(UNLIKE_PER_CHARACTER * text.length, Math.min(...aligned.map(({ cost }) => cost)));
  const agreeing = aligned.filter(({ cost }) => cost <= worst);
  const total = agreeing.reduce((sum, { weight }) => sum + weight, 0);
  for (let place = 0; place < text.length; place++) {
    const row = fused.subarray(place * CLASS_COUNT, (place + 1) * CLASS_COUNT);
    for (const { slots, weight, places, known } of agreeing) {
      const slot = places[place] ?? -1;
      known.logs ??= logsOf(slots);
      const logs = slot < 0 ? UNSEEN : known.logs.subarray(slot * CLASS_COUNT, (slot + 1) * CLASS_COUNT);
      const share = weight / total;
      for (let i = 0; i < CLASS_COUNT; i++) row[i] = (row[i] ?? 0) + share * (logs[i] ?? 0);
    }
    softmax(row);
  }
  return fused;
}

function logsOf(probabilities: ArrayLike<number>): Float64Array {
  const logs = new Float64Array(probabilities.length);
  for (let i = 0; i < logs.length; i++) logs[i] = Math.log(Math.max(probabilities[i] ?? 0, FLOOR));
  return logs;
}

/** What a view says of a character that it does not show: any one, or none. */
const UNSEEN = logsOf(Array.from({ length: CLASS_COUNT }, (_, i) => (i === 0 ? 0.5 : 0.5 / (CLASS_COUNT - 1))));

/** Mean of the best probability over the filled slots, sharpened: a view that guesses has little weight. */
export function legibility(slots: SlotProbabilities): number {
  let sum = 0;
  let filled = 0;
  for (let slot = 0; slot * CLASS_COUNT < slots.length; slot++) {
    let best = 0;
    for (let i = slot * CLASS_COUNT + 1; i < (slot + 1) * CLASS_COUNT; i++) best = Math.max(best, slots[i] ?? 0);
    if (best > (slots[slot * CLASS_COUNT] ?? 0)) {
      sum += best;
      filled += 1;
    }
  }
  return filled === 0 ? 0 : (sum / filled) ** 3;
}

/** How a cell of {@link align} was reached: the slot shows the character, or none; or the character is lacking. */
const STEP = { shown: 1, blank: 2, lacking: 3 } as const;

/**
 * The cost of the cheapest alignment of the text with the slots, in order.
 * @param steps receives the alignment: a row per slot and one more, a cell per character and one more
 */
function align(costs: Float64Array, text: string, steps?: Uint8Array): number {
  const width = text.length + 1;
  const classes = new Uint8Array(width);
  const row = new Float64Array(width);
  for (let place = 1; place < width; place++) {
    classes[place] = classOf(text[place - 1] ?? "");
    row[place] = place * LACKING;
  }
  steps?.fill(STEP.lacking, 1, width);
  for (let slot = 0; slot * CLASS_COUNT < costs.length; slot++) {
    const skip = costs[slot * CLASS_COUNT] ?? 0;
    let diagonal = row[0] ?? 0;
    let left = diagonal + skip;
    row[0] = left;
    if (steps !== undefined) steps[(slot + 1) * width] = STEP.blank;
    for (let place = 1; place < width; place++) {
      const above = row[place] ?? 0;
      let best = diagonal + (costs[slot * CLASS_COUNT + (classes[place] ?? 0)] ?? 0);
      let step: number = STEP.shown;
      if (above + skip < best) [best, step] = [above + skip, STEP.blank];
      if (left + LACKING < best) [best, step] = [left + LACKING, STEP.lacking];
      if (steps !== undefined) steps[(slot + 1) * width + place] = step;
      row[place] = best;
      diagonal = above;
      left = best;
    }
  }
  return row[width - 1] ?? 0;
}

/** The slot of each character in the alignment that {@link align} found; −1: none. */
function placesOf(steps: Uint8Array, length: number): readonly number[] {
  const places = new Array<number>(length).fill(-1);
  const width = length + 1;
  for (let [slot, place] = [steps.length / width - 1, length]; slot > 0 || place > 0; ) {
    const step = steps[slot * width + place];
    if (step === STEP.shown) places[place - 1] = slot - 1;
    if (step !== STEP.lacking) slot -= 1;
    if (step !== STEP.blank) place -= 1;
  }
  return places;
}

function softmax(row: Float32Array): void {
  const highest = Math.max(...row);
  const shares = new Float64Array(row.length);
  let sum = 0;
  for (let i = 0; i < row.length; i++) {
    const share = Math.exp((row[i] ?? 0) - highest);
    shares[i] = share;
    sum += share;
  }
  for (let i = 0; i < row.length; i++) row[i] = (shares[i] ?? 0) / sum;
}
