import t from "tap";
import { packBlock } from "../../src/features/telemetry/block-format.ts";
import { type Sample, SampleList } from "../../src/features/telemetry/sample.ts";
import { StoredSamples } from "../../src/features/telemetry/stored-samples.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos1, startTelemetry } from "./setup.ts";

const DAY = 86_400_000;
const NOW = Date.parse("2026-03-01T12:00:00Z");

/** Blocks as the table returns them, counting reads. */
async function blocksOf(runs: readonly (readonly Sample[])[]) {
  const packed = await Promise.all(runs.map(async (run, id) => ({ id, run, ...(await packBlock(run)) })));
  const read = { spans: 0, times: 0, samples: 0 };
  const stored = new StoredSamples(1, {
    live: undefined,
    frozen: undefined,
    newest: Math.max(...packed.map(({ toAt }) => toAt)),
    blocks: {
      endingWithin: (_device, fromMs, toMs, limit) => {
        const found = packed
          .filter(({ toAt }) => toAt >= fromMs && toAt <= toMs)
          .sort((left, right) => left.toAt - right.toAt)
          .slice(-limit);
        read.spans += found.length;
        return found.map(({ id, fromAt, toAt, count, run }) => ({ id, fromAt, toAt, count, bytes: run.length }));
      },
      times: (id) => {
        read.times += 1;
        return packed[id]?.times ?? null;
      },
    },
    history: {
      samplesOf: (id) => {
        read.samples += 1;
        return packed[id]?.run ?? [];
      },
    },
  });
  return { stored, read };
}

const sample = (at: number, value: number): Sample => ({ at, text: `{"v":${value}}` });

t.test("a sample is found in whichever block it is, even if blocks overlap", async (t) => {
  const runs = [
    [sample(NOW - 80 * DAY, 1), sample(NOW - DAY, 2)],
    [sample(NOW - 60 * DAY, 3), sample(NOW - 59 * DAY, 4)],
    [sample(NOW - 70 * DAY, 5), sample(NOW - 2 * DAY, 6)],
    [sample(NOW - 3 * DAY, 7), sample(NOW, 8)],
  ];
  const { stored, read } = await blocksOf(runs);
  for (const { at, text } of runs.flat()) {
    t.ok(stored.has(at, text), text);
    t.notOk(stored.has(at, '{"v":0}'), "other data");
    t.notOk(stored.has(at + 1, text), "another time");
  }
  t.notOk(stored.has(NOW - 90 * DAY, '{"v":1}'));
  t.ok(stored.has(NOW - 80 * DAY, '{ "v": 1 }'.replaceAll(" ", "")));
  t.equal(read.spans, runs.length, "the position of each block is read once");
  t.same([read.times, read.samples], [runs.length, runs.length], "and so is its content");
});

t.test("a device with random timestamps costs no more with each block that it has", async (t) => {
  const runs = Array.from({ length: 300 }, (_, n) => [sample(NOW - 80 * DAY, n), sample(NOW - n * 1_000, n)]);
  const { stored, read } = await blocksOf(runs);
  const isAnyFound = Array.from({ length: 1_000 }, (_, n) => stored.has(NOW - 80 * DAY, `{"v":${300 + n}}`)).includes(
    true,
  );
  t.notOk(isAnyFound);
  t.ok(read.times <= 64, `${read.times} blocks were looked into`);
  t.ok(read.samples <= 64, `${read.samples} blocks were unpacked`);
  for (let n = 1; n < 300; n++) stored.has(NOW - n * 1_000 - 1, '{"v":0}');
  t.ok(read.times <= 300 && read.samples <= 64);
});

t.test("however many samples share a time, an earlier one is recognized", async (t) => {
  const list = new SampleList();
  const texts = Array.from({ length: 100 }, (_, n) => `{"a":${n},"b":[{"y":1,"x":${n % 7}}],"c":"${n}"}`);
  for (const text of texts) list.insert(NOW, text);
  list.insert(NOW + 1, "{}");
  for (const [n, text] of texts.entries()) {
    t.ok(list.has(NOW, text));
    t.ok(list.has(NOW, `{"c":"${n}","b":[{"x":${n % 7},"y":1}],"a":${n}}`), "in any order of its keys");
    t.notOk(list.has(NOW, `{"a":${n},"b":[{"y":1,"x":${n % 7}}],"c":"${n}","d":1}`));
  }
  t.notOk(list.has(NOW, texts[0]?.replace('"0"', "0") ?? ""), "a text is not a number");
  list.insert(NOW, '{"late":1,"x":2}');
  t.ok(list.has(NOW, '{"x":2,"late":1}'), "later arrivals are recognized too");
  t.notOk(list.has(NOW + 1, texts[0] ?? ""));
  t.notOk(list.has(NOW, '{"late":2,"x":1}'), "the same letters in another order are different data");
});

t.test("a device with random timestamps has few blocks over one moment, and all of its samples", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { telemetry, clock } = await startTelemetry(database);
  const now = clock.now();
  const times: number[] = [];
  let random = 1;
  for (let round = 0; round < 30; round++) {
    const samples = Array.from({ length: 200 }, (_, n) => {
      random = (random * 48_271) % 2_147_483_647;
      const at = now - (random % DAY);
      times.push(at);
      return { at, data: { round, n } };
    });
    await telemetry.ingest("plug", samples, qos1(round + 1, now));
    if (round === 15) {
      const [first] = telemetry.recent("plug", { limit: 1 });
      t.equal(first?.at, Math.max(...times), "even if an unpacked block has been merged since");
    }
    await telemetry.compact();
  }
  const over = database.raw.prepare(
    "SELECT max(depth) AS depth FROM (SELECT (SELECT count(*) FROM telemetry_block AS other WHERE other.from_at <= one.from_at AND one.from_at < other.to_at) AS depth FROM telemetry_block AS one)",
  );
  const { depth } = over.get() as { depth: number };
  t.ok(depth <= 8, `${depth} blocks overlap at one moment`);
  times.sort((left, right) => right - left);
  t.same(
    telemetry.recent("plug", { limit: 10_000 }).map(({ at }) => at),
    times,
    "newest first",
  );
  t.same(
    telemetry.oldestFirst("plug", { afterMs: 0, toMs: now, limit: 10_000 }).map(({ at }) => at),
    times.reverse(),
    "oldest first",
  );
  await telemetry.stop();
  await database.stop();
});
