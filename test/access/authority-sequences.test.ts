/** Random sequences of giving and taking rights, against a plain model; scripts/authority.mjs does a hundred thousand. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { ACTS, AuthoritySequence } from "../support/authority-sequences.js";

t.setTimeout(300_000); // every act is a commit
/** A restore reopens the database, which costs as much as fifty other acts. */
const RARE = ["restore"] as const;
const what = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...ACTS.filter((one) => !RARE.some((rare) => rare === one))) },
  { weight: 1, arbitrary: fc.constantFrom(...RARE) },
);
const act = fc.record({ what, a: fc.nat(50), b: fc.nat(50) });
/** In memory where the machine has a place for it: each act is a commit. */
const folder = existsSync("/dev/shm") ? mkdtempSync(join("/dev/shm", "gatehouse-")) : t.testdir();
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

t.test("no sequence of acts leaves somebody a right that the model takes, or takes one that it leaves", async (t) => {
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
