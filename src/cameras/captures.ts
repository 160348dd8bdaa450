/**
 * Assembles bursts from frames that arrive one by one, and hands them on until somebody has stored them. In: frames and closings
 * (native MQTT, HTTP push, sources of the hub's own). Out: bursts, each delivered until it is taken. Keeps what it acknowledged in the spool.
 * It must not know how plates are read or what is decided.
 */
import { createHash } from "node:crypto";
import { type Burst, type Direction, TRIGGERS, type Trigger } from "../domain/plates/reading.js";
import type { Clock, Timer } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Service } from "../kernel/service.js";
import { captureFolder, captureIdOf, type Spool } from "./spool.js";

/** A burst on its way to whoever stores it. */
export interface Delivery {
  readonly burst: Burst;
  /** Name of the capture; null where nobody can repeat it. */
  readonly captureKey: string | null;
  /** False for captures from the past: no gate opens for them. */
  readonly isFresh: boolean;
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
  /** Resolves with the ids of the reads once the burst is stored; rejects when it cannot be stored now. */
  readonly deliver: (delivery: Delivery) => Promise<readonly number[]>;
  /** Whether a capture of this name was stored not long ago. */
  readonly isKnown: (deviceId: string, captureKey: string) => boolean;
  /** A capture id where the sender's own is no positive integer. */
  readonly nextCaptureId: () => number;
  readonly maxFrameBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Frames of one burst (domain §7.1). */
export const MAX_FRAMES = 12;
/** Captures of one device that may be open at a time; the oldest is closed as it is. */
const MAX_OPEN = 4;
/** A capture whose sender falls silent is closed as it is. */
const SILENCE_MS = 10_000;
/** How long a closed capture waits for frames that were announced and have not come. */
const MISSING_MS = 1_500;
/** Frames and captures waiting for the recogniser, over all cameras. */
const MAX_WAITING = 200;
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;
/** A capture older than this opens no gate. */
const FRESH_MS = 120_000;
const MAX_FUTURE_MS = 5 * 60_000;
/** A closing that comes again within this time is a repetition. */
const REPEAT_MS = 60_000;
const MAX_REMEMBERED = 1_000;
const MAX_AGE_MS = 90 * 86_400_000;

interface Open {
  readonly deviceId: string;
  readonly captureId: string;
  readonly name: string;
  readonly frames: Set<number>;
  /** Writes of frames that are not on disk yet. */
  readonly writing: Set<Promise<void>>;
  closing: Closing | null;
  isFresh: boolean;
  timer: Timer | null;
  lastFrameMono: number;
}

/** Captures of all cameras, from their first frame to their read. */
export class Captures implements Service {
  readonly name = "captures";
  readonly #options: CapturesOptions;
  readonly #open = new Map<string, Open>();
  readonly #delivering = new Set<Promise<unknown>>();
  readonly #retries = new Set<Timer>();
  /** Monotonic times at which captures were closed lately. */
  readonly #finished = new Map<string, number>();
  #folders = 0;
  #waiting = 0;
  #isStopped = false;
  #figures = { captures: 0, repeats: 0, retries: 0, refusedFrames: 0 };

  constructor(options: CapturesOptions) {
    this.#options = options;
  }

  /** Takes up what an earlier run left: acknowledged and not read yet. Such captures open no gate. */
  async start(): Promise<void> {
    this.#isStopped = false;
    for (const left of await this.#options.spool.recover()) {
      const open = this.#begin(left.deviceId, captureIdOf(left.name), left.name);
      for (const n of left.frames) open.frames.add(n);
      open.isFresh = false;
      open.closing = { ...AS_IT_IS, at: Math.round(left.changedAt), ...left.closing };
      this.#finish(open);
    }
  }

  /** Ends timers; what is not stored stays in the spool. Waits for deliveries under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#open.values()) timer?.stop();
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

  /** One frame of a native capture. Resolves once it is on disk. @throws Problem limit_reached, body_too_large, unavailable. */
  async frame(deviceId: string, captureId: string, n: number, jpeg: Uint8Array): Promise<void> {
    if (n < 0 || n >= MAX_FRAMES) throw this.#refuse("limit_reached", `A capture has at most ${MAX_FRAMES} frames.`);
    if (jpeg.length > this.#options.maxFrameBytes) throw this.#refuse("body_too_large", "The frame is too large.");
    if (this.#waiting >= MAX_WAITING) throw new Problem("unavailable", "Too many captures wait to be read.");
    const open = this.#open.get(key(deviceId, captureId)) ?? this.#begin(deviceId, captureId, this.#folderFor(captureId));
    open.lastFrameMono = this.#options.clock.mono();
    const write = this.#options.spool.putFrame(deviceId, open.name, n, jpeg);
    open.writing.add(write);
    try {
      await write;
      open.frames.add(n);
    } finally {
      open.writing.delete(write);
    }
    if (open.closing !== null) this.#finishWhenComplete(open);
    else this.#armSilence(open);
  }

  /** Closes a native capture. Resolves once that is on disk; the reading comes afterwards. */
  async captureDone(deviceId: string, captureId: string, closing: Closing): Promise<void> {
    const standing = this.#open.get(key(deviceId, captureId));
    if (standing === undefined && this.#wasFinished(deviceId, captureId)) return; // the closing of a finished capture, sent again
    const open = standing ?? this.#begin(deviceId, captureId, this.#folderFor(captureId));
    await Promise.allSettled(open.writing);
    const wasClosed = open.closing !== null;
    open.closing = closing;
    await this.#options.spool.close(deviceId, open.name, { ...closing, at: this.#timeOf(closing.at) });
    if (!wasClosed) this.#finishWhenComplete(open);
  }

  /**
   * A whole burst at once: HTTP push, and the hub's own sources. Resolves with the capture id and the ids of its reads once they are stored.
   * @throws Problem limit_reached, body_too_large; whatever delivering throws. Nothing is kept: the sender still has the pictures.
   */
  async burst(
    deviceId: string,
    frames: readonly Uint8Array[],
    closing: Omit<Closing, "frames">,
  ): Promise<{ readonly captureId: number; readonly readIds: readonly number[] }> {
    if (frames.length > MAX_FRAMES) throw this.#refuse("limit_reached", `A capture has at most ${MAX_FRAMES} frames.`);
    if (frames.some((frame) => frame.length > this.#options.maxFrameBytes)) throw this.#refuse("body_too_large", "A frame is too large.");
    const captureId = this.#options.nextCaptureId();
    const burst = this.#burst(deviceId, captureId, frames, { ...closing, frames: frames.length });
    const readIds = await this.#options.deliver({ burst, captureKey: null, isFresh: this.#options.clock.now() - burst.at <= FRESH_MS });
    this.#figures.captures += 1;
    return { captureId, readIds };
  }

  #begin(deviceId: string, captureId: string, name: string): Open {
    const own = [...this.#open.values()].filter((open) => open.deviceId === deviceId);
    if (own.length >= MAX_OPEN && own[0] !== undefined) this.#closeAsItIs(own[0]);
    const open: Open = {
      deviceId,
      captureId,
      name,
      frames: new Set(),
      writing: new Set(),
      closing: null,
      isFresh: true,
      timer: null,
      lastFrameMono: this.#options.clock.mono(),
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
    if (open.frames.size >= expected && open.writing.size === 0) this.#finish(open);
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
    const { spool, deliver, isKnown, nextCaptureId, clock, logger } = this.#options;
    try {
      const frames = await spool.frames(open.deviceId, open.name);
      const captureKey = `${open.captureId} ${digest(frames)}`;
      if (isKnown(open.deviceId, captureKey)) this.#figures.repeats += 1;
      else {
        const captureId = /^[1-9]\d{0,14}$/.test(open.captureId) ? Number(open.captureId) : nextCaptureId();
        const burst = this.#burst(open.deviceId, captureId, frames, open.closing ?? { ...AS_IT_IS, at: null }, open.lastFrameMono);
        await deliver({ burst, captureKey, isFresh: open.isFresh && clock.now() - burst.at <= FRESH_MS });
        this.#figures.captures += 1;
      }
      await spool.remove(open.deviceId, open.name);
      this.#waiting -= 1;
    } catch (error) {
      logger.warn({ deviceId: open.deviceId, captureId: open.captureId, retryMs, err: error }, "a capture could not be stored and is kept for later");
      open.isFresh = false;
      this.#figures.retries += 1;
      if (this.#isStopped) return;
      const timer = clock.after(retryMs, () => {
        this.#retries.delete(timer);
        this.#track(this.#deliver(open, Math.min(RETRY_MOST_MS, retryMs * 2)));
      });
      this.#retries.add(timer);
    }
  }

  #burst(deviceId: string, captureId: number, frames: readonly Uint8Array[], closing: Closing, completeMono = this.#options.clock.mono()): Burst {
    const trigger = TRIGGERS.find((known) => known === closing.trigger) ?? "motion";
    return { deviceId, captureId, trigger, at: this.#timeOf(closing.at), direction: closing.direction, frames, completeMono };
  }

  /** The sender's time where it is plausible (domain §4.1), else now. */
  #timeOf(at: number | null): number {
    const now = this.#options.clock.now();
    return at === null || at > now + MAX_FUTURE_MS || at < now - MAX_AGE_MS ? now : at;
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

function digest(frames: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const frame of frames) hash.update(frame);
  return hash.digest("hex").slice(0, 16);
}
