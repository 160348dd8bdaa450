/** The hub's catalogue (src/texts.ts), parsed when a text is first needed. */
import compile from "icu-minify/compile";
import type { CompiledMessage } from "icu-minify/format";
import { texts } from "../../texts.ts";
import type { TextKey } from "./keys.ts";
import type { Language, Reading } from "./render.ts";

/** Whether the catalogue has such a key. */
export function isKey(key: string): key is TextKey {
  return Object.hasOwn(texts, key);
}

/** Reads the hub's texts in a language, with moments (ISO form) as `moment` writes them. */
export function readingIn(language: Language, moment: (iso: string) => string): Reading {
  return { find: (key) => (isKey(key) ? { message: messageOf(key, language), language } : null), moment };
}

const compiled: Record<Language, Map<TextKey, CompiledMessage>> = { en: new Map(), hi: new Map() };

function messageOf(key: TextKey, language: Language): CompiledMessage {
  const message = compiled[language].get(key) ?? compile(texts[key][language]);
  compiled[language].set(key, message);
  return message;
}
