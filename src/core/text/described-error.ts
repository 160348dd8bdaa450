import { detailEnglish, withEnglish } from "./english.ts";
import type { Detail } from "./keys.ts";

/** An error whose message people read. With a code, it can be read in every language of the console. */
export class DescribedError extends Error {
  /** What the message says, as a code with values; null if there is only the English. */
  readonly words: Detail | null;

  /** `words`: the code of an English message, if it comes from another thread or process with both. */
  constructor(message: string | Detail, options: ErrorOptions & { readonly words?: Detail | null } = {}) {
    super(typeof message === "string" ? message : detailEnglish(message), options);
    this.words = typeof message === "string" ? (options.words ?? null) : message;
  }
}

/** What an error says, for use inside another text. */
export function reasonOf(error: unknown): string | Detail {
  if (error instanceof DescribedError) return error.words ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** What an error says, in English, and as a code with values if it has one. */
export function errorText(error: unknown): { readonly text: string; readonly words?: Detail } {
  const reason = reasonOf(error);
  return typeof reason === "string" ? { text: reason } : withEnglish(reason);
}

/** A reason in English. */
export function reasonEnglish(reason: string | Detail): string {
  return typeof reason === "string" ? reason : detailEnglish(reason);
}
