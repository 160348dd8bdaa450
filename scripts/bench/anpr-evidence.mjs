/** What spoke for and against every read, for fitting the confidence (models/training/fit_confidence.py). */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../lib/prepare.mjs";

const { weigh } = await import(join(process.env.GATEHOUSE_BUILD ?? join(root, "build"), "src/domain/plates/read.js"));

/** Writes a line per plate and look. Every plate is looked at as often as there are ways to, so that the fit can say when to stop. */
export async function writeEvidence({ reader, countries, pictures, file, bestOf, fold }) {
  const lines = [];
  for (const { path, file: name, labels } of pictures) {
    const { sightings } = await reader.read(readFileSync(path), { tiles: true, again: true, always: true });
    for (const label of labels) lines.push(...evidenceOf({ label, file: name, sighting: bestOf(sightings, label), fold, countries }));
  }
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** The evidence of a read after the first view and after every further one, with whether the plate is right. */
function* evidenceOf({ label, file, sighting, fold, countries }) {
  const about = { file, label: fold(label.text), subset: label.subset, twoLine: label.twoLine };
  if (sighting === undefined) {
    yield { ...about, looks: 0, proposals: [] };
    return;
  }
  const { views } = sighting;
  for (let looks = 1; looks <= views.length; looks++) {
    const { proposals } = weigh(views.slice(0, looks), countries);
    yield { ...about, looks, proposals: proposals.map(({ family, plate, evidence }) => ({ family, isRight: fold(plate) === fold(label.text), evidence })) };
  }
}
