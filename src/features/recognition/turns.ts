import type { Clock } from "../../core/kernel/clock.ts";
import { FairShares } from "../../core/kernel/fair-shares.ts";
import type { PicturePart } from "../../core/plates/reading.ts";
import type { OpenBurst } from "./open-burst.ts";
import type { PresentedAnswer, PresentedTask } from "./presented-task.ts";

/** Whose pictures they are: senders share the recogniser's thread. */
export interface PictureSender {
  /** Pictures of one name are one sender's. */
  readonly name: string;
  /** Whether a gate opens by these pictures. */
  readonly opensGate: boolean;
  /** Whether the pixels by which a presented plate is known are kept with what is read. */
  readonly keepsPixels: boolean;
}

/** Nothing was looked at. */
export const NOT_LOOKED_AT: readonly PresentedAnswer[] = [];

/** Pictures that nobody in particular sends, such as a file on the command line. */
export const NO_SENDER: PictureSender = { name: "", opensGate: false, keepsPixels: false };

/** A picture that waits for being encoded. */
export interface WaitingImage {
  readonly sender: PictureSender;
  readonly jpeg: Uint8Array;
  /** What of it is encoded; null: all. */
  readonly part: PicturePart | null;
  /** Pixels; null: as pictures are kept. */
  readonly width: number | null;
  readonly sinceMono: number;
  readonly resolve: (jpeg: Uint8Array | null) => void;
}

/** The pixels of a burst's listed plates that wait: a vehicle stands at the gate for them. */
export interface WaitingPlates {
  readonly sender: PictureSender;
  readonly tasks: readonly PresentedTask[];
  readonly resolve: (answers: readonly PresentedAnswer[]) => void;
}

/** What the thread does next. */
export type Turn =
  | { readonly kind: "presented"; readonly sender: PictureSender; readonly plates: WaitingPlates }
  | { readonly kind: "frame"; readonly sender: PictureSender; readonly burst: OpenBurst }
  | { readonly kind: "image"; readonly sender: PictureSender; readonly image: WaitingImage };

/** Bounds of what waits, over all senders. */
export interface TurnLimits {
  readonly frames: number;
  readonly bytes: number;
}

/** After this long, time on the thread counts half. */
const HALF_LIFE_MS = 30_000;
/** How much more time on the thread counts for a camera that opens no gate. */
const WITHOUT_GATE = 4;

/**
 * What waits for the recogniser's thread. The sender who used the thread least lately comes next, so that a camera that
 * sends without end delays no other by more than the frame that is being read. When more waits than there is room for,
 * the sender who takes most gives up frames.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #shares: FairShares;
  /** In the order in which they were opened. */
  readonly #bursts = new Map<OpenBurst, PictureSender>();
  readonly #images = new Set<WaitingImage>();
  readonly #plates: WaitingPlates[] = [];

  constructor(limits: TurnLimits, clock: Clock) {
    this.#limits = limits;
    this.#shares = new FairShares(HALF_LIFE_MS, clock);
  }

  /** Bursts with frames that wait, and those frames. */
  get waiting(): { readonly bursts: number; readonly frames: number } {
    const bursts = [...this.#bursts.keys()].filter((burst) => burst.waiting > 0);
    return { bursts: bursts.length, frames: bursts.reduce((sum, burst) => sum + burst.waiting, 0) };
  }

  /** Bursts that are open or not read yet. */
  get bursts(): Iterable<OpenBurst> {
    return this.#bursts.keys();
  }

  open(burst: OpenBurst, sender: PictureSender): void {
    this.#bursts.set(burst, sender);
  }

  close(burst: OpenBurst): void {
    this.#bursts.delete(burst);
  }

  addImage(image: WaitingImage): void {
    this.#images.add(image);
  }

  addPlates(plates: WaitingPlates): void {
    this.#plates.push(plates);
  }

  /** Pictures that will not be encoded any more, and plates that will not be looked at. */
  drop(): void {
    for (const { resolve } of this.#plates.splice(0)) resolve(NOT_LOOKED_AT);
    for (const { resolve } of this.#images) resolve(null);
    this.#images.clear();
  }

  /** Notes how long the thread worked for a sender. */
  charge({ name, opensGate }: PictureSender, tookMs: number): void {
    this.#shares.charge(name, opensGate ? tookMs : tookMs * WITHOUT_GATE);
  }

  /**
   * What comes next; a picture to encode is handed out once. Listed plates come before anything else: they take a few
   * milliseconds each, at most once a burst. Of one sender's, what somebody waits for comes first: a
   * complete burst or a picture to encode, the oldest of them; then bursts whose frames are still arriving.
   */
  next(): Turn | null {
    const plates = this.#plates.shift();
    if (plates !== undefined) return { kind: "presented", sender: plates.sender, plates };
    const waiting = [...this.#bursts].filter(([burst]) => burst.waiting > 0);
    const name = this.#shares.least([
      ...waiting.map(([, sender]) => sender.name),
      ...[...this.#images].map(({ sender }) => sender.name),
    ]);
    const own = waiting.filter(([, sender]) => sender.name === name);
    const complete = own
      .filter(([burst]) => burst.finishedMono !== null)
      .reduce<(typeof own)[number] | undefined>(
        (a, b) => (a === undefined || (b[0].finishedMono ?? 0) < (a[0].finishedMono ?? 0) ? b : a),
        undefined,
      );
    const image = [...this.#images].find(({ sender }) => sender.name === name);
    if (image !== undefined && (complete === undefined || image.sinceMono <= (complete[0].finishedMono ?? 0))) {
      this.#images.delete(image);
      return { kind: "image", sender: image.sender, image };
    }
    const [burst, sender] = complete ?? own[0] ?? [];
    return burst === undefined || sender === undefined ? null : { kind: "frame", sender, burst };
  }

  /**
   * Makes room: the sender whose waiting frames take up most gives up the oldest frame of the burst that has most, as
   * long as there is too much and it has one to spare. The last frame of a burst stays. Returns how many were given up.
   */
  makeRoom(): number {
    for (let given = 0; ; given++) {
      const shares = new Map<string, { frames: number; bytes: number; bursts: OpenBurst[] }>();
      let [frames, bytes] = [0, 0];
      for (const [burst, { name }] of this.#bursts) {
        const share = shares.get(name) ?? { frames: 0, bytes: 0, bursts: [] };
        shares.set(name, share);
        share.frames += burst.waiting;
        share.bytes += burst.waitingBytes;
        share.bursts.push(burst);
        frames += burst.waiting;
        bytes += burst.waitingBytes;
      }
      const isOver = { frames: frames > this.#limits.frames, bytes: bytes > this.#limits.bytes };
      if (!isOver.frames && !isOver.bytes) return given;
      const size = (share: { frames: number; bytes: number }): number => (isOver.bytes ? share.bytes : share.frames);
      const largest = [...shares.values()].reduce((a, b) => (size(b) > size(a) ? b : a));
      const sparing = largest.bursts.filter((burst) => burst.canSpare);
      if (sparing.length === 0) return given;
      sparing.reduce((a, b) => (b.waiting > a.waiting ? b : a)).spare();
    }
  }
}
