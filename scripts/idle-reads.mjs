// @ts-check
/**
 * node scripts/idle-reads.mjs [--threads 30] [--rounds 5] [--idle 9]
 *
 * A photograph is read as well after an idle period as before. Recognisers, each with its own thread, read a few
 * photographs, rest until the idle-time garbage collector has run, and read one more; every round uses new threads,
 * because the compiled code of the first frames was wrong (src/core/kernel/compiler.ts). Exits 1 if a plate was not
 * read. The control, which must find some among 150:
 *
 *   NODE … --maglev-escape-analysis scripts/idle-reads.mjs
 *
 * where NODE is the pinned runtime below scripts/runtime. It takes a minute.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { prepare, root } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: {
    threads: { type: "string", default: "30" },
    rounds: { type: "string", default: "5" },
    idle: { type: "string", default: "9" },
  },
});
await prepare({ tests: false });
const { Recogniser } = await import("../src/features/recognition/recogniser.ts");
const { systemClock } = await import("../src/core/kernel/clock.ts");
const { silentLogger } = await import("../src/core/kernel/logger.ts");

const [first, second, last] = await Promise.all(
  ["BR03AD2586", "UP32JE3626", "MP06MW4025"].map(async (plate) => ({
    plate,
    jpeg: await readFile(join(root, `test/fixtures/plates/two-wheeler-${plate}.jpg`)),
  })),
);
/** Read before the rest: one plate alone in its picture, and one beside another object. */
const BEFORE = [first, first, first, second];

let reads = 0;
let wrong = 0;

/** @param {InstanceType<typeof Recogniser>} recogniser @param {typeof first} photograph */
async function look(recogniser, photograph) {
  if (photograph === undefined) throw new Error("there is no photograph");
  const { vehicles } = await recogniser.read({ frames: [photograph.jpeg] });
  reads += 1;
  const plate = vehicles[0]?.analysis.plate ?? "nothing";
  if (plate === photograph.plate) return;
  wrong += 1;
  console.log(`WRONG: ${photograph.plate} was read as ${plate}`);
}

async function round() {
  const recogniser = new Recogniser({
    enabled: true,
    modelsFolder: join(root, "models"),
    threads: 1,
    budgetMs: 60_000,
    queuedBursts: 8,
    clock: systemClock,
    logger: silentLogger,
  });
  await recogniser.start();
  for (const photograph of BEFORE) await look(recogniser, photograph);
  await sleep(Number(values.idle) * 1000);
  await look(recogniser, last);
  await recogniser.stop();
}

for (let done = 0; done < Number(values.rounds); done++)
  await Promise.all(Array.from({ length: Number(values.threads) }, round));
console.log(`${reads} reads, ${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
