import type { Countries } from "../../core/plates/countries.ts";
import type { BurstReading, Sighting, UnrecognisedReason } from "../../core/plates/reading.ts";
import { vote } from "../../core/plates/vote.ts";
import type { LookOptions } from "./frame-reader.ts";
import type { WorkerAnswer } from "./messages.ts";

/** A frame with its place in the burst. */
export interface WaitingFrame {
  readonly index: number;
  readonly jpeg: Uint8Array;
}

/** The thread's answer about a frame that it could read. */
type FrameAnswer = WorkerAnswer & { readonly kind: "frame" };

/** Frames of a burst that are searched in tiles because nothing is recognised in them. */
const TILED_FRAMES = 2;
/** Frames of a burst whose doubtful plates are looked at again: further ones tell the vote little that is new. */
const AGAIN_FRAMES = 4;

/**
 * One burst on its way through the recogniser: waiting frames, what was seen so far, and the time used. Knows no
 * thread.
 */
export class OpenBurst {
  readonly #budgetMs: number;
  readonly #countries: Countries;
  readonly #waiting: WaitingFrame[] = [];
  readonly #places = new Set<number>();
  #sightings: Sighting[] = [];
  readonly #read = new Set<number>();
  #tiled = 0;
  #again = 0;
  #usedMs = 0;
  #failure: UnrecognisedReason | null = null;
  #isOver = false;
  #readMono: number | null = null;
  /** The frame that the thread is working on. */
  #under: WaitingFrame | null = null;
  #finished: { readonly mono: number; readonly resolve: (reading: BurstReading) => void } | null = null;

  constructor(budgetMs: number, countries: Countries) {
    this.#budgetMs = budgetMs;
    this.#countries = countries;
  }

  /** Frames that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Bytes of the frames that wait. */
  get waitingBytes(): number {
    return this.#waiting.reduce((sum, { jpeg }) => sum + jpeg.length, 0);
  }

  /** When it was finished; null while frames may come. */
  get finishedMono(): number | null {
    return this.#finished?.mono ?? null;
  }

  /** Whether a frame may be given up: the last one of a burst that has seen nothing yet may not. */
  get canSpare(): boolean {
    return this.#waiting.length > 1 || (this.#waiting.length === 1 && (this.#read.size > 0 || this.#under !== null));
  }

  /** Why no plate was read so far; null while there is no reason. */
  get failure(): UnrecognisedReason | null {
    return this.#failure;
  }

  /** Takes a frame, replacing an earlier one at its position with what that showed. */
  add(index: number, jpeg: Uint8Array): void {
    if (this.#finished !== null || this.#isOver) return;
    this.#places.add(index);
    this.#read.delete(index);
    this.#sightings = this.#sightings.filter((sighting) => sighting.frame !== index);
    const at = this.#waiting.findIndex((frame) => frame.index === index);
    if (at < 0) this.#waiting.push({ index, jpeg });
    else this.#waiting[at] = { index, jpeg };
  }

  /** Gives up the oldest frame that waits. */
  spare(): void {
    this.#waiting.shift();
  }

  /** The next frame to read, and how: null when none is waiting or the time is used up. */
  next(): { readonly frame: WaitingFrame; readonly look: LookOptions; readonly leftMs: number } | null {
    const leftMs = this.#budgetMs - this.#usedMs;
    if (leftMs <= 0 && this.#waiting.length > 0) this.fail("timeout");
    const frame = this.#waiting.shift();
    if (frame === undefined) return null;
    this.#under = frame;
    const isRead = this.#sightings.some(({ analysis }) => analysis.plate !== null);
    return { frame, look: { tiles: this.#tiled < TILED_FRAMES && !isRead, again: this.#again < AGAIN_FRAMES }, leftMs };
  }

  /** Notes what a frame showed and when its inference ended. */
  note(frame: WaitingFrame, answer: FrameAnswer, readMono: number): void {
    if (answer.sightings.every(({ analysis }) => analysis.plate === null)) this.#tiled += 1;
    if (answer.sightings.some(({ views }) => views.length > 2)) this.#again += 1;
    this.#readMono = readMono;
    // replaced while it was being read
    if (this.#under !== frame || this.#waiting.some(({ index }) => index === frame.index)) return;
    this.#read.add(frame.index);
    for (const sighting of answer.sightings) this.#sightings.push({ ...sighting, frame: frame.index });
  }

  /** Nothing more of this burst is read. */
  fail(reason: UnrecognisedReason): void {
    this.#failure = reason;
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  /** One frame could not be read; the others may be. */
  failFrame(reason: UnrecognisedReason): void {
    this.#failure = reason;
  }

  /** The frame is done, successfully or not, and took this long. */
  settle(tookMs: number): void {
    this.#under = null;
    this.#usedMs += tookMs;
  }

  /** No more frames come. `resolve` is called by {@link conclude}. */
  finish(mono: number, resolve: (reading: BurstReading) => void): void {
    this.#finished ??= { mono, resolve };
  }

  /** Gives the reading to those that wait for it, once nothing waits or is being read. True when it did. */
  conclude(): BurstReading | null {
    if (this.#finished === null || this.#under !== null || this.#waiting.length > 0) return null;
    const reading = this.#reading(this.#finished.mono);
    this.#finished.resolve(reading);
    return reading;
  }

  /** What was seen decides; a failure is the reason only where nothing was read. */
  #reading(finishedMono: number): BurstReading {
    const order = new Map([...this.#places].sort((a, b) => a - b).map((place, index) => [place, index]));
    const sightings = this.#sightings.map((sighting) => ({ ...sighting, frame: order.get(sighting.frame) ?? 0 }));
    const { vehicles, unread } = vote(sightings, this.#countries);
    const [samples, tookMs, failure] = [this.#read.size, this.#usedMs, this.#failure];
    const readyMono = Math.max(finishedMono, this.#readMono ?? finishedMono);
    if (vehicles.length > 0) return { samples, vehicles, reason: null, unread, tookMs, readyMono };
    // the camera delivered nothing
    if (this.#places.size === 0) return { ...nothing("provider_error", 0, tookMs), readyMono };
    if (failure !== null && (samples === 0 || failure === "timeout"))
      return { ...nothing(failure, samples, tookMs), unread, readyMono };
    return { ...nothing(unread.length === 0 ? "no_plate" : "invalid_format", samples, tookMs), unread, readyMono };
  }
}

/** A reading without a vehicle. */
export function nothing(reason: UnrecognisedReason, samples: number, tookMs: number): BurstReading {
  return { samples, vehicles: [], reason, unread: [], tookMs };
}
