// @ts-check
/** Bursts with the evidence that the product has of each (src/core/plates/presented.ts). */
import { offLane, spotsOf } from "../../src/core/plates/lane.ts";
import { evidenceOf } from "../../src/core/plates/presented.ts";
import { isRepeat, isRepeatedBy, nearness, placeOf } from "../../src/core/plates/repeats.ts";
import { measuresOf, standsStill, trackOf } from "../../src/core/plates/track.ts";

/**
 * @typedef {import("./sets.mjs").Burst} Burst
 * @typedef {import("./sets.mjs").Read} Read
 * @typedef {import("./sets.mjs").SeenPlate} SeenPlate
 * @typedef {import("./sets.mjs").Sighting} Sighting
 * @typedef {import("../../src/core/plates/lane.ts").LanePass} LanePass
 * @typedef {import("../../src/core/plates/presented.ts").PresentedEvidence} PresentedEvidence
 */

/**
 * The passes of each camera as it would have learned them, by the burst that each is of. @param {readonly { folder:
 * string, camera: string, sightings: readonly Pick<Sighting, "frame" | "corners" | "frameSize">[] }[]} accepted @returns
 * {Map<string, Map<string, LanePass>>}
 */
export function lanesOf(accepted) {
  /** @type {Map<string, Map<string, LanePass>>} */
  const lanes = new Map();
  for (const { folder, camera, sightings } of accepted) {
    const lane = lanes.get(camera) ?? new Map();
    lanes.set(camera, lane);
    lane.set(folder, { spots: spotsOf(sightings), stood: standsStill(trackOf(sightings)), off: null });
  }
  for (const lane of lanes.values()) {
    const off = [...lane].map(
      ([folder, { spots }]) => /** @type {const} */ ([folder, offLane(spots, others(lane, folder))]),
    );
    for (const [folder, far] of off) lane.set(folder, { .../** @type {LanePass} */ (lane.get(folder)), off: far });
  }
  return lanes;
}

/** A camera's passes without that of one burst. @param {ReadonlyMap<string, LanePass>} lane @param {string} folder */
export function others(lane, folder) {
  return [...lane].flatMap(([own, pass]) => (own === folder ? [] : [pass]));
}

/**
 * The evidence of one plate. @param {readonly Pick<Sighting, "frame" | "corners" | "frameSize">[]} sightings @param
 * {readonly LanePass[]} accepted other passes of its camera @param {{ isRepeated: boolean, network: number | null }} seen
 * @returns {PresentedEvidence}
 */
export function evidenceIn(sightings, accepted, seen) {
  return evidenceOf(sightings, accepted, seen);
}

/** Frames of a burst that are compared, as in features/gate/presented-plates.ts. */
const COMPARED = 4;

/**
 * Whether a burst repeats an earlier one, at whichever camera. @param {{ read: Read, plate: SeenPlate | undefined }} now
 * @param {readonly { read: Read, plate: SeenPlate | undefined }[]} before
 */
export function repeats(now, before) {
  const { plate } = now;
  const same = before.some(({ read }) => now.read.digests.some((digest) => read.digests.includes(digest)));
  if (same || plate === undefined) return same;
  const known = before.flatMap((one) => (one.plate?.plate === plate.plate ? one.plate.sightings.map(glanceOf) : []));
  const last = plate.sightings.length - 1;
  const chosen = new Set(
    Array.from({ length: Math.min(COMPARED, last + 1) }, (_, i) =>
      Math.round((i * last) / Math.max(1, Math.min(COMPARED, last + 1) - 1)),
    ),
  );
  const compared = [...chosen].flatMap((at) => {
    const sighting = plate.sightings[at];
    return sighting === undefined ? [] : [glanceOf(sighting)];
  });
  const repeated = compared.filter((one) =>
    known.some((other) => nearness(one, other) <= 1 && isRepeat(one, other)),
  ).length;
  return isRepeatedBy(repeated, compared.length);
}

/** @param {Sighting} sighting */
export function glanceOf({ corners, frameSize, glance }) {
  return { ...placeOf(measuresOf(corners), frameSize), pixels: glance };
}
