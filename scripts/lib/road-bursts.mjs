// @ts-check
/** Frames of one road video close to each other, as the bursts that they would have been. */
import { fold } from "./plate-labels.mjs";

/**
 * @typedef {import("./plate-labels.mjs").Row} Row
 * @typedef {import("../../src/core/plates/countries.ts").Countries} Countries
 * @typedef {{ frames: number, text: string, alone: Outcome[], together: Outcome }} RoadVehicle
 * @typedef {"exact" | "wrong" | "none"} Outcome
 */

/** @type {typeof import("../../src/core/plates/vote.ts")} */
const { vote } = await import("../../src/core/plates/vote.ts");

/** Frames of a video further apart than this belong to two bursts. */
const NEIGHBOURS = 30;
/** `video_<name>_<number of the frame>.jpg` */
const VIDEO_FRAME = /_(video\d+)_(\d+)\.\w+$/;

/**
 * Every labelled vehicle of every burst of at least two frames, with its stored reads. Vehicles leave one burst
 * and enter the next, so neighbouring bursts contain several vehicles in sequence, as at a gate.
 * @param {Row[]} rows @param {Countries} countries @returns {RoadVehicle[]}
 */
export function roadVehicles(rows, countries) {
  return burstsOf(rows).flatMap((frames) => {
    const sightings = frames.flatMap(([first], frame) =>
      (first?.picture.sightings ?? []).map((one) => ({ ...one, frame, source: one })),
    );
    const { vehicles } = vote(sightings, countries);
    const stored = vehicles.map(({ analysis, sightings: own }) => ({
      plate: fold(analysis.plate),
      sources: new Set(own.map((one) => ("source" in one ? one.source : one))),
    }));
    const all = frames.flat();
    return [...new Set(all.map(({ label }) => label.text))].map((text) => {
      const own = all.filter(({ label }) => label.text === text);
      const isStored = stored.some(({ plate }) => plate === fold(text));
      const isAnother = stored.some(
        ({ plate, sources }) =>
          plate !== fold(text) && own.some(({ sighting }) => sighting !== null && sources.has(sighting)),
      );
      return {
        frames: own.length,
        text,
        alone: own.map(({ found }) =>
          found?.plate == null ? "none" : fold(found.plate) === fold(text) ? "exact" : "wrong",
        ),
        together: isAnother ? "wrong" : isStored ? "exact" : "none",
      };
    });
  });
}

/** By burst the rows of each frame, in order. @param {Row[]} rows @returns {Row[][][]} */
function burstsOf(rows) {
  /** @type {Map<string, Map<number, Row[]>>} */
  const videos = new Map();
  for (const row of rows) {
    const [, video, number] = VIDEO_FRAME.exec(row.picture.file) ?? [];
    if (video === undefined) continue;
    const frames = videos.get(video) ?? new Map();
    frames.set(Number(number), [...(frames.get(Number(number)) ?? []), row]);
    videos.set(video, frames);
  }
  return [...videos.values()].flatMap((frames) => {
    /** @type {{ last: number, frames: Row[][] }[]} */
    const bursts = [];
    for (const [number, some] of [...frames].sort(([a], [b]) => a - b)) {
      const open = bursts.at(-1);
      if (open === undefined || number - open.last > NEIGHBOURS) bursts.push({ last: number, frames: [some] });
      else {
        open.last = number;
        open.frames.push(some);
      }
    }
    return bursts.map((burst) => burst.frames).filter(({ length }) => length > 1);
  });
}
