import type { Clock, Timer } from "../../core/kernel/clock.ts";
import { FairShares } from "../../core/kernel/fair-shares.ts";

/** What a capture takes up. */
interface Taking {
  readonly deviceId: string;
  /** From an earlier run: nobody waits for it, so it must not delay what its camera sends now. */
  readonly isPast: boolean;
  readonly frames: number;
  readonly bytes: number;
}

/** A finished capture, as its line sees it. */
export interface Lined extends Taking {
  /** Whether its frames are in memory; if not, they are read from the spool. */
  readonly isHeld: boolean;
}

interface Waiting<Capture> {
  readonly capture: Capture;
  /** How long after a failure it is tried again. */
  readonly retryMs: number;
}

/** What {@link CaptureLines} needs. */
export interface CaptureLinesOptions<Capture extends Lined> {
  /** Has a capture read and stored; rejects when that is not possible now. */
  readonly deliver: (capture: Capture) => Promise<void>;
  /** A delivery failed and is tried again in `retryMs`. */
  readonly failed: (capture: Capture, error: unknown, retryMs: number) => void;
  readonly clock: Clock;
}

/** What may wait of one camera; it also bounds how old what waits can become. */
const MOST_OF_CAMERA = { captures: 16, frames: 96, bytes: 24 * 1024 * 1024 };
const RETRY_FIRST_MS = 2_000;
const RETRY_MOST_MS = 60_000;
/** After this long, frames that were read from the spool count half. */
const HALF_LIFE_MS = 30_000;

/**
 * Finished captures on their way to their read: a line for each camera, each with room of its own, so that a camera
 * that sends without end fills its own line and no other. Captures whose frames are in memory are delivered at once.
 * Those whose frames are on the disk are brought back one at a time over all cameras, the camera next whose frames were
 * read least lately: however much lies in the spool, the frames of one capture are in memory.
 */
export class CaptureLines<Capture extends Lined> {
  readonly #options: CaptureLinesOptions<Capture>;
  readonly #lines = new Map<string, Waiting<Capture>[]>();
  /** What waits, is delivered or is tried again later. */
  readonly #kept = new Set<Taking>();
  readonly #delivering = new Set<Promise<void>>();
  readonly #retries = new Set<Timer>();
  readonly #fromSpool: FairShares;
  #isReadingSpool = false;
  #isStopped = false;

  constructor(options: CaptureLinesOptions<Capture>) {
    this.#options = options;
    this.#fromSpool = new FairShares(HALF_LIFE_MS, options.clock);
  }

  /** Captures that are not stored yet. */
  get size(): number {
    return this.#kept.size;
  }

  /** Whether a camera may begin another capture. */
  hasRoom(deviceId: string): boolean {
    const own = [...this.#kept].filter((one) => one.deviceId === deviceId && !one.isPast);
    const sum = (of: "bytes" | "frames"): number => own.reduce((total, one) => total + one[of], 0);
    return (
      own.length < MOST_OF_CAMERA.captures &&
      sum("frames") < MOST_OF_CAMERA.frames &&
      sum("bytes") < MOST_OF_CAMERA.bytes
    );
  }

  /** Counts what is stored by `work`, without a line, as what its camera has waiting. */
  async during<Result>(taking: Taking, work: () => Promise<Result>): Promise<Result> {
    const kept = { ...taking };
    this.#kept.add(kept);
    try {
      return await work();
    } finally {
      this.#kept.delete(kept);
    }
  }

  /** Delivers a capture when its turn comes, and keeps trying. */
  add(capture: Capture): void {
    this.#kept.add(capture);
    this.#enqueue(capture);
  }

  /** Takes captures again after {@link stop}. */
  start(): void {
    this.#isStopped = false;
  }

  /** Starts no more deliveries; waits for those under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#retries) timer.stop();
    this.#retries.clear();
    this.#lines.clear();
    this.#kept.clear();
    await Promise.allSettled(this.#delivering);
  }

  #enqueue(capture: Capture, retryMs = RETRY_FIRST_MS): void {
    const name = capture.isPast ? `${capture.deviceId} past` : capture.deviceId;
    const line = this.#lines.get(name) ?? [];
    this.#lines.set(name, line);
    line.push({ capture, retryMs });
    this.#advance();
  }

  #advance(): void {
    if (this.#isStopped) return;
    for (const [name, line] of this.#lines) {
      for (let first = line[0]; first?.capture.isHeld === true; first = line[0]) {
        line.shift();
        void this.#begin(first);
      }
      if (line.length === 0) this.#lines.delete(name);
    }
    if (this.#isReadingSpool) return;
    const name = this.#fromSpool.least(this.#lines.keys());
    const next = name === null ? undefined : this.#lines.get(name)?.shift();
    if (name === null || next === undefined) return;
    this.#isReadingSpool = true;
    this.#fromSpool.charge(name, Math.max(1, next.capture.frames));
    void this.#begin(next).finally(() => {
      this.#isReadingSpool = false;
      this.#advance();
    });
  }

  #begin(waiting: Waiting<Capture>): Promise<void> {
    const tracked = this.#deliver(waiting).finally(() => this.#delivering.delete(tracked));
    this.#delivering.add(tracked);
    return tracked;
  }

  /** What was acknowledged is not lost because the disk was full for a while. */
  async #deliver({ capture, retryMs }: Waiting<Capture>): Promise<void> {
    try {
      await this.#options.deliver(capture);
      this.#kept.delete(capture);
    } catch (error) {
      this.#options.failed(capture, error, retryMs);
      if (this.#isStopped) return;
      const timer = this.#options.clock.after(retryMs, () => {
        this.#retries.delete(timer);
        this.#enqueue(capture, Math.min(RETRY_MOST_MS, retryMs * 2));
      });
      this.#retries.add(timer);
    }
  }
}
