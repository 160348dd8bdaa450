#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/faults.mjs [--faults N] [--seed S] [--only KIND,KIND] [--control NAME] [--quick] [--build FOLDER]
 * [--json] [--list]
 *
 * Fault injection on a hub with a whole household (owner, reporting devices, plate reads with pictures, backups,
 * webhook receivers), one fault at a time: the clock jumps, the disk is full, slow, gone or failing, files are flipped,
 * torn or malformed, the process is killed during an operation, receivers and the network misbehave. After each fault:
 * acknowledged data is there, deleted data is gone, nothing is duplicated, the owner gets in or reads how to, /healthz
 * and doctor report the true state of storage, no stack trace is shown, the process exits with a documented code, and
 * it serves. Each fault has its own seed, S, S+1, …: `--faults 1 --seed S+n --only KIND` repeats it (moments of a kill
 * vary). --quick: one of each kind of the short form, and a control. --control: the script itself commits a fault
 * (file-before-row, lost-log, lost-row, claimed-twice) that must be found. Exits 0 if all held (control: if it did
 * not). Disk faults need root, a failing disk needs gcc; without them these are skipped.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { enterOwnNetwork } from "./lib/faults/namespace.mjs";
import { prepare, root } from "./lib/prepare.mjs";

const number = /** @type {const} */ ({ type: "string" });
const flag = /** @type {const} */ ({ type: "boolean", default: false });
const { values } = parseArgs({
  options: {
    faults: number,
    seed: number,
    only: number,
    control: number,
    build: number,
    quick: flag,
    json: flag,
    list: flag,
  },
});
await prepare({ tests: true, isBuilt: values.build !== undefined });
enterOwnNetwork();
// The rest needs the installed modules.
const build = join(root, values.build ?? "build-hub");
const { FAULTS } = await import("./lib/faults/kinds.mjs");
const { CONTROLS } = await import("./lib/faults/controls.mjs");
const { Household } = await import("./lib/faults/household.mjs");
const { verify } = await import("./lib/faults/invariants.mjs");
const { startReceivers } = await import("./lib/faults/receiver.mjs");
const { seeded } = await import("./lib/faults/random.mjs");
const { sampleFormats } = await import("./lib/stored-samples.mjs");
const formats = await sampleFormats();

const say = values.json ? () => {} : console.log;
const first = Number(values.seed ?? Date.now() % 1e6);
const lacking = new Map(FAULTS.flatMap((fault) => (fault.lacks?.() ? [[fault.name, fault.lacks()]] : [])));
for (const [name, why] of lacking) say(`left out: ${name}: ${why}`);
const control = values.control === undefined ? null : CONTROLS.find(({ name }) => name === values.control);
if (control === undefined)
  throw new Error(`There is no control ${values.control}: ${CONTROLS.map(({ name }) => name).join(", ")}.`);
const kinds =
  control === null
    ? FAULTS.filter(
        ({ name, quick }) =>
          !lacking.has(name) &&
          (values.only === undefined ? !values.quick || quick : values.only.split(",").includes(name)),
      )
    : [control];
if (kinds.length === 0)
  throw new Error(`There is no fault ${values.only} here: ${FAULTS.map(({ name }) => name).join(", ")}.`);
if (values.list) {
  console.log(kinds.map(({ name }) => name).join("\n"));
  process.exit(0);
}
const count = Number(values.faults ?? (values.quick || control !== null ? kinds.length : 100));

const began = performance.now();
const scratch = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-faults-"));
const receivers = await startReceivers();
const house = new Household({ scratch, build, root, receivers });
/** @type {{ seed: number, kind: string, did: string, what: string, evidence: string }[]} */
const violations = [];
/** @type {Map<string, number>} */
const runs = new Map();
/** @type {boolean | null} */
let controlFound = null;
const faultyDisk = lacking.has("disk-eio") ? null : compile("faulty-disk", ["-shared", "-fPIC"], ["-ldl"]);
const lossyCable = lacking.has("net-lossy") ? null : compile("lossy-cable");
try {
  await house.furnish();
  say(
    `${count} faults from seed ${first}, ${kinds.length} kinds; the household took ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
  for (let at = 0; at < count; at++) await one(first + at, at);
  if (values.quick) await tryControl();
} finally {
  await house.close();
  receivers.close();
  unmount();
  rmSync(scratch, { recursive: true, force: true });
}
report();
process.exit((violations.length === 0) === (control === null) && controlFound !== false ? 0 : 1);

/** A control must be found, and does not count as a fault. */
async function tryControl() {
  const before = violations.length;
  await one(first, 0, CONTROLS[0]);
  controlFound = violations.splice(before).length > 0;
  say(`the control was ${controlFound ? "found" : "NOT found"}`);
}

/**
 * One fault, and the conditions after it.
 * @param {number} seed
 * @param {number} at
 * @param {import("./lib/faults/kinds.mjs").Fault} [given]
 */
async function one(seed, at, given) {
  const random = seeded(seed * 7_919 + 17);
  const kind =
    given ?? (values.quick || control !== null ? kinds[at % kinds.length] : seeded(seed * 104_729 + 3).of(kinds));
  if (kind === undefined) return;
  const started = performance.now();
  house.renew(kind.mount === undefined ? undefined : () => kind.mount?.(house));
  let did = "";
  try {
    did = await kind.run(house, random, { scratch, faultyDisk, lossyCable });
    if (!house.isLookedAt) await verify(house, formats);
  } catch (error) {
    house.find(
      "unanswered",
      `the trial broke off: ${error instanceof Error ? error.stack : String(error)}; ${house.processes.at(-1)?.stderr.slice(-200)}`,
    );
  }
  await house.close();
  unmount();
  runs.set(kind.name, (runs.get(kind.name) ?? 0) + 1);
  say(
    `${house.findings.length === 0 ? "held    " : "VIOLATED"} seed ${seed} ${kind.name}: ${did} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
  );
  for (const { what, evidence } of house.findings) {
    violations.push({ seed, kind: kind.name, did, what, evidence });
    say(`  ${what}: ${evidence}`);
  }
}

function report() {
  const seconds = Math.round((performance.now() - began) / 1000);
  if (values.json) {
    console.log(
      JSON.stringify({
        faults: count,
        seconds,
        controlFound,
        runs: Object.fromEntries(runs),
        leftOut: Object.fromEntries(lacking),
        violations,
      }),
    );
    return;
  }
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const { seed, kind, what } of violations)
    groups.set(`${kind}: ${what}`, [...(groups.get(`${kind}: ${what}`) ?? []), seed]);
  for (const [name, seeds] of [...groups].sort())
    say(`${name}: ${seeds.length}, seeds ${[...new Set(seeds)].slice(0, 12).join(" ")}`);
  say(
    [...runs]
      .sort()
      .map(([name, times]) => `${name} ${times}`)
      .join(", "),
  ); // prettier-ignore
  say(
    `${count} faults: ${new Set(violations.map(({ seed }) => seed)).size} with a violation, ${violations.length} violations; ${seconds} s`,
  );
}

/**
 * Compiles a C file of the fault library. @param {string} name @param {string[]} [words] @param {string[]} [libraries]
 */
function compile(name, words = [], libraries = []) {
  const file = join(scratch, name);
  execFileSync("gcc", ["-O1", ...words, "-o", file, join(root, `scripts/lib/faults/${name}.c`), ...libraries]);
  return file;
}

function unmount() {
  if (existsSync(house.folder)) spawnSync("umount", ["-l", house.folder], { stdio: "ignore" });
}
