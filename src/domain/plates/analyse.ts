import { CLASS_COUNT, characterOf, classOf, cleanPlateText } from "./alphabet.js";
import { type Candidate, candidatesFor, type Observation } from "./correct.js";
import { couldBeForeign, type Form, formatPlate, formOf, isForeignShape, type PlateKind } from "./forms.js";
import { lookAlikeCost } from "./look-alikes.js";
import { isState } from "./states.js";

/** What the analyser makes of a text or of a reader's answer. */
export interface Analysis {
  /** Normalised plate; null when nothing plausible was found. */
  readonly plate: string | null;
  /** Grouped for display; null with the plate. */
  readonly formatted: string | null;
  readonly kind: PlateKind;
  readonly status: "recognised" | "unrecognised";
  readonly reason: "invalid_format" | null;
  /** 0–100: how likely the whole string is right, as far as the reader can tell; for a text, how little was changed. */
  readonly confidence: number;
  /** Letters and digits as seen, before any correction. */
  readonly text: string;
}

/** The reader's answer for one plate: `slots × 37` probabilities, blank first (see {@link CLASS_COUNT}). */
export type SlotProbabilities = Float32Array;

/** Largest sum of corrections in a text: up to three likely look-alikes in a long plate, one in a short one. */
const MAX_TEXT_COST = { long: 3.6, short: 1.7 } as const;
/** Candidates closer than this are a tie, and a tie is not guessed. */
const TEXT_TIE = 0.05;

/** How much log-likelihood a correction of a reader's answer may give up. */
const MAX_READ_COST = 9;
const READ_TIE = 0.1;
/** Least confidence of a recognised read, by what the grammar says of it. */
const LEAST = { usual: 0.3, rare: 0.4, foreignShape: 0.3, foreign: 0.55 } as const;
/** Shorter Indian plates exist on paper; in pictures such texts are cut-off longer ones. */
const SHORTEST_INDIAN_READ = 7;
const SHORTEST_FOREIGN_READ = 5;
/** A slot whose blank lies between these may hold a character or not: both are tried. */
const UNSURE_BLANK = { from: 0.08, to: 0.92, most: 3 } as const;
/** What a missing digit of the number takes from the confidence. */
const SHORT_NUMBER = 0.6;
/** A reader now and then says a character twice; leaving one of the two out costs this much, at most so many places are tried. */
const STUTTER = { cost: 2, certainty: 0.6, most: 3 } as const;
const FLOOR = 1e-6;

/**
 * Makes a plate of a text that a person or a client typed. Spacing, dashes and letter case never matter; a valid plate is
 * never changed; look-alikes are exchanged only where the position demands it, and the cheapest exchange wins.
 */
export function analyse(input: string): Analysis {
  const text = cleanPlateText(input);
  const form = formOf(text);
  if (form !== null) return recognised(text, form.kind, 1, text);
  if (isForeignShape(text)) return recognised(text, "unknown", 1, text);
  const maxCost = text.length > 8 ? MAX_TEXT_COST.long : MAX_TEXT_COST.short;
  const seen: Observation = { length: text.length, cost: (index, character) => lookAlikeCost(text[index] ?? "", character) };
  const candidates = candidatesFor(seen, maxCost);
  const [best] = candidates;
  if (best !== undefined) return isTie(candidates, TEXT_TIE) ? refused(text) : recognised(best.plate, best.form.kind, Math.exp(-best.cost / 4), text);
  return couldBeForeign(text) ? recognised(text, "unknown", 0.9, text) : refused(text);
}

/**
 * Makes a plate of a reader's answer: the layouts of {@link formOf} are laid over the probabilities, and the likeliest
 * filling wins. A recognised plate is always one that {@link analyse} leaves as it is, so rules and reads agree.
 */
export function analyseRead(slots: SlotProbabilities): Analysis {
  const readings = variants(slots);
  const text = readings[0]?.text ?? "";
  const ranked = rankedPlates(readings);
  const [best] = ranked;
  if (best !== undefined) {
    const rivals = ranked.filter(({ candidate }, index) => index === 0 || candidate.plate !== best.candidate.plate).map(({ candidate }) => candidate);
    const confidence = confidenceOf(best.reading, best.candidate.form, best.candidate.plate) * wholeness(best.candidate.form);
    const least = best.candidate.form.kind === "standard" || best.candidate.form.kind === "bharat" ? LEAST.usual : LEAST.rare;
    if (confidence >= least && !isTie(rivals, READ_TIE)) return recognised(best.candidate.plate, best.candidate.form.kind, confidence, text);
  }
  return asForeign(text, readings[0]) ?? refused(text);
}

/** The characters of the likeliest class per slot, blanks left out, before any correction. */
export function freeText(slots: SlotProbabilities): string {
  return variants(slots)[0]?.text ?? "";
}

/** The likeliest Indian plate of an answer, however unlikely it is; where there is none, {@link freeText}. */
export function likeliestText(slots: SlotProbabilities): string {
  const readings = variants(slots);
  return rankedPlates(readings)[0]?.candidate.plate ?? readings[0]?.text ?? "";
}

function rankedPlates(readings: readonly Reading[]): { readonly reading: Reading; readonly candidate: Candidate }[] {
  return readings
    .flatMap((reading) => candidatesFor(reading, MAX_READ_COST).map((candidate) => ({ reading, candidate: atLength(candidate, reading) })))
    .filter(({ candidate }) => candidate.plate.length >= SHORTEST_INDIAN_READ)
    .sort((a, b) => a.candidate.rank - b.candidate.rank);
}

interface Reading extends Observation {
  readonly text: string;
  /** −ln of what was given up by deciding doubtful blanks this way. */
  readonly blankCost: number;
  /** Share of the confidence that is left by that. */
  readonly certainty: number;
  readonly probability: (index: number, character: string) => number;
}

function atLength(candidate: Candidate, reading: Reading): Candidate {
  return { ...candidate, cost: candidate.cost + reading.blankCost, rank: candidate.rank + reading.blankCost };
}

/** The reading with every slot's likeliest class, then those in which doubtful blanks are decided the other way. */
function variants(slots: SlotProbabilities): Reading[] {
  const count = Math.floor(slots.length / CLASS_COUNT);
  const probability = (slot: number, classIndex: number): number => slots[slot * CLASS_COUNT + classIndex] ?? 0;
  const filled: boolean[] = [];
  const costs: Float64Array[] = [];
  const doubtful: { slot: number; cost: number }[] = [];
  for (let slot = 0; slot < count; slot++) {
    const blank = probability(slot, 0);
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
    readings.push(readingOf({ slots, costs }, used, { blankCost, certainty: Math.exp(-blankCost) }));
  }
  return [...readings, ...withoutStutter({ slots, costs }, filled)];
}

/** Readings in which one of two equal neighbours is left out. */
function withoutStutter(source: Parameters<typeof readingOf>[0], filled: readonly boolean[]): Reading[] {
  const used = filled.flatMap((isFilled, slot) => (isFilled ? [slot] : []));
  const doubled = used.filter((slot, index) => {
    const next = used[index + 1];
    return next !== undefined && likeliestCharacter(source.slots, slot).character === likeliestCharacter(source.slots, next).character;
  });
  return doubled.slice(-STUTTER.most).map((slot) =>
    readingOf(
      source,
      filled.map((isFilled, place) => isFilled && place !== slot),
      { blankCost: STUTTER.cost, certainty: STUTTER.certainty },
    ),
  );
}

function readingOf(
  { slots, costs: slotCosts }: { readonly slots: SlotProbabilities; readonly costs: readonly Float64Array[] },
  used: readonly boolean[],
  { blankCost, certainty }: Pick<Reading, "blankCost" | "certainty">,
): Reading {
  const positions = used.flatMap((isUsed, slot) => (isUsed ? [slot] : []));
  const probability = (index: number, character: string): number => slots[(positions[index] ?? -1) * CLASS_COUNT + classOf(character)] ?? 0;
  const likeliest = positions.map((slot) => likeliestCharacter(slots, slot));
  const costs = positions.map((slot) => slotCosts[slot]);
  return {
    length: positions.length,
    text: likeliest.map((choice) => choice.character).join(""),
    blankCost,
    certainty,
    probability,
    cost: (index, character) => costs[index]?.[classOf(character)] ?? Number.POSITIVE_INFINITY,
  };
}

/** By class: how much less likely than the likeliest character, as a difference of logarithms. */
function costsOf(slots: SlotProbabilities, slot: number, best: number): Float64Array {
  const row = slots.subarray(slot * CLASS_COUNT, (slot + 1) * CLASS_COUNT);
  const costs = new Float64Array(CLASS_COUNT);
  const least = Math.log(Math.max(best, FLOOR));
  for (let classIndex = 0; classIndex < CLASS_COUNT; classIndex++) costs[classIndex] = least - Math.log(Math.max(row[classIndex] ?? 0, FLOOR));
  return costs;
}

function likeliestCharacter(slots: SlotProbabilities, slot: number): { character: string; probability: number } {
  let best = 1;
  for (let classIndex = 2; classIndex < CLASS_COUNT; classIndex++) {
    if ((slots[slot * CLASS_COUNT + classIndex] ?? 0) > (slots[slot * CLASS_COUNT + best] ?? 0)) best = classIndex;
  }
  return { character: characterOf(best), probability: slots[slot * CLASS_COUNT + best] ?? 0 };
}

/** How likely a text of this layout shows the whole plate: of a thousand Indian plates, forty have a number of less than four digits; cut-off ones are more. */
function wholeness(form: Form): number {
  const digits = form.groups[form.groups.length - 1] ?? 4;
  return form.kind === "standard" && digits < 4 ? SHORT_NUMBER ** (4 - digits) : 1;
}

const DIGIT_SET = "0123456789";
const LETTER_SET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Product over the positions of how sure the character is among those of its class, lowered where the reader saw little of
 * that class at all: a position that must be a digit and shows a letter is settled by the grammar, but not for certain.
 */
function confidenceOf(reading: Reading, form: Form | null, plate: string): number {
  let product = reading.certainty;
  for (let index = 0; index < plate.length; index++) {
    const character = plate[index] ?? "";
    const twin = form === null ? (TWINS[character] ?? "") : "";
    const own = reading.probability(index, character) + (twin === "" ? 0 : reading.probability(index, twin));
    const rivals = form === null ? DIGIT_SET + LETTER_SET : DIGIT_SET.includes(character) ? DIGIT_SET : LETTER_SET;
    let mass = 0;
    for (const rival of rivals) mass += reading.probability(index, rival);
    product *= mass <= 0 ? 0 : (own / mass) * Math.min(1, Math.sqrt(mass * 2));
  }
  return Math.min(1, product);
}

/** A plate of another country is taken as it stands, if the reader is sure and the text is no piece of an Indian plate. */
function asForeign(text: string, reading: Reading | undefined): Analysis | null {
  if (reading === undefined || text.length < SHORTEST_FOREIGN_READ || isPieceOfIndianPlate(text)) return null;
  const plate = foreignSpelling(text);
  if (!couldBeForeign(plate) || isPieceOfIndianPlate(plate)) return null;
  const confidence = confidenceOf(reading, null, plate);
  if (confidence < (isForeignShape(plate) ? LEAST.foreignShape : LEAST.foreign)) return null;
  const settled = analyse(plate);
  return settled.plate === plate ? { ...settled, confidence: percent(confidence), text } : null;
}

/** O and 0, I and 1 are drawn alike on many plates: the shapes in use decide, with as few exchanges as possible. */
const TWINS: Readonly<Record<string, string>> = { O: "0", "0": "O", I: "1", "1": "I" };
const MAX_TWINS = 4;

function foreignSpelling(text: string): string {
  if (isForeignShape(text)) return text;
  const places = [...text].flatMap((character, index) => (character in TWINS ? [index] : [])).slice(0, MAX_TWINS);
  const masks = Array.from({ length: (1 << places.length) - 1 }, (_, index) => index + 1).sort((a, b) => bits(a) - bits(b));
  for (const mask of masks) {
    const spelling = [...text].map((character, index) =>
      (mask >> places.indexOf(index)) & 1 && places.includes(index) ? (TWINS[character] ?? character) : character,
    );
    if (isForeignShape(spelling.join(""))) return spelling.join("");
  }
  return text;
}

function bits(mask: number): number {
  return mask === 0 ? 0 : (mask & 1) + bits(mask >> 1);
}

/** `MH12AB`, `12AB1234`, `KA011`: one line of a two-line plate, or a plate cut off at the edge of the picture. */
function isPieceOfIndianPlate(text: string): boolean {
  return (isState(text.slice(0, 2)) && /^..([0-9]{1,2}[A-Z]{0,3}|[0-9]{3,4})$/.test(text)) || /^[0-9]{1,2}[A-Z]{1,3}[0-9]{4}$/.test(text);
}

function isTie(candidates: readonly Candidate[], margin: number): boolean {
  const [first, second] = candidates;
  return first !== undefined && second !== undefined && second.rank - first.rank < margin;
}

function recognised(plate: string, kind: PlateKind, confidence: number, text: string): Analysis {
  return { plate, formatted: formatPlate(plate), kind, status: "recognised", reason: null, confidence: percent(confidence), text };
}

/** What is said of a text that is no plate. */
export function refused(text: string): Analysis {
  return { plate: null, formatted: null, kind: "unknown", status: "unrecognised", reason: "invalid_format", confidence: 0, text };
}

function percent(share: number): number {
  return Math.round(100 * Math.min(1, Math.max(0, share)));
}
