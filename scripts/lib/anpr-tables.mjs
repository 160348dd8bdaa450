// @ts-check
/** The tables that scripts/bench/anpr.mjs prints of what it measured. */
import { join } from "node:path";
import { fold, INDIAN, isExact } from "./plate-labels.mjs";
import { root } from "./prepare.mjs";

/**
 * @typedef {import("./plate-labels.mjs").Row} Row
 * @typedef {import("./plate-labels.mjs").Effort} Effort
 * @typedef {import("../../src/domain/plates/countries.ts").Countries} CountryList
 */

const built = process.env.GATEHOUSE_BUILD ?? join(root, "build");
/** @type {typeof import("../../src/domain/plates/vote.ts")} */
const { editDistance, vote } = await import(join(built, "src/domain/plates/vote.js"));

/** Mean brightness (0-255) below which a picture counts as taken at night. */
const DARK = 70;
/** @param {Row[]} rows @param {(row: Row) => boolean} test */
const share = (rows, test) => (rows.length === 0 ? "-" : (rows.filter(test).length / rows.length).toFixed(3));

/** @param {{ rows: Row[] }} result @param {{ boxes: boolean }} settings @param {CountryList} countries */
export function printTables({ rows }, settings, countries) {
  const indian = rows.filter(({ label }) => INDIAN.has(label.subset));
  /** @param {string} name @returns {[string, Row[]]} */
  const bySubset = (name) => [name, rows.filter(({ label }) => label.subset === name)];
  const letter = (/** @type {Row} */ { label }) => (label.box[3] - label.box[1]) * (label.twoLine ? 0.38 : 0.65);
  /** @type {[name: string, some: Row[]][]} */
  const all = [
    ["all Indian", indian],
    ...["olx", "google", "video", "auto"].map(bySubset),
    ["Indian, two lines", indian.filter(({ label }) => label.twoLine)],
    ["Indian, letters < 12 px", indian.filter((row) => letter(row) < 12)],
    ["Indian, letters 12-20 px", indian.filter((row) => letter(row) >= 12 && letter(row) < 20)],
    ["Indian, letters >= 20 px", indian.filter((row) => letter(row) >= 20)],
    ["Indian, dark picture", indian.filter(({ picture }) => (picture.brightness ?? 255) < DARK)],
    ...[...new Set(rows.map(({ label }) => label.subset))].filter((name) => !INDIAN.has(name)).map(bySubset),
  ];
  const groups = all.filter(([, some]) => some.length > 0);
  console.table(
    Object.fromEntries(
      groups.map(([name, some]) => [
        name,
        {
          n: some.length,
          "recall .5": share(some, ({ recall }) => recall),
          exact: share(some, ({ found, label }) => isExact(found, label)),
          strict: share(some, ({ found, label }) => found?.plate === label.text),
          "raw text": share(some, ({ found, label }) => fold(found?.text) === fold(label.text)),
          "on boxes": settings.boxes ? share(some, ({ crop, label }) => isExact(crop ?? null, label)) : "-",
          CER: (
            some.reduce(
              (sum, { found, label }) =>
                sum + Math.min(1, editDistance(fold(found?.text), fold(label.text)) / label.text.length),
              0,
            ) / some.length
          ).toFixed(3),
          "wrong plate": share(some, ({ found, label }) => found?.plate != null && !isExact(found, label)),
          "false /100": ((100 * some.reduce((sum, { falsePlates }) => sum + falsePlates, 0)) / some.length).toFixed(1),
        },
      ]),
    ),
  );
  printVote(rows, countries);
}

/** Of the reads that say so much, how many are right. @param {string} name @param {Row[]} rows */
export function printReliability(name, rows) {
  console.log(`confidence ${name}:`);
  const bands = [90, 80, 70, 60, 50, 0].map((from, index, all) => {
    const to = all[index - 1] ?? 101;
    const some = rows.filter(({ found }) => found?.plate != null && found.confidence >= from && found.confidence < to);
    return [
      `${from}-${Math.min(100, to - 1)}`,
      {
        reads: some.length,
        right: share(some, ({ found, label }) => isExact(found, label)),
        "mean confidence":
          some.length === 0
            ? "-"
            : (some.reduce((sum, { found }) => sum + (found?.confidence ?? 0), 0) / some.length / 100).toFixed(3),
      },
    ];
  });
  console.table(Object.fromEntries(bands));
}

/**
 * What the networks had to do per picture: the measure that a busy machine does not change.
 * @param {Effort[]} efforts
 */
export function printEffort(efforts) {
  const groups = {
    certain: efforts.filter(({ isDoubtful, isFound }) => isFound && !isDoubtful),
    doubtful: efforts.filter(({ isDoubtful }) => isDoubtful),
    "nothing found": efforts.filter(({ isFound }) => !isFound),
    all: efforts,
  };
  /** @param {Effort[]} some @param {(one: Effort) => number} of */
  const mean = (some, of) =>
    some.length === 0 ? "-" : (some.reduce((sum, one) => sum + of(one), 0) / some.length).toFixed(2);
  const median = (/** @type {Effort[]} */ some) =>
    some
      .map(({ totalMs }) => totalMs)
      .sort((a, b) => a - b)
      [some.length >> 1]?.toFixed(1) ?? "-";
  console.table(
    Object.fromEntries(
      Object.entries(groups).map(([name, some]) => [
        name,
        {
          pictures: some.length,
          "detector, in frames of 288x512": mean(some, ({ detectedPixels }) => detectedPixels / (288 * 512)),
          "views read": mean(some, ({ views }) => views),
          "p50 ms": median(some),
          "mean ms": mean(some, ({ totalMs }) => totalMs),
        },
      ]),
    ),
  );
}

/** Video plates with several frames, all frames as one burst. @param {Row[]} rows @param {CountryList} countries */
function printVote(rows, countries) {
  /** @type {Map<string, Row[]>} */
  const byPlate = new Map();
  for (const row of rows)
    if (row.label.subset === "video") byPlate.set(row.label.text, [...(byPlate.get(row.label.text) ?? []), row]);
  for (const least of [2, 3]) {
    const bursts = [...byPlate.values()].filter((some) => some.length >= least);
    if (bursts.length === 0) {
      console.log(`voting: no video plate has ${least} frames or more here`);
      continue;
    }
    const voted = bursts.map(
      (some) =>
        vote(
          some.flatMap(({ sighting }, frame) => (sighting ? [{ ...sighting, frame }] : [])),
          countries,
        ).vehicles,
    );
    const right = voted.filter((vehicles, index) =>
      vehicles.some(({ analysis }) => isExact(analysis, bursts[index]?.[0]?.label)),
    ).length;
    const single =
      bursts.reduce(
        (sum, some) => sum + some.filter(({ found, label }) => isExact(found, label)).length / some.length,
        0,
      ) / bursts.length;
    console.log(
      `voting, ${bursts.length} video plates with ${least} frames or more: ${(right / bursts.length).toFixed(3)} exact (one frame: ${single.toFixed(3)})`,
    );
  }
}
