const FIRST_BYTES = 65_536;
/** Longer texts are written by the library, which has a call to make for each. */
const SHORT = 128;

/**
 * Text that grows by small pieces, as UTF-8: one buffer instead of the many strings that joining them would make. Kept
 * and used again.
 */
export class LineWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Forgets what was written; a buffer that was needed once for very much goes. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > FIRST_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  add(text: string): void {
    this.#makeRoom(text.length * 3); // the most that a UTF-16 unit takes
    if (text.length > SHORT || !this.#addShort(text)) this.#length += this.#bytes.write(text, this.#length);
  }

  /** What was written, valid until the next {@link add}. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** False where there is more than ASCII in it; nothing is written then. */
  #addShort(text: string): boolean {
    const bytes = this.#bytes;
    const from = this.#length;
    for (let index = 0; index < text.length; index++) {
      const character = text.charCodeAt(index);
      if (character > 0x7f) return false;
      bytes[from + index] = character;
    }
    this.#length = from + text.length;
    return true;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
