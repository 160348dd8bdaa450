import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { FACT_KINDS } from "../../src/core/api/fact-rights.ts";
import { STREAMED_KINDS } from "../../src/core/http/live/translate.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const sources = readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({
    inConsole: /(^|\/)console\//.test(file),
    text: readFileSync(join(PROJECT_ROOT, "src", file), "utf8"),
  }));

/** Names of facts in what `pattern` finds. */
function named(pattern: RegExp, inConsole: boolean): Set<string> {
  const found = sources
    .filter((source) => source.inConsole === inConsole)
    .flatMap(({ text }) => [...text.matchAll(pattern)].map(([match]) => match));
  return new Set(found.flatMap((text) => [...text.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, kind = ""]) => kind)));
}

t.test("every fact that can be listened to is announced somewhere", async (t) => {
  const announced = named(/\.announce\(\s*"[a-z_.]+"/g, false);
  t.same(
    [...FACT_KINDS].filter((kind) => !announced.has(kind)).sort(),
    [],
    "the compiler keeps the names to the same list",
  );
});

t.test("every fact that is announced is listened to", async (t) => {
  const inHub = named(/bus\.on\(\s*"[a-z_.]+"/g, false);
  const inConsole = named(/onFact\("[a-z_.]+"|askAfter\(\s*\[("[a-z_.]+",?\s*)+\]|^ {2}"[a-z_]+\.[a-z_]+": /gm, true);
  const heard = new Set<string>([...inHub, ...inConsole, ...STREAMED_KINDS]);
  t.same([...FACT_KINDS].filter((kind) => !heard.has(kind)).sort(), []);
});
