/**
 * Whether a listed plate is presented to the camera (on paper, a screen, a board, by frames sent again) and not mounted
 * on a vehicle that comes. Evidence in; out: what is odd about it. Weights and limits were fitted on rendered bursts
 * (scripts/presented/fit.mjs); docs/presented-plates.md has the figures, and what they do not prove.
 */
import { type LanePass, laneOddness, spotsOf, usuallyStands, wayOddness } from "./lane.ts";
import fitted from "./presented.json" with { type: "json" };
import type { Sighting } from "./reading.ts";
import { measuresOf, standsStill, type Track, trackOf, withoutStrays } from "./track.ts";

/** What a network is shown of a plate: `across` by `up` plate widths, as columns and rows of brightnesses. */
export const SURROUNDINGS = { columns: 96, rows: 64, across: 3.6, up: 2.4 } as const;
/** Sightings of a plate that the network is shown. */
const MOST_SHOWN = 2;

/** The sightings of a plate whose surroundings the network is shown: the two largest. */
export function shownOf<S extends Pick<Sighting, "frame" | "corners">>(sightings: readonly S[]): readonly S[] {
  const width = ({ corners }: S): number => measuresOf(corners).width;
  return [...withoutStrays(sightings)].sort((a, b) => width(b) - width(a)).slice(0, MOST_SHOWN);
}

/**
 * What can be odd about a plate. `seen_before`: its frames repeat earlier ones. `stands`: it stands still at first
 * sight, where vehicles come. `one_picture`: only one frame shows it, where others send more. `off_lane`: vehicles' plates are elsewhere, or of another
 * size. `track`: it does not move as a plate on a vehicle. `surroundings`: it looks like paper, a screen or a hand
 * around it. `other_vehicle`: it comes on another vehicle than before. `unchecked`: its frames could not be looked at.
 */
export const ODDITIES = [
  "seen_before",
  "stands",
  "one_picture",
  "off_lane",
  "track",
  "surroundings",
  "other_vehicle",
  "unchecked",
] as const;
/** See {@link ODDITIES}. */
export type Oddity = (typeof ODDITIES)[number];

/** What is known of a plate in a burst. */
export interface PresentedEvidence {
  /** Its frames repeat earlier ones. */
  readonly isRepeated: boolean;
  /** Null: one frame shows it. */
  readonly track: Track | null;
  /** See {@link laneOddness}; null: the lane is not learned yet. */
  readonly lane: number | null;
  /** See {@link wayOddness}. */
  readonly way: number | null;
  /** The network's log-odds that it is presented; null: it was not asked, or there is none. */
  readonly network: number | null;
}

/** The inputs of the fitted models, by evidence. */
export const INPUTS = {
  lane: ["lane"],
  track: ["way", "moved", "straight", "growth", "slope", "shape", "place", "size"],
  network: ["network"],
} as const;
type Part = keyof typeof INPUTS;
const PARTS: readonly Part[] = ["lane", "track", "network"];
const NAMED: Record<Part, Oddity> = { lane: "off_lane", track: "track", network: "surroundings" };

/**
 * From here on the way of a plate that moves is odd by itself, whatever else is known: 1 of 406 genuine passes that were
 * rendered for the fit and read came to that, and a film that grows where it is does.
 */
const MOST_WAY = 6.5;

/** A logistic model of values and their squares: too little and too much can both be odd. */
export interface OddnessModel {
  readonly names: readonly string[];
  readonly centre: readonly number[];
  readonly scale: readonly number[];
  /** Of the values, then of their squares. */
  readonly weights: readonly number[];
  readonly bias: number;
  /** From here on it is odd. */
  readonly most: number;
  /** The same where the network was not asked. */
  readonly mostWithout: number;
}

/** The fitted models: of plates that move, and of those that stand or are in one frame. */
export const MODELS: { readonly moving: OddnessModel; readonly standing: OddnessModel } = fitted;

/**
 * What is odd about a plate at a camera that has accepted these passes; empty: it comes as on a vehicle.
 * @param hasCome an earlier burst of its pass showed it coming, so that it may stand now
 */
export function odditiesOf(
  evidence: PresentedEvidence,
  accepted: readonly LanePass[],
  hasCome = false,
  models: typeof MODELS = MODELS,
): readonly Oddity[] {
  if (evidence.isRepeated) return ["seen_before"];
  const stands = standsStill(evidence.track);
  if (stands && !hasCome && !usuallyStands(accepted)) return [evidence.track === null ? "one_picture" : "stands"];
  if (!stands && evidence.way !== null && evidence.way > MOST_WAY) return ["track"];
  const model = stands ? models.standing : models.moving;
  const shares = sharesOf(model, valuesOf(evidence));
  const total = model.bias + PARTS.reduce((sum, part) => sum + shares[part], 0);
  const limit = evidence.network === null ? model.mostWithout : model.most;
  if (total <= limit) return [];
  const most = Math.max(...PARTS.map((part) => shares[part]));
  return PARTS.filter((part) => shares[part] === most || shares[part] > total - limit).map((part) => NAMED[part]);
}

/** The models' values of some evidence; those that are not known are absent. */
export function valuesOf({
  lane,
  way,
  track,
  network,
}: Omit<PresentedEvidence, "isRepeated">): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  if (lane !== null) values.set("lane", lane);
  if (network !== null) values.set("network", network);
  if (track === null) return values;
  if (way !== null) values.set("way", Math.log(way + 0.1));
  const small = (value: number): number => Math.log(value + 0.004);
  values.set("moved", Math.log(track.moved + 0.02));
  values.set("straight", track.straight);
  values.set("growth", Math.max(-0.25, Math.min(0.25, track.growth)));
  for (const name of ["slope", "shape", "place", "size"] as const) values.set(name, small(track[name]));
  return values;
}

/** A model's log-odds that a plate is presented, leaving out what is not known. */
export function oddness(model: OddnessModel, values: ReadonlyMap<string, number>): number {
  const shares = sharesOf(model, values);
  return model.bias + PARTS.reduce((sum, part) => sum + shares[part], 0);
}

/** What each part of the evidence adds to the log-odds. */
function sharesOf(model: OddnessModel, values: ReadonlyMap<string, number>): Record<Part, number> {
  const shares = { lane: 0, track: 0, network: 0 };
  for (const [i, name] of model.names.entries()) {
    const value = values.get(name);
    const part = PARTS.find((one) => (INPUTS[one] as readonly string[]).includes(name));
    if (value === undefined || part === undefined) continue;
    const standard = Math.max(-3, Math.min(3, (value - (model.centre[i] ?? 0)) / (model.scale[i] ?? 1)));
    const [plain, squared] = [model.weights[i] ?? 0, model.weights[model.names.length + i] ?? 0];
    shares[part] += plain * standard + squared * (standard * standard - 1);
  }
  return shares;
}

/** The evidence of a plate's sightings at a camera that has accepted these passes. */
export function evidenceOf(
  sightings: readonly Pick<Sighting, "frame" | "corners" | "frameSize">[],
  accepted: readonly LanePass[],
  seen: Pick<PresentedEvidence, "isRepeated" | "network">,
): PresentedEvidence {
  const spots = spotsOf(sightings);
  return {
    ...seen,
    track: trackOf(sightings),
    lane: laneOddness(spots, accepted),
    way: wayOddness(spots, accepted),
  };
}
