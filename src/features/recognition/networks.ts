import type { InferenceSession } from "onnxruntime-node";
import { freeBytes } from "../../core/kernel/free-bytes.ts";
import { SURROUNDINGS } from "../../core/plates/presented.ts";
import { type Look, lookOf } from "../../core/plates/vehicle-look.ts";
import { type Candidate, candidatesOf, type DetectorMap, type Placement, rowsOf } from "./candidates.ts";
import type { ModelFiles } from "./models.ts";
import type { PictureSize, Pixels } from "./pixels.ts";
import { PLATE_HEIGHT, PLATE_WIDTH, rectify } from "./rectify.ts";
import { SecondReader } from "./second-reader.ts";
import { isOnTwoLines, STEPS_LENGTH, slotsOf } from "./steps.ts";
import type { OrtLibrary, View } from "./view.ts";

/** The networks' work since the count was last taken. */
export interface Work {
  /** Milliseconds in the detector. */
  readonly detectMs: number;
  /** Pixels that the detector processed; one frame at its usual size has about 147,000. */
  readonly detectedPixels: number;
  /** Views of plates that the reader read. */
  readonly views: number;
  /** Views that the second reader read. */
  readonly seconds: number;
}

/** What the reader sees in a view. */
export interface ReadView {
  readonly slots: Float32Array;
  /** Whether it finds the text on two lines. */
  readonly isTwoLine: boolean;
}

/** What is kept of the models besides the networks; the bytes of their files are not. */
type ModelFacts = Omit<ModelFiles, "detector" | "reader" | "secondReader" | "surroundings">;

const NO_WORK: Work = { detectMs: 0, detectedPixels: 0, views: 0, seconds: 0 };

/** Of the detector's answers: pixels of the input per cell. */
const STRIDES = [8, 16, 32] as const;
/** Rows above this share of the threshold are proposals: worth a closer look, but not plates yet. */
const PROPOSAL = 0.5;
/** Views in one run of the reader; more take several runs. */
const MOST_VIEWS = 6;

/** Detector and reader. Buffers are reused from run to run, so one object must not run twice at a time. */
export class Networks {
  readonly #ort: OrtLibrary;
  readonly #detector: InferenceSession;
  readonly #reader: InferenceSession;
  readonly #second: SecondReader | null;
  readonly #around: InferenceSession | null;
  readonly facts: ModelFacts;
  /** As large as the largest input so far: pictures have many shapes, and a buffer for each would be garbage soon. */
  #input = new Float32Array(0);
  readonly #plates = new Float32Array(MOST_VIEWS * PLATE_WIDTH * PLATE_HEIGHT);
  #work = NO_WORK;

  private constructor(
    ort: OrtLibrary,
    sessions: {
      readonly detector: InferenceSession;
      readonly reader: InferenceSession;
      readonly second: SecondReader | null;
      readonly around: InferenceSession | null;
    },
    facts: ModelFacts,
  ) {
    this.#ort = ort;
    this.#detector = sessions.detector;
    this.#reader = sessions.reader;
    this.#second = sessions.second;
    this.#around = sessions.around;
    this.facts = facts;
  }

  /** Loads the networks. @throws when a file is not a usable network */
  static async load(
    ort: OrtLibrary,
    { detector, reader, secondReader, surroundings, ...facts }: ModelFiles,
    threads: number,
  ): Promise<Networks> {
    const options: InferenceSession.SessionOptions = {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      enableMemPattern: false, // inputs have several shapes: patterns would keep memory for each
      graphOptimizationLevel: "all",
      extra: { session: { intra_op: { allow_spinning: "0" } } }, // spinning threads would keep cores from the broker
    };
    const create = (file: Uint8Array): Promise<InferenceSession> => ort.InferenceSession.create(file, options);
    const second = secondReader === null ? null : new SecondReader(ort, await create(secondReader));
    const around = surroundings === null ? null : await create(surroundings);
    return new Networks(ort, { detector: await create(detector), reader: await create(reader), second, around }, facts);
  }

  /** Frees them. */
  async release(): Promise<void> {
    await this.#detector.release();
    await this.#reader.release();
    await this.#second?.release();
    await this.#around?.release();
  }

  /** What was done since the last call. */
  takeWork(): Work {
    const work = this.#work;
    this.#work = NO_WORK;
    return work;
  }

  /** Plates and proposals in the pixels, best first, before suppression, in pixels of the picture. */
  async detect(pixels: Pixels, input: PictureSize, place: Placement): Promise<Candidate[]> {
    const started = performance.now();
    const planes = this.#planes(pixels, input.width, input.height);
    const image = new this.#ort.Tensor("float32", planes, [1, 3, input.height, input.width]);
    const answer = await this.#detector.run({ image });
    const { detectMs, detectedPixels } = this.#work;
    this.#work = {
      ...this.#work,
      detectMs: detectMs + performance.now() - started,
      detectedPixels: detectedPixels + input.width * input.height,
    };
    const maps = STRIDES.map((stride): DetectorMap => {
      const map = answer[`stride${stride}`];
      if (!(map?.data instanceof Float32Array)) throw new Error("the detector gives no maps");
      return { stride, columns: map.dims[3] ?? 1, data: map.data };
    });
    const threshold = this.facts.scoreThreshold * PROPOSAL;
    const rows = rowsOf(maps, threshold);
    for (const { data } of maps) freeBytes(data);
    return candidatesOf(rows, threshold, place);
  }

  /** What the reader sees in each view. */
  async read(views: readonly View[]): Promise<ReadView[]> {
    const answers: ReadView[] = [];
    for (let from = 0; from < views.length; from += MOST_VIEWS)
      answers.push(...(await this.#readSome(views.slice(from, from + MOST_VIEWS))));
    return answers;
  }

  /** Slot probabilities of the view as the second reader sees it; null without one. */
  async readSecond(view: View, twoLine: boolean): Promise<Float32Array | null> {
    if (this.#second === null) return null;
    this.#work = { ...this.#work, seconds: this.#work.seconds + 1 };
    return this.#second.read(view, twoLine);
  }

  /**
   * What the surroundings of a plate say: the mean log-odds that it is presented, and the look of its vehicle; nulls
   * without that network, or without any.
   */
  async lookAround(around: readonly Uint8Array[]): Promise<{ network: number | null; look: Look | null }> {
    if (this.#around === null || around.length === 0) return { network: null, look: null };
    const size = SURROUNDINGS.columns * SURROUNDINGS.rows;
    const pixels = new Float32Array(around.length * size);
    for (const [index, one] of around.entries())
      for (let i = 0; i < size; i++) pixels[index * size + i] = (one[i] ?? 0) / 255;
    const shape = [around.length, 1, SURROUNDINGS.rows, SURROUNDINGS.columns];
    const answer = await this.#around.run({ surroundings: new this.#ort.Tensor("float32", pixels, shape) });
    const [presented, vehicle] = [answer.presented?.data, answer.vehicle?.data];
    if (!(presented instanceof Float32Array) || presented.length !== around.length)
      throw new Error("the network for surroundings answers something else");
    const network = presented.reduce((sum, one) => sum + one, 0) / around.length;
    if (!(vehicle instanceof Float32Array)) return { network, look: null }; // a network of an earlier version
    const each = vehicle.length / around.length;
    return { network, look: lookOf(around.map((_, index) => vehicle.subarray(index * each, (index + 1) * each))) };
  }

  async #readSome(views: readonly View[]): Promise<ReadView[]> {
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
    const answers = views.map((_, index) => {
      const own = output.subarray(index * STEPS_LENGTH, (index + 1) * STEPS_LENGTH);
      return { slots: slotsOf(own), isTwoLine: isOnTwoLines(own) };
    });
    freeBytes(output);
    return answers;
  }

  /** Planes of R, G, B from the top left corner; the rest is grey. */
  #planes({ data, width, height }: Pixels, inputWidth: number, inputHeight: number): Float32Array {
    const plane = inputWidth * inputHeight;
    if (this.#input.length < 3 * plane) this.#input = new Float32Array(3 * plane);
    const planes = this.#input.subarray(0, 3 * plane);
    const [columns, rows] = [Math.min(width, inputWidth), Math.min(height, inputHeight)];
    if (columns < inputWidth || rows < inputHeight) planes.fill(inputOf(0.5));
    for (let y = 0; y < rows; y++) {
      let from = y * width * 3;
      let to = y * inputWidth;
      for (const end = to + columns; to < end; from += 3, to += 1) {
        planes[to] = BRIGHTNESS[data[from] ?? 0] ?? 0;
        planes[to + plane] = BRIGHTNESS[data[from + 1] ?? 0] ?? 0;
        planes[to + 2 * plane] = BRIGHTNESS[data[from + 2] ?? 0] ?? 0;
      }
    }
    return planes;
  }
}

/** A brightness of 0..1 as the detector takes it, with 32 bits at each step. */
function inputOf(brightness: number): number {
  return Math.fround(Math.fround(Math.fround(brightness) - Math.fround(0.45)) * 4);
}

/** The same of every value of a byte. */
const BRIGHTNESS = Float32Array.from({ length: 256 }, (_, byte) => inputOf(byte / 255));
