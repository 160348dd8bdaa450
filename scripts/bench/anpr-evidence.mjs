// @ts-check
/** The evidence for and against every read, for fitting the confidence (models/training/fit_confidence.py). */
import { readFileSync, writeFileSync } from "node:fs";
import { fold } from "../lib/plate-labels.mjs";

/** @type {typeof import("../../src/core/plates/read.ts")} */
const { isRareLayout, weigh } = await import("../../src/core/plates/read.ts");

/**
 * @typedef {import("../lib/plate-labels.mjs").Label} Label
 * @typedef {import("../lib/plate-labels.mjs").Picture} Picture
 * @typedef {import("../../src/features/recognition/frame-reader.ts").FrameReader} FrameReader
 * @typedef {import("../../src/features/recognition/frame-reader.ts").FrameSighting} Sighting
 * @typedef {import("../../src/core/plates/countries.ts").Countries} Countries
 */

/**
 * Writes a line per plate and look. Every plate is read with every available view, so that the fit can
 * determine when to stop.
 * @param {{ reader: FrameReader, countries: Countries, pictures: Picture[], file: string, bestOf: (sightings: readonly
 *   Sighting[], label: Label) => Sighting | undefined }} what
 */
export async function writeEvidence({ reader, countries, pictures, file, bestOf }) {
  /** @type {object[]} */
  const lines = [];
  for (const { path, file: name, labels } of pictures) {
    const { sightings } = await reader.read(readFileSync(path), { tiles: true, again: true, always: true });
    for (const label of labels)
      lines.push(...evidenceOf({ label, file: name, sighting: bestOf(sightings, label), countries }));
  }
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/**
 * The evidence of a read after the first view and after every further one, with whether the plate is right.
 * @param {{ label: Label, file: string, sighting: Sighting | undefined, countries: Countries }} what
 */
function* evidenceOf({ label, file, sighting, countries }) {
  const about = { file, label: fold(label.text), subset: label.subset, twoLine: label.twoLine };
  if (sighting === undefined) {
    yield { ...about, looks: 0, proposals: [] };
    return;
  }
  const { views, second, score } = sighting;
  // in the hub's order: the first view alone, then with the second reader, then further views
  const looks = [
    { count: 1, witness: null },
    ...views.flatMap((_, index) => (second === null && index === 0 ? [] : [{ count: index + 1, witness: second }])),
  ];
  for (const [index, { count, witness }] of looks.entries()) {
    const { proposals } = weigh(views.slice(0, count), countries, witness);
    yield {
      ...about,
      score,
      looks: index + 1,
      proposals: proposals.map(({ family, plate, evidence, isUnanimous }) => ({
        family,
        isRight: fold(plate) === fold(label.text),
        isRare: isRareLayout(plate) && !isUnanimous,
        evidence,
      })),
    };
  }
}
