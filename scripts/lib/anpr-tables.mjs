// @ts-check
/** The tables that scripts/bench/anpr.mjs prints of what it measured. */
import { fold, INDIAN, isExact } from "./plate-labels.mjs";
import { roadVehicles } from "./road-bursts.mjs";

/**
 * @typedef {import("./plate-labels.mjs").Row} Row
 * @typedef {import("./plate-labels.mjs").Effort} Effort
 * @typedef {import("../../src/core/plates/countries.ts").Countries} CountryList
 */

/** @type {typeof import("../../src/core/kernel/edit-distance.ts")} */
const { editDistance } = await import("../../src/core/kernel/edit-distance.ts");

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
 * The networks' work per picture: a measure that does not depend on the machine's load.
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
          "second reader": mean(some, ({ seconds }) => seconds),
          "p50 ms": median(some),
          "mean ms": mean(some, ({ totalMs }) => totalMs),
        },
      ]),
    ),
  );
}

/**
 * What neighbouring frames of a video make the hub store, together and each on its own. @param {Row[]} rows @param {CountryList}
 * countries
 */
function printVote(rows, countries) {
  const vehicles = roadVehicles(rows, countries);
  if (vehicles.length === 0) return;
  const groups = { all: vehicles, "3 frames and more": vehicles.filter(({ frames }) => frames >= 3) };
  /** @param {import("./road-bursts.mjs").Outcome[]} some @param {string} of */
  const part = (some, of) => (some.filter((one) => one === of).length / Math.max(1, some.length)).toFixed(3);
  console.log("vehicles in neighbouring frames of road videos, voting as one burst:");
  console.table(
    Object.fromEntries(
      Object.entries(groups)
        .filter(([, some]) => some.length > 0)
        .map(([name, some]) => {
          const [together, alone] = [some.map((one) => one.together), some.flatMap((one) => one.alone)];
          return [
            name,
            {
              vehicles: some.length,
              exact: part(together, "exact"),
              "another plate": part(together, "wrong"),
              "exact, one frame": part(alone, "exact"),
              "another plate, one frame": part(alone, "wrong"),
            },
          ];
        }),
    ),
  );
}
