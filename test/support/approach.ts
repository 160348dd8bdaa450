import { analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import type { Sighting, SightingPixels, VehicleReading } from "../../src/core/plates/reading.ts";

const FRAME = [1280, 720] as const;
const PLATE = "MH12AB1234";

/** A plate about (x, y), so many pixels wide and turned by some radians. */
function sighting(
  frame: number,
  [x, y, width, slope = 0]: readonly [number, number, number, number?],
  plate: string,
): Sighting {
  const [across, down] = [Math.cos(slope), Math.sin(slope)];
  const corner = (u: number, v: number): [number, number] => [
    x + (u * width * across) / 2 - (v * width * down) / 8,
    y + (u * width * down) / 2 + (v * width * across) / 8,
  ];
  return {
    frame,
    score: 0.9,
    corners: [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)],
    box: [x - width / 2, y - width / 8, x + width / 2, y + width / 8],
    frameSize: FRAME,
    twoLine: false,
    views: [],
    second: null,
    analysis: { ...analyse(plate, Countries.all), confidence: 97 },
  };
}

/** The plate of a vehicle that comes along a lane, in six frames; `late`: how far it has come, 0–1. */
export function approach(late: number, { x = 0, width = 1, plate = PLATE } = {}): Sighting[] {
  return Array.from({ length: 6 }, (_, frame) => {
    const way = late * 0.6 + frame * 0.4;
    const near = 1 / (1.6 - 0.35 * way);
    return sighting(frame, [420 + x + 160 * near, 300 + 150 * near, 110 * near * width], plate);
  });
}

/** A plate that is held: it sways, turns, and comes no nearer. */
export const HELD: readonly Sighting[] = (
  [
    [500, 400, 120, 0],
    [545, 385, 122, 0.09],
    [478, 412, 119, -0.08],
    [518, 398, 121, 0.07],
    [503, 405, 120, -0.05],
  ] as const
).map((place, frame) => sighting(frame, place, PLATE));

/** A plate that stands still. */
export const STANDING: readonly Sighting[] = [0, 1, 2, 3].map((frame) =>
  sighting(frame, [500 + (frame % 2), 400, 120], PLATE),
);

/** A vehicle of some sightings, each with the same pixels if there are any. */
export function vehicleOf(sightings: readonly Sighting[], pixels?: SightingPixels): VehicleReading {
  const seen = pixels === undefined ? sightings : sightings.map((one) => ({ ...one, pixels }));
  const best = seen.at(-1);
  if (best === undefined) throw new Error("no sighting");
  return { analysis: best.analysis, votes: seen.length, sightings: seen, best };
}
