import type { InferenceSession, Tensor } from "onnxruntime-node";
import { type Candidate, candidatesOf, type Placement } from "./candidates.js";
import type { ModelFiles } from "./models.js";
import type { PictureSize, Pixels } from "./pixels.js";
import { type Grey, PLATE_HEIGHT, PLATE_WIDTH, type Quad, rectify } from "./rectify.js";
import { STEPS_LENGTH, slotsOf } from "./steps.js";

/** The part of onnxruntime-node that is used. */
export interface OrtLibrary {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
}

/** A quadrilateral of a part of the picture that is read as one plate; corners in pixels of the part. */
export interface View {
  readonly part: Grey;
  readonly quad: Quad;
}

/** The networks' work since the count was last taken. */
export interface Work {
  /** Milliseconds in the detector. */
  readonly detectMs: number;
  /** Pixels that the detector processed; one frame at its usual size has about 147,000. */
  readonly detectedPixels: number;
  /** Views of plates that the reader read. */
  readonly views: number;
}

/** What is kept of the models besides the networks; the bytes of their files are not. */
type ModelFacts = Omit<ModelFiles, "detector" | "reader">;

/** Rows above this share of the threshold are proposals: worth a closer look, but not plates yet. */
const PROPOSAL = 0.5;
/** Views in one run of the reader; more take several runs. */
const MOST_VIEWS = 6;

/** Detector and reader. Buffers are reused from run to run, so one object must not run twice at a time. */
export class Networks {
  readonly #ort: OrtLibrary;
  readonly #detector: InferenceSession;
  readonly #reader: InferenceSession;
  readonly facts: ModelFacts;
  readonly #inputs = new Map<string, Float32Array>();
  readonly #plates = new Float32Array(MOST_VIEWS * PLATE_WIDTH * PLATE_HEIGHT);
  #work: Work = { detectMs: 0, detectedPixels: 0, views: 0 };

  private constructor(ort: OrtLibrary, detector: InferenceSession, reader: InferenceSession, facts: ModelFacts) {
    this.#ort = ort;
    this.#detector = detector;
    this.#reader = reader;
    this.facts = facts;
  }

  /** Loads both networks. @throws when a file is not a usable network */
  static async load(ort: OrtLibrary, { detector, reader, ...facts }: ModelFiles, threads: number): Promise<Networks> {
    const options: InferenceSession.SessionOptions = {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      enableMemPattern: false, // inputs have several shapes: patterns would keep memory for each
      graphOptimizationLevel: "all",
      extra: { session: { intra_op: { allow_spinning: "0" } } }, // spinning threads would keep cores from the broker
    };
    return new Networks(
      ort,
      await ort.InferenceSession.create(detector, options),
      await ort.InferenceSession.create(reader, options),
      facts,
    );
  }

  /** Frees both. */
  async release(): Promise<void> {
    await this.#detector.release();
    await this.#reader.release();
  }

  /** What was done since the last call. */
  takeWork(): Work {
    const work = this.#work;
    this.#work = { detectMs: 0, detectedPixels: 0, views: 0 };
    return work;
  }

  /** Plates and proposals in the pixels, best first, before suppression, in pixels of the picture. */
  async detect(pixels: Pixels, input: PictureSize, place: Placement): Promise<Candidate[]> {
    const started = performance.now();
    const planes = this.#planes(pixels, input.width, input.height);
    const image = new this.#ort.Tensor("float32", planes, [1, 3, input.height, input.width]);
    const { plates } = await this.#detector.run({ image });
    const rows = plates?.data;
    const { detectMs, detectedPixels, views } = this.#work;
    this.#work = {
      detectMs: detectMs + performance.now() - started,
      detectedPixels: detectedPixels + input.width * input.height,
      views,
    };
    return rows instanceof Float32Array ? candidatesOf(rows, this.facts.scoreThreshold * PROPOSAL, place) : [];
  }

  /** Slot probabilities of each view. */
  async read(views: readonly View[]): Promise<Float32Array[]> {
    const answers: Float32Array[] = [];
    for (let from = 0; from < views.length; from += MOST_VIEWS)
      answers.push(...(await this.#readSome(views.slice(from, from + MOST_VIEWS))));
    return answers;
  }

  async #readSome(views: readonly View[]): Promise<Float32Array[]> {
    const size = PLATE_WIDTH * PLATE_HEIGHT;
    for (const [index, { part, quad }] of views.entries())
      rectify(part, quad, this.#plates.subarray(index * size, (index + 1) * size));
    const plate = new this.#ort.Tensor("float32", this.#plates.subarray(0, views.length * size), [
      views.length,
      1,
      PLATE_HEIGHT,
      PLATE_WIDTH,
    ]);
    const { steps } = await this.#reader.run({ plate });
    this.#work = { ...this.#work, views: this.#work.views + views.length };
    const output = steps?.data;
    if (!(output instanceof Float32Array)) throw new Error("the reader gives no steps");
    if (output.length !== views.length * STEPS_LENGTH)
      throw new Error(`the reader answers ${output.length} numbers for ${views.length} plates`);
    return views.map((_, index) => slotsOf(output.subarray(index * STEPS_LENGTH, (index + 1) * STEPS_LENGTH)));
  }

  /** Planes of R, G, B from the top left corner; the rest is grey. */
  #planes({ data, width, height }: Pixels, inputWidth: number, inputHeight: number): Float32Array {
    const key = `${inputWidth} ${inputHeight}`;
    if (this.#inputs.size > 12) this.#inputs.clear(); // cameras have few shapes; pictures in a folder may have any
    const planes = this.#inputs.get(key) ?? new Float32Array(3 * inputWidth * inputHeight);
    this.#inputs.set(key, planes);
    planes.fill(0.5);
    const plane = inputWidth * inputHeight;
    const [columns, rows] = [Math.min(width, inputWidth), Math.min(height, inputHeight)];
    for (let y = 0; y < rows; y++) {
      let from = y * width * 3;
      let to = y * inputWidth;
      for (let x = 0; x < columns; x++, from += 3, to += 1) {
        planes[to] = (data[from] ?? 0) / 255;
        planes[to + plane] = (data[from + 1] ?? 0) / 255;
        planes[to + 2 * plane] = (data[from + 2] ?? 0) / 255;
      }
    }
    return planes;
  }
}
