/**
 * Random sequences of granting and revoking rights, compared with a plain model; scripts/authority.mjs runs 100,000.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { ACTS, AuthoritySequence } from "../support/authority-sequences.ts";

t.setTimeout(300_000); // every act is a commit
/** A restore reopens the database, which costs as much as fifty other acts. */
const RARE = ["restore"] as const;
const what = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...ACTS.filter((one) => !RARE.some((rare) => rare === one))) },
  { weight: 1, arbitrary: fc.constantFrom(...RARE) },
);
const act = fc.record({ what, a: fc.nat(50), b: fc.nat(50) });
/** In memory if the machine has tmpfs: each act is a commit. */
const folder = existsSync("/dev/shm") ? mkdtempSync(join("/dev/shm", "gatehouse-")) : t.testdir();
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

t.test("no sequence of acts leaves a right that the model revokes or revokes one that it keeps", async (t) => {
  const sequence = await AuthoritySequence.begin(folder);
  t.teardown(() => sequence.end());
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 20, maxLength: 50 }), async (acts) => {
      await sequence.newHousehold();
      for (const one of acts) await sequence.act(one);
      await sequence.tryInvitations();
    }),
    { numRuns: 100, seed: 1, endOnFailure: true },
  );
  for (const what of ACTS) t.ok((sequence.done.get(what) ?? 0) > 4, `${what}: ${sequence.done.get(what) ?? 0} times`);
});
