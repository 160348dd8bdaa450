/** Start and end of a JPEG file. */
const START = Buffer.from([0xff, 0xd8]);
const END = Buffer.from([0xff, 0xd9]);

/**
 * Cuts a stream of consecutive JPEG files (`ffmpeg -f image2pipe`) into single files. Bounded: if no picture ends
 * within `maxBytes`, what has come so far is thrown away.
 */
export class FrameSplitter {
  readonly #maxBytes: number;
  #pending: Buffer = Buffer.alloc(0);
  #searchedTo = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a piece of the stream and returns the pictures that it completes. */
  push(chunk: Buffer): Buffer[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const frames: Buffer[] = [];
    for (;;) {
      const start = this.#pending.indexOf(START);
      if (start < 0) {
        this.#keepFrom(Math.max(0, this.#pending.length - 1));
        return frames;
      }
      const end = this.#pending.indexOf(END, Math.max(start + 2, this.#searchedTo));
      if (end < 0) break;
      frames.push(Buffer.from(this.#pending.subarray(start, end + 2)));
      this.#keepFrom(end + 2);
    }
    this.#searchedTo = Math.max(0, this.#pending.length - 1);
    if (this.#pending.length > this.#maxBytes) this.#keepFrom(this.#pending.length);
    return frames;
  }

  #keepFrom(index: number): void {
    this.#pending = this.#pending.subarray(index);
    this.#searchedTo = 0;
  }
}
