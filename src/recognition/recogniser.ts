/**
 * Reads bursts of frames: a bounded queue before one worker thread that detects and reads plates, then the vote of the frames.
 * In: bursts (JPEG bytes). Out: vehicles with their plates, or the reason why there is none. Rejects for nothing that a
 * camera can send. It must not know cameras, rules, storage or what is done with a reading.
 */
import { availableParallelism } from "node:os";
import type { Burst, BurstReading, Sighting, UnrecognisedReason } from "../domain/plates/reading.js";
import { vote } from "../domain/plates/vote.js";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import type { Service } from "../kernel/service.js";
import type { WorkerAnswer } from "./messages.js";
import { modelsStamp } from "./models.js";
import { RecogniserThread } from "./recogniser-thread.js";

/** What a {@link Recogniser} needs. */
export interface RecogniserOptions {
  /** False: every burst is unrecognised, `no_recogniser`. */
  readonly enabled: boolean;
  readonly modelsFolder: string;
  /** Inference threads; 0 = chosen for the machine. */
  readonly threads: number;
  /** Time that one burst may take once its turn has come. */
  readonly budgetMs: number;
  /** Bursts that may wait with all their frames; past it they lose their oldest frames, but never the last one. */
  readonly queuedBursts: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What the recogniser did since start. */
export interface RecogniserFigures {
  readonly bursts: number;
  readonly frames: number;
  readonly framesDropped: number;
  readonly badFrames: number;
  readonly timeouts: number;
  readonly threadStarts: number;
  readonly waitingBursts: number;
  readonly waitingFrames: number;
  /** Milliseconds of the latest frame: decoding, detecting, all. */
  readonly decodeMs: number;
  readonly detectMs: number;
  readonly frameMs: number;
  readonly burstMs: number;
}

interface Waiting {
  /** Frames that are still to be read, with their places in the burst. */
  readonly frames: { readonly index: number; readonly jpeg: Uint8Array }[];
  readonly resolve: (reading: BurstReading) => void;
}

/** Frames of a burst of ordinary length, for the size of the queue. */
const FRAMES_PER_BURST = 6;
/** Closer looks per burst at frames that show no plate. */
const SECOND_LOOKS = 2;
/** Pictures to keep (domain §7.9). */
const IMAGE_WIDTH = 1280;
const IMAGE_QUALITY = 80;

/** The number plate recogniser. */
export class Recogniser implements Service {
  readonly name = "recogniser";
  readonly #options: RecogniserOptions;
  readonly #thread: RecogniserThread;
  readonly #queue: Waiting[] = [];
  #isWorking = false;
  #isStopped = false;
  #trouble: string | null = null;
  #hasModels = false;
  #figures = { bursts: 0, frames: 0, framesDropped: 0, badFrames: 0, timeouts: 0, decodeMs: 0, detectMs: 0, frameMs: 0, burstMs: 0 };

  constructor(options: RecogniserOptions) {
    this.#options = options;
    this.#thread = new RecogniserThread({ modelsFolder: options.modelsFolder, threads: options.threads || threadsFor(availableParallelism()) }, options.logger);
  }

  /** Looks whether there are models; they are loaded with the first picture. */
  async start(): Promise<void> {
    // onnxruntime sends telemetry unless this is set in the process, not only in the thread, before the library is loaded
    process.env.ORT_DISABLE_TELEMETRY = "1";
    this.#isStopped = false;
    this.#hasModels = (await modelsStamp(this.#options.modelsFolder)) !== null;
  }

  /** Ends the thread. Bursts that wait are answered `provider_error`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const waiting of this.#queue.splice(0)) waiting.resolve(nothing("provider_error", 0, 0));
    await this.#thread.close();
  }

  /** Whether plates can be read, in plain words. */
  state(): { readonly ready: boolean; readonly text: string } {
    if (!this.#options.enabled) return { ready: false, text: "Reading plates is switched off." };
    if (this.#trouble !== null) return { ready: false, text: `Plates are not read: ${this.#trouble}.` };
    if (!this.#hasModels) return { ready: false, text: "Plates are not read: there are no models." };
    return { ready: true, text: "Plates are read." };
  }

  /** For metrics and the console. */
  figures(): RecogniserFigures {
    const waitingFrames = this.#queue.reduce((sum, { frames }) => sum + frames.length, 0);
    return { ...this.#figures, threadStarts: this.#thread.starts, waitingBursts: this.#queue.length, waitingFrames };
  }

  /** Reads one burst. Resolves in order of arrival; never rejects. */
  async read(burst: Pick<Burst, "frames">): Promise<BurstReading> {
    if (this.#isStopped) return nothing("provider_error", 0, 0);
    if (!this.#options.enabled) return nothing("no_recogniser", 0, 0);
    return new Promise((resolve) => {
      this.#queue.push({ frames: burst.frames.map((jpeg, index) => ({ index, jpeg })), resolve });
      this.#makeRoom();
      if (!this.#isWorking) void this.#work();
    });
  }

  /** A frame as the JPEG that is kept with a read; null when it cannot be decoded. */
  async encodeImage(frame: Uint8Array): Promise<Uint8Array | null> {
    const answer = await this.#ask({ kind: "image", jpeg: frame, maxWidth: IMAGE_WIDTH, quality: IMAGE_QUALITY }, this.#options.budgetMs);
    return answer?.kind === "image" ? answer.jpeg : null;
  }

  /** Back-pressure: the longest waiting burst gives up its oldest frame, until all fit or each has one left. */
  #makeRoom(): void {
    const most = this.#options.queuedBursts * FRAMES_PER_BURST;
    let total = this.#queue.reduce((sum, { frames }) => sum + frames.length, 0);
    while (total > most) {
      const largest = this.#queue.reduce((a, b) => (b.frames.length > a.frames.length ? b : a));
      if (largest.frames.length <= 1) return;
      largest.frames.shift();
      this.#figures.framesDropped += 1;
      total -= 1;
    }
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let waiting = this.#queue.shift(); waiting !== undefined; waiting = this.#queue.shift()) {
      const started = this.#options.clock.mono();
      let reading: BurstReading;
      try {
        reading = await this.#readBurst(waiting.frames, started);
      } catch (error) {
        this.#options.logger.error({ err: error }, "a burst could not be read");
        reading = nothing("provider_error", 0, this.#options.clock.mono() - started);
      }
      this.#figures.bursts += 1;
      this.#figures.burstMs = reading.tookMs;
      waiting.resolve(reading);
    }
    this.#isWorking = false;
  }

  async #readBurst(frames: Waiting["frames"], started: number): Promise<BurstReading> {
    if (frames.length === 0) return nothing("provider_error", 0, 0); // the camera gave nothing
    const { clock, budgetMs } = this.#options;
    const sightings: Sighting[] = [];
    let [samples, looks] = [0, SECOND_LOOKS];
    let failure: UnrecognisedReason | null = null;
    for (const { index, jpeg } of frames) {
      const left = started + budgetMs - clock.mono();
      if (left <= 0) {
        failure = "timeout";
        break;
      }
      const answer = await this.#ask({ kind: "frame", jpeg, lookAgain: looks > 0 && sightings.length === 0 }, left);
      if (answer === null) failure = this.#options.clock.mono() - started >= budgetMs ? "timeout" : "provider_error";
      else if (answer.kind === "error") failure = this.#reasonFor(answer);
      else if (answer.kind === "frame") {
        samples += 1;
        if (answer.sightings.length === 0) looks -= 1;
        for (const sighting of answer.sightings) sightings.push({ ...sighting, frame: index });
        this.#noteFrame(answer);
      }
      if (answer === null || failure === "no_recogniser") break;
    }
    if (failure === "timeout") this.#figures.timeouts += 1;
    return conclude(sightings, samples, failure, this.#options.clock.mono() - started);
  }

  /** One answer of the thread; null when it died or was ended because it took longer than `limitMs`. */
  async #ask(task: Parameters<RecogniserThread["run"]>[0], limitMs: number): Promise<WorkerAnswer | null> {
    const late = Symbol("late");
    let stopTimer = (): void => undefined;
    const limit = new Promise<typeof late>((resolve) => {
      const timer = setTimeout(() => resolve(late), limitMs + GRACE_MS); // real time: it guards against a thread that hangs
      stopTimer = () => clearTimeout(timer);
    });
    try {
      const answer = await Promise.race([this.#thread.run(task), limit]);
      if (answer !== late) return answer;
      this.#options.logger.warn({ limitMs }, "the recogniser's thread hangs and is replaced");
      await this.#thread.close();
      return null;
    } catch (error) {
      this.#options.logger.warn({ err: error }, "the recogniser's thread was lost");
      return null;
    } finally {
      stopTimer();
    }
  }

  #reasonFor(answer: WorkerAnswer & { readonly kind: "error" }): UnrecognisedReason {
    if (answer.code === "no_models") {
      if (this.#trouble !== answer.message) this.#options.logger.warn({ reason: answer.message }, "plates are not read");
      this.#trouble = answer.message;
      return "no_recogniser";
    }
    this.#figures.badFrames += 1;
    this.#options.logger.debug({ reason: answer.message }, "a frame could not be read");
    return "provider_error";
  }

  #noteFrame({ timings }: WorkerAnswer & { readonly kind: "frame" }): void {
    this.#trouble = null;
    this.#hasModels = true;
    const { decodeMs, detectMs, totalMs } = timings;
    this.#figures = { ...this.#figures, frames: this.#figures.frames + 1, decodeMs, detectMs, frameMs: totalMs };
  }
}

/** How much longer than the budget a frame may take before its thread is taken for dead. */
const GRACE_MS = 1_000;

/** What was seen decides; what failed is the reason only where nothing was read. */
function conclude(sightings: readonly Sighting[], samples: number, failure: UnrecognisedReason | null, tookMs: number): BurstReading {
  const { vehicles, unread } = vote(sightings);
  if (vehicles.length > 0) return { samples, vehicles, reason: null, unread, tookMs };
  if (failure !== null && (samples === 0 || failure === "timeout")) return { ...nothing(failure, samples, tookMs), unread };
  return { ...nothing(unread.length === 0 ? "no_plate" : "invalid_format", samples, tookMs), unread };
}

function nothing(reason: UnrecognisedReason, samples: number, tookMs: number): BurstReading {
  return { samples, vehicles: [], reason, unread: [], tookMs };
}

/** One core stays free for the broker and the API; more than four make small networks no faster. */
export function threadsFor(cores: number): number {
  return Math.max(1, Math.min(4, cores - 1));
}
