/** The past that is made up for a simulated household stands as if its cameras had seen it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { Direction } from "../../src/core/plates/reading.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises, reading, rows } from "./premises.ts";

const OPEN = { deviceId: "gate", command: { open: true } };
const MINUTE = 60_000;
/** In minutes; null: nothing readable. */
const PASSES: readonly (readonly [minute: number, plate: string | null, direction: Direction | null])[] = [
  [0, "MH12AB1234", "in"],
  [5, "KA05MN3311", null],
  [7, null, null],
  [60, "MH12AB1234", "out"],
  [90, "DL8CAF5031", "in"],
  [120, "22BH1234AA", "in"],
  [300, "MH12AB1234", "in"],
];

async function premises(folder: string): Promise<Premises> {
  const p = await Premises.open(folder);
  await p.cameras.edit(p.siteId, "camera-in", { gate: OPEN });
  for (const [plate, kind] of [
    ["MH12AB1234", "allow"],
    ["22BH1234AA", "allow"],
    ["DL8CAF5031", "deny"],
  ] as const)
    await p.rules.create(p.siteId, { plate, kind, label: `car ${plate}` }, "session:1");
  p.facts.length = 0;
  return p;
}

/** Rows without the times and numbers that say only when they were written. */
function stored(p: Premises): Record<string, object[]> {
  const tables = rows(p, "plate_read", "visit", "vehicle", "plate_image", "plate_rule");
  const withoutTimes = (row: object): object =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !/^(stored_at|created_at|updated_at)$/.test(column)));
  const { visit = [], ...others } = Object.fromEntries(
    Object.entries(tables).map(([table, all]) => [table, (all as object[]).map(withoutTimes)]),
  );
  // numbered car by car
  const visits = visit.map((row) => ({ ...row, id: 0 })) as { id: number; entry_at: number }[];
  return { ...others, visit: visits.sort((one, other) => one.entry_at - other.entry_at) };
}

t.test("reads, visits, vehicles, pictures, hits and items are those of cars that came", async (t) => {
  const seen = await premises(testFolder(t));
  const began = seen.clock.now();
  for (const [minute, plate, direction] of PASSES) {
    seen.clock.advance(began + minute * MINUTE - seen.clock.now());
    await seen.capture(plate === null ? {} : { plates: [plate] }, { direction });
  }
  const folder = join(seen.folder, "told");
  mkdirSync(folder);
  const told = await premises(folder);
  told.clock.advance(400 * MINUTE);
  const prepared = await told.past.prepare(
    PASSES.map(([minute, plate, direction]) => ({
      burst: {
        ...{ deviceId: "camera-in", trigger: "motion", at: began + minute * MINUTE, direction, completeMono: 0 },
        frames: [Buffer.from("jpeg 1")],
      },
      reading: reading(plate === null ? {} : { plates: [plate] }),
      opening: { deviceId: "gate", at: began + minute * MINUTE + 300, settledAt: began + minute * MINUTE + 900 },
    })),
  );
  t.same(stored(told).plate_read, [], "pictures are on disk before their rows");
  t.equal((await told.images.read(1))?.toString(), "jpeg 1");
  await told.database.write(() => told.past.record("camera-in", prepared));
  t.same(stored(told), stored(seen));
  t.same(told.feed, seen.feed);
  t.same(
    told.openings.list(told.siteId, { limit: 10 }).map(({ readId, by, result, at }) => [readId, by, result, at]),
    [7, 6, 4, 1].map((readId) => {
      const [minute = 0, plate] = PASSES[readId - 1] ?? [];
      return [readId, { kind: "plate", name: `car ${plate}` }, "opened", began + minute * MINUTE + 300];
    }),
    "the gate opened for those that a rule lets in",
  );
  t.same([told.commands, told.reports], [[], []], "nothing acts on it");
  t.equal(seen.commands.length, 4);
  t.same(
    told.facts.map(({ kind }) => kind),
    ["visit.changed", "visit.changed", "occupancy.changed", "read.decided"],
    "of each car its last visit is announced, and of the reads the last",
  );
  t.hasStrict(told.facts.slice(-2), [
    { fact: { inside: 2, previous: 0, opensNothing: true } },
    { fact: { readId: 7, firstOfPass: false, late: true } },
  ]);
  await seen.close();
  await told.close();
});

t.test("pictures of a past that was not recorded are removed", async (t) => {
  const p = await premises(testFolder(t));
  const prepared = await p.past.prepare([
    {
      burst: {
        ...{ deviceId: "camera-in", trigger: "motion", at: 0, direction: "in", completeMono: 0 },
        frames: [Buffer.from("jpeg")],
      },
      reading: reading({ plates: ["MH12AB1234"] }),
      opening: { deviceId: "gate", at: 0, settledAt: 0 },
    },
  ]);
  t.ok(await p.images.read(1));
  await p.past.discard(prepared);
  t.equal(await p.images.read(1), null);
  await p.close();
});
