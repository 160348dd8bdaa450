// @ts-check
/**
 * Changes that no test could notice, with the reason: they are not tried. Each is named by its file, the line of code
 * and the change, so that it is found again when lines move; one that is not found exactly once is an error.
 */
import { described } from "./mutants.mjs";

/** @typedef {import("./mutants.mjs").Mutant} Mutant */

/** @type {readonly { file: string, code: string, change: string, why: string }[]} */
const EQUIVALENT = [
  {
    file: "src/mqtt/intake.ts",
    code: "const found = { verdict, unheardAt: -1 };",
    change: "1  →  (1 + 1)",
    why: "versions count from 0: any negative number is none of them",
  },
  {
    file: "src/telemetry/retention.ts",
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
    file: "src/webhooks/deliver.ts",
    code: "for (let sent = 0; sent < TURN; sent++) {",
    change: "0  →  (0 + 1)",
    why: "a turn that ends earlier is followed by the next",
  },
  {
    file: "src/webhooks/deliver.ts",
    code: "const asked = retryAfterMs(answer.retryAfter, now) ?? 0;",
    change: "0  →  (0 + 1)",
    why: "the gap that is at least kept is longer",
  },
  ...[
    "||  →  &&",
    "!==  →  ===",
    `"conflict"  →  "conflictx"`,
    `!(error instanceof Problem) || error.code !== "conflict"  →  !(!(error instanceof Problem) || error.code !== "conflict")`,
  ].map((change) => ({
    file: "src/webhooks/deliver.ts",
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
    return { file: `src/${file}.ts`, code, change, why: "the listener's name is for the log" };
  }),
];

/** All changes but these. @param {Mutant[]} all @throws Error where one of the list is not there any more */
export function withoutEquivalents(all) {
  /** @type {Set<Mutant>} */
  const left = new Set();
  for (const entry of EQUIVALENT) {
    const found = all.filter((mutant) => isIt(mutant, entry));
    if (found.length !== 1)
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
