/** The texts of the console: every language has every text, and no page shows a text that is in no catalogue. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { openSettings } from "../../src/settings/store.js";
import { PROJECT_ROOT } from "../support/database.js";

const CONSOLE = join(PROJECT_ROOT, "src/console");

async function catalogue(language: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(CONSOLE, "i18n", `${language}.json`), "utf8")) as Record<string, string>; // texts by key
}

async function sources(): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(CONSOLE, { recursive: true })).filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(CONSOLE, name), "utf8") })));
}

t.test("Hindi has every text of English, with the same values in it", async (t) => {
  const en = await catalogue("en");
  const hi = await catalogue("hi");
  t.strictSame(Object.keys(hi).sort(), Object.keys(en).sort());
  const values = (text = ""): string[] => [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name]) => name ?? ""))].sort();
  const different = Object.entries(en).filter(([key, text]) => values(hi[key]).join() !== values(text).join());
  t.strictSame(different, [], "values");
  const untranslated = Object.entries(hi).filter(([, text]) => !/[\u0900-\u097F]/.test(text) && /[A-Za-z]/.test(text.replace(/\{\w+\}/g, "")));
  t.strictSame(untranslated, [], "in Hindi");
});

t.test("Hindi has every setting of the hub", async (t) => {
  const hi = await catalogue("settings-hi");
  const keys = openSettings({ env: {}, argv: [] })
    .describe()
    .map(({ key }) => key);
  t.strictSame(Object.keys(hi).sort(), keys.sort());
});

t.test("every text that a page asks for exists, and every text is asked for", async (t) => {
  const en = await catalogue("en");
  const all = (await sources()).map(({ text }) => text).join("\n");
  const asked = [...all.matchAll(/\bt\("([^"]+)"/g)].map(([, key]) => key ?? "");
  t.ok(asked.length > 100);
  t.strictSame(
    asked.filter((key) => en[key] === undefined),
    [],
  );
  // Keys made of a fixed beginning and a word of the contract: `t(`op.${…}`)`.
  const beginnings = [...all.matchAll(/`(\w+\.)\$\{/g)].map(([, beginning]) => beginning ?? "");
  beginnings.push("sentence."); // found by their English words
  const unused = Object.keys(en).filter((key) => !all.includes(`"${key}"`) && !beginnings.some((beginning) => key.startsWith(beginning)));
  t.strictSame(unused, []);
});

t.test("every sentence of the hub that is found by its English words is one that the hub says", async (t) => {
  const folder = join(PROJECT_ROOT, "src");
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts") && !name.startsWith("console"));
  const hub = (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
  const sentences = Object.entries(await catalogue("en")).filter(([key]) => key.startsWith("sentence."));
  t.ok(sentences.length > 10);
  const unsaid = sentences.filter(([, text]) => !hub.includes(text));
  t.strictSame(unsaid, []);
});

t.test("every code that a part of the hub's health gives has a text", async (t) => {
  const en = await catalogue("en");
  const folder = join(PROJECT_ROOT, "src/health");
  const sources = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  const codes = [...sources.join("\n").matchAll(/words: \{ code: "([\w.]+)"|\{ code: "([\w.]+)", \.\.\./g)].map(([, one, other]) => one ?? other ?? "");
  t.ok(codes.length > 20);
  t.strictSame(
    codes.filter((code) => en[`health.${code}`] === undefined),
    [],
  );
  const checks = [...sources.join("\n").matchAll(/^ {4}code: "([\w-]+)"/gm)].map(([, code]) => code ?? "");
  t.ok(checks.length > 10);
  t.strictSame(
    checks.filter((code) => en[`check.${code}`] === undefined),
    [],
    "and a title",
  );
});

t.test("no page shows words of its own", async (t) => {
  // Names and units that are the same in every language.
  const universal = /^(Gatehouse|English|हिन्दी|kWh|W|ms|gatehouse (backup|restore) \S+)$/;
  for (const { name, text } of await sources()) {
    if (!name.endsWith(".tsx")) continue;
    const shown = [...text.matchAll(/[^=]>\s*([^<>{}=;()&|]*[A-Za-z]{2,}[^<>{}=;()&|]*)\s*<\/?[a-zA-Z]/g)].map(([, words]) => (words ?? "").trim());
    const attributes = [...text.matchAll(/\b(?:aria-label|placeholder|title|alt|label|hint)="([^"]*[A-Za-z]{2,}[^"]*)"/g)].map(([, words]) => words ?? "");
    t.strictSame(
      [...shown, ...attributes].filter((words) => !universal.test(words)),
      [],
      name,
    );
  }
});
