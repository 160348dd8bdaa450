// @ts-check
/**
 * The page models/evaluation.md, made of the rows and counts that scripts/bench/anpr.mjs measures. Numbers only: the
 * photographs show real people's cars.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { INDIAN, isExact } from "../lib/plate-labels.mjs";
import { root } from "../lib/prepare.mjs";
import { roadVehicles } from "../lib/road-bursts.mjs";

/** @type {typeof import("../../src/features/recognition/candidates.ts")} */
const { overlap } = await import("../../src/features/recognition/candidates.ts");

/**
 * @typedef {import("../lib/plate-labels.mjs").Row} Row
 * @typedef {import("../lib/plate-labels.mjs").Effort} Effort
 * @typedef {[name: string, some: Row[]]} Group
 * @typedef {{ pictures: number, falsePer100: string, unlabelled: number, falsePer100ByEye: string, boxesPer100: string }} Plateless
 */

/**
 * Writes the page.
 * @param {string} file
 * @param {{ rows: Row[], efforts: Effort[], plateless: Plateless | null, validated: string | null }} measured
 * @param {import("../../src/core/plates/countries.ts").Countries} countries
 */
export function writeReport(file, { rows, efforts, plateless, validated }, countries) {
  /** @type {{ models: { file: string, version: string, samplesSeen?: number, sha256: string }[] }} */
  const { models } = JSON.parse(
    readFileSync(join(process.env.GATEHOUSE_MODELS ?? join(root, "models"), "manifest.json"), "utf8"),
  );
  const indian = rows.filter(({ label }) => INDIAN.has(label.subset));
  const line = (/** @type {string} */ name, /** @type {Row[]} */ some) =>
    some.length === 0
      ? []
      : [
          `| ${name} | ${some.length} | ${share(some, ({ recall }) => recall)} | ${share(some, right)} | ${share(some, wrong)} | ${share(some, ({ found }) => found?.plate == null)} | ${some[0]?.crop === undefined ? "" : share(some, ({ crop, label }) => isExact(crop ?? null, label))} |`,
        ];
  const right = (/** @type {Row} */ { found, label }) => isExact(found, label);
  const wrong = (/** @type {Row} */ { found, label }) => found?.plate != null && !isExact(found, label);
  const table = (/** @type {string} */ title, /** @type {Group[]} */ groups) => [
    `## ${title}`,
    "",
    "| plates | n | found (IoU 0.5) | exact | wrong | not recognised | exact on the labelled boxes |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...groups.flatMap(([name, some]) => line(name, some)),
    "",
  ];
  const subset = (/** @type {string} */ name) => rows.filter(({ label }) => label.subset === name);
  /** @param {(row: Row) => number} of @param {number[]} edges @param {string} unit @returns {Group[]} */
  const bands = (of, edges, unit) =>
    edges.map((from, index) => {
      const to = edges[index + 1] ?? Number.POSITIVE_INFINITY;
      return [
        to === Number.POSITIVE_INFINITY ? `${from} ${unit} and more` : `${from} to ${to} ${unit}`,
        indian.filter((row) => of(row) >= from && of(row) < to),
      ];
    });
  const height = (/** @type {Row} */ { label: { box } }) => box[3] - box[1];
  const text = [
    "# How well plates are read",
    "",
    "Made by `npm run bench -- anpr FOLDER --report models/evaluation.md`; do not edit. Measured through the hub's own recogniser on labelled photographs that",
    "no model was trained on, one frame each. Exact: the stored plate equals the label, O/0, I/1 and Q/0 folded. Wrong: a plate was recognised and is another one.",
    "The photographs show real people's cars and stay outside the project. On most of the same set the confidence was fitted; figures of plates that decided nothing, and cross-validated ones, are at the end.",
    "",
    ...models.map(
      (model) =>
        `- ${model.file}: ${model.version}, ${model.samplesSeen === undefined ? "trained by others" : `${model.samplesSeen.toLocaleString("en")} samples seen`}, ${model.sha256.slice(0, 12)}`,
    ),
    "",
    ...table("By set", [
      ["all Indian", indian],
      ["small adverts", subset("olx")],
      ["mixed", subset("google")],
      ["video frames", subset("video")],
      ["auto-rickshaws", subset("auto")],
      ["United States", subset("us")],
      ["Europe", subset("eu")],
      ["Brazil", subset("br")],
    ]),
    "## Found, and per vehicle (Indian)",
    "",
    "Found: a box with IoU 0.5 or more among all boxes, and among those that the hub stores (recognised plates; where there is none, the clearest box).",
    "Per vehicle, every plate counts once, with the share of its pictures that is exact.",
    "",
    "| | all boxes | stored | vehicles | exact per picture | exact per vehicle | wrong per vehicle |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...[
      /** @type {Group} */ (["all Indian", indian]),
      /** @type {Group} */ (["two lines", indian.filter(({ label }) => label.twoLine)]),
      /** @type {Group} */ (["video frames", subset("video")]),
    ].map(([name, some]) => {
      const vehicles = perVehicle(some);
      return `| ${name} | ${share(some, ({ recall }) => recall)} | ${share(some, isStored)} | ${vehicles.length} | ${share(some, right)} | ${meanShare(vehicles, right)} | ${meanShare(vehicles, wrong)} |`;
    }),
    "",
    ...roadTable(rows, countries),
    ...table("By style (Indian)", [
      ["one line", indian.filter(({ label }) => !label.twoLine)],
      ["two lines", indian.filter(({ label }) => label.twoLine)],
    ]),
    ...table(
      "By height of the labelled box (Indian, one line)",
      bands(height, [0, 18, 24, 40, 80, 160], "px").map(
        ([name, some]) => /** @type {Group} */ ([name, some.filter(({ label }) => !label.twoLine)]),
      ),
    ),
    ...table(
      "By tilt, as the detector sees it (Indian)",
      bands(({ sighting }) => (sighting === null ? -1 : tilt(sighting)), [0, 4, 8, 12], "degrees"),
    ),
    ...table(
      "By contrast of the labelled box: standard deviation of grey (Indian)",
      bands(({ contrast }) => contrast ?? Number.NaN, [0, 30, 45, 60], "of 255"),
    ),
    "## What the confidence says",
    "",
    "| confidence | reads | right | mean confidence | |",
    "| --- | --- | --- | --- | --- |",
    ...reliability(rows, right),
    "",
    ...(plateless === null
      ? []
      : [
          "## Plateless frames",
          "",
          `${plateless.pictures} photographs whose labelled plates were painted over: ${plateless.falsePer100} false plates and ${plateless.boxesPer100} boxes that were read per 100.`,
          ...(plateless.unlabelled === 0
            ? []
            : [
                `Without those read where a look at the picture shows a plate that nobody labelled (${plateless.unlabelled}, \`training/unlabelled.csv\`): ${plateless.falsePer100ByEye} per 100.`,
                "Only frames in which a plate was recognised were looked at so; whether such a plate is read right is not known.",
              ]),
          "",
        ]),
    "## Work",
    "",
    "What the networks do per picture, which a busy machine does not change. A frame is the detector once at 288x512.",
    "",
    "| pictures | n | detector, frames | views read | by the second reader |",
    "| --- | --- | --- | --- | --- |",
    ...[
      { name: "certain after two views", some: efforts.filter(({ isDoubtful, isFound }) => isFound && !isDoubtful) },
      { name: "looked at again", some: efforts.filter(({ isDoubtful }) => isDoubtful) },
      { name: "all", some: efforts },
    ].map(
      ({ name, some }) =>
        `| ${name} | ${some.length} | ${mean(some, ({ detectedPixels }) => detectedPixels / (288 * 512))} | ${mean(some, ({ views }) => views)} | ${mean(some, ({ seconds }) => seconds)} |`,
    ),
    "",
    ...(validated === null
      ? []
      : [
          "## Cross-validation of the confidence",
          "",
          "By `models/training/fit_confidence.py`: 150 plates are set aside and decide nothing; the others in ten folds over plates.",
          "",
          "```",
          validated.trim(),
          "```",
          "",
        ]),
    "## What the networks cannot do",
    "",
    "- Plates whose characters are smaller than about 8 pixels, or smeared by motion over a character's width.",
    "- Hand-painted, serif and ornamental faces beyond those of free fonts; regional script.",
    "- Stacked layouts with three lines; two-line plates of auto-rickshaws are found and mostly not read.",
    "- M, N, H and W, V and Y, O and D of narrow embossed faces are mixed up most.",
    "- BH, electric, temporary, diplomatic and military plates: no photograph was there to measure them on.",
    "",
  ];
  writeFileSync(file, text.join("\n"));
  console.log(`report: ${file}`);
}

/**
 * Vehicles in neighbouring frames of road videos.
 * @param {Row[]} rows
 * @param {import("../../src/core/plates/countries.ts").Countries} countries
 */
function roadTable(rows, countries) {
  const vehicles = roadVehicles(rows, countries);
  if (vehicles.length === 0) return [];
  const alone = vehicles.flatMap((one) => one.alone);
  const part = (/** @type {string[]} */ all, /** @type {string} */ of) =>
    (all.filter((one) => one === of).length / all.length).toFixed(3);
  const together = vehicles.map((one) => one.together);
  return [
    "## Bursts of real video",
    "",
    "Frames of one road video at most 30 apart, voting as one burst; several vehicles may pass in it. Rendered approaches: `npm run bench -- approaches`.",
    "",
    "| | vehicles or frames | exact | another plate |",
    "| --- | --- | --- | --- |",
    `| bursts | ${vehicles.length} | ${part(together, "exact")} | ${part(together, "wrong")} |`,
    `| each frame by itself | ${alone.length} | ${part(alone, "exact")} | ${part(alone, "wrong")} |`,
    "",
  ];
}

/** Whether the plate is in what the hub stores of the picture. @param {Row} row */
function isStored({ picture, label }) {
  const all = picture.sightings ?? [];
  const read = all.filter(({ analysis }) => analysis.plate !== null);
  const kept = read.length > 0 ? read : [...all].sort((a, b) => b.score - a.score).slice(0, 1);
  return kept.some(({ box }) => overlap(box, label.box) >= 0.5);
}

/** Rows by plate. @param {Row[]} rows */
function perVehicle(rows) {
  return [...Map.groupBy(rows, ({ label }) => label.text).values()];
}

/** @param {Row[][]} vehicles @param {(row: Row) => boolean} test */
function meanShare(vehicles, test) {
  return mean(vehicles, (own) => own.filter(test).length / own.length, 3);
}

/** @param {Row[]} rows @param {(row: Row) => boolean} right */
function reliability(rows, right) {
  return [95, 90, 80, 70, 60, 50, 0].flatMap((from, index, all) => {
    const to = all[index - 1] ?? 101;
    const some = rows.filter(({ found }) => found?.plate != null && found.confidence >= from && found.confidence < to);
    if (some.length === 0) return [];
    const part = some.filter(right).length / some.length;
    return [
      `| ${from} to ${Math.min(100, to - 1)} | ${some.length} | ${part.toFixed(3)} | ${mean(some, ({ found }) => (found?.confidence ?? 0) / 100)} | ${"█".repeat(Math.round(part * 20))} |`,
    ];
  });
}

/** Degrees by which the upper edge leans. @param {Row["sighting"] & {}} sighting */
function tilt({ corners: [[x1, y1], [x2, y2]] }) {
  return Math.abs((Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI);
}

/** @param {Row[]} rows @param {(row: Row) => boolean} test */
function share(rows, test) {
  return (rows.filter(test).length / rows.length).toFixed(3);
}

/** @template One @param {One[]} rows @param {(row: One) => number} of */
function mean(rows, of, digits = 2) {
  return rows.length === 0 ? "" : (rows.reduce((sum, row) => sum + of(row), 0) / rows.length).toFixed(digits);
}
