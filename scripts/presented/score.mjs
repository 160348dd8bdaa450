// @ts-check
/**
 * node scripts/presented/score.mjs FOLDER [--train OTHER[,MORE]] [--asked 0.003]
 *
 * How many attacks would open the gate and how many genuine vehicles would be questioned, in the terms of ISO/IEC
 * 30107-3: APCER by kind of attack (attacks accepted, of all presented) and BPCER (genuine refused, of those read).
 * FOLDER holds bursts with a manifest, rendered or recorded, that read.mjs has read. The first tables are today's hub,
 * for which a listed plate is enough. With --train, the evidence of evidence.mjs is fitted on another folder, and every
 * part of it is tested alone and left out.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FEATURES, fit, oddness, repeats, spotOf, usuallyOffLane, valuesOf } from "./evidence.mjs";
import { burstsOf, readsOf } from "./sets.mjs";

/**
 * @typedef {import("./sets.mjs").Burst} Burst
 * @typedef {import("./sets.mjs").Read} Read
 * @typedef {import("./sets.mjs").SeenPlate} SeenPlate
 * @typedef {import("./evidence.mjs").Values} Values
 * @typedef {keyof typeof FEATURES} Part
 * @typedef {{ burst: Burst, read: Read, plate: SeenPlate | undefined, values: Values | undefined, repeated: boolean }}
 *   Case
 */

/** @type {Record<Part, string>} */
const NAMES = { lane: "b) the lane", track: "c) the track", around: "c) what goes along", network: "d) the network" };

const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node scripts/presented/score.mjs FOLDER [--train OTHER] [--asked 0.003]");
  process.exit(2);
}
const train = option("--train");
const asked = Number(option("--asked") ?? "0.003");
const cases = casesOf([folder]);
today(cases);
if (train !== undefined) withEvidence(cases, casesOf(train.split(",")), asked);

/** @param {string} name */
function option(name) {
  const i = options.indexOf(name);
  return i < 0 ? undefined : options[i + 1];
}

/**
 * Folders are taken together: a camera that occurs in several of them has one lane. @param {readonly string[]} folders
 * @returns {Case[]}
 */
function casesOf(folders) {
  const all = folders.flatMap((from) => {
    const bursts = burstsOf(from);
    const reads = readsOf(from);
    const listed = new Set(bursts.map(({ plate }) => plate));
    const file = join(from, "network.json");
    /** @type {Record<string, number>} */
    const network = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    return bursts.flatMap((burst) => {
      const read = reads.get(burst.folder);
      if (read === undefined) return [];
      // the hub opens for any listed plate that it reads, whichever was intended
      const plate = read.plates.find((one) => one.plate !== null && listed.has(one.plate));
      return [{ burst, read, plate, verdict: network[burst.folder] ?? 0 }];
    });
  });
  const accepted = all.filter(({ burst, plate }) => burst.class === "learning" && plate !== undefined);
  const lanes = accepted.map(({ burst, plate }) => ({ burst, spots: plate?.sightings.map(spotOf) ?? [] }));
  const cameras = [...new Set(lanes.map(({ burst }) => burst.camera))];
  const usual = new Map(
    cameras.map((camera) => [
      camera,
      usuallyOffLane(lanes.filter(({ burst }) => burst.camera === camera).map(({ spots }) => spots)),
    ]),
  );
  const recorded = all.filter(({ burst }) => burst.class !== "attack");
  return all.map(({ burst, read, plate, verdict }, index) => ({
    burst,
    read,
    plate,
    values:
      plate === undefined
        ? undefined
        : valuesOf(
            plate,
            burst.times,
            lanes
              .filter((lane) => lane.burst.camera === burst.camera && lane.burst !== burst)
              .map(({ spots }) => spots),
            usual.get(burst.camera) ?? 0,
            verdict,
          ),
    repeated: recorded
      .slice(0, burst.class === "attack" ? recorded.length : index)
      .some(
        (one) =>
          one.burst !== burst &&
          one.burst.camera === burst.camera &&
          repeats({ digests: read.digests, plate }, { digests: one.read.digests, plate: one.plate }),
      ),
  }));
}

/** @param {readonly Case[]} some */
function today(some) {
  const attacks = some.filter(({ burst }) => burst.class === "attack");
  const genuine = some.filter(({ burst }) => burst.class !== "attack");
  console.log(`## Today: a listed plate is enough\n`);
  console.log(
    "| genuine | passes | read as their plate | as another listed plate | not read |\n| --- | --- | --- | --- | --- |",
  );
  for (const [name, group] of groups(genuine, ["kind", "light", "motion"])) {
    const right = group.filter(({ burst, plate }) => plate?.plate === burst.plate).length;
    const other = group.filter(({ burst, plate }) => plate !== undefined && plate.plate !== burst.plate).length;
    console.log(
      `| ${name} | ${group.length} | ${rate(right, group.length)} | ${other} | ${group.length - right - other} |`,
    );
  }
  console.log("\n| attacks | presented | would open | read at 90 % or more |\n| --- | --- | --- | --- |");
  for (const [name, group] of groups(attacks, ["kind", "light", "motion", "place", "shows"])) {
    const open = group.filter(({ plate }) => plate !== undefined);
    console.log(
      `| ${name} | ${group.length} | ${rate(open.length, group.length)} | ${open.filter(({ plate }) => (plate?.confidence ?? 0) >= 90).length} |`,
    );
  }
  console.log("");
}

/** @param {readonly Case[]} test @param {readonly Case[]} known @param {number} share */
function withEvidence(test, known, share) {
  const rows = known.flatMap(({ burst, values }) =>
    values === undefined || burst.kind === "replay" || burst.kind === "mounted"
      ? []
      : [{ values, presented: burst.class === "attack", stands: burst.motion === "waiting" }],
  );
  const hasNetwork = rows.some(({ values }) => values.network !== 0);
  const parts = /** @type {Part[]} */ (Object.keys(FEATURES)).filter((part) => part !== "network" || hasNetwork);
  const kinds = [
    ...new Set(test.filter(({ burst }) => burst.class === "attack").map(({ burst }) => burst.kind)),
  ].sort();
  console.log(
    `## With evidence\n\nFitted on ${rows.filter((row) => !row.presented).length} genuine passes and ${rows.filter((row) => row.presented).length} attacks.\n`,
  );
  console.log(
    `| evidence | genuine asked about (BPCER) | those that only stand | ${kinds.map((kind) => `${kind} accepted`).join(" | ")} | all but mounted | highest APCER but mounted |`,
  );
  console.log(`| --- | --- | --- | ${kinds.map(() => "---").join(" | ")} | --- | --- |`);
  const without = (/** @type {Part} */ out) => parts.filter((part) => part !== out);
  const basic = parts.filter((part) => part !== "network");
  /** @type {[name: string, parts: Part[], seen: boolean][]} */
  const trials = [
    ["none (today)", [], false],
    ["a) seen before", [], true],
    ...parts.map((part) => /** @type {[string, Part[], boolean]} */ ([`${NAMES[part]} alone`, [part], false])),
    ["a) to c)", basic, true],
    ...(hasNetwork ? [/** @type {[string, Part[], boolean]} */ (["a) to d)", parts, true])] : []),
    ["all but a)", parts, false],
    ...parts.map((part) => /** @type {[string, Part[], boolean]} */ ([`all but ${NAMES[part]}`, without(part), true])),
  ];
  for (const [name, used, seen] of trials) {
    const names = used.flatMap((part) => [...FEATURES[part]]);
    const model = names.length > 0 ? fit(rows, names, share) : undefined;
    const isOdd = (/** @type {Case} */ one) =>
      (seen && one.repeated) ||
      (model !== undefined && one.values !== undefined && oddness(model, one.values) > model.most);
    const genuine = test.filter(({ burst, plate }) => burst.class !== "attack" && plate !== undefined);
    const [comes, stands] = [false, true].map((yes) =>
      genuine.filter(({ burst }) => (burst.motion === "waiting") === yes),
    );
    const attacks = test.filter(({ burst }) => burst.class === "attack");
    const accepted = (/** @type {readonly Case[]} */ some) =>
      some.filter((one) => one.plate !== undefined && !isOdd(one)).length;
    const byKind = kinds.map((kind) => attacks.filter(({ burst }) => burst.kind === kind));
    const honest = attacks.filter(({ burst }) => burst.kind !== "mounted");
    const highest = Math.max(
      ...byKind.filter((group) => group[0]?.burst.kind !== "mounted").map((group) => accepted(group) / group.length),
    );
    console.log(
      `| ${name} | ${[comes, stands].map((some = []) => rate(some.filter(isOdd).length, some.length)).join(" | ")} | ${byKind.map((group) => rate(accepted(group), group.length)).join(" | ")} | ${rate(accepted(honest), honest.length)} | ${highest.toFixed(2)} |`,
    );
    if (process.env.SHOW_WEIGHTS !== undefined && model !== undefined)
      console.log(
        model.names.map((one, i) => `${one} ${(model.weights[i] ?? 0).toFixed(2)}`).join(", "),
        model.most.toFixed(2),
      );
    if (process.env.SHOW_ODD !== undefined && name === process.env.SHOW_ODD)
      console.log(
        [...genuine.filter(isOdd), ...attacks.filter((one) => one.plate !== undefined && !isOdd(one))]
          .map(({ burst }) => `${burst.folder} ${burst.light} ${burst.motion} ${burst.place} ${burst.shows}`)
          .join("\n"),
      );
  }
}

/**
 * All, and by the values of some columns. @param {readonly Case[]} some @param {readonly ("kind" | "light" | "motion" |
 * "place" | "shows")[]} columns @returns {[string, Case[]][]}
 */
function groups(some, columns) {
  return [
    ["all", [...some]],
    ...columns.flatMap((column) =>
      [...new Set(some.map(({ burst }) => burst[column]))]
        .filter((value) => value !== "")
        .sort()
        .map(
          (value) =>
            /** @type {[string, Case[]]} */ ([
              `${column}: ${value}`,
              some.filter(({ burst }) => burst[column] === value),
            ]),
        ),
    ),
  ];
}

/** @param {number} some @param {number} all */
function rate(some, all) {
  return all === 0 ? "–" : `${some} of ${all} (${((100 * some) / all).toFixed(1)} %)`;
}
