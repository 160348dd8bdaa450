/**
 * Plates cut out of stored pictures, for lists, and pictures made small, for a first look. They are made when somebody
 * looks, in the recogniser's thread at the turn of a sender that opens no gate, and kept in memory up to a size.
 * Nothing is written.
 */
import { Problem } from "../../core/kernel/problem.ts";
import { Slots } from "../../core/kernel/slots.ts";
import type { PicturePart } from "../../core/plates/reading.ts";
import { storedList } from "../../core/storage/stored-json.ts";
import type { PlateImageFiles } from "./images.ts";
import type { EncodeImage } from "./ports.ts";
import type { GateTables } from "./tables.ts";

/** A crop, and where it was cut out: a better picture of the pass may replace the one that it was made of. */
interface Crop {
  readonly box: string;
  readonly bytes: Buffer;
}

/** Crops that are kept take at most this many bytes, enough for several hundred. */
const MOST_BYTES = 3 * 1_048_576;
/** Crops that wait to be made; more than a page of a list asks for. */
const MOST_WAITING = 120;
/** Pictures that are held in memory for them. */
const AT_ONCE = 2;
/** Sender whose turn they take: no camera has this name. */
const SENDER = "console:crops";
/** Pixels: enough for a phone's first look, in a third of the bytes. */
const SMALL_WIDTH = 640;
/** What is shown around a plate, as shares of its width and height. */
const MARGIN = { x: 0.12, y: 0.22 };

interface Siblings {
  readonly tables: GateTables;
  readonly images: PlateImageFiles;
  readonly encodeImage: EncodeImage;
}

/** Cut-out plates of the newest looks. */
export class PlateCrops {
  readonly #siblings: Siblings;
  /** The one that was wanted least recently comes first. */
  readonly #kept = new Map<string, Crop>();
  readonly #making = new Map<string, Promise<Buffer>>();
  readonly #slots = new Slots(AT_ONCE);
  #bytes = 0;

  constructor(siblings: Siblings) {
    this.#siblings = siblings;
  }

  /**
   * The plate of a read with a little around it.
   * @throws Problem plate_read_not_found; image_not_found where there is no picture, or nobody knows where the plate is
   *   in it; unavailable when too many wait
   */
  async of(siteId: number, readId: number): Promise<Buffer> {
    const box = this.#boxOf(siteId, readId);
    const part = boxOf(box);
    if (part === null) throw notFound();
    return this.#get(`plate ${readId}`, readId, box ?? "", withMargin(part));
  }

  /**
   * The picture of a read, made small.
   * @throws Problem plate_read_not_found; image_not_found where there is no picture; unavailable when too many wait
   */
  async small(siteId: number, readId: number): Promise<Buffer> {
    return this.#get(`small ${readId}`, readId, this.#boxOf(siteId, readId) ?? "", null);
  }

  /** The stored place of the plate, which changes with the picture. @throws Problem where the read has no picture */
  #boxOf(siteId: number, readId: number): string | null {
    const { tables } = this.#siblings;
    const read = tables.reads.find(siteId, readId); // the right is checked each time
    if (read === null) throw new Problem("plate_read_not_found", "There is no such plate read.");
    if (read.hasImage !== 1) throw notFound();
    return tables.images.box(readId);
  }

  async #get(key: string, readId: number, box: string, part: PicturePart | null): Promise<Buffer> {
    const kept = this.#kept.get(key);
    if (kept?.box === box) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept.bytes;
    }
    const making = this.#making.get(key);
    if (making !== undefined) return making;
    if (this.#making.size >= MOST_WAITING) throw new Problem("unavailable", { code: "unavailable.captures" });
    const made = this.#slots.run(() => this.#make(key, readId, box, part)).finally(() => this.#making.delete(key));
    this.#making.set(key, made);
    return made;
  }

  async #make(key: string, readId: number, box: string, part: PicturePart | null): Promise<Buffer> {
    const picture = await this.#siblings.images.read(readId);
    if (picture === null) throw notFound();
    const width = part === null ? SMALL_WIDTH : undefined;
    const crop = await this.#siblings.encodeImage(picture, SENDER, part, width);
    if (crop === null && part !== null) throw notFound();
    if (crop === null) return picture; // nothing here makes it smaller
    const bytes = Buffer.from(crop);
    this.#drop(key);
    this.#kept.set(key, { box, bytes });
    this.#bytes += bytes.length;
    for (const [other] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(other);
    }
    return bytes;
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes.length ?? 0;
    this.#kept.delete(key);
  }
}

/** Where the plate is in the picture of a read; null where nobody knows. */
export function boxOf(stored: string | null): PicturePart | null {
  const [x1, y1, x2, y2] = storedList<number>(stored) ?? [];
  return x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined ? null : [x1, y1, x2, y2];
}

function withMargin([x1, y1, x2, y2]: PicturePart): PicturePart {
  const [x, y] = [MARGIN.x * (x2 - x1), MARGIN.y * (y2 - y1)];
  return [Math.max(0, x1 - x), Math.max(0, y1 - y), Math.min(1, x2 + x), Math.min(1, y2 + y)];
}

function notFound(): Problem {
  return new Problem("image_not_found", "The plate read has no image, or it has expired.");
}
