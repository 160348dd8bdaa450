import { costIn, laidOver, longestCost, meanCost, standings, type WeighedView, weighed } from "./agree.ts";
import { CLASS_COUNT, classOf, DIGITS, LETTERS, TWINS } from "./alphabet.ts";
import { type Analysis, analyse, recognised, refused } from "./analyse.ts";
import { confidenceOf, type Evidence, type Family, leastConfidence } from "./confidence.ts";
import type { Countries } from "./countries.ts";
import { foreignPlatesOf, untwinned } from "./foreign.ts";
import { formOf, type PlateKind } from "./forms.ts";
import { areTwoVehicles } from "./one-vehicle.ts";
import type { Sighting } from "./reading.ts";
import { freeText, type SlotProbabilities } from "./readings.ts";

/** The most likely plate of one family, with its evidence. */
interface Proposal {
  readonly family: Family;
  readonly plate: string;
  readonly kind: PlateKind;
  readonly evidence: Evidence;
  /** Whether several views were taken, and all of them and the second reader have it for their first choice. */
  readonly isUnanimous: boolean;
}

/** The same before the second reader is heard. */
type Unwitnessed = Omit<Proposal, "evidence" | "isUnanimous"> & { readonly evidence: Omit<Evidence, "agreed"> };

/** What the views of one plate may mean, before deciding whether to believe it. */
export interface Weighed {
  /** Letters and digits as the clearest view shows them. */
  readonly text: string;
  /** Indian before foreign. */
  readonly proposals: readonly Proposal[];
}

/** Plates closer than this, in nats, are a tie, and a tie is not guessed. */
const TIE = 0.1;
/** This many views show the whole plate, if it looks the same in each. */
const WHOLE_FROM = 3;
/** A text of an unlisted shape must be this much more likely, in nats, than one of a listed shape. */
const UNLISTED = 2;
const MOST = { nats: 8, rarity: 15 } as const;
const LEAST_PRODUCT = -8;
/** Letters whose readings are mostly of others. */
const MIXABLE = "Y";

/** The result of a plate's views together, and whether more of them would help. */
export interface Judgement {
  readonly analysis: Analysis;
  /** How likely the most likely plate is right, 0–1, even if it is not believed; 0 if there is none. */
  readonly chance: number;
  /** Whether several views were taken, and all of them show the plate that is recognised. */
  readonly isUnanimous: boolean;
}

/**
 * Makes a plate from the reader's results for one or more views of it. Every view proposes plates, all views vote on
 * all of them, and the evidence is turned into the likelihood that the plate is right; of an Indian and a foreign plate
 * the more likely one wins. A recognised plate is always one that {@link analyse} leaves as it is, so rules and reads
 * agree.
 * @param second what a second reader of another build sees; it votes as one more view, and confirms the winner
 */
export function judge(
  views: readonly SlotProbabilities[],
  countries: Countries,
  second: SlotProbabilities | null = null,
): Judgement {
  return judgeWeighed(weighed(views), countries, second === null ? [] : weighed([second]));
}

/** The same of views that are kept with what was worked out of them. @param seconds what second readers see */
export function judgeWeighed(
  views: readonly WeighedView[],
  countries: Countries,
  seconds: readonly WeighedView[],
): Judgement {
  const { text, proposals } = weighTogether(views, seconds, 1, countries);
  let [analysis, stands, chance, isUnanimous] = [refused(text), 0, 0, false];
  for (const proposal of proposals) {
    const { family, plate, kind, evidence } = proposal;
    const confidence = confidenceOf(family, evidence);
    chance = Math.max(chance, confidence);
    if (confidence <= stands || evidence.margin < marginOf(TIE) || confidence < leastConfidence(family)) continue;
    [analysis, stands, isUnanimous] = [recognised(plate, kind, confidence, text), confidence, proposal.isUnanimous];
  }
  return { analysis, chance, isUnanimous };
}

/** What {@link judge} makes of the views. */
export function analyseViews(views: readonly SlotProbabilities[], countries: Countries): Analysis {
  return judge(views, countries).analysis;
}

/** From this likelihood on, a recognised plate needs no further look; after only one view, from the higher one. */
const CERTAIN = { atOnce: 0.96, later: 0.88 } as const;
/**
 * Below this likelihood a further look hardly ever helps: at what is plainly a plate, and at what may be a sign or a
 * grille, of which there are many more.
 */
const HOPELESS = { plainly: 0.02, otherwise: 0.3 } as const;

/** Whether another look may change what is stored. @param isPlainly whether it is a plate, whatever is read on it */
export function isWorthAnotherLook(judgement: Judgement, isPlainly: boolean): boolean {
  if (judgement.analysis.plate !== null) return !isCertain(judgement, CERTAIN.later);
  return judgement.chance >= (isPlainly ? HOPELESS.plainly : HOPELESS.otherwise);
}

/** Whether one view is enough. */
export function isCertainAtOnce(judgement: Judgement): boolean {
  return isCertain(judgement, CERTAIN.atOnce);
}

function isCertain({ analysis: { plate }, chance, isUnanimous }: Judgement, least: number): boolean {
  return plate !== null && chance >= least && (isUnanimous || !isRareLayout(plate));
}

/**
 * A plate of a rare layout is certain only if many views show the same: it is what a usual one looks like when it is cut
 * off.
 */
export function isRareLayout(plate: string): boolean {
  return (formOf(plate)?.rarity ?? 0) > 0;
}

/** Views of a burst that vote, at least one from every frame: further ones add little and cost time. */
const MOST_VIEWS = 12;

/**
 * The same for several frames of one vehicle. The clearest views of each frame vote, with one frame's weight among them
 * however many they are; frames that give the plate by themselves raise the confidence if most do, and those that give
 * another one lower it.
 */
export function analyseTogether(
  frames: readonly Pick<Sighting, "views" | "second" | "analysis">[],
  countries: Countries,
): Analysis {
  const each = Math.max(1, Math.floor(MOST_VIEWS / Math.max(1, frames.length)));
  const [views, seconds]: [WeighedView[], WeighedView[]] = [[], []];
  for (const frame of frames) {
    const own = weighed(frame.views)
      .sort((a, b) => b.legible - a.legible)
      .slice(0, each);
    const second = frame.second === null ? [] : weighed([frame.second]);
    const count = own.length + second.length;
    const shared = (view: WeighedView): WeighedView => ({ ...view, weight: view.weight / count });
    views.push(...own.map(shared));
    seconds.push(...second.map(shared));
  }
  const { text, proposals } = weighTogether(views, seconds, frames.length, countries);
  for (const { family, plate, kind, evidence } of proposals) {
    if (evidence.margin < marginOf(TIE)) continue;
    if (frames.some(({ analysis }) => analysis.plate !== null && isPieceOf(plate, analysis.plate))) continue;
    if (frames.some(({ analysis }) => areTwoVehicles(analysis, { plate, confidence: 100 }))) continue;
    const votes = frames.filter(({ analysis }) => analysis.plate === plate).length;
    const against = frames.filter(({ analysis }) => analysis.plate !== null && analysis.plate !== plate).length;
    const silent = frames.length - votes - against;
    const united = 1 - (1 - confidenceOf(family, evidence)) ** Math.sqrt(Math.max(1, votes - silent));
    const confidence = united * (votes === 0 ? 1 : 1 - against / (4 * (votes + against)));
    if (confidence >= leastConfidence(family)) return recognised(plate, kind, confidence, text);
  }
  return refused(text);
}

/** Whether one frame's plate is another's with a character merged into its neighbour, or cut off. */
export function isShortened(plate: string, whole: string): boolean {
  if (plate.length + 1 !== whole.length) return false;
  return [...whole].some((_, place) => whole.slice(0, place) + whole.slice(place + 1) === plate);
}

/**
 * The same, but certain: a plate of a rare layout, or of none, that becomes a usual one by a character that it lacks.
 */
export function isPieceOf(plate: string, whole: string): boolean {
  return rarityOf(plate) > rarityOf(whole) && isShortened(plate, whole);
}

function rarityOf(plate: string): number {
  return formOf(plate)?.rarity ?? Number.POSITIVE_INFINITY;
}

/** What the views of one frame may mean, and why. */
export function weigh(
  views: readonly SlotProbabilities[],
  countries: Countries,
  second: SlotProbabilities | null = null,
): Weighed {
  return weighTogether(weighed(views), second === null ? [] : weighed([second]), 1, countries);
}

/** @param seconds what the second reader sees: further views, and witnesses of the winner */
function weighTogether(
  own: readonly WeighedView[],
  seconds: readonly WeighedView[],
  frames: number,
  countries: Countries,
): Weighed {
  if (own.length === 0) return { text: "", proposals: [] };
  const views = [...own, ...seconds];
  const clearest = own.reduce((a, b) => (b.legible > a.legible ? b : a));
  const texts = new Set(views.map(({ slots }) => freeText(slots)));
  const proposals = [indian(views, texts, frames), foreign(views, texts, countries)].filter((one) => one !== null);
  return {
    text: freeText(clearest.slots),
    proposals: proposals.map((one) => ({
      ...one,
      evidence: { ...one.evidence, agreed: agreedOf(seconds, one.plate) },
      isUnanimous: own.length >= WHOLE_FROM && one.evidence.support > 0.999,
    })),
  };
}

/** How well the second reader's answers show the plate, 0–1: the mean over its answers of e to the minus cost per character. */
function agreedOf(seconds: readonly WeighedView[], plate: string): number {
  const shown = seconds.map((view) => Math.exp(-costIn(view, plate) / plate.length));
  return shown.reduce((sum, one) => sum + one, 0) / Math.max(1, shown.length);
}

function indian(views: readonly WeighedView[], texts: ReadonlySet<string>, frames: number): Unwitnessed | null {
  const [best, next] = standings(views, frames);
  if (best === undefined) return null;
  const plain = Math.min(...[...texts].map((text) => longestCost(views, text)));
  const evidence = {
    margin: marginOf(next === undefined ? Number.POSITIVE_INFINITY : next.cost - best.cost),
    cost: best.shown / best.plate.length,
    legible: legibleOf(views),
    support: best.support,
    product: productOf(views, best.plate, false),
    rarity: Math.min(MOST.rarity, best.prior),
    bent: Math.min(MOST.nats, Math.max(0, longestCost(views, best.plate) - plain)),
    mixable: mixableOf(best.plate),
  };
  return { family: "indian", plate: best.plate, kind: best.form.kind, evidence };
}

/** A plate of another country is taken as it is. */
function foreign(views: readonly WeighedView[], texts: ReadonlySet<string>, countries: Countries): Unwitnessed | null {
  const firsts = views.map(({ slots }) => foreignPlatesOf(slots, countries));
  const plates = withoutTwins(firsts.flat());
  const plain = Math.min(...[...texts].map((text) => longestCost(views, text)));
  const ranked = plates
    .map((plate) => ({
      plate,
      rarity: countries.havePlatesLike(plate) ? 0 : UNLISTED,
      cost: longestCost(views, plate),
    }))
    .sort((a, b) => a.cost + a.rarity - b.cost - b.rarity);
  const [best, next] = ranked;
  if (best === undefined) return null;
  const settled = analyse(best.plate, countries);
  if (settled.plate !== best.plate) return null;
  const total = views.reduce((sum, { weight }) => sum + weight, 0);
  const support =
    views.reduce(
      (sum, { weight }, index) =>
        sum + (firsts[index]?.some((plate) => untwinned(plate) === untwinned(best.plate)) ? weight : 0),
      0,
    ) / total;
  const margin = marginOf(
    next === undefined ? Number.POSITIVE_INFINITY : next.cost + next.rarity - best.cost - best.rarity,
  );
  const cost = meanCost(views, best.plate) / best.plate.length;
  const evidence = {
    margin,
    cost,
    legible: legibleOf(views),
    support,
    product: productOf(views, best.plate, true),
    rarity: best.rarity,
    bent: Math.min(MOST.nats, Math.max(0, best.cost - plain)),
    mixable: mixableOf(best.plate),
  };
  return { family: "foreign", plate: best.plate, kind: settled.kind, evidence };
}

/** Spellings that look alike are one plate; the one proposed first stays. */
function withoutTwins(plates: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const plate of plates) if (!known.has(untwinned(plate))) known.set(untwinned(plate), plate);
  return [...known.values()];
}

function marginOf(nats: number): number {
  return Math.sqrt(Math.min(MOST.nats, Math.max(0, nats)));
}

function legibleOf(views: readonly WeighedView[]): number {
  return Math.max(...views.map(({ legible }) => legible));
}

function mixableOf(plate: string): number {
  return [...plate].filter((character) => MIXABLE.includes(character)).length;
}

/**
 * ln of how sure the characters are together, each among those of its class, lowered where the views show little of
 * that class at all: a position that must be a digit and shows a letter is settled by the layout, but not with
 * certainty. Without a layout, twins count as one character.
 */
function productOf(views: readonly WeighedView[], plate: string, asTheyStand: boolean): number {
  const slots = laidOver(views, plate);
  let product = 0;
  for (let place = 0; place < plate.length; place++) {
    const of = (character: string): number => slots[place * CLASS_COUNT + classOf(character)] ?? 0;
    const character = plate[place] ?? "";
    const twin = asTheyStand ? (TWINS[character] ?? "") : "";
    const own = of(character) + (twin === "" ? 0 : of(twin));
    let mass = 0;
    for (const rival of asTheyStand ? DIGITS + LETTERS : DIGITS.includes(character) ? DIGITS : LETTERS)
      mass += of(rival);
    const sure = mass <= 0 ? Number.NEGATIVE_INFINITY : Math.log((own / mass) * Math.min(1, Math.sqrt(mass * 2)));
    product = Math.max(LEAST_PRODUCT, product + sure);
  }
  return product;
}
