import { freeBytes } from "../../core/kernel/free-bytes.ts";
import { type Candidate, suppressed } from "./candidates.ts";
import type { Networks } from "./networks.ts";
import type { Picture } from "./picture.ts";
import { cut, fit, halved, type PictureSize, type Pixels } from "./pixels.ts";

/** Most plates of a frame that are looked at. */
export const MAX_PLATES = 6;
/** If the best plate scores lower, the frame is searched again at half the scale. */
const SURE = 0.7;
/** From this score of the best plate on, nothing else is proposed. */
const SETTLED = 0.85;
/** Searching tiles pays only if the picture has clearly more pixels than the detector's input. */
const TILES_FROM = 1.4;
/** Least plate widths in pixels: to be detected, in the detector's input, and to be legible, in the picture. */
const [SEEN_FROM, READ_FROM] = [16, 80];
/** How much larger a frame is searched in which no plate is plainly there, and what is around a plate that stays in doubt. */
export const LARGER = 1.5;
/** Tiles overlap by this share, so that no plate falls between two. */
const TILE_OVERLAP = 0.2;

/** What the detector says of a whole frame. */
export interface WholeFrame {
  /** Best first; plates, and proposals where no plate is certain. */
  readonly candidates: readonly Candidate[];
  /** Pixels of the detector's input per pixel of the picture. */
  readonly scale: number;
  /** The picture at this scale. */
  readonly pixels: Pixels;
}

/**
 * Searches the whole frame for plates, and at half the scale too if none is certain: a plate may fill so much of it
 * that the detector sees only parts.
 * @throws BadPicture
 */
export async function searchWhole(networks: Networks, picture: Picture): Promise<WholeFrame> {
  const input = inputSize(networks, picture.size);
  const scale = Math.min(input.width / picture.size.width, input.height / picture.size.height);
  const pixels = await picture.scaled(fit(picture.size.width, scale), fit(picture.size.height, scale));
  const whole = await networks.detect(pixels, input, { scale, left: 0, top: 0 });
  const best = whole[0]?.score ?? 0;
  const coarse = best < SURE ? await atHalf(networks, pixels, input, scale) : [];
  const candidates = suppressed([...(best < SETTLED ? whole : whole.filter(isPlate(networks))), ...coarse], MAX_PLATES);
  return { candidates, scale, pixels };
}

/**
 * Searches at a quarter of the scale: a plate that fills most of the picture is seen whole only there. A sixteenth of
 * the work of the whole frame.
 */
export async function searchCoarse(networks: Networks, { pixels, scale }: WholeFrame): Promise<Candidate[]> {
  const small = halved(halved(pixels));
  const input = { width: Math.ceil(small.width / 32) * 32, height: Math.ceil(small.height / 32) * 32 };
  const found = await networks.detect(small, input, { scale: scale / 4, left: 0, top: 0 });
  return suppressed(found.filter(isPlate(networks)), MAX_PLATES);
}

/** Whether the picture has so many pixels that legible plates are too small to be detected in the whole of it. */
export function hidesPlates({ scale }: WholeFrame): boolean {
  return SEEN_FROM / scale > READ_FROM;
}

/** Whether a candidate is a plate, or only a proposal. */
export function isPlate({ facts }: Networks): (candidate: Candidate) => boolean {
  return ({ score }) => score > facts.scoreThreshold;
}

/**
 * Searches four tiles at about twice the scale, for plates too small in the whole frame. Finds nothing if the picture
 * is not large enough.
 * @throws BadPicture
 */
export async function searchTiles(networks: Networks, picture: Picture, scale: number): Promise<Candidate[]> {
  if (scale * TILES_FROM >= 1) return [];
  const { width, height } = picture.size;
  const tileScale = Math.min(1, scale * 2 * (1 - TILE_OVERLAP / 2));
  const full = await picture.scaled(fit(width, tileScale), fit(height, tileScale));
  const input = inputSize(networks, picture.size);
  const found: Candidate[] = [];
  for (const top of starts(full.height, input.height)) {
    for (const left of starts(full.width, input.width)) {
      const region = {
        left,
        top,
        width: Math.min(input.width, full.width - left),
        height: Math.min(input.height, full.height - top),
      };
      const tile = cut(full, region);
      const place = { scale: tileScale, left: left / tileScale, top: top / tileScale };
      found.push(...(await networks.detect(tile, input, place)));
      freeBytes(tile.data);
    }
  }
  freeBytes(full.data);
  return suppressed(found.filter(isPlate(networks)), MAX_PLATES);
}

/** The detector takes any multiple of 32: an input of the picture's own shape wastes no pixels on padding. */
function inputSize({ facts }: Networks, size: PictureSize): PictureSize {
  const area = facts.inputWidth * facts.inputHeight;
  const aspect = Math.min(3, Math.max(1 / 3, size.width / size.height));
  const width = Math.max(64, Math.round(Math.sqrt(area * aspect) / 32) * 32);
  const height = Math.max(64, Math.round(Math.sqrt(area / aspect) / 32) * 32);
  return { width, height };
}

/**
 * Searches the whole frame at one and a half times the scale, for plates that the first search missed. Two and a quarter
 * times the work of the whole frame.
 * @throws BadPicture
 */
export async function searchLarger(
  networks: Networks,
  picture: Picture,
): Promise<{ readonly candidates: readonly Candidate[]; readonly scale: number }> {
  const usual = inputSize(networks, picture.size);
  const input = { width: larger(usual.width), height: larger(usual.height) };
  const scale = Math.min(input.width / picture.size.width, input.height / picture.size.height);
  const pixels = await picture.scaled(fit(picture.size.width, scale), fit(picture.size.height, scale));
  const found = await networks.detect(pixels, input, { scale, left: 0, top: 0 });
  freeBytes(pixels.data);
  return { candidates: suppressed(found.filter(isPlate(networks)), MAX_PLATES), scale };
}

function larger(side: number): number {
  return Math.round((side * LARGER) / 32) * 32;
}

/** A quarter of the work of the whole. */
async function atHalf(networks: Networks, pixels: Pixels, input: PictureSize, scale: number): Promise<Candidate[]> {
  const half = { width: Math.ceil(input.width / 64) * 32, height: Math.ceil(input.height / 64) * 32 };
  const small = halved(pixels);
  const found = await networks.detect(small, half, { scale: scale / 2, left: 0, top: 0 });
  freeBytes(small.data);
  return found;
}

/** Where tiles begin so that they cover a side. */
function starts(side: number, tile: number): number[] {
  if (side <= tile) return [0];
  const count = Math.ceil((side - tile * TILE_OVERLAP) / (tile * (1 - TILE_OVERLAP)));
  return Array.from({ length: count }, (_, index) => Math.round(((side - tile) * index) / (count - 1)));
}
