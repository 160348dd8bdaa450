import { legibility } from "./agree.ts";
import { type Analysis, refused } from "./analyse.ts";
import type { Countries } from "./countries.ts";
import { areTwoVehicles, differenceWithinVehicle } from "./one-vehicle.ts";
import { analyseTogether, isPieceOf, isRareLayout, isShortened } from "./read.ts";
import type { Sighting, VehicleReading } from "./reading.ts";

/** What the frames of a burst agree on. */
export interface Vote {
  /** Recognised vehicles, most confident first. */
  readonly vehicles: readonly VehicleReading[];
  /** Illegible plates, the clearest first. */
  readonly unread: readonly VehicleReading[];
}

/** Most plate widths that count as hardly moved between frames. */
const SAME_PLACE_WIDTHS = 1.2;
/** A plate of a current layout is certain from this confidence on; one of another layout beside it must be as sure. */
const CERTAIN = 90;
/**
 * Highest confidence for what a single frame says and the frames together refuse: of such plates in rendered approaches
 * six in ten were right, however sure the frame was.
 */
const LONE = 60;

/**
 * Lets the frames of a burst vote. Sightings are grouped into vehicles by place and similarity of text; per vehicle the
 * views of all frames vote on the plates that any of them proposes, weighted by legibility ({@link analyseTogether}).
 * Frames that show part of a plate never dilute the others.
 */
export function vote(sightings: readonly Sighting[], countries: Countries): Vote {
  const vehicles: VehicleReading[] = [];
  const unread: VehicleReading[] = [];
  for (const reading of gather(sightings).flatMap((track) => decideApart(track, countries))) {
    if (reading.analysis.status === "recognised") vehicles.push(reading);
    else unread.push(reading);
  }
  const read = withoutRepeats(vehicles);
  const lettering = read.filter((vehicle) => isLettering(vehicle, read));
  unread.push(...lettering.map((vehicle) => ({ ...vehicle, analysis: refused(vehicle.analysis.text), votes: 0 })));
  unread.sort((a, b) => clearness(b) - clearness(a));
  return { vehicles: read.filter((vehicle) => !lettering.includes(vehicle)), unread };
}

/**
 * Stickers, slogans and texts on bumpers sometimes fit the loose layouts, old and foreign. One frame with such a text,
 * and without certainty, beside a certain plate of today is not enough to call it a vehicle.
 */
function isLettering({ analysis, votes, sightings }: VehicleReading, all: readonly VehicleReading[]): boolean {
  if (isOfToday(analysis) || analysis.confidence >= CERTAIN || votes > 1) return false;
  const frames = new Set(sightings.map(({ frame }) => frame));
  return all.some(
    (other) =>
      isOfToday(other.analysis) &&
      other.analysis.confidence >= CERTAIN &&
      other.sightings.some(({ frame }) => frames.has(frame)),
  );
}

function isOfToday({ kind }: Analysis): boolean {
  return kind === "standard" || kind === "bharat";
}

function clearness({ best, sightings }: VehicleReading): number {
  return best.score * sightings.length;
}

function gather(sightings: readonly Sighting[]): Sighting[][] {
  const tracks: Sighting[][] = [];
  const inOrder = [...sightings].sort((a, b) => a.frame - b.frame || b.score - a.score);
  for (const sighting of inOrder) {
    let nearest: Sighting[] | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const track of tracks) {
      const last = track[track.length - 1];
      if (last === undefined || last.frame === sighting.frame) continue;
      const distance = dissimilarity(track, sighting);
      if (distance < least) [nearest, least] = [track, distance];
    }
    if (nearest === null) tracks.push([sighting]);
    else nearest.push(sighting);
  }
  return tracks;
}

/** How unlike a track the sighting is; infinite when it is another vehicle. */
function dissimilarity(track: readonly Sighting[], sighting: Sighting): number {
  const last = track[track.length - 1];
  if (last === undefined) return Number.POSITIVE_INFINITY;
  const near = movedWidths(last, sighting) <= SAME_PLACE_WIDTHS;
  if (track.some(({ analysis }) => areTwoVehicles(analysis, sighting.analysis))) return Number.POSITIVE_INFINITY;
  const differences = track.map(({ analysis }) => differenceWithinVehicle(analysis, sighting.analysis, near));
  return Math.min(...differences) + (near ? 0 : 0.2);
}

function movedWidths(a: Sighting, b: Sighting): number {
  const [ax, ay] = centre(a);
  const [bx, by] = centre(b);
  return Math.hypot(ax - bx, ay - by) / Math.max(1, width(a), width(b));
}

function centre({ box: [x1, y1, x2, y2] }: Sighting): readonly [number, number] {
  return [(x1 + x2) / 2, (y1 + y2) / 2];
}

function width({ box: [x1, , x2] }: Sighting): number {
  return x2 - x1;
}

/**
 * What a track says. A sighting whose own plate is known and is another one than the frames agree on is of another
 * vehicle, whatever the grouping made of it: the vote never replaces its plate.
 */
function decideApart(track: readonly Sighting[], countries: Countries): VehicleReading[] {
  const reading = decide(track, countries);
  const outcome = { ...reading.analysis, confidence: Number.POSITIVE_INFINITY };
  const others = track.filter(({ analysis }) => areTwoVehicles(analysis, outcome));
  const own = track.filter((one) => !others.includes(one));
  if (others.length === 0) return [reading];
  if (own.length === 0) return others.flatMap((one) => decideApart([one], countries));
  return [...decideApart(own, countries), ...decideApart(others, countries)];
}

function decide(track: readonly Sighting[], countries: Countries): VehicleReading {
  const seen = track.map((sighting) => ({
    sighting,
    analysis: sighting.analysis,
    weight: Math.max(0, ...sighting.views.map(legibility)),
  }));
  const [only] = seen;
  const together =
    seen.length === 1 && only !== undefined
      ? only.analysis
      : analyseTogether(
          seen.map(({ sighting }) => sighting),
          countries,
        );
  const analysis = choose(together, seen);
  const votes = seen.filter((single) => analysis.plate !== null && single.analysis.plate === analysis.plate).length;
  const supporters = seen.filter((single) => votes === 0 || single.analysis.plate === analysis.plate);
  const best = supporters.reduce((a, b) =>
    showValue(b.sighting, b.weight) > showValue(a.sighting, a.weight) ? b : a,
  ).sighting;
  return {
    analysis,
    votes: analysis.plate === null ? 0 : Math.max(1, votes),
    sightings: track,
    best,
  };
}

/**
 * What the frames say together; if that is nothing, the plate that most legible frames agree on by themselves, which is
 * never certain. Nor is one with few digits or without a series, since what is cut off, merged into its neighbour or
 * not read may be so in every frame; nor one that has a character less than one of its frames shows.
 */
function choose(
  together: Analysis,
  singles: readonly { readonly weight: number; readonly analysis: Analysis }[],
): Analysis {
  if (singles.length === 1) return together;
  if (together.plate !== null) {
    const { plate } = together;
    const isCut = singles.some((one) => one.analysis.plate !== null && isShortened(plate, one.analysis.plate));
    return isCut || isShort(plate) ? atMost(CERTAIN - 1, together) : together;
  }
  const tally = new Map<string, { weight: number; votes: number; analysis: Analysis }>();
  for (const { weight, analysis } of singles) {
    if (analysis.plate === null) continue;
    const known = tally.get(analysis.plate);
    const better = known === undefined || analysis.confidence > known.analysis.confidence ? analysis : known.analysis;
    tally.set(analysis.plate, {
      weight: weight + (known?.weight ?? 0),
      votes: 1 + (known?.votes ?? 0),
      analysis: better,
    });
  }
  const plates = [...tally.keys()];
  const [first, second] = [...tally]
    .filter(([plate]) => !plates.some((other) => isPieceOf(plate, other)))
    .map(([, one]) => one)
    .sort((a, b) => b.weight - a.weight);
  return first !== undefined && (second === undefined || first.weight > second.weight * 1.5)
    ? atMost(first.votes === 1 ? LONE : CERTAIN - 1, first.analysis)
    : together;
}

/** An Indian plate whose number has fewer digits than nearly all have, or that has no series. */
function isShort(plate: string): boolean {
  return isRareLayout(plate) && /[A-Z]\d{1,3}$|^[A-Z]{2}\d+$/.test(plate);
}

function atMost(most: number, analysis: Analysis): Analysis {
  return { ...analysis, confidence: Math.min(most, analysis.confidence) };
}

/** Large, certain, legible and not cut off by the edge of the frame. */
function showValue(sighting: Sighting, weight: number): number {
  const [x1, y1, x2, y2] = sighting.box;
  const [frameWidth, frameHeight] = sighting.frameSize;
  const cutOff = x1 <= 1 || y1 <= 1 || x2 >= frameWidth - 1 || y2 >= frameHeight - 1;
  return sighting.score * Math.sqrt((x2 - x1) * (y2 - y1)) * (0.2 + weight) * (cutOff ? 0.2 : 1);
}

/** The same plate twice in a burst is one vehicle whose track was lost for a moment. */
function withoutRepeats(vehicles: readonly VehicleReading[]): VehicleReading[] {
  const byPlate = new Map<string, VehicleReading>();
  for (const vehicle of vehicles) {
    const plate = vehicle.analysis.plate ?? "";
    const known = byPlate.get(plate);
    if (known === undefined) byPlate.set(plate, vehicle);
    else byPlate.set(plate, merge(known, vehicle));
  }
  return [...byPlate.values()].sort(
    (a, b) => b.analysis.confidence - a.analysis.confidence || b.best.score - a.best.score,
  );
}

function merge(a: VehicleReading, b: VehicleReading): VehicleReading {
  const [better, other] = b.analysis.confidence > a.analysis.confidence ? [b, a] : [a, b];
  const frames = new Map([...other.sightings, ...better.sightings].map((sighting) => [sighting.frame, sighting]));
  const sightings = [...frames.values()].sort((x, y) => x.frame - y.frame);
  return { ...better, votes: Math.min(a.votes + b.votes, sightings.length), sightings };
}
