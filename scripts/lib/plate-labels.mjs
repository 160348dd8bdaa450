// @ts-check
/** The labels of a folder of photographs, and when two plates count as equal in measurements. */
import { readFileSync } from "node:fs";

/** The lines of a simple table of comma-separated values, by the names of its first line. @param {string} file */
export function readTable(file) {
  const [head = "", ...lines] = readFileSync(file, "utf8").trim().split(/\r?\n/);
  const names = head.split(",");
  return lines.map((line) => {
    /** @type {Record<string, string | undefined>} */
    const row = Object.fromEntries(line.split(",").map((cell, index) => [names[index], cell]));
    return row;
  });
}

/**
 * @typedef {import("../../src/features/recognition/frame-reader.ts").FrameSighting} Sighting
 * @typedef {Sighting["analysis"]} Analysis
 * @typedef {[x1: number, y1: number, x2: number, y2: number]} Box
 * @typedef {{ box: Box, text: string, subset: string, twoLine: boolean }} Label
 * @typedef {{ file: string, path: string, labels: Label[], brightness?: number, sightings?: readonly Sighting[] }}
 *   Picture
 */

/**
 * The result for a label. `crop`: the reader's result for the labelled box; undefined if that is not measured.
 * @typedef {object} Row
 * @property {Picture} picture
 * @property {Label} label
 * @property {boolean} recall
 * @property {Sighting | null} sighting
 * @property {Analysis | null} found
 * @property {Analysis | null | undefined} crop
 * @property {number | undefined} contrast
 * @property {number} falsePlates
 */

/** @typedef {{ totalMs: number, decodeMs: number, detectMs: number, readMs: number }} Timings */

/**
 * The networks' work for a picture.
 * @typedef {{ detectedPixels: number, views: number, seconds: number, totalMs: number, isDoubtful: boolean, isFound:
 *   boolean }} Effort
 */

/** Sets of Indian plates. */
export const INDIAN = new Set(["olx", "google", "video", "auto"]);

/**
 * Whether the stored plate equals its label.
 * @param {{ plate: string | null } | null | undefined} analysis
 * @param {{ text: string } | undefined} label
 */
export const isExact = (analysis, label) => analysis?.plate != null && fold(analysis.plate) === fold(label?.text);

/** A plate as it is compared: O, Q and 0, and I and 1, look alike. @param {string | null | undefined} text */
export const fold = (text) => (text ?? "").replaceAll(/[OQ]/g, "0").replaceAll("I", "1");
