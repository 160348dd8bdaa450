import { CLASS_COUNT, classOf } from "./alphabet.js";
import { likeliestText, type SlotProbabilities } from "./analyse.js";

/** A view in which the agreed text is less likely than this per character shows something else and is left out. */
const WORST_PER_CHARACTER = 3.2;
/** What it costs that a view shows no character where the text has one, or a character that the text has not. */
const LACKING = 5;
/** What is left of the sharpness where no view by itself gives the agreed text. */
const DISUNITY = 0.5;
const FLOOR = 1e-5;

interface View {
  readonly slots: SlotProbabilities;
  readonly weight: number;
}

/** Slot of the view per character of the text (−1: none), and what that costs. */
interface Alignment {
  readonly places: readonly number[];
  readonly cost: number;
}

/**
 * Several views of one plate as one answer of the reader. Each view proposes a text; the one that all views together
 * find likeliest is agreed on, every view is aligned to it (one may lack a character that others show), and per
 * character the weighted mean of the log-probabilities is taken, times `witnesses`: as how many independent ones the
 * views count (they see the same dirt and the same glare). Views that disagree make the answer flatter.
 */
export function fuseSlots(slotsOfViews: readonly SlotProbabilities[], witnesses: number): SlotProbabilities {
  const views = slotsOfViews.filter((slots) => slots.length >= CLASS_COUNT).map((slots) => ({ slots, weight: legibility(slots) }));
  const [only] = views;
  if (only === undefined) return new Float32Array();
  if (views.length === 1) return only.slots;
  const text = agreedText(views);
  const agreeing = views
    .map((view) => ({ ...view, alignment: align(view.slots, text) }))
    .filter(({ alignment }) => alignment.cost <= WORST_PER_CHARACTER * text.length);
  if (text === "" || agreeing.length === 0) return only.slots;
  const fused = new Float32Array(text.length * CLASS_COUNT);
  const total = agreeing.reduce((sum, { weight }) => sum + weight, 0);
  const united = views.filter(({ slots }) => likeliestText(slots) === text).length / views.length;
  const gain = (witnesses * (DISUNITY + (1 - DISUNITY) * united)) / Math.max(total, 1e-9);
  for (let place = 0; place < text.length; place++) {
    const row = fused.subarray(place * CLASS_COUNT, (place + 1) * CLASS_COUNT);
    for (const { slots, weight, alignment } of agreeing) {
      const slot = alignment.places[place] ?? -1;
      for (let i = 0; i < CLASS_COUNT; i++) {
        const probability = slot < 0 ? (i === 0 ? 0.5 : 0.5 / (CLASS_COUNT - 1)) : (slots[slot * CLASS_COUNT + i] ?? 0);
        row[i] = (row[i] ?? 0) + weight * gain * Math.log(Math.max(probability, FLOOR));
      }
    }
    softmax(row);
  }
  return fused;
}

/** Mean of the best probability over the filled slots, sharpened: a view that guesses weighs little. */
export function legibility(slots: SlotProbabilities): number {
  let sum = 0;
  let filled = 0;
  for (let slot = 0; slot * CLASS_COUNT < slots.length; slot++) {
    const best = Math.max(...slots.subarray(slot * CLASS_COUNT + 1, (slot + 1) * CLASS_COUNT));
    if (best > (slots[slot * CLASS_COUNT] ?? 0)) {
      sum += best;
      filled += 1;
    }
  }
  return filled === 0 ? 0 : (sum / filled) ** 3;
}

function agreedText(views: readonly View[]): string {
  let [agreed, least] = ["", Number.POSITIVE_INFINITY];
  const texts = new Set(views.map(({ slots }) => likeliestText(slots)));
  const worst = WORST_PER_CHARACTER * Math.max(...[...texts].map((text) => text.length));
  for (const text of texts) {
    if (text === "") continue;
    const cost = views.reduce((sum, { slots, weight }) => sum + (weight + 1e-9) * Math.min(align(slots, text).cost, worst), 0);
    if (cost < least) [agreed, least] = [text, cost];
  }
  return agreed;
}

/** The cheapest way of laying the text over the slots, in order. */
function align(slots: SlotProbabilities, text: string): Alignment {
  const count = Math.floor(slots.length / CLASS_COUNT);
  const width = text.length + 1;
  const cost = new Float64Array((count + 1) * width).fill(Number.POSITIVE_INFINITY);
  const step = new Uint8Array(cost.length); // 1: slot is this character, 2: slot shows none, 3: character is lacking
  cost[0] = 0;
  const reach = (at: number, value: number, how: number): void => {
    if (value < (cost[at] ?? 0)) {
      cost[at] = value;
      step[at] = how;
    }
  };
  for (let slot = 0; slot <= count; slot++) {
    for (let place = 0; place <= text.length; place++) {
      const here = cost[slot * width + place] ?? 0;
      if (slot < count && place < text.length) reach((slot + 1) * width + place + 1, here + minusLog(slots, slot, classOf(text[place] ?? "")), 1);
      if (slot < count) reach((slot + 1) * width + place, here + Math.min(LACKING, minusLog(slots, slot, 0)), 2);
      if (place < text.length) reach(slot * width + place + 1, here + LACKING, 3);
    }
  }
  const places = new Array<number>(text.length).fill(-1);
  for (let [slot, place] = [count, text.length]; slot > 0 || place > 0; ) {
    const how = step[slot * width + place];
    if (how === 1) places[place - 1] = slot - 1;
    if (how !== 3) slot -= 1;
    if (how !== 2) place -= 1;
  }
  return { places, cost: cost[cost.length - 1] ?? 0 };
}

function minusLog(slots: SlotProbabilities, slot: number, classIndex: number): number {
  return -Math.log(Math.max(slots[slot * CLASS_COUNT + classIndex] ?? 0, FLOOR));
}

function softmax(row: Float32Array): void {
  const highest = Math.max(...row);
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += Math.exp((row[i] ?? 0) - highest);
  for (let i = 0; i < row.length; i++) row[i] = Math.exp((row[i] ?? 0) - highest) / sum;
}
