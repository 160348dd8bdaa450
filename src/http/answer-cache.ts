import type { Answer } from "./exchange.js";
import { etagOf } from "./middleware/conditional.js";

const MOST_ANSWERS = 64;

/**
 * Keeps answers that were made from data with a version number: as long as the version stands still, the bytes and
 * their ETag are sent again without being built (measured: building a list of 50 devices costs more than all the rest).
 * Bounded; the least recently made answer goes first.
 */
export class AnswerCache {
  readonly #answers = new Map<string, { readonly version: number; readonly answer: Answer }>();

  /** The answer for `key` at `version`, built only when it is not there. */
  get(key: string, version: number, build: () => unknown): Answer {
    const known = this.#answers.get(key);
    if (known?.version === version) return known.answer;
    const bytes = Buffer.from(JSON.stringify(build()));
    const answer: Answer = { status: 200, bytes, etag: etagOf(bytes) };
    this.#answers.delete(key);
    this.#answers.set(key, { version, answer });
    if (this.#answers.size > MOST_ANSWERS) {
      const oldest = this.#answers.keys().next();
      if (!oldest.done) this.#answers.delete(oldest.value);
    }
    return answer;
  }
}
