import type { Polygon } from "./camera-source.ts";

/** A small grey picture, one byte per pixel. */
export interface GreyPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Size at which pictures are compared: noise averages out, a car does not. */
export const MOTION_WIDTH = 160;
/** Size at which pictures are compared. */
export const MOTION_HEIGHT = 90;

/** How fast the background follows the scene: dusk and clouds are not motion. */
const LEARNING = 0.08;
/** After a burst, the scene must be still for this many pictures before it counts as new motion. */
const STILL_PICTURES = 3;

/**
 * Notices when something begins to move: differences from a slowly learned background, outside the mask. Light that
 * changes everywhere at once (a lamp, the camera's night switch) is not motion.
 */
export class MotionDetector {
  readonly #counts: Uint8Array;
  readonly #counted: number;
  readonly #pixelStep: number;
  readonly #areaShare: number;
  #background: Float32Array | null = null;
  #still = STILL_PICTURES;

  /** @param sensitivity 1 (a lorry close by) to 100 (a cat far away) */
  constructor(sensitivity: number, mask: readonly Polygon[]) {
    this.#counts = Uint8Array.from({ length: MOTION_WIDTH * MOTION_HEIGHT }, (_, index) => {
      const [x, y] = [
        ((index % MOTION_WIDTH) + 0.5) / MOTION_WIDTH,
        (Math.floor(index / MOTION_WIDTH) + 0.5) / MOTION_HEIGHT,
      ];
      return mask.some((polygon) => contains(polygon, x, y)) ? 0 : 1;
    });
    this.#counted = this.#counts.reduce((sum, counts) => sum + counts, 0);
    this.#pixelStep = 45 - 0.33 * sensitivity;
    this.#areaShare = 0.06 * 0.94 ** sensitivity + 0.0015;
  }

  /** Looks at the next picture; true when motion begins with it. @throws RangeError for a picture of another size */
  sees({ data, width, height }: GreyPicture): boolean {
    if (width !== MOTION_WIDTH || height !== MOTION_HEIGHT || data.length !== width * height)
      throw new RangeError(`motion pictures are ${MOTION_WIDTH} by ${MOTION_HEIGHT}`);
    const background = this.#background;
    if (background === null) {
      this.#background = Float32Array.from(data);
      return false;
    }
    const light = this.#lightChange(data, background);
    let changed = 0;
    for (let i = 0; i < data.length; i++) {
      const difference = (data[i] ?? 0) - (background[i] ?? 0);
      if (this.#counts[i] === 1 && Math.abs(difference - light) > this.#pixelStep) changed += 1;
      background[i] = (background[i] ?? 0) + LEARNING * difference;
    }
    if (Math.abs(light) > this.#pixelStep) background.set(data);
    const moves = this.#counted > 0 && changed / this.#counted > this.#areaShare;
    const begins = moves && this.#still >= STILL_PICTURES;
    this.#still = moves ? 0 : this.#still + 1;
    return begins;
  }

  /** Median difference: what changed everywhere. */
  #lightChange(data: Uint8Array, background: Float32Array): number {
    const differences: number[] = [];
    for (let i = 0; i < data.length; i += 37) differences.push((data[i] ?? 0) - (background[i] ?? 0));
    differences.sort((a, b) => a - b);
    return differences[differences.length >> 1] ?? 0;
  }
}

/** Even-odd rule. */
function contains(polygon: Polygon, x: number, y: number): boolean {
  let isInside = false;
  let previous = polygon[polygon.length - 1] ?? [0, 0];
  for (const corner of polygon) {
    const [x1, y1] = corner;
    const [x2, y2] = previous;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside;
    previous = corner;
  }
  return isInside;
}
