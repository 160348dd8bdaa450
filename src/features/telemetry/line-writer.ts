const FIRST_BYTES = 65_536;
/** Longer texts are written by the library, which costs a call each. */
const SHORT = 128;
const ZERO = 0x30;
/** Of the largest exact whole number. */
const MOST_DIGITS = 16;
/** Numbers are written in two parts, each small enough for integer division. */
const SPLIT_DIGITS = 9;
const SPLIT = 10 ** SPLIT_DIGITS;

/** Text that grows in small pieces, as UTF-8: one reused buffer instead of the many strings that joining makes. */
export class LineWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Forgets what was written; an oversized buffer is dropped. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > FIRST_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_BYTES);
  }

  add(text: string): void {
    this.#makeRoom(text.length * 3); // the most that a UTF-16 unit takes
    if (text.length > SHORT || !this.#addShort(text)) this.#length += this.#bytes.write(text, this.#length);
  }

  /** Like `add(String(value))`, without the string. */
  addNumber(value: number): void {
    this.#makeRoom(MOST_DIGITS);
    if (!Number.isSafeInteger(value) || value < 0) this.add(String(value));
    else if (value < SPLIT) this.#addDigits(value, 0);
    else {
      const high = Math.floor(value / SPLIT); // at most 9,007,199
      this.#addDigits(high, 0);
      this.#addDigits(value - high * SPLIT, SPLIT_DIGITS);
    }
  }

  /** `value` is below {@link SPLIT}; it is padded with zeros to `least` digits. */
  #addDigits(value: number, least: number): void {
    const bytes = this.#bytes;
    let rest = value | 0;
    const digits = Math.max(least, digitsOf(rest));
    const from = this.#length;
    for (let place = from + digits - 1; place >= from; place--) {
      const tenth = (rest / 10) | 0;
      bytes[place] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#length = from + digits;
  }

  /** The written bytes, valid until the next {@link add}. */
  written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** False for text that is not only ASCII; then nothing is written. */
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

/** How many digits a whole number below {@link SPLIT} has. */
function digitsOf(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1_000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  return value < 100_000_000 ? 8 : SPLIT_DIGITS;
}
