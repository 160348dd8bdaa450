/**
 * Assembles bursts from frames that arrive one by one, and hands them on until somebody has stored them. In: frames and
 * closings (native MQTT, HTTP push, the hub's own sources). Out: bursts, each delivered until it is taken. Keeps what
 * it has acknowledged in the spool. It must not know how plates are read or what is decided.
 */

import type { Clock } from "../../core/kernel/clock.ts";
import { FairMemory } from "../../core/kernel/fair-memory.ts";
import { freeBytes } from "../../core/kernel/free-bytes.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import { OPENS_NEVER, opensUntil, plausibleTime } from "../../core/plates/freshness.ts";
import { type Burst, TRIGGERS, type Trigger } from "../../core/plates/reading.ts";
import type { BurstTaker } from "./burst-taker.ts";
import { Capture, type Closing } from "./capture.ts";
import { CaptureLines } from "./capture-lines.ts";
import type { FrameReading } from "./frame-reading.ts";
import { digestOf, FrameMemory } from "./held-frames.ts";
import { captureFolder, captureIdOf, type Spool } from "./spool.ts";

/** What {@link Captures} needs. */
export interface CapturesOptions {
  readonly spool: Spool;
  /** Starts to read a burst of this device; null when its frames are not to be read as they come. */
  readonly openReading: (deviceId: string) => FrameReading | null;
  /** What takes the bursts; asked when there is one. */
  readonly taker: () => Pick<BurstTaker, "gate" | "shownFrames">;
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
/** A capture with a name that was stored within this time is the same one, sent again. */
const KNOWN_MS = 24 * 3_600_000;
/** A closing that comes again within this time is a repetition. */
const REPEAT_MS = 60_000;
/** A capture whose acknowledgement failed comes again, maybe much later: the gate was decided with the first one. */
const UNSTORED_MS = 3_600_000;
const MAX_REMEMBERED = 1_000;

/** Captures of all cameras, from their first frame to their read. */
export class Captures implements Service {
  readonly name = "captures";
  readonly #options: CapturesOptions;
  readonly #open = new Map<string, Capture>();
  readonly #lines: CaptureLines<Capture>;
  /** Monotonic times at which captures were recently closed. */
  readonly #finished = new FairMemory<number>(MAX_REMEMBERED);
  /** Monotonic times of captures that were decided, or began to be, and could not be acknowledged. */
  readonly #unstored = new FairMemory<number>(MAX_REMEMBERED);
  readonly #memory = new FrameMemory();
  #folders = 0;
  #isStopped = false;
  #figures = { captures: 0, repeats: 0, retries: 0, refusedFrames: 0 };

  constructor(options: CapturesOptions) {
    this.#options = options;
    this.#lines = new CaptureLines({
      deliver: (capture) => this.#deliver(capture),
      failed: (capture, error, retryMs) => this.#noteFailed(capture, error, retryMs),
      clock: options.clock,
    });
  }

  /** Resumes what an earlier run left: acknowledged but not read yet. Such captures open no gate. */
  async start(): Promise<void> {
    this.#isStopped = false;
    this.#lines.start();
    for (const left of await this.#options.spool.recover(this.#options.logger)) {
      const open = this.#begin(left.deviceId, captureIdOf(left.name), left.name, true);
      for (const n of left.frames) open.sizes.set(n, 0);
      open.held.leaveToSpool();
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
    this.#open.clear();
    await this.#lines.stop();
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
    return { ...this.#figures, waiting: this.#lines.size, open: this.#open.size };
  }

  /**
   * Takes one frame of a native capture, whose memory now belongs to the capture. Resolves once it is on disk.
   * @throws Problem limit_reached, body_too_large; unavailable when too much of this device waits
   */
  async frame(deviceId: string, captureId: string, n: number, jpeg: Uint8Array): Promise<void> {
    const open = this.#captureOf(deviceId, captureId, n, jpeg);
    open.lastFrameMono = this.#options.clock.mono();
    const frame = open.held.take(n, jpeg);
    if (frame !== null) open.reading?.add(n, frame);
    open.sizes.set(n, jpeg.length);
    const write = this.#writing(open, this.#options.spool.putFrame(deviceId, open.name, n, jpeg));
    if (open.closing !== null) this.#finishWhenComplete(open);
    else this.#armSilence(open);
    await write;
    if (frame === null) freeBytes(jpeg);
    else open.held.written(jpeg);
  }

  /** The capture that a frame is of. @throws Problem when it may not be taken; its memory is free then */
  #captureOf(deviceId: string, captureId: string, n: number, jpeg: Uint8Array): Capture {
    try {
      if (n < 0 || n >= MAX_FRAMES) throw this.#refuse("limit_reached", `A capture has at most ${MAX_FRAMES} frames.`);
      if (jpeg.length > this.#options.maxFrameBytes) throw this.#refuse("body_too_large", "The frame is too large.");
      return this.#open.get(key(deviceId, captureId)) ?? this.#beginNew(deviceId, captureId);
    } catch (error) {
      freeBytes(jpeg);
      throw error;
    }
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
  async #writing(open: Capture, write: Promise<void>): Promise<void> {
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

  #noteUnstored(open: Capture): void {
    this.#unstored.set(open.deviceId, open.captureId, this.#options.clock.mono());
  }

  /**
   * Takes a whole burst at once: HTTP push, and the hub's own sources, with `reading` if its frames are being read
   * already. Resolves with the capture id and the ids of its reads once they are stored.
   * @throws Problem limit_reached, body_too_large, unavailable when others of the device wait; whatever delivering
   *   throws. Nothing is kept then: the sender still has the pictures.
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
    this.checkRoom(deviceId);
    const bytes = frames.reduce((sum, frame) => sum + frame.length, 0);
    return this.#lines.during({ deviceId, isPast: false, frames: frames.length, bytes }, () =>
      this.#memory.during(deviceId, bytes, () => this.#burstNow(deviceId, frames, closing, reading)),
    );
  }

  async #burstNow(
    deviceId: string,
    frames: readonly Uint8Array[],
    closing: Omit<Closing, "frames">,
    reading: FrameReading | null,
  ): Promise<{ readonly captureId: number; readonly readIds: readonly number[] }> {
    const { gate } = this.#options.taker();
    const captureId = gate.nextCaptureId();
    const shown = this.#newFrames(deviceId, frames, reading);
    const burst = this.#burst(deviceId, captureId, shown.frames, { ...closing, frames: shown.frames.length });
    const until = opensUntil(moment(this.#options.clock), closing.at === null ? null : burst.at);
    const readIds = await gate.take({
      burst,
      captureKey: null,
      opensUntilMono: shown.isRepeated ? OPENS_NEVER : until,
      isRepeated: shown.isRepeated,
      reading: shown.reading?.finish() ?? null,
    });
    this.#figures.captures += 1;
    return { captureId, readIds };
  }

  /**
   * @throws Problem unavailable when so much of this device is waiting that it may not begin another capture: what was
   *   not acknowledged is sent again, and nothing that was acknowledged is given up for it
   */
  checkRoom(deviceId: string): void {
    if (!this.#lines.hasRoom(deviceId))
      throw new Problem("unavailable", { code: "unavailable.captures" }, { headers: { "Retry-After": "2" } });
  }

  /** @throws Problem as {@link checkRoom} */
  #beginNew(deviceId: string, captureId: string): Capture {
    this.checkRoom(deviceId);
    return this.#begin(deviceId, captureId, this.#folderFor(captureId), false);
  }

  #begin(deviceId: string, captureId: string, name: string, isPast: boolean): Capture {
    const own = [...this.#open.values()].filter((open) => open.deviceId === deviceId);
    if (own.length >= MAX_OPEN && own[0] !== undefined) this.#closeAsItIs(own[0]);
    const began = moment(this.#options.clock);
    const capture = new Capture(
      { deviceId, captureId, name, isPast },
      {
        memory: this.#memory,
        reading: isPast || this.#isStopped ? null : this.#options.openReading(deviceId),
        opensUntilMono: isPast || this.#isUnstored(deviceId, captureId) ? OPENS_NEVER : opensUntil(began, null),
        began,
      },
    );
    this.#open.set(key(deviceId, captureId), capture);
    return capture;
  }

  /** Every capture has a folder of its own, even if its sender counts from 1 again while the last one is being read. */
  #folderFor(captureId: string): string {
    this.#folders += 1;
    return `${captureFolder(captureId)}.${this.#options.clock.now().toString(36)}-${this.#folders}`;
  }

  #wasFinished(deviceId: string, captureId: string): boolean {
    const at = this.#finished.get(deviceId, captureId);
    return at !== undefined && this.#options.clock.mono() - at < REPEAT_MS;
  }

  #isUnstored(deviceId: string, captureId: string): boolean {
    const at = this.#unstored.get(deviceId, captureId);
    return at !== undefined && this.#options.clock.mono() - at < UNSTORED_MS;
  }

  #armSilence(open: Capture): void {
    open.timer?.stop();
    open.timer = this.#options.clock.after(SILENCE_MS, () => this.#closeAsItIs(open));
  }

  #closeAsItIs(open: Capture): void {
    open.closing ??= { ...AS_IT_IS, at: this.#options.clock.now() };
    this.#finish(open);
  }

  #finishWhenComplete(open: Capture): void {
    const expected = Math.min(MAX_FRAMES, open.closing?.frames ?? 0);
    open.timer?.stop();
    if (open.frames >= expected) this.#finish(open);
    else open.timer = this.#options.clock.after(MISSING_MS, () => this.#finish(open));
  }

  #finish(open: Capture): void {
    open.timer?.stop();
    if (this.#open.get(key(open.deviceId, open.captureId)) !== open) return;
    this.#open.delete(key(open.deviceId, open.captureId));
    this.#finished.set(open.deviceId, open.captureId, this.#options.clock.mono());
    this.#lines.add(open);
  }

  async #deliver(open: Capture): Promise<void> {
    const isStored = await this.#deliverOnce(open);
    await Promise.allSettled(open.writing);
    await this.#options.spool.remove(open.deviceId, open.name);
    if (isStored) open.held.discard();
    else open.held.release();
  }

  #noteFailed(open: Capture, error: unknown, retryMs: number): void {
    const { deviceId, captureId } = open;
    this.#noteUnstored(open);
    this.#options.logger.warn(
      { deviceId, captureId, retryMs, err: error },
      "a capture could not be stored and is kept for later",
    );
    open.opensUntilMono = OPENS_NEVER;
    open.held.rest();
    this.#figures.retries += 1;
  }

  /** False: it had been stored before, and is not stored again. */
  async #deliverOnce(open: Capture): Promise<boolean> {
    const { spool, taker } = this.#options;
    const { gate } = taker();
    const reading = open.reading;
    open.reading = null; // a second try starts over
    try {
      if (!open.held.isComplete) await Promise.allSettled(open.writing);
      const fromSpool = open.held.isComplete ? null : await spool.frames(open.deviceId, open.name);
      const frames = fromSpool ?? open.held.frames();
      const captureKey = `${open.captureId} ${fromSpool === null ? open.held.digest() : digestOf(frames)}`;
      if (gate.knows(open.deviceId, captureKey, KNOWN_MS)) {
        this.#figures.repeats += 1;
        reading?.drop();
        return false;
      }
      const shown = this.#newFrames(open.deviceId, frames, reading);
      const captureId = /^[1-9]\d{0,14}$/.test(open.captureId) ? Number(open.captureId) : gate.nextCaptureId();
      const burst = this.#burst(
        open.deviceId,
        captureId,
        shown.frames,
        open.closing ?? { ...AS_IT_IS, at: null },
        open.lastFrameMono,
      );
      const isRepeated = shown.isRepeated && open.opensUntilMono !== OPENS_NEVER; // one that is tried again has claimed its own
      if (isRepeated) open.opensUntilMono = OPENS_NEVER;
      const { opensUntilMono } = open;
      await gate.take({ burst, captureKey, opensUntilMono, isRepeated, reading: shown.reading?.finish() ?? null });
      for (const frame of fromSpool ?? []) freeBytes(frame);
      this.#figures.captures += 1;
      return true;
    } catch (error) {
      reading?.drop();
      throw error;
    }
  }

  /**
   * The frames that are shown for the first time: others say nothing of who stands at the gate now. If there is
   * no other, all of them, for the record.
   */
  #newFrames(
    deviceId: string,
    frames: readonly Uint8Array[],
    reading: FrameReading | null,
  ): { readonly frames: readonly Uint8Array[]; readonly reading: FrameReading | null; readonly isRepeated: boolean } {
    const isNew = this.#options.taker().shownFrames.claim(deviceId, frames);
    const shown = frames.filter((_, at) => isNew[at] === true);
    if (shown.length === frames.length || shown.length === 0)
      return { frames, reading, isRepeated: shown.length < frames.length };
    reading?.drop(); // it has read the others too
    return { frames: shown, reading: null, isRepeated: false };
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

function moment(clock: Clock): Capture["began"] {
  return { mono: clock.mono(), wall: clock.now() };
}
