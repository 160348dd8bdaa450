import { createHash } from "node:crypto";
import { freeBytes } from "../kernel/free-bytes.js";

/** Memory that the frames of all captures share. */
export interface FrameMemory {
  heldBytes: number;
  readonly mostBytes: number;
}

/**
 * Frames of one capture in memory, so that no decision waits for the disk. Beyond the limit they are left to the spool.
 */
export class HeldFrames {
  readonly #memory: FrameMemory;
  readonly #frames = new Map<number, { readonly jpeg: Uint8Array; readonly digest: Buffer }>();
  #isComplete = true;

  constructor(memory: FrameMemory) {
    this.#memory = memory;
  }

  /** False once one had to be left to the spool: then all are read from there. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Takes the frame at position `n`, whose memory nobody else needs. Returns what is to be read of it; null when it is
   * there already, byte for byte: it was sent twice.
   */
  take(n: number, jpeg: Uint8Array): Uint8Array | null {
    const digest = createHash("sha256").update(jpeg).digest();
    const before = this.#frames.get(n);
    if (before?.digest.equals(digest)) return null;
    if (!this.#isComplete) return jpeg;
    this.#frames.set(n, { jpeg, digest });
    this.#memory.heldBytes += jpeg.length - (before?.jpeg.length ?? 0);
    if (this.#memory.heldBytes > this.#memory.mostBytes) this.leaveToSpool();
    return jpeg;
  }

  /** In order of position. */
  frames(): Uint8Array[] {
    return this.#inOrder().map(({ jpeg }) => jpeg);
  }

  /** Tells captures with the same pictures from others; equal to {@link digestOf} of all frames. */
  digest(): string {
    return combined(this.#inOrder().map(({ digest }) => digest));
  }

  /** Drops all frames: they are read from the spool. */
  leaveToSpool(): void {
    this.release();
    this.#isComplete = false;
  }

  /**
   * Frees the frames, which nobody needs any more, except the last one: that is what the camera showed latest. Left to
   * the collector, tens of megabytes would outlive many collections: they have been held too long to die young.
   */
  discard(): void {
    for (const jpeg of this.frames().slice(0, -1)) freeBytes(jpeg);
    this.release();
  }

  /** Lets go of the frames; whoever is still reading them may go on. */
  release(): void {
    for (const { jpeg } of this.#frames.values()) this.#memory.heldBytes -= jpeg.length;
    this.#frames.clear();
  }

  #inOrder(): { readonly jpeg: Uint8Array; readonly digest: Buffer }[] {
    return [...this.#frames].sort(([a], [b]) => a - b).map(([, frame]) => frame);
  }
}

/** Digest of a capture whose frames were not held. */
export function digestOf(frames: readonly Uint8Array[]): string {
  return combined(frames.map((frame) => createHash("sha256").update(frame).digest()));
}

/** A digest of digests, so that each frame is digested when it arrives and not all of them at once. */
function combined(digests: readonly Buffer[]): string {
  return createHash("sha256").update(Buffer.concat(digests)).digest("hex").slice(0, 16);
}
