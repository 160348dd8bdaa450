// @ts-check
/**
 * node scripts/authority.mjs [--sequences 100000] [--seed 1] [--acts 30] [--first 0]
 *
 * Random sequences of acts that grant and revoke rights (inviting, joining, keys and their scopes, apps, plates, guests'
 * passes, webhooks, sign-ins, roles, removals, passwords, backups and restores), carried out by the hub's own classes on
 * a real database and by a plain model of docs/threat-model.md, "Authority". Compares what works after every act. A
 * sequence depends only on the seed and its number: `--first` continues an interrupted run, or splits the work. Exits 1
 * at the first difference, and prints the sequence that leads there.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    acts: { type: "string", default: "30" },
    first: { type: "string", default: "0" },
  },
});
await prepare({ tests: true });
/** @type {typeof import("../test/support/authority-sequences.ts")} */
const { ACTS, AuthoritySequence } = await import("../test/support/authority-sequences.ts");

/** Sequences per database: lists of all accounts grow with it. */
const ON_ONE = 50;
const [sequences, seed, most] = [Number(values.sequences), Number(values.seed), Number(values.acts)];
const first = Number(values.first);
const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "gatehouse-authority-"));
/** Backups and restores reopen the database, which costs as much as a hundred other acts: they are drawn less often. */
const RARE = new Set(["back up", "restore"]);
/** @type {Map<string, number>} */
const done = new Map();
const begun = performance.now();
let random = 0;
/** A number below `end` (mulberry32). @param {number} end */
function below(end) {
  random = (random + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(random ^ (random >>> 15), random | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
}

let failed = false;
/** @type {Awaited<ReturnType<typeof AuthoritySequence.begin>> | null} */
let current = null;
for (let nth = first; nth < first + sequences && !failed; nth++) {
  random = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(nth + 1, 0x85ebca6b)) >>> 0;
  if ((nth - first) % ON_ONE === 0) {
    await current?.end();
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    current = await AuthoritySequence.begin(place);
  }
  if (current === null) break;
  /** @type {import("../test/support/authority-sequences.ts").Act[]} */
  const acts = [];
  const hasRestore = below(12) === 0;
  while (acts.length < most) {
    const what = ACTS[below(ACTS.length)] ?? "sign in";
    if (!RARE.has(what) || hasRestore) acts.push({ what, a: below(50), b: below(50) });
  }
  try {
    await current.newHousehold();
    for (const act of acts) await current.act(act);
    await current.tryInvitations();
  } catch (error) {
    failed = true;
    process.stdout.write(
      `sequence ${nth} of seed ${seed}: ${error}\n${acts.map((act) => JSON.stringify(act)).join("\n")}\n`,
    );
  }
  for (const [what, count] of current.done) done.set(what, (done.get(what) ?? 0) + count);
  current.done.clear();
  if ((nth + 1) % 500 === 0)
    process.stdout.write(
      `up to ${nth + 1}: ${nth + 1 - first} sequences, ${Math.round((performance.now() - begun) / 1000)} s\n`,
    );
}
await current?.end();
rmSync(place, { recursive: true, force: true });
const total = [...done.values()].reduce((sum, count) => sum + count, 0);
process.stdout.write(`${total} acts: ${[...done].map(([what, count]) => `${what} ${count}`).join(", ")}\n`);
process.stdout.write(failed ? "a difference\n" : `no difference in ${sequences} sequences\n`);
process.exit(failed ? 1 : 0);
