import { createHash } from "node:crypto";
import { freeBytes } from "../../core/kernel/free-bytes.ts";

/** What one camera may have in memory: a burst of twelve frames of the largest ordinary size. */
const MOST_OF_CAMERA = 12 * 1024 * 1024;
/** All cameras together. */
const MOST = 32 * 1024 * 1024;

/** Frames of one camera in memory. */
interface Holding {
  readonly deviceId: string;
  readonly bytes: number;
  /** Whether they are being stored: then they stay until that is done. */
  readonly isInUse: boolean;
  leaveToSpool(): void;
}

/**
 * Memory that the frames of all captures share. When there is no room, the camera that takes most gives way: its latest
 * capture is left to the spool. What a camera pushes whole counts as its own too, and stays.
 */
export class FrameMemory {
  readonly #captures = new Set<Holding>();

  /** Bytes of frames in memory. */
  get bytes(): number {
    return bytesOf(this.#captures);
  }

  /** A capture has taken a frame. */
  taken(capture: Holding): void {
    this.#captures.add(capture);
    const ofCamera = (deviceId: string): Holding[] => [...this.#captures].filter((one) => one.deviceId === deviceId);
    const giveWay = (own: readonly Holding[]): void => (own.findLast((one) => !one.isInUse) ?? capture).leaveToSpool();
    const own = ofCamera(capture.deviceId);
    if (bytesOf(own) > MOST_OF_CAMERA) giveWay(own);
    if (this.bytes <= MOST) return;
    const cameras = [...new Set([...this.#captures].map(({ deviceId }) => deviceId))].map(ofCamera);
    giveWay(cameras.reduce((a, b) => (bytesOf(b) > bytesOf(a) ? b : a)));
  }

  /** Counts `bytes` that a camera pushed while they are stored by `work`. */
  async during<Result>(deviceId: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const pushed: Holding = { deviceId, bytes, isInUse: true, leaveToSpool: () => undefined };
    this.taken(pushed);
    try {
      return await work();
    } finally {
      this.#captures.delete(pushed);
    }
  }

  /** A capture has let go of its frames. */
  released(capture: Holding): void {
    this.#captures.delete(capture);
  }
}

function bytesOf(captures: Iterable<Holding>): number {
  let sum = 0;
  for (const { bytes } of captures) sum += bytes;
  return sum;
}

/**
 * Frames of one capture in memory, so that no decision waits for the disk. Beyond the limit they are left to the spool.
 */
export class HeldFrames implements Holding {
  readonly deviceId: string;
  readonly #memory: FrameMemory;
  readonly #onLeft: () => void;
  readonly #frames = new Map<number, { readonly jpeg: Uint8Array; readonly digest: Buffer }>();
  /** Frames that are on the disk. */
  readonly #written = new WeakSet<Uint8Array>();
  #bytes = 0;
  #isComplete = true;
  #isInUse = false;

  /** `onLeft`: its frames are read from the spool, from now on. */
  constructor(deviceId: string, memory: FrameMemory, onLeft: () => void) {
    this.deviceId = deviceId;
    this.#memory = memory;
    this.#onLeft = onLeft;
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it is being stored: its frames stay until that is done. */
  get isInUse(): boolean {
    return this.#isInUse;
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
    this.#bytes += jpeg.length - (before?.jpeg.length ?? 0);
    this.#memory.taken(this);
    return jpeg;
  }

  /** A frame that was taken is on the disk: if it was left to the spool meanwhile, its memory is free. */
  written(jpeg: Uint8Array): void {
    this.#written.add(jpeg);
    if (!this.#isComplete) freeBytes(jpeg);
  }

  /** In order of position, for storing them: they stay in memory until {@link discard} or {@link release}. */
  frames(): Uint8Array[] {
    this.#isInUse = true;
    return this.#inOrder().map(({ jpeg }) => jpeg);
  }

  /** It could not be stored now. */
  rest(): void {
    this.#isInUse = false;
  }

  /** Identifies captures with the same pictures; equal to {@link digestOf} of all frames. */
  digest(): string {
    return combined(this.#inOrder().map(({ digest }) => digest));
  }

  /** Drops all frames: they are read from the spool. Those that are not there yet are freed by {@link written}. */
  leaveToSpool(): void {
    const frames = this.#inOrder();
    this.release();
    this.#isComplete = false;
    this.#onLeft();
    for (const { jpeg } of frames) if (this.#written.has(jpeg)) freeBytes(jpeg);
  }

  /**
   * Frees the frames, which nobody needs any more. Left to the collector, tens of megabytes would outlive many
   * collections: they have been held too long to die young.
   */
  discard(): void {
    for (const { jpeg } of this.#inOrder()) freeBytes(jpeg);
    this.release();
  }

  /** Releases the frames; current readers may finish. */
  release(): void {
    this.#frames.clear();
    this.#bytes = 0;
    this.#isInUse = false;
    this.#memory.released(this);
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
