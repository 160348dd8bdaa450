import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import compile from "icu-minify/compile";
import type { Language, Texts } from "../../src/core/text/render.ts";
import { PROJECT_ROOT } from "./database.ts";

/** The texts of one language, by key. */
export function inLanguage(texts: Texts, language: Language): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text[language]]));
}

/** Keys that several of the files have which a list of texts (`src/texts.ts`) joins: one would hide the other. */
export async function repeated(list: string): Promise<string[]> {
  const path = join(PROJECT_ROOT, list);
  const files = [...readFileSync(path, "utf8").matchAll(/ from "(\..*\/texts\.ts)"/g)].map(([, file = ""]) => file);
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const file of files) {
    const { texts }: { readonly texts: Texts } = await import(join(dirname(path), file));
    twice.push(...Object.keys(texts).filter((key) => seen.has(key)));
    for (const key of Object.keys(texts)) seen.add(key);
  }
  if (files.length === 0) throw new Error(`${list} joins no files`);
  return twice;
}

/** Names of the placeholders in an ICU message. @throws SyntaxError for an invalid message */
export function valuesIn(text = ""): string[] {
  const names = new Set<string>();
  const look = (node: unknown): void => {
    if (!Array.isArray(node)) return;
    const [name, , choices] = node as readonly unknown[]; // an argument of a message: its name, its kind, its choices
    names.add(String(name));
    if (typeof choices === "object" && choices !== null) for (const choice of Object.values(choices)) lookAtAll(choice);
  };
  const lookAtAll = (message: unknown): void => {
    if (Array.isArray(message)) for (const node of message) look(node);
  };
  lookAtAll(compile(text));
  return [...names].sort();
}

/** Keys of texts that are not in Hindi, although they have words besides their placeholders. */
export function untranslated(hi: Readonly<Record<string, string>>): string[] {
  const words = (text: string): string =>
    text.replace(/\{\w+\}/g, "").replace(/\{\w+, (plural|select),|(one|other|yes|in|out|=\d+) \{/g, "");
  return Object.keys(hi).filter(
    (key) => !/[\u0900-\u097F]/.test(hi[key] ?? "") && /[A-Za-z]/.test(words(hi[key] ?? "")),
  );
}
