import sharp, { type Sharp } from "sharp";
import { freeBytes } from "../../core/kernel/free-bytes.ts";
import { checkPicture, MAX_PIXELS, type PictureHeader, UnfitPicture } from "../../core/kernel/picture-cost.ts";
import type { PicturePart } from "../../core/plates/reading.ts";
import { cut, enlarged, type PictureSize, type Pixels, type Region } from "./pixels.ts";

/** Not a picture, too large, or truncated. */
export class BadPicture extends Error {
  override readonly name = "BadPicture";
}

/** Keeps the decoder from caching pictures, and from using more cores than the recogniser was given. */
export function limitDecoder(): void {
  sharp.cache(false);
  sharp.concurrency(1);
}

const TWO_SIZES = "its size is said in two ways";

/** From this factor on, a JPEG is shrunk while it is decoded; otherwise it is decoded only once. */
const SHRUNK_FROM = 2;

/** One encoded picture that is decoded as far as needed. */
export class Picture {
  readonly #bytes: Uint8Array;
  readonly size: PictureSize;
  readonly #decodesWhole: boolean;
  /** All its pixels, once they were needed. */
  #whole: Pixels | null = null;
  #decodeMs = 0;

  private constructor(bytes: Uint8Array, size: PictureSize, decodesWhole: boolean) {
    this.#bytes = bytes;
    this.size = size;
    this.#decodesWhole = decodesWhole;
  }

  /** Reads the header. @throws BadPicture. */
  static async open(bytes: Uint8Array): Promise<Picture> {
    const { width, height, decodesWhole, isUpright } = looked(bytes);
    if (isUpright) return new Picture(bytes, { width, height }, decodesWhole);
    const header = await guard(() => sharp(bytes, OPTIONS).metadata());
    if ((header.pages ?? 1) > 1) throw new BadPicture("a moving picture");
    if (header.width !== width || header.height !== height) throw new BadPicture(TWO_SIZES);
    const lies = (header.orientation ?? 1) >= 5; // EXIF: rotated by a quarter turn
    return new Picture(bytes, lies ? { width: height, height: width } : { width, height }, decodesWhole);
  }

  /** Frees its pixels: left to the collector, those of the next picture come on top, tens of megabytes each. */
  close(): void {
    if (this.#whole !== null) freeBytes(this.#whole.data);
    this.#whole = null;
  }

  /** Milliseconds spent on decoding so far. */
  get decodeMs(): number {
    return this.#decodeMs;
  }

  /**
   * The whole picture at another size; JPEGs are shrunk while they are decoded.
   * @throws BadPicture when the file is truncated
   */
  async scaled(width: number, height: number): Promise<Pixels> {
    return this.#timed(async () => {
      if (this.#decodesWhole || this.size.width < width * SHRUNK_FROM) this.#whole ??= await this.#decodeWhole();
      if (this.#whole !== null && this.#whole.width < width && this.#whole.height < height)
        return enlarged(this.#whole, width, height);
      return pixelsOf(this.#source().resize(width, height, { fit: "fill", kernel: "linear" }));
    });
  }

  /**
   * A part of the picture after shrinking the whole by a power of two. `region` is in pixels of the shrunk picture and
   * must be inside it.
   * @throws BadPicture when the file is truncated
   */
  async part(region: Region, shrink: number): Promise<Pixels> {
    return this.#timed(async () => {
      if (this.#decodesWhole) this.#whole ??= await this.#decodeWhole();
      if (shrink === 1)
        return this.#whole === null ? pixelsOf(this.#decoder().extract(region)) : cut(this.#whole, region);
      const size = { width: Math.ceil(this.size.width / shrink), height: Math.ceil(this.size.height / shrink) };
      return pixelsOf(
        this.#source()
          .resize({ ...size, fit: "fill", kernel: "linear" })
          .extract(region),
      );
    });
  }

  /**
   * The picture, or a part of it, as JPEG for keeping: at most `maxWidth` wide, without the metadata of the camera.
   * @throws BadPicture.
   */
  async encoded(maxWidth: number, quality: number, part: PicturePart | null = null): Promise<Uint8Array> {
    const { width, height } = this.size;
    const [x1, y1, x2, y2] = part ?? [0, 0, 1, 1];
    const [left, top] = [Math.floor(x1 * width), Math.floor(y1 * height)];
    const region = { left, top, width: Math.ceil(x2 * width) - left, height: Math.ceil(y2 * height) - top };
    return guard(() => {
      const whole = this.#decoder();
      const wanted = part === null ? whole : whole.extract(region);
      return wanted.resize({ width: maxWidth, withoutEnlargement: true }).jpeg({ quality }).toBuffer();
    });
  }

  async #timed(work: () => Promise<Pixels>): Promise<Pixels> {
    const started = performance.now();
    const pixels = await work();
    this.#decodeMs += performance.now() - started;
    return pixels;
  }

  async #decodeWhole(): Promise<Pixels> {
    const whole = await pixelsOf(this.#decoder());
    if (whole.width !== this.size.width || whole.height !== this.size.height) throw new BadPicture(TWO_SIZES);
    return whole;
  }

  #source(): Sharp {
    if (this.#whole === null) return this.#decoder();
    const { data, width, height } = this.#whole;
    return sharp(data, { raw: { width, height, channels: 3 } });
  }

  #decoder(): Sharp {
    return sharp(this.#bytes, OPTIONS).autoOrient().toColourspace("srgb").removeAlpha();
  }
}

/** The header as the hub reads it. @throws BadPicture */
function looked(bytes: Uint8Array): PictureHeader {
  try {
    return checkPicture(bytes);
  } catch (error) {
    if (error instanceof UnfitPicture) throw new BadPicture(error.message, { cause: error });
    throw error;
  }
}

const OPTIONS = { failOn: "error", limitInputPixels: MAX_PIXELS, sequentialRead: true } as const;

async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await guard(() => picture.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true }));
  if (info.channels === 3) return { data, width: info.width, height: info.height };
  if (info.channels !== 1) throw new BadPicture(`${info.channels} channels`);
  const colour = new Uint8Array(data.length * 3);
  for (let i = 0; i < data.length; i++) colour.fill(data[i] ?? 0, i * 3, i * 3 + 3);
  return { data: colour, width: info.width, height: info.height };
}

/** Runs `work`; the decoder's own errors mean that the picture is bad. */
async function guard<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadPicture) throw error;
    throw new BadPicture(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
