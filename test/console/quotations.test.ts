/**
 * What the documents quote from the console stands there exactly so. They write a word of the console in italics and
 * the way to a page in bold, with arrows (**System → Devices**); words of other programs stand in “…”.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Section, sectionsOf } from "../../src/console/help/sections.ts";
import { texts as own } from "../../src/console/i18n/catalogue.ts";
import { settingGroups, settingTexts } from "../../src/core/settings/schema.ts";
import type { Texts } from "../../src/core/text/render.ts";
import { TRUST_TEXTS } from "../../src/features/access/routes/trust-texts.ts";
import { texts as hub } from "../../src/texts.ts";
import { PROJECT_ROOT } from "../support/database.ts";

type Words = ReadonlyMap<string, ReadonlySet<string>>;

/** Everything that is shown, in English and Hindi. */
function shown(): readonly { readonly en: string; readonly hi: string }[] {
  const { en, hi } = TRUST_TEXTS; // the first page, which comes before the console
  return [
    ...Object.values({ ...hub, ...own } as Texts),
    ...settingGroups().map(({ name }) => name),
    ...[...settingTexts().values()].map(({ name }) => name),
    { en: en.without, hi: hi.without },
    { en: en.title, hi: hi.title },
  ];
}

/** Texts by their words in one language, with `…` for what is filled in: their words in the other. */
function other(from: "en" | "hi"): Words {
  const found = new Map<string, Set<string>>();
  const flat = (text: string): string => text.replaceAll(/\{\w+\}/g, "…");
  for (const { en, hi } of shown()) {
    const [key, value] = (from === "en" ? [en, hi] : [hi, en]).map(flat) as [string, string];
    found.set(key, (found.get(key) ?? new Set()).add(value));
  }
  return found;
}

const WORDS = { en: other("en"), hi: other("hi") };

/** Paragraphs, items and rows, each in one line and without code. */
const piecesOf = (markdown: string): string[] =>
  markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/(`+)(?!`).+?\1/gs, "``")
    .replaceAll(/^#.*$/gm, "$&\n")
    .split(/\n\s*\n|\n(?=\s*(?:[*|>-]|\d+\.|#+)\s)/)
    .map((piece) => piece.replaceAll(/\n\s*/g, " "));

/** Where emphasis at the beginning of a paragraph, item or cell names its subject. */
const BEGINNING = /^\s*(?:(?:[*>-]|\d+\.)\s+)*$|\|\s*$/;

/** What a text quotes. */
function quoted(text: string): string[] {
  return piecesOf(text).flatMap((piece) =>
    [...piece.matchAll(/\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g)].flatMap((found) => {
      const [, way, word] = found;
      const parts = (way ?? word ?? "").split(" → ");
      const isSubject = way !== undefined && parts.length === 1 && BEGINNING.test(piece.slice(0, found.index));
      return isSubject ? [] : parts;
    }),
  );
}

const DOCS = join(PROJECT_ROOT, "docs");
const read = (name: string): string => readFileSync(join(DOCS, name), "utf8");
const PAGES = [...readdirSync(DOCS).filter((name) => name.endsWith(".md")), "../README.md"];
const languageOf = (name: string): "en" | "hi" => (name.endsWith(".hi.md") ? "hi" : "en");
/** They report measurements, and set figures in bold. */
const REPORTS = new Set(["presented-plates.md", "threat-model.md"]);

t.test("every document quotes what the console shows", async (t) => {
  let count = 0;
  for (const name of PAGES.filter((one) => !REPORTS.has(one))) {
    const words = WORDS[languageOf(name)];
    const all = quoted(read(name));
    count += all.length;
    t.strictSame(
      all.filter((word) => !words.has(word)),
      [],
      name,
    );
  }
  t.ok(count > 900, `${count} quotations`);
});

t.test("the way to a page is in bold, with arrows", async (t) => {
  const titles = ["Home", "Gate", "History", "Automations", "Notifications", "System", "Developer", "More"];
  const hindi = titles.flatMap((title) => [...(WORDS.en.get(title) ?? [])]);
  const begins = new RegExp(`(?:${[...titles, ...hindi].join("|")}) [→›] `, "u");
  for (const name of PAGES) {
    const pieces = piecesOf(read(name)).map((piece) => piece.replaceAll(/\*\*[^*]+\*\*|“[^”]*”/g, ""));
    t.strictSame(
      pieces.filter((piece) => begins.test(piece) || piece.includes(" › ")),
      [],
      name,
    );
  }
});

t.test("a chapter in Hindi quotes the same things in the words of Hindi", async (t) => {
  const translated = PAGES.filter((name) => name.endsWith(".hi.md"));
  t.ok(translated.length >= 5, translated.join(", "));
  for (const name of translated) {
    const [english, hindi] = [`${name.slice(0, -6)}.md`, name].map((one) => sectionsOf(read(one))) as [
      readonly Section[],
      readonly Section[],
    ];
    for (const [n, { id, title, text }] of english.entries()) {
      const named = WORDS.en.get(title);
      if (named !== undefined) t.ok(named.has(hindi[n]?.title ?? ""), `${name}#${id}: the name of the page`);
      const inHindi = quoted(hindi[n]?.text ?? "");
      const inEnglish = quoted(text);
      const absent = (from: readonly string[], words: Words, to: readonly string[]): string[] =>
        from.filter((word) => !to.some((one) => words.get(word)?.has(one)));
      t.strictSame(absent(inEnglish, WORDS.en, inHindi), [], `${name}#${id}: in Hindi too`);
      t.strictSame(absent(inHindi, WORDS.hi, inEnglish), [], `${name}#${id}: in English too`);
    }
  }
});

t.test("a word that the console does not show is found", async (t) => {
  const found = (text: string): string[] => quoted(text).filter((word) => !WORDS.en.has(word));
  t.strictSame(found("Tap *Show the code*."), ["Show the code"]);
  t.strictSame(found("**Gate → Who opened** lists them."), ["Who opened"]);
  t.strictSame(found("1. Open **Sistem**."), ["Sistem"]);
  t.strictSame(found("* **A subject.** With *Save* and `*no quotation*`, “Of others”, *.local and *.lan."), []);
});
