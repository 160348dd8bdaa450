// @ts-check
/**
 * Changes that no test could notice, with the reason: they are not tried. Each is identified by its file, the line of
 * code and the change, so that it is found again when lines move; a different number of matches is an error.
 */
import { described } from "./mutants.mjs";

/** @typedef {import("./mutants.mjs").Mutant} Mutant */

/**
 * `times`: the number of such changes; once unless given.
 * @type {readonly { file: string, code: string, change: string, why: string, times?: number }[]}
 */
const EQUIVALENT = [
  ...[
    ["const DAY_MINUTES = 1_440;", "1_440  →  (1_440 + 1)"],
    [
      'local.startOf("day").plus({ days: 1 }).toMillis() - local.startOf("day").toMillis() === DAY_MINUTES * 60_000;',
      "-  →  +",
    ],
  ].map(([code = "", change = ""]) => ({
    file: "src/features/energy/rules/tariff.ts",
    code,
    change,
    why: "every day is worked out as those with a change of the clock are",
  })),
  {
    file: "src/core/mqtt/intake.ts",
    code: "const found = { verdict, unheardAt: -1 };",
    change: "1  →  (1 + 1)",
    why: "versions count from 0: any negative number is none of them",
  },
  {
    file: "src/features/telemetry/retention.ts",
    code: "const hasSome = (tables.hours.oldest(id) ?? before) < before; // no write job for nothing",
    change: "<  →  <=",
    why: "the job that is written in vain removes nothing",
  },
  ...[
    [`if (side !== "end") while (from < to && set.has(source[from] ?? "")) from++;`, "<  →  <="],
    [`if (side !== "start") while (to > from && set.has(source[to - 1] ?? "")) to--;`, ">  →  >="],
  ].map(([code = "", change = ""]) => ({
    file: "firmware-bridge/jinja/text-tools.ts",
    code,
    change,
    why: "what is left of a text of nothing but these is empty either way",
  })),
  {
    file: "src/features/webhooks/deliver.ts",
    code: "for (let sent = 0; sent < TURN; sent++) {",
    change: "0  →  (0 + 1)",
    why: "a turn that ends earlier is followed by the next",
  },
  {
    file: "src/features/webhooks/deliver.ts",
    code: "const asked = retryAfterMs(answer.retryAfter, now) ?? 0;",
    change: "0  →  (0 + 1)",
    why: "the gap that is at least kept is longer",
  },
  ...[
    { file: "series-reader", code: "await this.#slices.next();", times: 2 },
    { file: "overlaps", code: "await this.#slices.next();", times: 2 },
    { file: "compaction", code: "await slices.next();" },
    { file: "series-reader", code: "if (this.#slices.isDue) await this.#slices.next();" },
  ].map(({ file, code, ...more }) => ({
    file: `src/features/telemetry/${file}.ts`,
    code,
    change: `await ${/\S+\.next\(\);/.exec(code)?.[0]}  →  ;`,
    why: "others are served in between: nothing comes out otherwise",
    ...more,
  })),
  {
    file: "src/features/telemetry/series-reader.ts",
    code: "if (this.#slices.isDue) await this.#slices.next();",
    change: "this.#slices.isDue  →  !(this.#slices.isDue)",
    why: "others are served at other moments",
  },
  ...[
    ["series-reader", "const HOURS_AT_ONCE = 500;", "500  →  (500 + 1)"],
    ["history", "const CACHED_BLOCKS = 32;", "32  →  (32 + 1)"],
    ["history", "if (this.#unpacked.size > CACHED_BLOCKS) {", ">  →  >="],
    ["sample", "const CROWD = 40;", "40  →  (40 + 1)"],
    ["line-writer", "const FIRST_BYTES = 65_536;", "65_536  →  (65_536 + 1)"],
    ["line-writer", "const SHORT = 128;", "128  →  (128 + 1)"],
    ["line-writer", "const MOST_DIGITS = 16;", "16  →  (16 + 1)"],
    ["line-writer", "this.#makeRoom(text.length * 3); // the most that a UTF-16 unit takes", "3  →  (3 + 1)"],
    ["line-writer", "if (needed <= this.#bytes.length) return;", "<=  →  <"],
    ["line-writer", "const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));", "2  →  (2 + 1)"],
  ].map(([file, code = "", change = ""]) => ({
    file: `src/features/telemetry/${file}.ts`,
    code,
    change,
    why: "a size of the means: what comes out is the same",
  })),
  ...[
    ["series-reader", "for (let from = 0; from < samples.length; from += HOURS_AT_ONCE) {", "<  →  <="],
    ["compaction", "for (let from = 0; from < points.times.length; from += BLOCK_SAMPLES) {", "<  →  <="],
    ["stored-samples", "if (room > 0)", ">  →  >="],
  ].map(([file, code = "", change = ""]) => ({
    file: `src/features/telemetry/${file}.ts`,
    code,
    change,
    why: "once more, with nothing",
  })),
  ...[
    ["if (count === 0 || value < (quarters[slot + 3] as number)) quarters[slot + 3] = value;", "<  →  <="],
    ["if (count === 0 || value > (quarters[slot + 2] as number)) quarters[slot + 2] = value;", ">  →  >="],
  ].map(([code = "", change = ""]) => ({
    file: "src/features/telemetry/generation.ts",
    code,
    change,
    why: "the same value again",
  })),
  ...[
    [
      "sample",
      "if (last === undefined || last <= at) {",
      "||  →  &&",
      "the way for samples that are late does for all",
    ],
    ["sample", "if (last === undefined || last <= at) {", "<=  →  <", "the way for samples that are late does for all"],
    [
      "sample",
      "for (let i = 0; i < text.length; i++) {",
      "<  →  <=",
      "behind the last character there is nothing to add",
    ],
    ["intake", "device.nextFree.set(sample.text, at + 1);", "+  →  -", "the search only begins earlier"],
    [
      "retention",
      "if (hour === null || hour >= end) break;",
      "||  →  &&",
      "nothing is removed then, which ends it too",
    ],
  ].map(([file, code = "", change = "", why = ""]) => ({
    file: `src/features/telemetry/${file}.ts`,
    code,
    change,
    why,
  })),
  {
    file: "src/features/telemetry/series-reader.ts",
    code: "if (hour >= first && hour <= last) takeHour(hour, quartersOf(rollup));",
    change: "&&  →  ||",
    why: "hours outside are looked at and left out a step later",
  },
  {
    file: "src/features/telemetry/store.ts",
    code: "this.#version += 1;",
    change: "1  →  (1 + 1)",
    why: "any other number says that something has changed",
    times: 4,
  },
  {
    file: "src/core/mqtt/redelivery.ts",
    code: "#next = 0;",
    change: "0  →  (0 + 1)",
    why: "a ring begins anywhere",
  },
  ...[
    "||  →  &&",
    "!==  →  ===",
    `"conflict"  →  "conflictx"`,
    `!(error instanceof Problem) || error.code !== "conflict"  →  !(!(error instanceof Problem) || error.code !== "conflict")`,
  ].map((change) => ({
    file: "src/features/webhooks/deliver.ts",
    code: `if (!(error instanceof Problem) || error.code !== "conflict") throw error;`,
    change,
    why: "a try that fails is tried again either way; what is thrown is logged",
  })),
  ...[
    ["automations/engine", `bus.on("device.changed", "automations", (fact) => this.#stateChanged(fact)),`],
    ["automations/engine", `bus.on("device.presence", "automations", (fact) => this.#presence(fact)),`],
    ["automations/engine", `bus.on("device.event", "automations", (fact) => this.#deviceEvent(fact)),`],
    ["automations/engine", `bus.on("read.decided", "automations", (fact) => this.#readDecided(fact)),`],
    ["automations/engine", `bus.on("occupancy.changed", "automations", (fact) => this.#occupancyChanged(fact)),`],
    ["webhooks/deliver", `bus.on("webhook.changed", "webhooks", ({ webhookId }) => this.#changed(webhookId)),`],
    ["gate/openings", `bus.on("device.changed", "openings", (fact) => {`],
  ].map(([file = "", code = ""]) => {
    const [, name = ""] = /, "(\w+)"/.exec(code) ?? [];
    const change = `"${name}"  →  "${name}x"`;
    return { file: `src/features/${file}.ts`, code, change, why: "the listener's name is for the log" };
  }),
];

/** All changes but these. @param {Mutant[]} all @throws Error where one of the list is not there any more */
export function withoutEquivalents(all) {
  /** @type {Set<Mutant>} */
  const left = new Set();
  for (const entry of EQUIVALENT) {
    const found = all.filter((mutant) => isIt(mutant, entry));
    if (found.length !== (entry.times ?? 1))
      throw new Error(
        `scripts/lib/mutate/equivalent.mjs: ${found.length} changes are "${entry.code}", ${entry.change}`,
      );
    for (const mutant of found) left.add(mutant);
  }
  return all.filter((mutant) => !left.has(mutant));
}

/** @param {Mutant} mutant @param {(typeof EQUIVALENT)[number]} entry */
function isIt(mutant, { file, code, change }) {
  if (mutant.file !== file || mutant.source.split("\n")[mutant.line - 1]?.trim() !== code) return false;
  return described(mutant).endsWith(`  ${change}`);
}
