/** Visits from reads in any order, corrected and forgotten, against a plain reference that pairs once, at the end. */
import fc from "fast-check";
import t from "tap";
import type { Direction } from "../../src/core/plates/reading.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

t.setTimeout(240_000);
const PLATES = ["MH12AB1234", "KA01AB2222", "DL8CAF5031"] as const;
const CAMERAS = ["camera-in", "camera-out"] as const;
const MINUTE = 60_000;

/** One thing that happens; reads carry the minute at which the car passed, whenever the hub hears of it. */
type Step =
  | {
      readonly kind: "read";
      readonly plate: string;
      readonly camera: string;
      readonly direction: Direction | null;
      readonly minute: number;
    }
  | { readonly kind: "correct"; readonly which: number; readonly plate: string }
  | { readonly kind: "forget"; readonly plate: string };

/** A read as the reference remembers it. */
interface Known {
  readonly id: number;
  plate: string;
  readonly camera: string;
  readonly direction: Direction | null;
  readonly at: number;
}

interface Visit {
  readonly status: string;
  readonly entryAt: number | null;
  readonly exitAt: number | null;
  readonly entryCamera: string | null;
  readonly exitCamera: string | null;
  readonly staySeconds: number | null;
}

/** docs/spec/domain.md §8.1 to 8.3, as plainly as they stand there: the reads of one plate in the order of time. */
function plainVisits(reads: readonly Known[]): Visit[] {
  const visits: Visit[] = [];
  let open: Known | null = null;
  const enter = (read: Known, status: string): Visit => ({
    status,
    entryAt: read.at,
    exitAt: null,
    entryCamera: read.camera,
    exitCamera: null,
    staySeconds: null,
  });
  for (const read of [...reads].sort((a, b) => a.at - b.at || a.id - b.id)) {
    if (read.direction === "in") {
      if (open !== null) visits.push(enter(open, "exit_missed"));
      open = read;
    } else if (read.direction === "out") {
      const exit = { exitAt: read.at, exitCamera: read.camera };
      if (open === null)
        visits.push({ status: "entry_missed", entryAt: null, entryCamera: null, staySeconds: null, ...exit });
      else visits.push({ ...enter(open, "closed"), ...exit, staySeconds: Math.floor((read.at - open.at) / 1_000) });
      open = null;
    }
  }
  return open === null ? visits : [...visits, enter(open, "open")];
}

/** Minutes are unique, so that no two reads are one pass: that rule has tests of its own. */
const steps = fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 14 }).chain((minutes) =>
  fc.tuple(
    ...minutes.map((minute) =>
      fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record({
            kind: fc.constant("read" as const),
            plate: fc.constantFrom(...PLATES),
            camera: fc.constantFrom(...CAMERAS),
            direction: fc.constantFrom("in" as const, "out" as const, "in" as const, "out" as const, null),
            minute: fc.constant(minute),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant("correct" as const),
            which: fc.nat(20),
            plate: fc.constantFrom(...PLATES),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ kind: fc.constant("forget" as const), plate: fc.constantFrom(...PLATES) }),
        },
      ),
    ),
  ),
);

t.test("late reads, corrections and deletions in any order give the visits of the reads that are left", async (t) => {
  const p = await Premises.open(testFolder(t));
  p.settings.imageRetentionDays = 0; // pictures have tests of their own
  p.settings.passMs = 0;
  const start = p.clock.now() - 600 * MINUTE;
  const shown = (plate: string): Visit[] => {
    const known = p.vehicles
      .list(p.siteId, { days: 30, limit: 10 })
      .vehicles.some((vehicle) => vehicle.plate === plate);
    if (!known) return [];
    return [...p.vehicles.profile(p.siteId, plate).visits];
  };
  const text = (visits: readonly Visit[]) =>
    JSON.stringify(
      visits.map((visit) => [
        visit.status,
        visit.entryAt,
        visit.exitAt,
        visit.entryCamera,
        visit.exitCamera,
        visit.staySeconds,
      ]),
    );
  const inOrder = (visits: readonly Visit[]) =>
    [...visits].sort((a, b) => (a.entryAt ?? a.exitAt ?? 0) - (b.entryAt ?? b.exitAt ?? 0));
  const apply = async (step: Step, reads: Known[]): Promise<Known[]> => {
    if (step.kind === "forget") {
      await p.reads.forget(p.siteId, step.plate, "session:1");
      return reads.filter(({ plate }) => plate !== step.plate);
    }
    if (step.kind === "read") {
      const at = start + step.minute * MINUTE;
      const [id = 0] = await p.capture(
        { plates: [step.plate] },
        { deviceId: step.camera, direction: step.direction, at },
      );
      return [...reads, { id, plate: step.plate, camera: step.camera, direction: step.direction, at }];
    }
    const read = reads[step.which % Math.max(1, reads.length)];
    if (read === undefined) return reads;
    await p.reads.correct(p.siteId, read.id, step.plate, "session:1");
    return reads.map((one) => (one === read ? { ...one, plate: step.plate } : one));
  };
  await fc.assert(
    fc.asyncProperty(steps, async (many) => {
      for (const plate of PLATES) await p.reads.forget(p.siteId, plate, "session:1");
      let reads: Known[] = [];
      for (const step of many) reads = await apply(step, reads);
      let open = 0;
      for (const plate of PLATES) {
        const expected = inOrder(plainVisits(reads.filter((read) => read.plate === plate)));
        const [wanted, found] = [text(expected), text(inOrder(shown(plate)))];
        if (found !== wanted) throw new Error(`${plate}\nwanted ${wanted}\nfound  ${found}`);
        open += expected.filter(({ status }) => status === "open").length;
        const {
          entries = 0,
          exits = 0,
          passes = 0,
          visits = 0,
        } = p.vehicles.list(p.siteId, { days: 30, limit: 10 }).vehicles.find((vehicle) => vehicle.plate === plate) ??
        {};
        const own = reads.filter((read) => read.plate === plate);
        const counts = [
          own.length,
          own.filter(({ direction }) => direction === "in").length,
          own.filter(({ direction }) => direction === "out").length,
          expected.length,
        ];
        if (JSON.stringify([passes, entries, exits, visits]) !== JSON.stringify(counts))
          throw new Error(`${plate}: ${[passes, entries, exits, visits]} instead of ${counts}`);
      }
      if (p.vehicles.insideNow(p.siteId) !== open)
        throw new Error(`${p.vehicles.insideNow(p.siteId)} inside instead of ${open}`);
    }),
    { numRuns: 60 },
  );
  t.pass();
  await p.close();
});
