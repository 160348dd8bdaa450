import fc from "fast-check";
import t from "tap";
import { RecentMessages } from "../../src/core/mqtt/redelivery.ts";
import { cutIntoBlocks, packBlock, unpackBlock } from "../../src/features/telemetry/block-format.ts";
import { type JournalEntry, packJournal, unpackJournal } from "../../src/features/telemetry/journal-format.ts";
import { LineWriter } from "../../src/features/telemetry/line-writer.ts";

const text = fc.object({ maxDepth: 2 }).map((data) => JSON.stringify(data));
const at = fc.integer({ min: 0, max: 4_102_444_800_000 });
const sample = fc.record({ at, text });

t.test("a journal row restores what was packed", async () => {
  const entry: fc.Arbitrary<JournalEntry> = fc.oneof(
    fc.record({
      kind: fc.constant("message" as const),
      ref: fc.nat(),
      messageId: fc.option(fc.integer({ min: 1, max: 65_535 })),
      check: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      pending: fc.boolean(),
      samples: fc.array(fc.record({ at, text, own: fc.boolean() }), { minLength: 1, maxLength: 5 }),
    }),
    fc.record({ kind: fc.constant("reported" as const), ref: fc.nat() }),
    fc.record({
      kind: fc.constant("carried" as const),
      ref: fc.nat(),
      samples: fc.array(sample, { minLength: 1, maxLength: 3 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 30 }), (entries) => {
      // the carry-over of a device is one entry
      fc.pre(
        !entries.some(
          (one, n) => one.kind === "carried" && entries[n - 1]?.kind === "carried" && one.ref === entries[n - 1]?.ref,
        ),
      );
      t.same(unpackJournal(packJournal(entries)), entries);
    }),
    { numRuns: 100 },
  );
});

t.test("blocks restore what was packed, are bounded, and end after a day of silence", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 1_200 }), async (samples) => {
      const sorted = [...samples].sort((a, b) => a.at - b.at);
      const runs = cutIntoBlocks(sorted);
      t.same(runs.flat(), sorted);
      for (const run of runs) {
        t.ok(run.length <= 500);
        const packed = await packBlock(run);
        t.equal(packed.count, run.length);
        t.same(unpackBlock(packed), run);
      }
    }),
    { numRuns: 20 },
  );
  const day = 86_400_000;
  t.equal(cutIntoBlocks([0, day, 2 * day, 3 * day + 1].map((time) => ({ at: time, text: "{}" }))).length, 2);
  t.equal(cutIntoBlocks(Array.from({ length: 501 }, (_, i) => ({ at: i, text: "{}" }))).length, 2);
  t.equal(
    cutIntoBlocks([1, 2, 3].map((time) => ({ at: time, text: `"${"x".repeat(200_000)}"` }))).length,
    3,
    "long texts fill a block sooner",
  );
});

t.test("remembered messages survive packing, newest kept", async (t) => {
  const recent = new RecentMessages();
  for (let id = 1; id <= 600; id++) recent.remember(id, id * 7_000_000);
  const again = new RecentMessages();
  again.unpack(recent.pack());
  const knows = (messageId: number) =>
    again.isRedelivery({ check: messageId * 7_000_000, duplicate: true, connection: null }, messageId, []);
  t.equal(knows(600), true);
  t.equal(knows(89), true);
  t.equal(knows(88), false, "512 are remembered");
});

t.test("numbers are written as their text", async () => {
  const edges = [0, 9, 10, 999_999_999, 1_000_000_000, 1_000_000_001, 2 ** 31, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER];
  const odd = [-1, 0.5, 1e21, 2 ** 53, Number.NaN];
  const writer = new LineWriter();
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...edges, ...odd), fc.maxSafeNat()), (value) => {
      writer.clear();
      writer.add("<");
      writer.addNumber(value);
      writer.add(">");
      t.equal(writer.written().toString(), `<${value}>`);
    }),
    { examples: [...edges, ...odd].map((value) => [value] as [number]) },
  );
});

t.test("the carry-over of a device is read as one entry, however large", async (t) => {
  const samples = Array.from({ length: 20_000 }, (_, n) => ({ at: n, text: `{"watts":${n}}` }));
  const other = [{ at: 1, text: '{"watts":1}' }];
  const entries = [
    { kind: "carried", ref: 3, samples },
    { kind: "carried", ref: 4, samples: other },
    { kind: "reported", ref: 4 },
    { kind: "carried", ref: 4, samples: other },
  ] as const;
  t.same(unpackJournal(packJournal(entries)), entries);
});
