/**
 * Plates cut out of stored pictures, for lists. They are made when somebody looks, in the recogniser's thread at the
 * turn of a sender that opens no gate, and kept in memory up to a size. Nothing is written.
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

/** Crops that are kept take at most so many bytes: several hundred. */
const MOST_BYTES = 3 * 1_048_576;
/** Crops that wait to be made; more than a page of a list asks for. */
const MOST_WAITING = 120;
/** Pictures that are held in memory for them. */
const AT_ONCE = 2;
/** Sender whose turn they take: no camera has this name. */
const SENDER = "console:crops";
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
  readonly #kept = new Map<number, Crop>();
  readonly #making = new Map<number, Promise<Buffer>>();
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
    const { tables } = this.#siblings;
    const read = tables.reads.find(siteId, readId); // the right is checked each time
    if (read === null) throw new Problem("plate_read_not_found", "There is no such plate read.");
    const box = read.hasImage === 1 ? tables.images.box(readId) : null;
    const part = boxOf(box);
    if (box === null || part === null) throw notFound();
    const kept = this.#kept.get(readId);
    if (kept?.box === box) {
      this.#kept.delete(readId);
      this.#kept.set(readId, kept);
      return kept.bytes;
    }
    const making = this.#making.get(readId);
    if (making !== undefined) return making;
    if (this.#making.size >= MOST_WAITING) throw new Problem("unavailable", { code: "unavailable.captures" });
    const made = this.#slots.run(() => this.#make(readId, box, part)).finally(() => this.#making.delete(readId));
    this.#making.set(readId, made);
    return made;
  }

  async #make(readId: number, box: string, part: PicturePart): Promise<Buffer> {
    const picture = await this.#siblings.images.read(readId);
    const crop = picture === null ? null : await this.#siblings.encodeImage(picture, SENDER, withMargin(part));
    if (crop === null) throw notFound();
    const bytes = Buffer.from(crop);
    this.#drop(readId);
    this.#kept.set(readId, { box, bytes });
    this.#bytes += bytes.length;
    for (const [id] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#drop(id);
    }
    return bytes;
  }

  #drop(readId: number): void {
    this.#bytes -= this.#kept.get(readId)?.bytes.length ?? 0;
    this.#kept.delete(readId);
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
