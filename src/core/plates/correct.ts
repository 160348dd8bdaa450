import { charactersOf, type Form, formsOfLength, STATE_PAIRS } from "./forms.ts";
import { districtIsKnown, hasFewVehicles } from "./states.ts";

/**
 * What was seen, position by position: the cost of taking position `index` for `character` (0 for what was seen there).
 */
export interface Observation {
  readonly length: number;
  readonly cost: (index: number, character: string) => number;
}

/** One plate that the observation may mean. */
export interface Candidate {
  readonly plate: string;
  readonly form: Form;
  /** Sum of the costs of its characters. */
  readonly cost: number;
  /** Cost plus what speaks against the plate itself; candidates are ranked by it. */
  readonly rank: number;
}

/** How much a form's rarity weighs against the cost of a correction. */
const RARITY_WEIGHT = 0.3;
/** Extra cost of a correction in a place where it is hard to believe. */
const RELUCTANCE = 3;
/** An unlisted district, or a Delhi series whose first letter stands for no vehicle class. */
const ODDITY = 0.3;
/** A district of one digit, which only Delhi writes today: elsewhere a digit was probably overlooked. */
const SHORT_DISTRICT = 0.6;
/** The same in states where older plates have such districts, too. */
const OLD_SHORT_DISTRICT = 0.12;
const WROTE_SHORT: ReadonlySet<string> = new Set(["BR", "GJ", "KL"]);
/** A series of two letters that few offices have reached. */
const LATE_SERIES = 0.12;
/** A series of two letters where there are few vehicles. */
const FEW_VEHICLES = 0.09;

interface Choice {
  readonly text: string;
  readonly cost: number;
}

/** All plates within reach of the observation, best first, each once; at most two per layout. */
export function candidatesFor(observation: Observation, maxCost: number): Candidate[] {
  const best = new Map<string, Candidate>();
  const options = new Map<string, Choice[]>(); // layouts share most of their positions
  for (const form of formsOfLength(observation.length)) {
    for (const choice of choicesFor(form, form.correctable ? maxCost : 0, (slot, index) =>
      optionsOnce(options, slot, index, observation),
    )) {
      if (!form.accepts(choice.text)) continue;
      const rank = choice.cost + form.rarity * RARITY_WEIGHT + oddity(choice.text, form);
      const known = best.get(choice.text);
      if (known === undefined || rank < known.rank)
        best.set(choice.text, { plate: choice.text, form, cost: choice.cost, rank });
    }
  }
  return [...best.values()].sort((a, b) => a.rank - b.rank || (a.plate < b.plate ? -1 : 1));
}

/** The cheapest filling of a form and the next after it. */
function choicesFor(form: Form, maxCost: number, optionsFor: (slot: string, index: number) => Choice[]): Choice[] {
  let best: Choice = { text: "", cost: 0 };
  let second: Choice | null = null;
  for (let index = 0; index < form.slots.length; ) {
    const [first, next] = optionsFor(form.slots[index] ?? "", index);
    if (first === undefined || best.cost + first.cost > maxCost) return [];
    second = cheaper(second === null ? null : join(second, first), next === undefined ? null : join(best, next));
    best = join(best, first);
    index += first.text.length;
  }
  return second === null || second.cost > maxCost ? [best] : [best, second];
}

function optionsOnce(known: Map<string, Choice[]>, slot: string, index: number, observation: Observation): Choice[] {
  const place = `${slot}${index}`;
  const options = known.get(place) ?? optionsAt(slot, index, observation);
  known.set(place, options);
  return options;
}

/** The two cheapest fillings of one position (of both positions of a state code). */
function optionsAt(slot: string, index: number, observation: Observation): Choice[] {
  const options: Choice[] = [];
  if (slot === "s") {
    for (const [first, second] of STATE_PAIRS)
      keepTwo(options, {
        text: first + second,
        cost: observation.cost(index, first) + observation.cost(index + 1, second),
      });
  } else {
    for (const character of charactersOf(slot)) {
      const cost = observation.cost(index, character);
      keepTwo(options, { text: character, cost: slot === "x" && cost > 0 ? cost + RELUCTANCE : cost });
    }
  }
  return options;
}

function keepTwo(options: Choice[], option: Choice): void {
  if (!Number.isFinite(option.cost)) return;
  const [first, second] = options;
  if (first === undefined || option.cost < first.cost)
    options.splice(0, options.length, ...(first === undefined ? [option] : [option, first]));
  else if (second === undefined || option.cost < second.cost) options.splice(1, 1, option);
}

function cheaper(a: Choice | null, b: Choice | null): Choice | null {
  if (a === null || b === null) return a ?? b;
  return b.cost < a.cost ? b : a;
}

function join(left: Choice, right: Choice): Choice {
  return { text: left.text + right.text, cost: left.cost + right.cost };
}

function oddity(plate: string, form: Form): number {
  if (form.kind !== "standard") return 0;
  const [, district = 2, letters = 0] = form.groups.length === 4 ? form.groups : form.groups.slice(0, 2);
  const state = plate.slice(0, 2);
  const series = plate.slice(2 + district, 2 + district + letters);
  const isDelhi = state === "DL";
  const strangeDistrict = districtIsKnown(state, Number(plate.slice(2, 2 + district))) ? 0 : ODDITY;
  const strangeSeries = isDelhi && series !== "" && !"CSEPRTVY".includes(series.charAt(0)) ? ODDITY : 0;
  const shortDistrict = district === 1 && !isDelhi ? (WROTE_SHORT.has(state) ? OLD_SHORT_DISTRICT : SHORT_DISTRICT) : 0;
  return (
    strangeDistrict + strangeSeries + shortDistrict + (series.length === 2 && !isDelhi ? rareSeries(state, series) : 0)
  );
}

/**
 * Offices issue series of two letters in order, AA to ZZ, and most have reached A to D: later ones are rarer, and so is
 * any of them in a state with few vehicles.
 */
function rareSeries(state: string, series: string): number {
  const first = series.charAt(0);
  return LATE_SERIES * (first < "E" ? 0 : first === "E" ? 0.5 : 1) + (hasFewVehicles(state) ? FEW_VEHICLES : 0);
}
