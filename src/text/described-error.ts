import { detailEnglish, told } from "./english.js";
import type { Detail } from "./keys.js";

/** An error whose message people read. Said by a code, it can be read in every language of the console. */
export class DescribedError extends Error {
  /** What the message says, as a code with values; null where it is English alone. */
  readonly words: Detail | null;

  /** `words`: what an English message says, where it comes from another thread or process with both. */
  constructor(said: string | Detail, options: ErrorOptions & { readonly words?: Detail | null } = {}) {
    super(typeof said === "string" ? said : detailEnglish(said), options);
    this.words = typeof said === "string" ? (options.words ?? null) : said;
  }
}

/** What an error says, for another text to hold. */
export function reasonOf(error: unknown): string | Detail {
  if (error instanceof DescribedError) return error.words ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** What an error says, in English, and as a code with values where it has one. */
export function said(error: unknown): { readonly text: string; readonly words?: Detail } {
  const reason = reasonOf(error);
  return typeof reason === "string" ? { text: reason } : told(reason);
}

/** A reason in English. */
export function reasonEnglish(reason: string | Detail): string {
  return typeof reason === "string" ? reason : detailEnglish(reason);
}
