// @ts-check
/**
 * node scripts/presented/score.mjs FOLDER [--before]
 * node scripts/presented/score.mjs --tracks FILE [--network SCORES]
 *
 * How many attacks would open the gate and how many genuine vehicles somebody would be asked about, in the terms of
 * ISO/IEC 30107-3: APCER by kind of attack (accepted, of all presented) and BPCER (asked about, of the genuine that
 * were read). FOLDER holds bursts with a manifest, rendered or recorded, that read.mjs has read. The evidence is the
 * product's own (src/core/plates/presented.ts), with every part left out in turn. A camera's lane is what its other
 * accepted passes teach. `--before`: only how a hub fares for which a listed plate is enough. `--tracks`: the lane and the
 * track alone, on where plates stand (`render.py --tracks`); every plate that is wide enough counts as read. SCORES, as
 * for fit.mjs: what the network says of surroundings that were held out, drawn for each by kind and light. `SHOW=NAME`,
 * a row's name, lists what is wrong in that row.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareModules, root } from "../lib/prepare.mjs";
import { burstsOf, readsOf } from "./sets.mjs";
import { randomFrom, scoresFrom, seenOf, tracksOf } from "./tracks.mjs";

/** What is left out in turn: the name of a row, and the parts that are there. @typedef {(readonly [string, readonly Part[]])[]} Trials */
/** @type {Trials} */
const WITHOUT_NETWORK = [
  ["none", []],
  ["a) seen before", ["seen"]],
  ["a) to c)", ["seen", "lane", "track"]],
  ["b) and c) without a)", ["lane", "track"]],
  ["a) and c) without b)", ["seen", "track"]],
  ["a) and b) without c)", ["seen", "lane"]],
];
/** @type {Trials} */
const WITH_NETWORK = [
  ...WITHOUT_NETWORK.slice(0, 3),
  ["a) to d)", ["seen", "lane", "track", "network"]],
  ["without a) seen before", ["lane", "track", "network"]],
  ["without b) the lane", ["seen", "track", "network"]],
  ["without c) the track", ["seen", "lane", "network"]],
  ["d) alone", ["network"]],
  ["a) to e)", ["seen", "lane", "track", "network", "vehicle"]],
  ["e) alone", ["vehicle"]],
];
/** @type {Trials} */
const LANE_AND_TRACK = [
  ["none", []],
  ["b) and c)", ["lane", "track"]],
  ["b) the lane alone", ["lane"]],
  ["c) the track alone", ["track"]],
];

/** @type {Trials} */
const DRAWN = [
  ["none", []],
  ["b) to d)", ["lane", "track", "network"]],
  ["without b) the lane", ["track", "network"]],
  ["without c) the track", ["lane", "network"]],
  ["without d) the network", ["lane", "track"]],
  ["d) alone", ["network"]],
];

await prepareModules();
const { odditiesOf, shownOf, SURROUNDINGS } = await import("../../src/core/plates/presented.ts");
const { isOtherVehicle, lookOf } = await import("../../src/core/plates/vehicle-look.ts");
const { standsStill, trackOf } = await import("../../src/core/plates/track.ts");
const { evidenceIn, lanesOf, others, repeats } = await import("./cases.mjs");

/**
 * @typedef {import("./sets.mjs").Burst} Burst
 * @typedef {import("./sets.mjs").Read} Read
 * @typedef {import("./sets.mjs").SeenPlate} SeenPlate
 * @typedef {import("../../src/core/plates/lane.ts").LanePass} LanePass
 * @typedef {import("../../src/core/plates/presented.ts").PresentedEvidence} PresentedEvidence
 * @typedef {Pick<Burst, "folder" | "class" | "kind" | "light" | "motion" | "place" | "shows" | "plate">} Told
 * @typedef {Pick<SeenPlate, "plate" | "confidence"> & { sightings: readonly Pick<SeenPlate["sightings"][number], "frame" |
 *   "corners" | "frameSize">[] }} SeenIn
 * @typedef {import("../../src/core/plates/vehicle-look.ts").Look} Look
 * @typedef {{ burst: Told, plate: SeenIn | undefined, evidence: PresentedEvidence | undefined, accepted: LanePass[],
 *   isOther?: boolean }} Case `isOther`: it comes on another vehicle than the other passes of its plate at this camera
 * @typedef {"seen" | "lane" | "track" | "network" | "vehicle"} Part
 */

const [first, second, third, scores] = process.argv.slice(2);
const tracks = first === "--tracks" ? second : undefined;
if (
  first === undefined ||
  (tracks === undefined && (first.startsWith("--") || ![undefined, "--before"].includes(second)))
) {
  console.error("usage: node scripts/presented/score.mjs FOLDER [--before] | --tracks FILE [--network SCORES]");
  process.exit(2);
}
if (tracks !== undefined)
  after(drawnCases(tracks, third === "--network" ? scores : undefined), scores === undefined ? LANE_AND_TRACK : DRAWN);
else {
  const cases = await casesOf(first);
  before(cases);
  const hasNetwork = cases.some(({ evidence }) => (evidence?.network ?? null) !== null);
  if (second === undefined) after(cases, hasNetwork ? WITH_NETWORK : WITHOUT_NETWORK);
}

/** Each track as a burst that was read. @param {string} files @param {string | undefined} said @returns {Case[]} */
function drawnCases(files, said) {
  const random = randomFrom(7);
  const network = scoresFrom(said, random);
  const all = tracksOf(files).map((drawn) => ({ drawn, sightings: seenOf(drawn, random) }));
  const lanes = lanesOf(
    all.flatMap(({ drawn: { class: side, folder, camera }, sightings }) =>
      side === "attack" || sightings.length === 0 ? [] : [{ folder, camera, sightings }],
    ),
  );
  return all.map(({ drawn, sightings }) => {
    const accepted = others(lanes.get(drawn.camera) ?? new Map(), drawn.folder);
    const burst = { ...drawn, shows: drawn.shows ?? "vehicle", plate: drawn.folder };
    if (sightings.length === 0) return { burst, plate: undefined, evidence: undefined, accepted };
    const evidence = evidenceIn(sightings, accepted, { isRepeated: false, network: network(drawn) });
    return { burst, plate: { plate: burst.plate, confidence: 100, sightings }, evidence, accepted };
  });
}

/** @param {string} from @returns {Promise<Case[]>} */
async function casesOf(from) {
  const bursts = burstsOf(from);
  const reads = readsOf(from);
  const listed = new Set(bursts.map(({ plate }) => plate));
  const all = bursts.flatMap((burst) => {
    const read = reads.get(burst.folder);
    if (read === undefined) return [];
    // the hub opens for any listed plate that it reads, whichever was intended
    const plate = read.plates.find((one) => one.plate !== null && listed.has(one.plate));
    return [{ burst, read, plate }];
  });
  const genuine = all.filter(({ burst }) => burst.class !== "attack");
  const lanes = lanesOf(
    genuine.flatMap(({ burst, plate }) =>
      plate === undefined ? [] : [{ folder: burst.folder, camera: burst.camera, sightings: plate.sightings }],
    ),
  );
  const says = await networkOf();
  const said = new Map();
  for (const { burst, plate } of all) if (plate !== undefined) said.set(burst.folder, await says(plate));
  const done = [];
  for (const [index, { burst, read, plate }] of all.entries()) {
    const accepted = others(lanes.get(burst.camera) ?? new Map(), burst.folder);
    // a genuine pass is compared with those before it, an attack with all that was recorded
    const earlier = burst.class === "attack" ? genuine : genuine.filter((one) => all.indexOf(one) < index);
    const isRepeated = repeats({ read, plate }, earlier);
    const evidence =
      plate === undefined
        ? undefined
        : evidenceIn(plate.sightings, accepted, { isRepeated, network: said.get(burst.folder).network });
    const passes = genuine.filter(
      (one) => one.plate?.plate === plate?.plate && one.burst.camera === burst.camera && one.burst !== burst,
    );
    const look = said.get(burst.folder)?.look ?? null;
    const isOther =
      look !== null &&
      isOtherVehicle(
        look,
        passes.flatMap((one) => said.get(one.burst.folder)?.look ?? []),
      );
    done.push({ burst, plate, evidence, accepted, isOther });
  }
  return done;
}

/**
 * The product's network, if it is there. @returns {Promise<(plate: SeenPlate) => Promise<{ network: number | null, look:
 * Look | null }>>}
 */
async function networkOf() {
  const file = join(process.env.GATEHOUSE_MODELS ?? join(root, "models"), "plate-surroundings.onnx");
  if (!existsSync(file)) return async () => ({ network: null, look: null });
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const session = await InferenceSession.create(readFileSync(file), { intraOpNumThreads: 1 });
  const { columns, rows } = SURROUNDINGS;
  return async ({ sightings }) => {
    const shown = shownOf(sightings);
    const pixels = Float32Array.from(
      shown.flatMap(({ around }) => [...around]),
      (one) => one / 255,
    );
    const { presented, vehicle } = await session.run({
      surroundings: new Tensor("float32", pixels, [shown.length, 1, rows, columns]),
    });
    const scores = presented?.data instanceof Float32Array ? [...presented.data] : [];
    const looks = vehicle?.data instanceof Float32Array ? vehicle.data : new Float32Array(0);
    const each = looks.length / shown.length;
    return {
      network: scores.reduce((sum, one) => sum + one, 0) / scores.length,
      look: each === 0 ? null : lookOf(shown.map((_, at) => looks.subarray(at * each, (at + 1) * each))),
    };
  };
}

/** @param {readonly Case[]} some */
function before(some) {
  const attacks = some.filter(({ burst }) => burst.class === "attack");
  const genuine = some.filter(({ burst }) => burst.class !== "attack");
  console.log(
    "## A listed plate is enough\n\n| genuine | passes | read as their plate | as another listed plate | not read |",
  );
  console.log("| --- | --- | --- | --- | --- |");
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
    const sure = open.filter(({ plate }) => (plate?.confidence ?? 0) >= 90).length;
    console.log(`| ${name} | ${group.length} | ${rate(open.length, group.length)} | ${sure} |`);
  }
  console.log("");
}

/** @param {readonly Case[]} some @param {Trials} trials */
function after(some, trials) {
  const attacks = some.filter(({ burst }) => burst.class === "attack");
  const kinds = [...new Set(attacks.map(({ burst }) => burst.kind))].sort();
  const genuine = some.filter(({ burst, plate }) => burst.class !== "attack" && plate !== undefined);
  const [stands, comes] = [true, false].map((yes) =>
    genuine.filter(({ plate }) => standsStill(trackOf(plate?.sightings ?? [])) === yes),
  );
  console.log(
    `## With evidence\n\n| evidence | genuine asked about (BPCER) | of those that come | of those that stand | ${kinds.join(" | ")} | all but mounted |`,
  );
  console.log(`| --- | --- | --- | --- | ${kinds.map(() => "---").join(" | ")} | --- |`);
  for (const [name, parts] of trials) {
    const isOdd = (/** @type {Case} */ one) => oddBy(one, parts).length > 0;
    const asked = (/** @type {readonly Case[]} */ group) => rate(group.filter(isOdd).length, group.length);
    const accepted = (/** @type {readonly Case[]} */ group) =>
      rate(group.filter((one) => one.plate !== undefined && !isOdd(one)).length, group.length);
    const byKind = kinds.map((kind) => accepted(attacks.filter(({ burst }) => burst.kind === kind)));
    const honest = attacks.filter(({ burst }) => burst.kind !== "mounted");
    console.log(
      `| ${name} | ${asked(genuine)} | ${asked(comes ?? [])} | ${asked(stands ?? [])} | ${byKind.join(" | ")} | ${accepted(honest)} |`,
    );
    if (process.env.SHOW === name)
      for (const one of [...genuine.filter(isOdd), ...attacks.filter((one) => one.plate !== undefined && !isOdd(one))])
        console.log(
          one.burst.folder,
          one.burst.light,
          one.burst.motion,
          one.burst.place,
          one.burst.shows,
          oddBy(one, parts),
        );
  }
  const [, whole] = trials.reduce((most, one) => (one[1].length > most[1].length ? one : most));
  console.log("\n| with all of it, attacks | presented | accepted |\n| --- | --- | --- |");
  for (const [name, group] of groups(attacks, ["motion", "place", "shows", "light"])) {
    const accepted = group.filter((one) => one.plate !== undefined && oddBy(one, whole).length === 0).length;
    console.log(`| ${name} | ${group.length} | ${rate(accepted, group.length)} |`);
  }
  const walked = attacks.filter(({ burst }) => burst.motion === "walked" && burst.place === "lane");
  const through = walked.filter((one) => one.plate !== undefined && oddBy(one, whole).length === 0).length;
  console.log(`| walked along the lane | ${walked.length} | ${rate(through, walked.length)} |`);
}

/** What would be odd if only these parts of the evidence were there. @param {Case} one @param {readonly Part[]} parts */
function oddBy({ evidence, accepted, isOther }, parts) {
  if (evidence === undefined) return [];
  if (isOther === true && parts.includes("vehicle")) return ["other_vehicle"];
  if (parts.length === 0) return [];
  if (evidence.isRepeated && parts.includes("seen")) return ["seen_before"];
  if (!parts.includes("lane") && !parts.includes("track") && !parts.includes("network")) return [];
  const { track, lane, way, network } = evidence;
  const known = {
    isRepeated: false,
    track,
    lane: parts.includes("lane") ? lane : null,
    way: parts.includes("lane") ? way : null,
    network: parts.includes("network") ? network : null,
  };
  // without the track, nothing is known of how it moves, and nothing is made of that
  return parts.includes("track") ? odditiesOf(known, accepted) : odditiesOf({ ...known, track: null }, accepted, true);
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
