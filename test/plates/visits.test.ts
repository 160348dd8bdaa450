import fc from "fast-check";
import t from "tap";
import {
  type PairedVisit,
  pairVisits,
  type StoredVisit,
  type VisitEvent,
  visitChanges,
} from "../../src/core/plates/visits.ts";

const eventArbitrary = fc
  .array(
    fc.record({
      kind: fc.constantFrom("pass", "pass", "pass", "closure") as fc.Arbitrary<"pass" | "closure">,
      at: fc.integer({ min: 0, max: 20 }).map((step) => step * 60_000),
      direction: fc.constantFrom("in", "out", null) as fc.Arbitrary<"in" | "out" | null>,
      deviceId: fc.constantFrom("a", "b"),
      opensVisit: fc.boolean(),
    }),
    { maxLength: 14 },
  )
  .map((events) =>
    events.map(
      (event, index): VisitEvent => ({
        ...event,
        id: index + 1,
        direction: event.kind === "closure" ? null : event.direction,
      }),
    ),
  );

/** The rules of docs/spec/domain.md §8 word for word, one event at a time on a list that grows. */
function reference(events: readonly VisitEvent[]): string[] {
  const order = [...events].sort(
    (a, b) => a.at - b.at || (a.kind === b.kind ? a.id - b.id : a.kind === "pass" ? -1 : 1),
  );
  const visits: { entry: number | null; exit: number | null; status: string; stay: number | null; entryAt: number }[] =
    [];
  const open = () => visits.find(({ status }) => status === "open");
  for (const event of order) {
    const standing = open();
    if (event.kind === "closure") {
      if (standing) standing.status = "exit_missed";
    } else if (event.direction === "in") {
      if (!event.opensVisit) continue; // denied at the entry: stayed outside
      if (standing) standing.status = "exit_missed";
      visits.push({ entry: event.id, exit: null, status: "open", stay: null, entryAt: event.at });
    } else if (event.direction === "out") {
      if (standing)
        Object.assign(standing, { exit: event.id, status: "closed", stay: (event.at - standing.entryAt) / 1000 });
      else visits.push({ entry: null, exit: event.id, status: "entry_missed", stay: null, entryAt: event.at });
    }
  }
  return visits.map(({ entry, exit, status, stay }) => `${entry} ${exit} ${status} ${stay}`).sort();
}

const shape = (visits: readonly PairedVisit[]) =>
  visits.map((one) => `${one.entryReadId} ${one.exitReadId} ${one.status} ${one.staySeconds}`).sort();

t.test("pairing follows the rules, whatever order passes come in", async (t) => {
  fc.assert(
    fc.property(eventArbitrary, fc.infiniteStream(fc.nat()), (events, random) => {
      const shuffled = events.map((event) => ({ event, key: random.next().value ?? 0 })).sort((a, b) => a.key - b.key);
      const paired = shape(pairVisits(shuffled.map(({ event }) => event)));
      return JSON.stringify(paired) === JSON.stringify(reference(events));
    }),
    { numRuns: 3000 },
  );
  t.pass();
});

t.test(
  "stored visits brought up to date after each late read or correction are those paired from all reads at once",
  async (t) => {
    fc.assert(
      fc.property(
        eventArbitrary,
        fc.array(fc.tuple(fc.nat(13), fc.constantFrom("in", "out", null, "gone")), { maxLength: 6 }),
        (events, corrections) => {
          let stored: StoredVisit[] = [];
          let nextId = 1;
          const settle = (known: readonly VisitEvent[]) => {
            const changes = visitChanges(stored, pairVisits(known));
            const gone = new Set(changes.remove.map(({ id }) => id));
            const updated = new Map(changes.update.map((visit) => [visit.id, visit]));
            stored = stored.filter(({ id }) => !gone.has(id)).map((visit) => updated.get(visit.id) ?? visit);
            for (const visit of changes.insert) stored.push({ ...visit, id: nextId++ });
          };
          const known: VisitEvent[] = [];
          for (const event of events) {
            known.push(event);
            settle(known);
          }
          for (const [index, change] of corrections) {
            const at = index % Math.max(1, known.length);
            const event = known[at];
            if (event === undefined || event.kind === "closure") continue;
            if (change === "gone") known.splice(at, 1);
            else known[at] = { ...event, direction: change as "in" | "out" | null };
            settle(known);
          }
          return (
            JSON.stringify(shape(stored)) === JSON.stringify(reference(known)) &&
            new Set(stored.map(({ id }) => id)).size === stored.length
          );
        },
      ),
      { numRuns: 2000 },
    );
    t.pass();
  },
);

t.test("at most one visit is open, and only the last", async (t) => {
  fc.assert(
    fc.property(eventArbitrary, (events) => {
      const statuses = pairVisits(events).map(({ status }) => status);
      return (
        statuses.filter((status) => status === "open").length <= 1 &&
        statuses.slice(0, -1).every((status) => status !== "open")
      );
    }),
  );
  t.pass();
});
