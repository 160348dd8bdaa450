/**
 * A second reader of another build, trained by others on other texts (models/plate-second-reader.md): what it sees of a
 * plate that the first one leaves in doubt confirms it or speaks against it.
 */
import type { InferenceSession } from "onnxruntime-node";
import { sampleRows } from "./rectify.ts";
import { slotsOfLines } from "./steps.ts";
import type { OrtLibrary, View } from "./view.ts";

const HEIGHT = 48;
/** Width of a plate of one line, and of each line of two. */
const WIDTH = { one: 280, two: 192 } as const;
/** Parts of the plate's height that hold its lines; those of two lines overlap, since their border is not known. */
const LINES = {
  one: [[0, 1]],
  two: [
    [0.02, 0.53],
    [0.47, 0.98],
  ],
} as const;
const CHANNELS = 3;

/** Reads views line by line. Buffers are reused, so one object must not run twice at a time. */
export class SecondReader {
  readonly #ort: OrtLibrary;
  readonly #session: InferenceSession;
  readonly #input = new Float32Array(2 * CHANNELS * HEIGHT * WIDTH.one);

  constructor(ort: OrtLibrary, session: InferenceSession) {
    this.#ort = ort;
    this.#session = session;
  }

  /** Slot probabilities of the view, as the first reader gives them. @throws when the network answers something else */
  async read({ part, quad }: View, twoLine: boolean): Promise<Float32Array> {
    const kind = twoLine ? "two" : "one";
    const [width, parts] = [WIDTH[kind], LINES[kind]];
    const plane = HEIGHT * width;
    for (const [line, [from, to]] of parts.entries()) {
      const start = line * CHANNELS * plane;
      const first = this.#input.subarray(start, start + plane);
      sampleRows(part, quad, { width, height: HEIGHT, from, to }, first);
      for (let i = 0; i < plane; i++) first[i] = (first[i] ?? 0) * 2 - 1;
      for (let channel = 1; channel < CHANNELS; channel++)
        this.#input.copyWithin(start + channel * plane, start, start + plane);
    }
    const data = this.#input.subarray(0, parts.length * CHANNELS * plane);
    const line = new this.#ort.Tensor("float32", data, [parts.length, CHANNELS, HEIGHT, width]);
    const { steps } = await this.#session.run({ line });
    if (!(steps?.data instanceof Float32Array)) throw new Error("the second reader gives no steps");
    const each = steps.data.length / parts.length;
    const answer = steps.data;
    return slotsOfLines(parts.map((_, index) => answer.subarray(index * each, (index + 1) * each)));
  }

  /** Frees the network. */
  async release(): Promise<void> {
    await this.#session.release();
  }
}
