/**
 * Random sequences of granting and revoking rights, compared with a plain model; scripts/authority.mjs runs 100,000.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import { ACTS, type Act, AuthoritySequence } from "../support/authority-sequences.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(300_000); // every act is a commit
/** A restore reopens the database, which costs as much as fifty other acts. */
const RARE = ["restore"] as const;
const what = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...ACTS.filter((one) => !RARE.some((rare) => rare === one))) },
  { weight: 1, arbitrary: fc.constantFrom(...RARE) },
);
const act = fc.record({ what, a: fc.nat(50), b: fc.nat(50) });
/** In memory if the machine has tmpfs: each act is a commit. */
const folder = existsSync("/dev/shm") ? mkdtempSync(join("/dev/shm", "gatehouse-")) : testFolder(t);
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
    { numRuns: 120, seed: 1, endOnFailure: true },
  );
  for (const what of ACTS) t.ok((sequence.done.get(what) ?? 0) > 4, `${what}: ${sequence.done.get(what) ?? 0} times`);
});

t.test("an owner whom somebody promoted that the backup does not know is a member after the restore", async (t) => {
  const sequence = await AuthoritySequence.begin(testFolder(t));
  t.teardown(() => sequence.end());
  const acts: Act[] = [
    { what: "back up", a: 0, b: 0 },
    { what: "remove", a: 0, b: 0 }, // the other owner
    { what: "invite owner", a: 0, b: 0 },
    { what: "join", a: 3, b: 0 },
    { what: "promote", a: 1, b: 1 }, // the member, by the owner who has just joined
    { what: "restore", a: 0, b: 0 },
  ];
  for (const one of acts) await sequence.act(one);
  t.same(Object.fromEntries(sequence.done), {
    "invite owner": 2,
    "invite gatekeeper": 1,
    "invite member": 1,
    join: 4,
    "back up": 1,
    remove: 1,
    promote: 1,
    restore: 1,
  });
});
