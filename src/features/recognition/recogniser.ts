/**
 * Reads bursts of frames: a bounded queue, shared fairly by those who send, before one worker thread that detects and
 * reads plates, then the vote of the frames. In: bursts (JPEG bytes), whole or frame by frame. Out: vehicles with their plates, or the reason why there is
 * none. Never rejects, whatever a camera sends. It must not know cameras, rules, storage or what is done with a
 * reading.
 */
import { availableParallelism } from "node:os";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { moduleTrouble } from "../../core/kernel/native-modules.ts";
import type { Service } from "../../core/kernel/service.ts";
import { Countries } from "../../core/plates/countries.ts";
import type { Burst, BurstReading, PicturePart, UnrecognisedReason } from "../../core/plates/reading.ts";
import type { Detail } from "../../core/text/keys.ts";
import { EMPTY_PICTURE } from "./empty-picture.ts";
import type { WorkerAnswer } from "./messages.ts";
import { modelsStamp } from "./models.ts";
import { nothing, OpenBurst } from "./open-burst.ts";
import type { PresentedAnswer, PresentedTask } from "./presented-task.ts";
import { RecogniserThread } from "./recogniser-thread.ts";
import { NO_SENDER, NOT_LOOKED_AT, type PictureSender, Turns, type WaitingImage, type WaitingPlates } from "./turns.ts";

/** What the recogniser has done since the start. */
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

/** A burst whose frames come one after another, each read as soon as the thread is free. */
export interface FrameByFrame {
  /** Takes the frame at position `index` of the burst, replacing an earlier one. */
  add(index: number, jpeg: Uint8Array): void;
  /**
   * No more frames will come. Resolves with what they show, numbered from 0 in the order of their positions; never
   * rejects.
   */
  finish(): Promise<BurstReading>;
  /** The frames are no longer wanted. */
  drop(): void;
}

/** Frames of a burst of ordinary length, for the size of the queue. */
const FRAMES_PER_BURST = 6;
/** How long the models may take to load and to read an empty picture. */
const PREPARE_MS = 30_000;
/** How long the pixels of a burst's plates may take, all together: a few milliseconds are usual. */
const LOOK_MS = 2_000;
/** Bytes of frames that wait. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024;
/** Pictures to keep (docs/spec/domain.md §7.9). */
const IMAGE_WIDTH = 1280;
const IMAGE_QUALITY = 80;
/** A picture that is made small is for a first look. */
const SMALL_QUALITY = 60;

/** The number plate recogniser. */
export class Recogniser implements Service {
  readonly name = "recogniser";
  readonly #options: ConstructorParameters<typeof Recogniser>[0];
  readonly #thread: RecogniserThread;
  readonly #countries: Countries;
  readonly #turns: Turns;
  #isWorking = false;
  #isStopped = false;
  #trouble: string | null = null;
  #hasModels = false;
  #figures = {
    bursts: 0,
    frames: 0,
    framesDropped: 0,
    badFrames: 0,
    timeouts: 0,
    decodeMs: 0,
    detectMs: 0,
    frameMs: 0,
    burstMs: 0,
  };

  constructor(options: {
    /** False: every burst is unrecognised, `no_recogniser`. */
    readonly enabled: boolean;
    readonly modelsFolder: string;
    /** Inference threads; 0 = chosen for the machine. */
    readonly threads: number;
    /** Time that one burst may take once its turn has come. */
    readonly budgetMs: number;
    /**
     * Bursts that may wait with all their frames; beyond that the sender with most loses its oldest frames, but never the
     * last one of a burst.
     */
    readonly queuedBursts: number;
    /** Whether a second reader looks at doubtful plates, where its model is there; default true. */
    readonly secondReader?: boolean;
    /** Codes of the countries whose plates are seen besides India's; none: all known ones. */
    readonly countries?: readonly string[];
    readonly clock: Clock;
    readonly logger: Logger;
    /** The worker thread's program instead of the real one, for tests of what happens when it fails. */
    readonly program?: URL;
  }) {
    this.#options = options;
    const { modelsFolder, threads, secondReader = true, countries = [], logger, program } = options;
    this.#countries = new Countries(countries);
    this.#turns = new Turns(
      { frames: options.queuedBursts * FRAMES_PER_BURST, bytes: MOST_WAITING_BYTES },
      options.clock,
    );
    this.#thread = new RecogniserThread(
      { modelsFolder, threads: threads || threadsFor(availableParallelism()), secondReader, countries },
      logger,
      program,
    );
  }

  /** Checks whether there are models; they are loaded with the first picture. */
  async start(): Promise<void> {
    // onnxruntime sends telemetry unless this is set in the process, not only in the thread, before the library is
    // loaded
    process.env.ORT_DISABLE_TELEMETRY = "1";
    this.#isStopped = false;
    this.#hasModels = (await modelsStamp(this.#options.modelsFolder)) !== null;
  }

  /** Ends the thread. Waiting bursts are answered `provider_error`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const burst of this.#turns.bursts) {
      burst.fail("provider_error");
      this.#concludeIfDone(burst);
    }
    this.#turns.drop();
    await this.#thread.close();
  }

  /** See {@link RecogniserThread.ended}. */
  ended(limitMs: number): Promise<void> {
    return this.#thread.ended(limitMs);
  }

  /** Whether what is being read now was cut short. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Threads that have not ended, also because they hang: `process.exit` would wait for them, and abort. */
  get threadsLeft(): number {
    return this.#thread.alive;
  }

  /** Whether plates can be read. */
  state(): { readonly ready: boolean; readonly words: Detail } {
    if (!this.#options.enabled) return { ready: false, words: { code: "recogniser.off" } };
    const lacks = this.#lacks();
    if (lacks !== null) return { ready: false, words: { code: "recogniser.trouble", why: lacks } };
    if (this.#trouble !== null) return { ready: false, words: { code: "recogniser.trouble", why: this.#trouble } };
    if (!this.#hasModels) return { ready: false, words: { code: "recogniser.noModels" } };
    return { ready: true, words: { code: "recogniser.ready" } };
  }

  /** For metrics and the console. */
  figures(): RecogniserFigures {
    const { bursts, frames } = this.#turns.waiting;
    return { ...this.#figures, threadStarts: this.#thread.starts, waitingBursts: bursts, waitingFrames: frames };
  }

  /** Reads a whole burst; never rejects. */
  read(burst: Pick<Burst, "frames">, sender: PictureSender = NO_SENDER): Promise<BurstReading> {
    const open = this.open(sender);
    for (const [index, jpeg] of burst.frames.entries()) open.add(index, jpeg);
    return open.finish();
  }

  /** Opens a burst whose frames are still coming. Each must be finished or dropped. */
  open(sender: PictureSender = NO_SENDER): FrameByFrame {
    if (this.#isStopped) return unread("provider_error");
    if (!this.#options.enabled || this.#lacks() !== null) return unread("no_recogniser");
    const burst = new OpenBurst(this.#options.budgetMs, this.#countries);
    this.#turns.open(burst, sender);
    return {
      add: (index, jpeg) => {
        burst.add(index, jpeg);
        this.#figures.framesDropped += this.#turns.makeRoom();
        void this.#work();
      },
      finish: () =>
        new Promise((resolve) => {
          burst.finish(this.#options.clock.mono(), resolve);
          this.#concludeIfDone(burst);
        }),
      drop: () => {
        burst.fail("provider_error");
        this.#turns.close(burst);
      },
    };
  }

  /**
   * A frame, or a part of it, as the JPEG that is kept with a read; null when it cannot be decoded.
   * @param width pixels; given, it is made small
   */
  encodeImage(
    jpeg: Uint8Array,
    sender: PictureSender = NO_SENDER,
    part: PicturePart | null = null,
    width: number | null = null,
  ): Promise<Uint8Array | null> {
    if (this.#isStopped || this.#lacks() !== null) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#turns.addImage({ sender, jpeg, part, width, sinceMono: this.#options.clock.mono(), resolve });
      void this.#work();
    });
  }

  /**
   * What the pixels of a burst's listed plates say of how each comes to the camera, in their order; none if they could
   * not be looked at in time. Never rejects.
   */
  presented(tasks: readonly PresentedTask[], sender: PictureSender): Promise<readonly PresentedAnswer[]> {
    if (this.#isStopped || !this.#options.enabled || this.#lacks() !== null) return Promise.resolve(NOT_LOOKED_AT);
    return new Promise((resolve) => {
      this.#turns.addPlates({ sender, tasks, resolve });
      void this.#work();
    });
  }

  /**
   * Loads the models and reads an empty picture, so that the first car does not wait for that. Does nothing while
   * something is being read; never rejects.
   */
  async prepare(): Promise<void> {
    if (this.#isWorking || this.#isStopped || !this.#options.enabled || !this.#hasModels || this.#lacks() !== null)
      return;
    this.#isWorking = true;
    await this.#load();
    this.#isWorking = false;
    void this.#work();
  }

  /**
   * Has a new thread load the models and read an empty picture, ahead of the work whose time is limited: no burst is
   * late because that takes long.
   */
  async #load(): Promise<void> {
    if (this.#thread.knowsModels) return;
    const picture = { kind: "frame", jpeg: EMPTY_PICTURE, look: { tiles: false, again: false } } as const;
    const answer = await this.#ask(picture, PREPARE_MS);
    if (answer?.kind === "error" && answer.code === "no_models") this.#noteTrouble(answer.message);
  }

  /** What the thread cannot be started without, and is not there: a library that was cut off ends the whole process. */
  #lacks(): string | null {
    for (const name of ["sharp", "onnxruntime-node"] as const) {
      const trouble = moduleTrouble(name);
      if (trouble !== null) return `${name} cannot be loaded (${trouble})`;
    }
    return null;
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    const { clock } = this.#options;
    for (let turn = this.#turns.next(); turn !== null; turn = this.#turns.next()) {
      const began = clock.mono();
      if (turn.kind === "presented") await this.#lookAt(turn.plates);
      else if (turn.kind === "image") await this.#encode(turn.image);
      else await this.#readNext(turn.burst, turn.sender);
      this.#turns.charge(turn.sender, clock.mono() - began);
    }
    this.#isWorking = false;
  }

  async #encode({ jpeg, part, width, resolve }: WaitingImage): Promise<void> {
    const quality = width === null ? IMAGE_QUALITY : SMALL_QUALITY;
    const task = { kind: "image", jpeg, part, maxWidth: width ?? IMAGE_WIDTH, quality } as const;
    const answer = await this.#ask(task, this.#options.budgetMs);
    resolve(answer?.kind === "image" ? answer.jpeg : null);
  }

  async #lookAt({ tasks, resolve }: WaitingPlates): Promise<void> {
    await this.#load();
    const answer = await this.#ask({ kind: "presented", tasks }, LOOK_MS);
    resolve(answer?.kind === "presented" ? answer.answers : NOT_LOOKED_AT);
  }

  async #readNext(burst: OpenBurst, sender: PictureSender): Promise<void> {
    try {
      await this.#readFrame(burst, sender);
    } catch (error) {
      this.#options.logger.error({ err: error }, "a burst could not be read");
      burst.fail("provider_error");
      burst.settle(0);
    }
    this.#concludeIfDone(burst);
  }

  #concludeIfDone(burst: OpenBurst): void {
    const reading = burst.conclude();
    if (reading === null) return;
    this.#turns.close(burst);
    this.#figures.bursts += 1;
    this.#figures.burstMs = reading.tookMs;
    if (burst.failure === "timeout") this.#figures.timeouts += 1;
  }

  async #readFrame(burst: OpenBurst, sender: PictureSender): Promise<void> {
    const next = burst.next();
    if (next === null) return;
    const { frame, leftMs } = next;
    const look = { ...next.look, keepPixels: sender.keepsPixels };
    await this.#load();
    const { clock } = this.#options;
    const started = clock.mono();
    const answer = await this.#ask({ kind: "frame", jpeg: frame.jpeg, look }, leftMs);
    if (answer === null) burst.fail(clock.mono() - started >= leftMs ? "timeout" : "provider_error");
    else if (answer.kind === "error") {
      const reason = this.#reasonFor(answer);
      if (reason === "no_recogniser") burst.fail(reason);
      else burst.failFrame(reason);
    } else if (answer.kind === "frame") {
      burst.note(
        frame,
        answer,
        clock.mono() - Math.max(0, performance.timeOrigin + performance.now() - answer.endedAt),
      );
      this.#noteFrame(answer);
    }
    burst.settle(clock.mono() - started);
  }

  /**
   * One answer of the thread; null when it died or took longer than `limitMs`. A slow frame is waited for before the
   * next one is handed over.
   */
  async #ask(task: Parameters<RecogniserThread["run"]>[0], limitMs: number): Promise<WorkerAnswer | null> {
    const late = Symbol("late");
    let stopTimer = (): void => undefined;
    const limit = new Promise<typeof late>((resolve) => {
      // real time: it guards against a thread that hangs
      const timer = setTimeout(() => resolve(late), limitMs + GRACE_MS);
      stopTimer = () => clearTimeout(timer);
    });
    try {
      if ((await Promise.race([this.#thread.settled(), limit])) !== late) {
        if (this.#isStopped) return null; // no thread is started any more
        const answer = await Promise.race([this.#thread.run(task), limit]);
        if (answer !== late) return answer;
      }
      this.#noteLate(limitMs);
      return null;
    } catch (error) {
      this.#options.logger.warn({ err: error }, "the recogniser's thread was lost");
      this.#trouble = error instanceof Error ? error.message : String(error);
      return null;
    } finally {
      stopTimer();
    }
  }

  #noteLate(limitMs: number): void {
    const { busyMs } = this.#thread;
    this.#options.logger.warn({ limitMs, busyMs: Math.round(busyMs) }, "the recogniser takes too long");
    if (busyMs < HANG_MS) return;
    this.#options.logger.error({ busyMs: Math.round(busyMs) }, "the recogniser's thread hangs and is replaced");
    this.#thread.abandon();
  }

  #reasonFor(answer: WorkerAnswer & { readonly kind: "error" }): UnrecognisedReason {
    if (answer.code === "no_models") {
      this.#noteTrouble(answer.message);
      return "no_recogniser";
    }
    this.#figures.badFrames += 1;
    this.#options.logger.debug({ reason: answer.message }, "a frame could not be read");
    return "provider_error";
  }

  #noteTrouble(reason: string): void {
    if (this.#trouble !== reason) this.#options.logger.warn({ reason }, "plates are not read");
    this.#trouble = reason;
  }

  #noteFrame({ timings }: WorkerAnswer & { readonly kind: "frame" }): void {
    this.#trouble = null;
    this.#hasModels = true;
    const { decodeMs, detectMs, totalMs } = timings;
    this.#figures = { ...this.#figures, frames: this.#figures.frames + 1, decodeMs, detectMs, frameMs: totalMs };
  }
}

/**
 * A thread that works on one frame for this long does not come back: on the slowest box a frame takes a second or two.
 */
const HANG_MS = 60_000;
/** How much longer than the budget a frame may take before its thread is considered dead. */
const GRACE_MS = 1_000;

/** A burst that nobody will read. */
function unread(reason: UnrecognisedReason): FrameByFrame {
  return { add: () => undefined, finish: () => Promise.resolve(nothing(reason, 0, 0)), drop: () => undefined };
}

/** One core stays free for the broker and the API; more than four make small networks no faster. */
export function threadsFor(cores: number): number {
  return Math.max(1, Math.min(4, cores - 1));
}
