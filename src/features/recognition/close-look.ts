import { freeBytes } from "../../core/kernel/free-bytes.ts";
import type { Point } from "../../core/plates/reading.ts";
import type { Candidate } from "./candidates.ts";
import type { Networks } from "./networks.ts";
import type { Picture } from "./picture.ts";
import { fit, inside, type Pixels, type Region, resized, union } from "./pixels.ts";
import { expanded, greyOf, type Margin, PLATE_WIDTH, plateWidth, type Quad, regionOf } from "./rectify.ts";
import { surroundingsOf } from "./surroundings.ts";
import type { View } from "./view.ts";

/** Size of a close-up's input. */
const CLOSE_UP = { width: 288, height: 160 } as const;
/** How wide the plate is in a close-up's input. */
const PLAIN = 96;
/**
 * How doubtful plates are looked at again, look by look: close-ups of these widths, each of which gives its own
 * corners, with which the plate is read again. The same close-up again still shows a plate a little differently, which
 * measurements showed to be worth it.
 */
const LOOKS: readonly number[] = [PLAIN, 64, 128];
/** How often a plate is looked at again at most. */
export const MOST_LOOKS = LOOKS.length;
const WIDEST = Math.min(...LOOKS);
/** Margin around the corners. */
const NEAR: Margin = { along: 1.1, across: 1.08 };
/** The pixels around some plates of a picture, decoded once, for views and close-ups of them. */
export class CloseLook {
  readonly #networks: Networks;
  readonly #pixels: Pixels;
  /** Where the pixels are, in pixels of the shrunk picture. */
  readonly #region: Region;
  readonly #shrink: number;

  private constructor(networks: Networks, pixels: Pixels, region: Region, shrink: number) {
    this.#networks = networks;
    this.#pixels = pixels;
    this.#region = region;
    this.#shrink = shrink;
  }

  /** Decodes what may be looked at around the candidates. @throws BadPicture. */
  static async at(networks: Networks, picture: Picture, candidates: readonly Candidate[]): Promise<CloseLook> {
    const shrink = shrinkFor(candidates.map(({ corners }) => plateWidth(corners)));
    const size = { width: Math.ceil(picture.size.width / shrink), height: Math.ceil(picture.size.height / shrink) };
    const regions = candidates.flatMap((candidate) => {
      const span = spanOf(candidate, WIDEST / widthOf(candidate));
      const around = inside(size, {
        left: span.left / shrink,
        top: span.top / shrink,
        width: span.width / shrink,
        height: span.height / shrink,
      });
      return [around, regionOf(expanded(candidate.corners, NEAR), picture.size, shrink)];
    });
    const region = union(regions);
    return new CloseLook(networks, await picture.part(region, shrink), region, shrink);
  }

  /** Frees its pixels; nothing is looked at after that. */
  close(): void {
    freeBytes(this.#pixels.data);
  }

  /** What is read with these corners. */
  viewOf(corners: Quad): View {
    const { width, height } = this.#pixels;
    const quad = expanded(moved(corners, this.#region, this.#shrink), NEAR);
    const region = regionOf(quad, { width, height }, 1);
    return { part: greyOf(this.#pixels, region), quad: moved(quad, region, 1) };
  }

  /** What is around a plate with these corners, as far as it was decoded. */
  around(corners: Quad): Uint8Array {
    return surroundingsOf(this.#pixels, moved(corners, this.#region, this.#shrink));
  }

  /** The candidate as one close-up shows it; unchanged if nothing is seen in its place. */
  async plain(candidate: Candidate): Promise<Candidate> {
    const seen = await this.#closeUp(candidate, PLAIN / widthOf(candidate));
    return seen === null ? candidate : { ...seen, score: Math.max(seen.score, candidate.score) };
  }

  /**
   * A further view of a plate, from the corners that a close-up gives; null if that shows none, or nothing is left to
   * look at.
   * @param look from 0 to {@link MOST_LOOKS} − 1
   */
  async again(candidate: Candidate, look: number): Promise<View | null> {
    const width = LOOKS[look];
    const seen = width === undefined ? null : await this.#closeUp(candidate, width / widthOf(candidate));
    return seen === null ? null : this.viewOf(seen.corners);
  }

  /**
   * A further view, from a close-up at this scale (pixels of its input per pixel of the picture), at which the plate
   * fills at most three quarters of it; null as of {@link again}.
   */
  async atScale(candidate: Candidate, scale: number): Promise<View | null> {
    const seen = await this.#closeUp(candidate, Math.min(scale, (0.75 * CLOSE_UP.width) / widthOf(candidate)));
    return seen === null ? null : this.viewOf(seen.corners);
  }

  async #closeUp(candidate: Candidate, scale: number): Promise<Candidate | null> {
    const wanted = spanOf(candidate, scale);
    const { left, top } = this.#region;
    const shrunk = {
      left: wanted.left / this.#shrink - left,
      top: wanted.top / this.#shrink - top,
      width: wanted.width / this.#shrink,
      height: wanted.height / this.#shrink,
    };
    const region = inside(this.#pixels, shrunk);
    const each = scale * this.#shrink;
    const pixels = resized(this.#pixels, region, fit(region.width, each), fit(region.height, each));
    const place = { scale, left: (region.left + left) * this.#shrink, top: (region.top + top) * this.#shrink };
    const seen = await this.#networks.detect(pixels, CLOSE_UP, place);
    freeBytes(pixels.data);
    const [x1, y1, x2, y2] = candidate.box;
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
    return seen.find(({ box }) => box[0] < x && x < box[2] && box[1] < y && y < box[3]) ?? null;
  }
}

/** A tilted or badly framed plate has a short upper edge, and its box says more. */
function widthOf({ corners, box }: Candidate): number {
  return Math.max(8, plateWidth(corners), 0.7 * (box[2] - box[0]));
}

/** What a close-up of this scale shows, in pixels of the picture. */
function spanOf({ box: [x1, y1, x2, y2] }: Candidate, scale: number): Region {
  const [width, height] = [CLOSE_UP.width / scale, CLOSE_UP.height / scale];
  return { left: (x1 + x2 - width) / 2, top: (y1 + y2 - height) / 2, width, height };
}

/** Corners in pixels of a region of the shrunk picture. */
function moved([a, b, c, d]: Quad, region: Region, shrink: number): Quad {
  const move = ([x, y]: Point): Point => [x / shrink - region.left, y / shrink - region.top];
  return [move(a), move(b), move(c), move(d)];
}

/** The largest power of two that leaves every plate at least as wide as twice the reader's input. */
function shrinkFor(widths: readonly number[]): number {
  let shrink = 1;
  while (Math.min(...widths) / (shrink * 2) >= 2 * PLATE_WIDTH && shrink < 8) shrink *= 2;
  return shrink;
}
