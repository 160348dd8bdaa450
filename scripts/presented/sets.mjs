// @ts-check
/** A folder of bursts: its manifest and its reads. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTable } from "../lib/plate-labels.mjs";

/**
 * One line of manifest.csv. `class`: attack, genuine, or learning (an accepted pass from which the camera learns its
 * lane). `times`: when each frame was taken, milliseconds. `of`: the burst that a replay repeats.
 * @typedef {{ folder: string, class: "attack" | "genuine" | "learning", kind: string, light: string, motion: string,
 *   place: string, shows: string, plate: string, camera: string, of: string, times: number[] }} Burst
 */

/**
 * A plate in one frame, with the pixels that the hub keeps of it (base64 in the file).
 * @typedef {import("../../src/core/plates/reading.ts").Sighting["corners"]} Corners
 * @typedef {{ frame: number, corners: Corners, frameSize: [number, number], around: Uint8Array, glance: Uint8Array }}
 *   Sighting
 * @typedef {{ plate: string | null, confidence: number, text: string, sightings: Sighting[] }} SeenPlate
 * @typedef {{ folder: string, digests: string[], plates: SeenPlate[] }} Read
 */

/** @param {string} folder @returns {Burst[]} */
export function burstsOf(folder) {
  return readTable(join(folder, "manifest.csv")).map((row) => {
    const { folder: name = "", class: side = "attack", times = "0", ...rest } = row;
    if (side !== "attack" && side !== "genuine" && side !== "learning")
      throw new Error(`${name}: class is attack, genuine or learning, not ${side}`);
    const { kind = "", light = "", motion = "", place = "", shows = "", plate = "", camera = "", of = "" } = rest;
    return {
      folder: name,
      class: side,
      kind,
      light,
      motion,
      place,
      shows,
      plate,
      camera,
      of,
      times: times.split(" ").map(Number),
    };
  });
}

/** What read.mjs kept, by burst. @param {string} folder @returns {Map<string, Read>} */
export function readsOf(folder) {
  const file = join(folder, "reads.jsonl");
  if (!existsSync(file)) throw new Error(`${file} is missing: run node scripts/presented/read.mjs ${folder} first`);
  /** @type {Read[]} */
  const reads = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) =>
      JSON.parse(line, (key, value) =>
        key === "around" || key === "glance" ? new Uint8Array(Buffer.from(value, "base64")) : value,
      ),
    );
  return new Map(reads.map((read) => [read.folder, read]));
}
