/**
 * Assembles bursts from frames that arrive one by one, and hands them on until somebody has stored them. In: frames and
 * closings (native MQTT, HTTP push, the hub's own sources). Out: bursts, each delivered until it is taken. Keeps what
 * it has acknowledged in the spool. It must not know how plates are read or what is decided.
 */
import { OPENS_NEVER, opensUntil, plausibleTime } from "../domain/plates/freshness.js";
import { type Burst, type BurstReading, type Direction, TRIGGERS, type Trigger } from "../domain/plates/reading.js";
import type { Clock, Timer } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Service } from "../kernel/service.js";
import type { FrameReading } from "./frame-reading.js";
import { digestOf, HeldFrames } from "./held-frames.js";
import { captureFolder, captureIdOf, type Spool } from "./spool.js";

/** A burst on its way to whoever stores it. */
export interface Delivery {
  /** Its frames are there until it is taken; after that their memory is reused. */
  readonly burst: Burst;
  /** Name of the capture; null where nobody can repeat it. */
  readonly captureKey: string | null;
  /** Monotonic time until which it may open a gate; see `domain/plates/freshness.ts`. */
  readonly opensUntilMono: number;
  /** What its frames show, if they were read as they came; null: nobody has looked yet. */
  readonly reading: Promise<BurstReading> | null;
}

/** What closes a capture; `at` is the sender's own time, epoch ms. */
export interface Closing {
  readonly trigger: string;
  /** Frames that the sender says it sent; null when it does not say. */
  readonly frames: number | null;
  readonly at: number | null;
  readonly direction: Direction | null;
}

/** What {@link Captures} needs. */
export interface CapturesOptions {
  readonly spool: Spool;
  /** Starts to read a burst of this device; null when its frames are not to be read as they come. */
  readonly openReading: (deviceId: string) => FrameReading | null;
  /** Resolves with the ids of the reads once the burst is stored; rejects when it cannot be stored now. */
  readonly deliver: (delivery: Delivery) => Promise<readonly number[]>;
  /** Whether a capture of this name was stored recently. */
  readonly isKnown: (deviceId: string, captureKey: string) => boolean;
  /** A capture id where the sender's own is no positive integer. */
  readonly nextCaptureId: () => number;
  readonly maxFrameBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Frames of one burst (docs/spec/domain.md §7.1). */
export const MAX_FRAMES = 12;
/** Captures of one device that may be open at once; the oldest is closed as it is. */
const MAX_OPEN = 4;
/** A capture whose sender falls silent is closed as it is. */
const SILENCE_MS = 10_000;
/** How long a closed capture waits for frames that were announced and have not come. */
const MISSING_MS = 1_500;
/** Frames and captures waiting for the recogniser, over all cameras. */
const MAX_WAITING = 200;
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;
/** A closing that comes again within this time is a repetition. */
const REPEAT_MS = 60_000;
/** A capture whose acknowledgement failed comes again, maybe much later: the gate was decided with the first one. */
const UNSTORED_MS = 3_600_000;
const MAX_REMEMBERED = 1_000;
/** Frames held in memory over all captures; the others are read from the spool again. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;

interface Open {
  readonly deviceId: string;
  readonly captureId: string;
  readonly name: string;
  /** Positions of the frames that have arrived. */
  readonly frames: Set<number>;
  readonly held: HeldFrames;
  /** Writes that are not on disk yet. */
  readonly writing: Set<Promise<unknown>>;
  reading: FrameReading | null;
  closing: Closing | null;
  opensUntilMono: number;
  timer: Timer | null;
  /** When its first frame came, by both readings of the clock. */
  readonly began: { readonly mono: number; readonly wall: number };
  lastFrameMono: number;
}

/** Captures of all cameras, from their first frame to their read. */
export class Captures implements Service {
  readonly name = "captures";
  readonly #options: CapturesOptions;
  readonly #open = new Map<string, Open>();
  readonly #delivering = new Set<Promise<unknown>>();
  readonly #retries = new Set<Timer>();
  /** Monotonic times at which captures were recently closed. */
  readonly #finished = new Map<string, number>();
  /** Monotonic times of captures that were decided, or began to be, and could not be acknowledged. */
  readonly #unstored = new Map<string, number>();
  readonly #memory = { heldBytes: 0, mostBytes: MAX_HELD_BYTES };
  #folders = 0;
  #waiting = 0;
  #isStopped = false;
  #figures = { captures: 0, repeats: 0, retries: 0, refusedFrames: 0 };

  constructor(options: CapturesOptions) {
    this.#options = options;
  }

  /** Resumes what an earlier run left: acknowledged but not read yet. Such captures open no gate. */
  async start(): Promise<void> {
    this.#isStopped = false;
    for (const left of await this.#options.spool.recover(this.#options.logger)) {
      const open = this.#begin(left.deviceId, captureIdOf(left.name), left.name, null);
      for (const n of left.frames) open.frames.add(n);
      open.held.leaveToSpool();
      open.opensUntilMono = OPENS_NEVER;
      open.closing = { ...AS_IT_IS, at: Math.round(left.changedAt), ...left.closing };
      this.#finish(open);
    }
  }

  /** Ends timers; what is not stored stays in the spool. Waits for deliveries under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer, reading } of this.#open.values()) {
      timer?.stop();
      reading?.drop();
    }
    for (const timer of this.#retries) timer.stop();
    this.#retries.clear();
    this.#open.clear();
    await Promise.allSettled(this.#delivering);
  }

  /** Captures taken, sent twice and retried, frames refused, and captures waiting, since start. */
  figures(): {
    readonly captures: number;
    readonly repeats: number;
    readonly retries: number;
    readonly refusedFrames: number;
    readonly waiting: number;
    readonly open: number;
  } {
    return { ...this.#figures, waiting: this.#waiting, open: this.#open.size };
  }

  /**
   * Takes one frame of a native capture, whose memory now belongs to the capture. Resolves once it is on disk.
   * @throws Problem limit_reached, body_too_large, unavailable
   */
  async frame(deviceId: string, captureId: string, n: number, jpeg: Uint8Array): Promise<void> {
    if (n < 0 || n >= MAX_FRAMES) throw this.#refuse("limit_reached", `A capture has at most ${MAX_FRAMES} frames.`);
    if (jpeg.length > this.#options.maxFrameBytes) throw this.#refuse("body_too_large", "The frame is too large.");
    if (this.#waiting >= MAX_WAITING) throw new Problem("unavailable", { code: "unavailable.captures" });
    const open = this.#open.get(key(deviceId, captureId)) ?? this.#beginNew(deviceId, captureId);
    open.lastFrameMono = this.#options.clock.mono();
    const frame = open.held.take(n, jpeg);
    if (frame !== null) open.reading?.add(n, frame);
    open.frames.add(n);
    const write = this.#writing(open, this.#options.spool.putFrame(deviceId, open.name, n, jpeg));
    if (open.closing !== null) this.#finishWhenComplete(open);
    else this.#armSilence(open);
    await write;
  }

  /** Closes a native capture. Resolves once that is on disk; the reading does not wait for it. */
  async captureDone(deviceId: string, captureId: string, closing: Closing): Promise<void> {
    const standing = this.#open.get(key(deviceId, captureId));
    if (standing === undefined && (this.#wasFinished(deviceId, captureId) || this.#isUnstored(deviceId, captureId)))
      return; // a repeated one of a finished capture
    const open = standing ?? this.#beginNew(deviceId, captureId);
    const wasClosed = open.closing !== null;
    const at = plausibleTime(closing.at, this.#options.clock.now());
    open.closing = { ...closing, at };
    if (closing.at !== null) open.opensUntilMono = Math.min(open.opensUntilMono, opensUntil(open.began, at));
    const frames = Promise.allSettled(open.writing);
    const write = this.#writing(
      open,
      frames.then(() => this.#options.spool.close(deviceId, open.name, { ...open.closing })),
    );
    if (!wasClosed) this.#finishWhenComplete(open);
    await write;
  }

  /** Notes a write, so that the capture's folder is not removed meanwhile. */
  async #writing(open: Open, write: Promise<void>): Promise<void> {
    open.writing.add(write);
    try {
      await write;
    } catch (error) {
      this.#noteUnstored(open);
      throw error;
    } finally {
      open.writing.delete(write);
    }
  }

  #noteUnstored(open: Open): void {
    if (this.#unstored.size >= MAX_REMEMBERED) this.#unstored.clear();
    this.#unstored.set(key(open.deviceId, open.captureId), this.#options.clock.mono());
  }

  /**
   * Takes a whole burst at once: HTTP push, and the hub's own sources, with `reading` if its frames are being read
   * already. Resolves with the capture id and the ids of its reads once they are stored.
   * @throws Problem limit_reached, body_too_large; whatever delivering throws. Nothing is kept then: the sender still
   *   has the pictures.
   */
  async burst(
    deviceId: string,
    frames: readonly Uint8Array[],
    closing: Omit<Closing, "frames">,
    reading: FrameReading | null = null,
  ): Promise<{ readonly captureId: number; readonly readIds: readonly number[] }> {
    if (frames.length > MAX_FRAMES) throw this.#refuse("limit_reached", `A capture has at most ${MAX_FRAMES} frames.`);
    if (frames.some((frame) => frame.length > this.#options.maxFrameBytes))
      throw this.#refuse("body_too_large", "A frame is too large.");
    const captureId = this.#options.nextCaptureId();
    const burst = this.#burst(deviceId, captureId, frames, { ...closing, frames: frames.length });
    const readIds = await this.#options.deliver({
      burst,
      captureKey: null,
      opensUntilMono: opensUntil(moment(this.#options.clock), closing.at === null ? null : burst.at),
      reading: reading?.finish() ?? null,
    });
    this.#figures.captures += 1;
    return { captureId, readIds };
  }

  #beginNew(deviceId: string, captureId: string): Open {
    const reading = this.#isStopped ? null : this.#options.openReading(deviceId);
    return this.#begin(deviceId, captureId, this.#folderFor(captureId), reading);
  }

  #begin(deviceId: string, captureId: string, name: string, reading: FrameReading | null): Open {
    const own = [...this.#open.values()].filter((open) => open.deviceId === deviceId);
    if (own.length >= MAX_OPEN && own[0] !== undefined) this.#closeAsItIs(own[0]);
    const began = moment(this.#options.clock);
    const open: Open = {
      deviceId,
      captureId,
      name,
      frames: new Set(),
      held: new HeldFrames(this.#memory),
      writing: new Set(),
      reading,
      closing: null,
      opensUntilMono: this.#isUnstored(deviceId, captureId) ? OPENS_NEVER : opensUntil(began, null),
      timer: null,
      began,
      lastFrameMono: began.mono,
    };
    this.#open.set(key(deviceId, captureId), open);
    return open;
  }

  /** Every capture has a folder of its own, even if its sender counts from 1 again while the last one is being read. */
  #folderFor(captureId: string): string {
    this.#folders += 1;
    return `${captureFolder(captureId)}.${this.#options.clock.now().toString(36)}-${this.#folders}`;
  }

  #wasFinished(deviceId: string, captureId: string): boolean {
    const at = this.#finished.get(key(deviceId, captureId));
    return at !== undefined && this.#options.clock.mono() - at < REPEAT_MS;
  }

  #isUnstored(deviceId: string, captureId: string): boolean {
    const at = this.#unstored.get(key(deviceId, captureId));
    return at !== undefined && this.#options.clock.mono() - at < UNSTORED_MS;
  }

  #armSilence(open: Open): void {
    open.timer?.stop();
    open.timer = this.#options.clock.after(SILENCE_MS, () => this.#closeAsItIs(open));
  }

  #closeAsItIs(open: Open): void {
    open.closing ??= { ...AS_IT_IS, at: this.#options.clock.now() };
    this.#finish(open);
  }

  #finishWhenComplete(open: Open): void {
    const expected = Math.min(MAX_FRAMES, open.closing?.frames ?? 0);
    open.timer?.stop();
    if (open.frames.size >= expected) this.#finish(open);
    else open.timer = this.#options.clock.after(MISSING_MS, () => this.#finish(open));
  }

  #finish(open: Open): void {
    open.timer?.stop();
    if (this.#open.get(key(open.deviceId, open.captureId)) !== open) return;
    this.#open.delete(key(open.deviceId, open.captureId));
    if (this.#finished.size >= MAX_REMEMBERED) this.#finished.clear();
    this.#finished.set(key(open.deviceId, open.captureId), this.#options.clock.mono());
    this.#waiting += 1;
    this.#track(this.#deliver(open, RETRY_FIRST_MS));
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.#delivering.delete(tracked));
    this.#delivering.add(tracked);
  }

  /** Delivers, and keeps trying: what was acknowledged is not lost because the disk was full for a while. */
  async #deliver(open: Open, retryMs: number): Promise<void> {
    const { spool, clock, logger } = this.#options;
    try {
      const isStored = await this.#deliverOnce(open);
      await Promise.allSettled(open.writing);
      await spool.remove(open.deviceId, open.name);
      if (isStored) open.held.discard();
      else open.held.release();
      this.#waiting -= 1;
    } catch (error) {
      this.#noteUnstored(open);
      logger.warn(
        { deviceId: open.deviceId, captureId: open.captureId, retryMs, err: error },
        "a capture could not be stored and is kept for later",
      );
      open.opensUntilMono = OPENS_NEVER;
      this.#figures.retries += 1;
      if (this.#isStopped) return;
      const timer = clock.after(retryMs, () => {
        this.#retries.delete(timer);
        this.#track(this.#deliver(open, Math.min(RETRY_MOST_MS, retryMs * 2)));
      });
      this.#retries.add(timer);
    }
  }

  /** False: it had been stored before, and is not stored again. */
  async #deliverOnce(open: Open): Promise<boolean> {
    const { spool, deliver, isKnown, nextCaptureId } = this.#options;
    const reading = open.reading;
    open.reading = null; // a second try starts over
    try {
      if (!open.held.isComplete) await Promise.allSettled(open.writing);
      const frames = open.held.isComplete ? open.held.frames() : await spool.frames(open.deviceId, open.name);
      const captureKey = `${open.captureId} ${open.held.isComplete ? open.held.digest() : digestOf(frames)}`;
      if (isKnown(open.deviceId, captureKey)) {
        this.#figures.repeats += 1;
        reading?.drop();
        return false;
      }
      const captureId = /^[1-9]\d{0,14}$/.test(open.captureId) ? Number(open.captureId) : nextCaptureId();
      const burst = this.#burst(
        open.deviceId,
        captureId,
        frames,
        open.closing ?? { ...AS_IT_IS, at: null },
        open.lastFrameMono,
      );
      const { opensUntilMono } = open;
      await deliver({ burst, captureKey, opensUntilMono, reading: reading?.finish() ?? null });
      this.#figures.captures += 1;
      return true;
    } catch (error) {
      reading?.drop();
      throw error;
    }
  }

  #burst(
    deviceId: string,
    captureId: number,
    frames: readonly Uint8Array[],
    closing: Closing,
    completeMono = this.#options.clock.mono(),
  ): Burst {
    const trigger = TRIGGERS.find((known) => known === closing.trigger) ?? "motion";
    return {
      deviceId,
      captureId,
      trigger,
      at: plausibleTime(closing.at, this.#options.clock.now()),
      direction: closing.direction,
      frames,
      completeMono,
    };
  }

  #refuse(code: string, message: string): Problem {
    this.#figures.refusedFrames += 1;
    return new Problem(code, message);
  }
}

const AS_IT_IS = { trigger: "motion" satisfies Trigger, frames: null, direction: null } as const;

function key(deviceId: string, captureId: string): string {
  return `${deviceId} ${captureId}`;
}

function moment(clock: Clock): Open["began"] {
  return { mono: clock.mono(), wall: clock.now() };
}
