/** The texts of the console: every language has every text, and no page shows a text outside the catalogues. */
import fs from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import t from "tap";
import { texts } from "../../src/console/i18n/catalogue.ts";
import type { SettingsShown } from "../../src/console/i18n/settings-shown.ts";
import { declaredModules } from "../../src/console/vite-declared.ts";
import { PROBLEMS } from "../../src/core/api/problems.ts";
import { settingGroups } from "../../src/core/settings/schema.ts";
import { openSettings } from "../../src/core/settings/store.ts";
import { texts as hubTexts } from "../../src/texts.ts";
import { inLanguage, repeated, untranslated, valuesIn } from "../support/catalogue.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const declared = declaredModules();

/** What the build gives a browser as `virtual:name`. */
async function given<Given = Record<string, unknown>>(name: string, { plugin } = declared): Promise<Given> {
  const { load } = plugin;
  if (typeof load !== "function") throw new TypeError("the plugin loads nothing");
  const code = await load.call({} as ThisParameterType<typeof load>, `\0virtual:${name}`); // it uses no context
  return JSON.parse(/^export const \w+ = (.*);$/.exec(String(code))?.[1] ?? "null");
}

const catalogue = { en: inLanguage(texts, "en"), hi: inLanguage(texts, "hi") };

async function sources(): Promise<{ name: string; text: string }[]> {
  const src = join(PROJECT_ROOT, "src");
  const names = (await readdir(src, { recursive: true })).filter(
    (name) => /^(console|features\/[\w-]+\/console)\/.*\.tsx?$/.test(name) && !/\.d\.ts$|(^|\/)texts\.ts$/.test(name),
  );
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(src, name), "utf8") })));
}

t.test("Hindi has every text of English, with the same placeholders", async (t) => {
  const { en, hi } = catalogue;
  t.strictSame(Object.keys(hi).sort(), Object.keys(en).sort());
  const different = Object.keys(en).filter((key) => valuesIn(hi[key]).join() !== valuesIn(en[key]).join());
  t.strictSame(different, [], "values");
  t.strictSame(untranslated(hi), [], "in Hindi");
  t.strictSame(
    Object.keys(en).filter((key) => key in hubTexts),
    [],
    "no text is in both catalogues",
  );
  t.strictSame(await repeated("src/console/i18n/catalogue.ts"), [], "a key is in one file only");
});

t.test("Hindi has one word for a thing, as the glossary says", async (t) => {
  const glossary = await readFile(join(PROJECT_ROOT, "docs/glossary.md"), "utf8");
  const rows = [...(glossary.split("## In Hindi")[1] ?? "").matchAll(/^\| .+ \| (.+) \| (.+) \|$/gm)].slice(2);
  t.ok(rows.length > 2, "the table");
  const manual = await readFile(join(PROJECT_ROOT, "docs/using-gatehouse.hi.md"), "utf8");
  const all = { ...catalogue.hi, ...inLanguage(hubTexts, "hi"), manual };
  for (const [, , others = ""] of rows)
    for (const other of others.split(", "))
      t.strictSame(
        Object.keys(all).filter((key) => String(all[key as keyof typeof all]).includes(other)),
        [],
        other,
      );
});

t.test("every action the hub writes into its audit has a text for the page that shows it", async (t) => {
  const { en } = catalogue;
  const folder = join(PROJECT_ROOT, "src");
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const actions = new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/(?:\baction: |\bnote\(caller, )"([a-z_]+\.[a-z_]+)"/g)].map(([, action = ""]) => action),
    ),
  );
  t.ok(actions.size > 50, `${actions.size} actions`);
  t.strictSame(
    [...actions].filter((action) => !(`audit.${action}` in en)),
    [],
  );
});

t.test("the settings page has names and the Hindi meaning of every setting of the hub", async (t) => {
  const { groups, settings } = await given<SettingsShown>("settings");
  const fields = openSettings({ env: {}, argv: [] }).describe();
  t.strictSame(Object.keys(settings).sort(), fields.map(({ key }) => key).sort());
  const hindi = Object.entries(settings).map(([key, { help }]) => [key, help.hi]);
  t.strictSame(untranslated(Object.fromEntries(hindi)), []);
  t.strictSame(
    Object.entries(settings).filter(([, { name, help }]) => !name.en || !name.hi || !help.hi),
    [],
  );
  t.strictSame(groups.map(({ group }) => group).sort(), [...new Set(fields.map(({ group }) => group))].sort());
  t.strictSame(
    fields.flatMap(({ key, choices }) =>
      Object.keys(settings[key]?.choices ?? {}).filter((name) => !choices?.includes(name)),
    ),
    [],
    "names of choices that there are not",
  );
  const ranks = settingGroups().map(({ part, at }) => `${part} ${at}`);
  t.equal(new Set(ranks).size, ranks.length, "no two groups have one place");
});

t.test("every text that a page requests exists, and every text is requested", async (t) => {
  const { en } = catalogue;
  const all = (await sources()).map(({ text }) => text).join("\n");
  const asked = [...all.matchAll(/\bt\("([^"]+)"/g)].map(([, key]) => key ?? "");
  t.ok(asked.length > 100);
  t.strictSame(
    asked.filter((key) => en[key] === undefined && !(key in hubTexts)),
    [],
  );
  // Keys composed of a fixed prefix and a word of the contract: `t(`op.${…}`)`.
  const beginnings = [...all.matchAll(/`(\w+\.)\$\{/g)].map(([, beginning]) => beginning ?? "");
  const unused = Object.keys(en).filter(
    (key) => !all.includes(`"${key}"`) && !beginnings.some((beginning) => key.startsWith(beginning)),
  );
  t.strictSame(unused, []);
});

t.test("no page shows text of its own", async (t) => {
  // Names and units that are the same in every language.
  const universal = /^(Gatehouse|English|हिन्दी|kWh|W|ms|gatehouse (backup|restore|estate) \S+)$/;
  for (const { name, text } of await sources()) {
    if (!name.endsWith(".tsx")) continue;
    const shown = [...text.matchAll(/[^=]>\s*([^<>{}=;()&|]*[A-Za-z]{2,}[^<>{}=;()&|]*)\s*<\/?[a-zA-Z]/g)].map(
      ([, words]) => (words ?? "").trim(),
    );
    const attributes = [
      ...text.matchAll(/\b(?:aria-label|placeholder|title|alt|label|hint)="([^"]*[A-Za-z]{2,}[^"]*)"/g),
    ].map(([, words]) => words ?? "");
    t.strictSame(
      [...shown, ...attributes].filter((words) => !universal.test(words)),
      [],
      name,
    );
  }
});

t.test("every error code of the hub has a text for people, in both languages", async (t) => {
  for (const language of ["en", "hi"] as const) {
    const texts = catalogue[language];
    t.strictSame(
      Object.keys(PROBLEMS).filter((code) => !texts[`problem.${code}`]),
      [],
      language,
    );
    const unknown = Object.keys(texts).filter(
      (key) => key.startsWith("problem.") && !(key.slice("problem.".length) in PROBLEMS),
    );
    t.strictSame(unknown, [], `${language}: codes that are never used`);
  }
});

t.test("every problem that the hub finds with a field has a text for people", async (t) => {
  const { en } = catalogue;
  const names = (await readdir(join(PROJECT_ROOT, "src"), { recursive: true })).filter(
    (name) => /\.ts$/.test(name) && !/^(client|cli|features\/provision)\/|(^|\/)console\//.test(name),
  );
  const codes = new Set<string>();
  for (const name of names) {
    const text = await readFile(join(PROJECT_ROOT, "src", name), "utf8");
    for (const [, code] of text.matchAll(/\bfield\b[^{};]*\bcode: "(\w+)"/g)) codes.add(code ?? "");
    for (const [, table] of text.matchAll(/CODES: Readonly<Record<string, string>> = \{([^}]*)\}/g))
      for (const [, code] of (table ?? "").matchAll(/: "(\w+)"/g)) codes.add(code ?? "");
  }
  t.ok(codes.has("too_short") && codes.has("before_start") && codes.size > 20, [...codes].join(" "));
  t.strictSame(
    [...codes].filter((code) => en[`refused.${code}`] === undefined && code !== "weak"),
    [],
  );
});

t.test("a browser gets one language at a time, and the texts of the first view once", async (t) => {
  for (const language of ["en", "hi"]) {
    const [first, further] = await Promise.all([given(`texts/${language}-first`), given(`texts/${language}-further`)]);
    t.strictSame(
      Object.keys(first).filter((key) => key in further),
      [],
    );
    t.strictSame(Object.keys({ ...first, ...further }).sort(), Object.keys({ ...texts, ...hubTexts }).sort());
    t.equal(/[\u0900-\u097F]/.test(JSON.stringify(first)), language === "hi");
    t.equal(/[\u0900-\u097F]/.test(JSON.stringify(further)), language === "hi");
    t.ok(Object.keys(first).length < Object.keys(further).length / 4, "the first view needs few");
  }
  const read = await declared.files();
  for (const file of [
    "src/features/gate/settings.ts",
    "src/features/gate/texts.ts",
    "src/features/gate/console/texts.ts",
    "src/console/texts.ts",
  ])
    t.ok(read.includes(join(PROJECT_ROOT, file)), `${file} is among the sources of the build`);
});

t.test("what is in the first download is looked up once for all its texts", async (t) => {
  const { readFileSync } = fs;
  const reads = new Map<string, number>();
  const counted = (...[file, ...rest]: Parameters<typeof readFileSync>) => {
    reads.set(String(file), (reads.get(String(file)) ?? 0) + 1);
    return readFileSync(file, ...rest);
  };
  fs.readFileSync = counted as typeof readFileSync; // its overloads
  syncBuiltinESMExports();
  t.teardown(() => {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  });
  const afresh = declaredModules();
  for (const name of ["en-first", "en-further", "hi-first", "hi-further"]) await given(`texts/${name}`, afresh);
  const main = join(PROJECT_ROOT, "src/console/main.tsx");
  t.equal(reads.get(main), 1, "main.tsx");
  const often = [...reads].filter(([file, times]) => times > 1 && file.startsWith(join(PROJECT_ROOT, "src/console/")));
  t.strictSame(often, []);
});
