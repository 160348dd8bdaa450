/**
 * Texts that the hub sends: it gives a code and values beside its English words, and the catalogue has them in other languages.
 * What no catalogue knows is shown as the hub says it.
 */
import en from "./en.json";
import { type TextKey, t } from "./translate.js";

/** A code with what stands in its text. */
export interface Words {
  readonly code: string;
  readonly [name: string]: string | number;
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}

/** The text under `key`, filled from `values`, or what the hub says. */
export function hubText(key: string, values: Words | null | undefined, otherwise: string): string {
  return isKey(key) ? t(key, values ?? {}) : otherwise;
}
