import type { InferenceSession, Tensor } from "onnxruntime-node";
import { analyseRead } from "../domain/plates/analyse.js";
import { fuseSlots } from "../domain/plates/fuse.js";
import { withoutPieces } from "../domain/plates/pieces.js";
import type { Point, Sighting } from "../domain/plates/reading.js";
import { type Candidate, candidatesOf, type Placement, suppressed } from "./candidates.js";
import type { ModelFiles } from "./models.js";
import { Picture, type Pixels, type Region } from "./picture.js";
import { expanded, type Grey, greyOf, PLATE_HEIGHT, PLATE_WIDTH, plateWidth, type Quad, rectify, regionOf } from "./rectify.js";
import { STEPS_LENGTH, slotsOf } from "./steps.js";

/** The part of onnxruntime-node that is used. */
export interface OrtLibrary {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
}

/** One plate of a frame before frames are numbered. */
export type FrameSighting = Omit<Sighting, "frame">;

/** What one frame gave, with where the time went. */
export interface FrameReading {
  readonly sightings: readonly FrameSighting[];
  readonly timings: FrameTimings;
}

/** Milliseconds per step. */
export interface FrameTimings {
  readonly decodeMs: number;
  readonly detectMs: number;
  readonly readMs: number;
  readonly totalMs: number;
}

/** What is read of one plate. */
interface PlateViews {
  readonly part: Grey;
  readonly near: Quad;
  /** Looked at only where the first view leaves doubt. */
  readonly further: readonly Quad[];
}

/** What is kept of the models beside the networks; their files' bytes are not. */
type ModelFacts = Omit<ModelFiles, "detector" | "reader">;

/** How hard to look. */
export interface LookOptions {
  /** Look again, closer, when no plate is found in the whole frame. */
  readonly lookAgain: boolean;
}

/** Plates read per frame. */
const MAX_PLATES = 6;
/** A plate narrower than this in the detector's input is detected once more in a close-up: its corners are too coarse to rectify. */
const CLOSE_UP_BELOW = 44;
/** Size of a close-up's input, and how wide the plate should be in it. */
const CLOSE_UP = { width: 288, height: 160, plate: 96 } as const;
/** Close-ups per frame. */
const MAX_CLOSE_UPS = 2;
/** Below this score of the best plate, the frame is looked at once more at half the scale. */
const SURE = 0.7;
/** From this score of the best plate on, nothing else is proposed. */
const SETTLED = 0.85;
/** Below it, rows above this share of the threshold are looked at from closer by before they are dropped: small plates gain much. */
const PROPOSAL = 0.5;
/** A second look pays only where the picture has clearly more pixels than the detector's input. */
const SECOND_LOOK_FROM = 1.4;
/** A reading less sure than this is repeated with other views of the plate: corners are a few per cent off now and then, and a cut character is lost. */
const CERTAIN = 90;
/** Margin of the first view. */
const NEAR = { along: 1.1, across: 1.08 } as const;
/** Margins of the further views. */
const FURTHER = [
  { along: 1.22, across: 1.12 },
  { along: 1.04, across: 1.04 },
] as const;
/** Shorter texts are no plates; they are not worth further views. */
const LEAST_TEXT = 5;
/** Plates of a frame that are looked at again. */
const MAX_AGAIN = 3;
/** Views in one run of the reader. */
const MAX_VIEWS = Math.max(MAX_PLATES, MAX_AGAIN * FURTHER.length);
/** Tiles of the second look overlap by this share, so that no plate falls between two. */
const TILE_OVERLAP = 0.2;

/**
 * Reads the plates of single frames: decode → detect → (look closer) → rectify → read. Buffers are reused from frame to frame,
 * so one reader must not run two frames at a time.
 */
export class FrameReader {
  readonly #ort: OrtLibrary;
  readonly #detector: InferenceSession;
  readonly #reader: InferenceSession;
  readonly #models: ModelFacts;
  readonly #inputs = new Map<string, Float32Array>();
  readonly #plates = new Float32Array(MAX_VIEWS * PLATE_WIDTH * PLATE_HEIGHT);
  #decodeMs = 0;
  #detectMs = 0;

  private constructor(ort: OrtLibrary, detector: InferenceSession, reader: InferenceSession, models: ModelFacts) {
    this.#ort = ort;
    this.#detector = detector;
    this.#reader = reader;
    this.#models = models;
  }

  /** Loads both networks. @throws when a file is no usable network. */
  static async load(ort: OrtLibrary, models: ModelFiles, threads: number): Promise<FrameReader> {
    const options: InferenceSession.SessionOptions = {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      enableMemPattern: false, // inputs of several shapes: patterns would keep memory for each
      graphOptimizationLevel: "all",
      extra: { session: { intra_op: { allow_spinning: "0" } } }, // waiting threads must not keep cores from the broker
    };
    const detector = await ort.InferenceSession.create(models.detector, options);
    const reader = await ort.InferenceSession.create(models.reader, options);
    const { version, scoreThreshold, inputWidth, inputHeight } = models;
    return new FrameReader(ort, detector, reader, { version, scoreThreshold, inputWidth, inputHeight });
  }

  /** Digest of the loaded networks. */
  get version(): string {
    return this.#models.version;
  }

  /** Frees the networks. */
  async release(): Promise<void> {
    await this.#detector.release();
    await this.#reader.release();
  }

  /** Reads one frame. @throws BadPicture when it cannot be decoded. */
  async read(jpeg: Uint8Array, look: LookOptions): Promise<FrameReading> {
    const started = performance.now();
    this.#decodeMs = 0;
    this.#detectMs = 0;
    const picture = await this.#timedDecode(() => Picture.open(jpeg));
    const found = await this.#find(picture, look);
    const sightings = found.length === 0 ? [] : withoutPieces(await this.#readPlates(picture, found));
    const totalMs = performance.now() - started;
    const timings = { decodeMs: this.#decodeMs, detectMs: this.#detectMs, readMs: totalMs - this.#decodeMs - this.#detectMs, totalMs };
    return { sightings, timings };
  }

  /** Reads plates at places that are known already, without the detector; for measuring the reader by itself. @throws BadPicture. */
  async readAt(jpeg: Uint8Array, places: readonly Candidate[]): Promise<readonly FrameSighting[]> {
    return places.length === 0 ? [] : this.#readPlates(await Picture.open(jpeg), places.slice(0, MAX_PLATES));
  }

  async #find(picture: Picture, look: LookOptions): Promise<Candidate[]> {
    const input = this.#inputSize(picture);
    const scale = Math.min(input.width / picture.size.width, input.height / picture.size.height);
    const pixels = await this.#timedDecode(() => picture.scaled(fit(picture.size.width, scale), fit(picture.size.height, scale)));
    const whole = await this.#detect(pixels, input, { scale, left: 0, top: 0 });
    const best = whole[0]?.score ?? 0;
    const coarse = best < SURE ? await this.#lookCoarser(pixels, input, scale) : [];
    const proposed = [...(best < SETTLED ? whole : whole.filter(this.#isPlate)), ...coarse];
    const kept = (await this.#closeUps(picture, suppressed(proposed, MAX_PLATES), scale)).filter(this.#isPlate);
    if (kept.length > 0 || !look.lookAgain || scale * SECOND_LOOK_FROM >= 1) return kept;
    return suppressed((await this.#searchTiles(picture, scale)).filter(this.#isPlate), MAX_PLATES);
  }

  readonly #isPlate = ({ score }: Candidate): boolean => score > this.#models.scoreThreshold;

  /** The detector takes any multiple of 32: an input of the picture's own shape wastes no pixels on padding. */
  #inputSize({ size }: Picture): { readonly width: number; readonly height: number } {
    const area = this.#models.inputWidth * this.#models.inputHeight;
    const aspect = Math.min(3, Math.max(1 / 3, size.width / size.height));
    const width = Math.max(64, Math.round(Math.sqrt(area * aspect) / 32) * 32);
    const height = Math.max(64, Math.round(Math.sqrt(area / aspect) / 32) * 32);
    return { width, height };
  }

  /** The whole frame at half the scale: for plates that fill so much of it that the detector sees only parts of them. A quarter of the work. */
  async #lookCoarser(pixels: Pixels, input: { readonly width: number; readonly height: number }, scale: number): Promise<Candidate[]> {
    const half = { width: Math.ceil(input.width / 64) * 32, height: Math.ceil(input.height / 64) * 32 };
    return this.#detect(halved(pixels), half, { scale: scale / 2, left: 0, top: 0 });
  }

  /** Four tiles at twice the scale: for plates that are too small in the whole frame. */
  async #searchTiles(picture: Picture, scale: number): Promise<Candidate[]> {
    const { width, height } = picture.size;
    const tileScale = Math.min(1, scale * 2 * (1 - TILE_OVERLAP / 2));
    const full = await this.#timedDecode(() => picture.scaled(fit(width, tileScale), fit(height, tileScale)));
    const input = this.#inputSize(picture);
    const found: Candidate[] = [];
    for (const top of starts(full.height, input.height)) {
      for (const left of starts(full.width, input.width)) {
        const region = { left, top, width: Math.min(input.width, full.width - left), height: Math.min(input.height, full.height - top) };
        found.push(...(await this.#detect(cut(full, region), input, { scale: tileScale, left: left / tileScale, top: top / tileScale })));
      }
    }
    return found;
  }

  /** Small plates once more from closer by; a close-up that finds nothing leaves the first finding as it was. */
  async #closeUps(picture: Picture, found: readonly Candidate[], scale: number): Promise<Candidate[]> {
    let left = MAX_CLOSE_UPS;
    const result: Candidate[] = [];
    for (const candidate of found) {
      const width = plateWidth(candidate.corners);
      const closer = width * scale < CLOSE_UP_BELOW && scale < 1 && left > 0;
      if (closer) left -= 1;
      result.push(closer ? await this.#closeUp(picture, candidate, width) : candidate);
    }
    return suppressed(result, MAX_PLATES);
  }

  async #closeUp(picture: Picture, candidate: Candidate, width: number): Promise<Candidate> {
    const scale = CLOSE_UP.plate / Math.max(8, width);
    const [x1, y1, x2, y2] = candidate.box;
    const span = { width: CLOSE_UP.width / scale, height: CLOSE_UP.height / scale };
    const region = inside(picture.size, { left: (x1 + x2 - span.width) / 2, top: (y1 + y2 - span.height) / 2, ...span });
    const part = await this.#timedDecode(() => picture.part(region, 1));
    const pixels = resized(part, fit(region.width, scale), fit(region.height, scale));
    const seen = await this.#detect(pixels, { width: CLOSE_UP.width, height: CLOSE_UP.height }, { scale, left: region.left, top: region.top });
    const centre = [(x1 + x2) / 2, (y1 + y2) / 2] as const;
    const again = seen.find(({ box }) => box[0] < centre[0] && centre[0] < box[2] && box[1] < centre[1] && centre[1] < box[3]);
    return again === undefined ? candidate : { ...again, score: Math.max(again.score, candidate.score) };
  }

  async #detect(pixels: Pixels, input: { readonly width: number; readonly height: number }, place: Placement): Promise<Candidate[]> {
    const started = performance.now();
    const planes = this.#planes(pixels, input.width, input.height);
    const image = new this.#ort.Tensor("float32", planes, [1, 3, input.height, input.width]);
    const { plates } = await this.#detector.run({ image });
    const rows = plates?.data;
    this.#detectMs += performance.now() - started;
    return rows instanceof Float32Array ? candidatesOf(rows, this.#models.scoreThreshold * PROPOSAL, place) : [];
  }

  /** Planes of R, G, B from the top left corner; the rest is grey. */
  #planes({ data, width, height }: Pixels, inputWidth: number, inputHeight: number): Float32Array {
    const key = `${inputWidth} ${inputHeight}`;
    if (this.#inputs.size > 12) this.#inputs.clear(); // shapes of cameras are few; pictures of a folder may have any
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

  async #readPlates(picture: Picture, found: readonly Candidate[]): Promise<FrameSighting[]> {
    const views = await this.#viewsOf(picture, found);
    const first = await this.#readViews(views.map(({ part, near }) => ({ part, quad: near })));
    const answers = first.map((slots) => ({ slots, analysis: analyseRead(slots) }));
    const unsure = answers
      .flatMap(({ analysis }, index) => (analysis.confidence < CERTAIN && analysis.text.length >= LEAST_TEXT ? [index] : []))
      .slice(0, MAX_AGAIN);
    const again = await this.#readViews(
      unsure.flatMap((index) => {
        const seen = views[index];
        return seen === undefined ? [] : seen.further.map((quad) => ({ part: seen.part, quad }));
      }),
    );
    const each = again.length / Math.max(1, unsure.length);
    const slots = answers.map((answer, index) => {
      const place = unsure.indexOf(index);
      return place < 0 ? answer.slots : fuseSlots([answer.slots, ...again.slice(place * each, (place + 1) * each)], 1);
    });
    const frameSize = [picture.size.width, picture.size.height] as const;
    return found.map((candidate, index) => ({ ...candidate, frameSize, slots: slots[index] ?? new Float32Array() }));
  }

  /** The pixels around each plate, and the quadrilaterals in them that are read. */
  async #viewsOf(picture: Picture, found: readonly Candidate[]): Promise<readonly PlateViews[]> {
    const shrink = shrinkFor(found.map(({ corners }) => plateWidth(corners)));
    const outlines = found.map(({ corners }) => ({ near: expanded(corners, NEAR), further: FURTHER.map((margin) => expanded(corners, margin)) }));
    const regions = outlines.map(({ further }) => union(further.map((quad) => regionOf(quad, picture.size, shrink))));
    const around = union(regions);
    const pixels = await this.#timedDecode(() => picture.part(around, shrink));
    return outlines.map(({ near, further }, index) => {
      const region = regions[index] ?? around;
      const part = greyOf(pixels, { ...region, left: region.left - around.left, top: region.top - around.top });
      return { part, near: moved(near, region, shrink), further: further.map((quad) => moved(quad, region, shrink)) };
    });
  }

  /** Slot probabilities of each view. */
  async #readViews(views: readonly { readonly part: Grey; readonly quad: Quad }[]): Promise<Float32Array[]> {
    if (views.length === 0) return [];
    const size = PLATE_WIDTH * PLATE_HEIGHT;
    for (const [index, { part, quad }] of views.entries()) rectify(part, quad, this.#plates.subarray(index * size, (index + 1) * size));
    const plate = new this.#ort.Tensor("float32", this.#plates.subarray(0, views.length * size), [views.length, 1, PLATE_HEIGHT, PLATE_WIDTH]);
    const { steps } = await this.#reader.run({ plate });
    const output = steps?.data;
    if (!(output instanceof Float32Array)) throw new Error("the reader gives no steps");
    if (output.length !== views.length * STEPS_LENGTH) throw new Error(`the reader answers ${output.length} numbers for ${views.length} plates`);
    return views.map((_, index) => slotsOf(output.subarray(index * STEPS_LENGTH, (index + 1) * STEPS_LENGTH)));
  }

  async #timedDecode<Result>(work: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    try {
      return await work();
    } finally {
      this.#decodeMs += performance.now() - started;
    }
  }
}

/** Corners in pixels of a region of the shrunk picture. */
function moved([a, b, c, d]: Quad, region: Region, shrink: number): Quad {
  const move = ([x, y]: Point): Point => [x / shrink - region.left, y / shrink - region.top];
  return [move(a), move(b), move(c), move(d)];
}

/** The largest power of two that leaves every plate at least as wide as twice the reader's input. */
function shrinkFor(widths: readonly number[]): number {
  let shrink = 1;
  while (Math.min(...widths) / (shrink * 2) >= 2 * PLATE_WIDTH && shrink < 8) shrink *= 2;
  return shrink;
}

function fit(side: number, scale: number): number {
  return Math.max(1, Math.round(side * scale));
}

/** Where tiles begin so that they cover a side. */
function starts(side: number, tile: number): number[] {
  if (side <= tile) return [0];
  const count = Math.ceil((side - tile * TILE_OVERLAP) / (tile * (1 - TILE_OVERLAP)));
  return Array.from({ length: count }, (_, index) => Math.round(((side - tile) * index) / (count - 1)));
}

function union(regions: readonly Region[]): Region {
  const left = Math.min(...regions.map((region) => region.left));
  const top = Math.min(...regions.map((region) => region.top));
  const right = Math.max(...regions.map((region) => region.left + region.width));
  const bottom = Math.max(...regions.map((region) => region.top + region.height));
  return { left, top, width: right - left, height: bottom - top };
}

function inside(size: { readonly width: number; readonly height: number }, wanted: Region): Region {
  const left = Math.min(size.width - 2, Math.max(0, Math.round(wanted.left)));
  const top = Math.min(size.height - 2, Math.max(0, Math.round(wanted.top)));
  const right = Math.min(size.width, Math.max(left + 2, Math.round(wanted.left + wanted.width)));
  const bottom = Math.min(size.height, Math.max(top + 2, Math.round(wanted.top + wanted.height)));
  return { left, top, width: right - left, height: bottom - top };
}

function cut({ data, width }: Pixels, region: Region): Pixels {
  const part = new Uint8Array(region.width * region.height * 3);
  for (let y = 0; y < region.height; y++) {
    const from = ((region.top + y) * width + region.left) * 3;
    part.set(data.subarray(from, from + region.width * 3), y * region.width * 3);
  }
  return { data: part, width: region.width, height: region.height };
}

/** Averages of two by two pixels. */
function halved({ data, width, height }: Pixels): Pixels {
  const [w, h] = [Math.max(1, width >> 1), Math.max(1, height >> 1)];
  const half = new Uint8Array(w * h * 3);
  for (let y = 0; y < h; y++) {
    for (let i = 0; i < w * 3; i++) {
      const from = 2 * y * width * 3 + 2 * (i - (i % 3)) + (i % 3);
      half[y * w * 3 + i] = ((data[from] ?? 0) + (data[from + 3] ?? 0) + (data[from + width * 3] ?? 0) + (data[from + width * 3 + 3] ?? 0)) >> 2;
    }
  }
  return { data: half, width: w, height: h };
}

/** Bilinear; close-ups are enlarged or shrunk by less than two. */
function resized(from: Pixels, width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const sy = Math.min(from.height - 1, Math.max(0, ((y + 0.5) * from.height) / height - 0.5));
    const y0 = Math.floor(sy);
    const y1 = Math.min(y0 + 1, from.height - 1);
    for (let x = 0; x < width; x++) {
      const sx = Math.min(from.width - 1, Math.max(0, ((x + 0.5) * from.width) / width - 0.5));
      const x0 = Math.floor(sx);
      const x1 = Math.min(x0 + 1, from.width - 1);
      for (let c = 0; c < 3; c++) {
        const at = (px: number, py: number): number => from.data[(py * from.width + px) * 3 + c] ?? 0;
        const upper = at(x0, y0) * (1 - sx + x0) + at(x1, y0) * (sx - x0);
        const lower = at(x0, y1) * (1 - sx + x0) + at(x1, y1) * (sx - x0);
        data[(y * width + x) * 3 + c] = Math.round(upper * (1 - sy + y0) + lower * (sy - y0));
      }
    }
  }
  return { data, width, height };
}
