// @ts-check
/**
 * node scripts/presented/fit.mjs TRACKS[,MORE] [--network SCORES | --limits] [--passes FOLDER] [--asked 0.003] [--write]
 *
 * Fits the models of src/core/plates/presented.ts on tracks that `render.py --tracks` made, with the corners shaken as
 * the hub's detector shakes them. SCORES: what the network says of surroundings that it has not seen in training
 * (models/training/train_presented.py), drawn for each track by kind and light. Genuine passes alone set the limits: at
 * most the share `--asked` of them is odd. FOLDER holds rendered bursts that read.mjs has read: its genuine passes, whose
 * corners the detector itself found, may raise the limits. `--limits` keeps the models that are there and sets only
 * their limits for where no network is asked. `--write` puts the models into src/core/plates/presented.json.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareModules, root } from "../lib/prepare.mjs";
import { burstsOf, readsOf } from "./sets.mjs";
import { randomFrom, scoresFrom, seenOf, tracksOf } from "./tracks.mjs";

await prepareModules();
const { INPUTS, MODELS, oddness, valuesOf } = await import("../../src/core/plates/presented.ts");
const { standsStill } = await import("../../src/core/plates/track.ts");
const { evidenceIn, lanesOf, others } = await import("./cases.mjs");

/**
 * @typedef {import("../../src/core/plates/presented.ts").OddnessModel} OddnessModel
 * @typedef {{ values: ReadonlyMap<string, number>, presented: boolean, stands: boolean }} Row
 */

const [files, ...options] = process.argv.slice(2);
if (files === undefined) {
  console.error(
    "usage: node scripts/presented/fit.mjs TRACKS[,MORE] [--network SCORES | --limits] [--passes FOLDER] [--asked 0.003] [--write]",
  );
  process.exit(2);
}
const asked = Number(option("--asked") ?? "0.003");
/** How often each track is taken, each time shaken anew. */
const TIMES = 4;

const ROUNDS = 1_200;
const SHRINKAGE = 0.005;
const random = randomFrom(7);
const network = scoresFrom(option("--network"), random);
const taken = tracksOf(files).flatMap((one) =>
  Array.from({ length: TIMES }, () => ({ ...one, sightings: seenOf(one, random) })).filter(
    ({ sightings }) => sightings.length > 0,
  ),
);
const lanes = lanesOf(taken.filter((one, index) => one.class === "genuine" && index % TIMES === 0));
const rows = rowsOf(taken, lanes);
const read = passesIn(option("--passes"));
const keeps = options.includes("--limits");
const [those, these] = [false, true].map((yes) => rows.filter(({ stands }) => stands === yes));
const moving = keeps ? limited(MODELS.moving, those ?? []) : fit(those ?? [], Object.values(INPUTS).flat());
const standing = keeps ? limited(MODELS.standing, these ?? []) : fit(these ?? [], [...INPUTS.lane, ...INPUTS.network]);
for (const [name, model, some] of /** @type {const} */ ([
  ["moving", moving, rows.filter(({ stands }) => !stands)],
  ["standing", standing, rows.filter(({ stands }) => stands)],
])) {
  const odd = (/** @type {boolean} */ presented) => {
    const group = some.filter((row) => row.presented === presented);
    const limit = group.some(({ values }) => values.has("network")) ? model.most : model.mostWithout;
    return `${group.filter(({ values }) => oddness(model, values) > limit).length} of ${group.length}`;
  };
  console.log(`${name}: odd are ${odd(false)} genuine and ${odd(true)} presented`);
  console.log(model.names.map((one, i) => `${one} ${model.weights[i]?.toFixed(2)}`).join(", "));
}
if (options.includes("--write"))
  writeFileSync(
    join(root, "src/core/plates/presented.json"),
    `${JSON.stringify({ moving, standing }, (_, value) => (typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value), 2)}\n`,
  );

/** @param {string} name */
function option(name) {
  const i = options.indexOf(name);
  return i < 0 ? undefined : options[i + 1];
}

/**
 * A logistic model of values and their squares, and the limit that genuine passes set.
 * @param {readonly Row[]} some @param {readonly string[]} all @returns {OddnessModel}
 */
function fit(some, all) {
  const names = all.filter((name) => some.some(({ values }) => values.has(name)));
  const known = (/** @type {string} */ name) => some.flatMap(({ values }) => values.get(name) ?? []);
  const centre = names.map((name) => mean(known(name)));
  const scale = names.map(
    (name, i) => Math.sqrt(mean(known(name).map((value) => (value - (centre[i] ?? 0)) ** 2))) || 1,
  );
  const inputs = some.map(({ values }) => {
    const standard = names.map((name, i) => {
      const value = values.get(name);
      return value === undefined ? null : Math.max(-3, Math.min(3, (value - (centre[i] ?? 0)) / (scale[i] ?? 1)));
    });
    return [
      ...standard.map((value) => value ?? 0),
      ...standard.map((value) => (value === null ? 0 : value * value - 1)),
    ];
  });
  const share = mean(some.map(({ presented }) => (presented ? 1 : 0)));
  const weights = Array.from({ length: 2 * names.length }, () => 0);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = weights.map((weight) => SHRINKAGE * weight);
    let slope = 0;
    for (const [k, { presented }] of some.entries()) {
      const input = inputs[k] ?? [];
      let sum = bias;
      for (let i = 0; i < weights.length; i++) sum += (input[i] ?? 0) * (weights[i] ?? 0);
      const error =
        ((1 / (1 + Math.exp(-sum)) - (presented ? 1 : 0)) * (presented ? 0.5 / share : 0.5 / (1 - share))) /
        some.length;
      for (let i = 0; i < weights.length; i++) slopes[i] = (slopes[i] ?? 0) + error * (input[i] ?? 0);
      slope += error;
    }
    for (let i = 0; i < weights.length; i++) weights[i] = (weights[i] ?? 0) - (slopes[i] ?? 0);
    bias -= slope;
  }
  const model = { names, centre, scale, weights, bias, most: 0, mostWithout: 0 };
  return limited({ ...model, most: higher(model, some, names) }, some);
}

/** A model with the limit for where no network is asked. @param {OddnessModel} model @param {readonly Row[]} some */
function limited(model, some) {
  const names = model.names.filter((name) => name !== "network");
  return { ...model, mostWithout: higher(model, some, names) };
}

/**
 * The limit that the tracks set, or that the passes of pictures set, if that is higher. @param {OddnessModel} model
 * @param {readonly Row[]} some @param {readonly string[]} names
 */
function higher(model, some, names) {
  const stands = some.some((row) => row.stands);
  const real = read.filter((row) => row.stands === stands);
  return Math.max(...[some, real].map((rows) => limitOf(model, rows, names)));
}

/** Genuine passes that were read as their plate. @param {string | undefined} folder @returns {Row[]} */
function passesIn(folder) {
  if (folder === undefined) return [];
  const reads = readsOf(folder);
  const passes = burstsOf(folder).flatMap((burst) => {
    const plate = reads.get(burst.folder)?.plates.find((one) => one.plate === burst.plate);
    if (burst.class === "attack" || plate === undefined) return [];
    return [{ ...burst, class: /** @type {const} */ ("genuine"), sightings: plate.sightings }];
  });
  return rowsOf(passes, lanesOf(passes));
}

/**
 * What a network says of each is drawn by kind and light, for pictures too: it may have learned from their very
 * vehicles.
 * @param {readonly (Pick<import("./tracks.mjs").Drawn, "folder" | "class" | "camera" | "kind" | "light"> & { sightings:
 *   ReturnType<typeof seenOf> })[]} some @param {ReturnType<typeof lanesOf>} known lanes by camera @returns {Row[]}
 */
function rowsOf(some, known) {
  return some.map((one) => {
    const seen = { isRepeated: false, network: network(one) };
    const evidence = evidenceIn(one.sightings, others(known.get(one.camera) ?? new Map(), one.folder), seen);
    return { values: valuesOf(evidence), presented: one.class === "attack", stands: standsStill(evidence.track) };
  });
}

/**
 * What the share `asked` of the genuine passes exceeds, by some of the values. @param {OddnessModel} model @param
 * {readonly Row[]} some @param {readonly string[]} names
 */
function limitOf(model, some, names) {
  const genuine = some
    .filter(({ presented }) => !presented)
    .map(({ values }) => oddness(model, new Map([...values].filter(([name]) => names.includes(name)))))
    .sort((a, b) => b - a);
  return genuine[Math.round(asked * genuine.length)] ?? Number.NEGATIVE_INFINITY;
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
