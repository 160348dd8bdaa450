import { pictureFormat } from "./picture-format.ts";

/** A picture's header, and the cost of decoding it. */
export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  /**
   * Whether decoding always takes the whole picture, at a fraction of its size too, and much time: then it is done once,
   * and the pixels are kept.
   */
  readonly decodesWhole: boolean;
  /** Whether it is certain that it is not to be turned: no decoder need be asked. */
  readonly isUpright: boolean;
  /** Bytes that decoding holds at once, besides the rows that are being worked on. */
  readonly heldBytes: number;
}

/** Pixels of the largest picture: a row is small, but all of them take time. */
export const MAX_PIXELS = 40_000_000;
const MIN_SIDE = 16;
const MAX_SIDE = 16_384;
/** Cameras with two lenses side by side have three and a half. */
const MAX_RATIO = 5;
/**
 * What decoding one picture may hold. A progressive JPEG of 8 megapixels with ordinary colours takes that, or a
 * photograph of 16 megapixels that is to be turned.
 */
const MAX_HELD_BYTES = 48 * 1024 * 1024;
/** A JPEG is read once for each scan; ordinary progressive ones have ten. */
const MAX_SCANS = 24;
/** Bytes of a pixel in memory. */
const PIXEL = 3;
/** Maximum compressed bytes of the parts of a PNG other than the picture: they may expand a thousandfold. */
const MAX_PNG_EXTRA = 16_384;

/** Not a picture that the hub decodes: the message gives the reason. */
export class UnfitPicture extends Error {
  override readonly name = "UnfitPicture";
}

/**
 * Looks at a picture's header before a decoder does: its memory depends on what the file claims, not on its length. A
 * JPEG of 600 kB can have half a gigabyte of coefficients.
 * @throws UnfitPicture when it is not a JPEG, PNG or WebP picture, or takes too much
 */
export function checkPicture(file: Uint8Array): PictureHeader {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const header = headerOf(bytes);
  const { width, height, heldBytes } = header;
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  if (short < MIN_SIDE || long > MAX_SIDE || width * height > MAX_PIXELS || long > MAX_RATIO * short)
    throw new UnfitPicture(`${width} by ${height} pixels are out of bounds`);
  if (heldBytes > MAX_HELD_BYTES)
    throw new UnfitPicture(
      `decoding it takes ${Math.ceil(heldBytes / 1_048_576)} MB, at most ${MAX_HELD_BYTES / 1_048_576} are given`,
    );
  return header;
}

function headerOf(bytes: Buffer): PictureHeader {
  try {
    switch (pictureFormat(bytes)) {
      case "jpeg":
        return jpeg(bytes);
      case "png":
        return png(bytes);
      case "webp":
        return webp(bytes);
      case null:
        throw new UnfitPicture("not a JPEG, PNG or WebP picture");
    }
  } catch (error) {
    if (error instanceof RangeError) throw new UnfitPicture("its header is cut off", { cause: error });
    throw error;
  }
}

/** Markers of a JPEG (ITU-T T.81, table B.1). */
const [SOF0, SOF2, DHT, JPG, DAC, RST0, SOI, EOI, SOS, TEM] = [
  0xc0, 0xc2, 0xc4, 0xc8, 0xcc, 0xd0, 0xd8, 0xd9, 0xda, 0x01,
];
const APP1 = 0xe1;

/**
 * Sequential and progressive JPEGs with Huffman codes, grey or in three colours, as all cameras make them. Coefficients
 * of a progressive one, and of one that comes in several scans, are held until the last scan.
 */
function jpeg(bytes: Buffer): PictureHeader {
  let frame: { width: number; height: number; coefficients: number; components: number } | null = null;
  let [scans, isHeld, orientation, isUpright] = [0, false, 1, true];
  for (let at = 2; ; ) {
    const marker = nextMarker(bytes, at);
    if (marker === null || marker.code === EOI) break;
    at = marker.end;
    const { code } = marker;
    if (code === TEM || (code >= RST0 && code <= SOI)) continue;
    const end = at + bytes.readUInt16BE(at);
    if (isFrame(code)) {
      if (frame !== null || code > SOF2) throw new UnfitPicture("a JPEG of a kind that no camera makes");
      isHeld = code === SOF2;
      frame = jpegFrame(bytes, at);
    } else if (code === SOS) {
      scans += 1;
      if (frame === null || scans > MAX_SCANS) throw new UnfitPicture(`a JPEG of more than ${MAX_SCANS} scans`);
      if (bytes.readUInt8(at + 2) < frame.components) isHeld = true;
    } else if (code === APP1) {
      const said = orientationOf(bytes.subarray(at + 2, end));
      orientation = Math.max(orientation, said);
      isUpright &&= said === 1;
    }
    at = end;
  }
  if (frame === null) throw new UnfitPicture("a JPEG without a picture");
  const { width, height, coefficients } = frame;
  const pixels = width * height * PIXEL;
  const turned = orientation > 2 ? pixels : 0;
  const heldBytes = (isHeld ? coefficients + pixels : 0) + turned;
  return { width, height, decodesWhole: isHeld, isUpright, heldBytes };
}

/** The next marker from `at` on, skipping anything before it, as decoders do; null at the end of the file. */
function nextMarker(bytes: Buffer, at: number): { readonly code: number; readonly end: number } | null {
  for (let from = bytes.indexOf(0xff, at); from >= 0; from = bytes.indexOf(0xff, from)) {
    while (bytes[from] === 0xff) from += 1;
    const code = bytes[from];
    if (code === undefined) return null;
    if (code !== 0) return { code, end: from + 1 };
  }
  return null;
}

function isFrame(code: number): boolean {
  return code >= SOF0 && code <= 0xcf && code !== DHT && code !== JPG && code !== DAC;
}

/** ITU-T T.81, B.2.2; `at`: where its length stands. */
function jpegFrame(bytes: Buffer, at: number) {
  const [precision, height, width, components] = [
    bytes.readUInt8(at + 2),
    bytes.readUInt16BE(at + 3),
    bytes.readUInt16BE(at + 5),
    bytes.readUInt8(at + 7),
  ];
  if (precision !== 8 || (components !== 1 && components !== 3))
    throw new UnfitPicture(`a JPEG of ${components} colours with ${precision} bits`);
  const sampling = Array.from({ length: components }, (_, index) => {
    const factors = bytes.readUInt8(at + 9 + 3 * index);
    return [factors >> 4, factors & 15] as const;
  });
  if (sampling.some((factors) => factors.some((factor) => factor < 1 || factor > 4)))
    throw new UnfitPicture("a JPEG with impossible colours");
  const widest = Math.max(...sampling.map(([across]) => across));
  const highest = Math.max(...sampling.map(([, down]) => down));
  const [columns, rows] = [Math.ceil(width / (8 * widest)), Math.ceil(height / (8 * highest))];
  const blocks = sampling.reduce((sum, [across, down]) => sum + columns * across * rows * down, 0);
  return { width, height, components, coefficients: blocks * 64 * 2 };
}

/**
 * A picture's orientation by its Exif (tag 0x0112); 1: upright. 8 for Exif that is not understood: the decoder may
 * interpret it.
 */
function orientationOf(app1: Buffer): number {
  if (app1.toString("latin1", 0, 6) !== "Exif\0\0") return 1;
  try {
    const tiff = app1.subarray(6);
    const isLittle = tiff.toString("latin1", 0, 2) === "II";
    const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    for (let entry = 0; entry < short(directory); entry++)
      if (short(directory + 2 + 12 * entry) === 0x0112) return short(directory + 2 + 12 * entry + 8);
    return 1;
  } catch {
    return 8;
  }
}

/** Channels by colour type (PNG, section 11.2.1). */
const PNG_CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/** PNG: the decoder works row by row, unless it is interlaced. */
function png(bytes: Buffer): PictureHeader {
  if (bytes.toString("latin1", 12, 16) !== "IHDR") throw new UnfitPicture("a PNG without a header");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const [bits, kind, interlace] = [bytes.readUInt8(24), bytes.readUInt8(25), bytes.readUInt8(28)];
  let extra = 0;
  for (let at = 8; at + 8 <= bytes.length; ) {
    const [length, name] = [bytes.readUInt32BE(at), bytes.toString("latin1", at + 4, at + 8)];
    if (["iCCP", "iTXt", "zTXt"].includes(name)) extra += length;
    if (extra > MAX_PNG_EXTRA) throw new UnfitPicture("a PNG with much besides a picture");
    if (name === "acTL") throw new UnfitPicture("a moving picture");
    at += 12 + length;
  }
  const pixels = width * height;
  const interlaced = interlace === 0 ? 0 : (PNG_CHANNELS[kind] ?? 4) * Math.max(1, bits / 8);
  const turned = bytes.includes("eXIf") ? PIXEL : 0;
  return { width, height, decodesWhole: true, isUpright: false, heldBytes: pixels * (PIXEL + interlaced + turned) };
}

/** WebP (RFC 9649): the decoder holds two pictures in four bytes for each pixel; of a lossless one four. */
function webp(bytes: Buffer): PictureHeader {
  const kind = bytes.toString("latin1", 12, 16);
  if (kind === "VP8X" && (bytes.readUInt8(20) & 2) !== 0) throw new UnfitPicture("a moving picture");
  const isLossless = bytes.includes("VP8L");
  const size =
    kind === "VP8X"
      ? { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
      : kind === "VP8L"
        ? {
            width: (bytes.readUInt32LE(21) & 0x3fff) + 1,
            height: ((bytes.readUInt32LE(21) >> 14) & 0x3fff) + 1,
          }
        : { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const turned = bytes.includes("EXIF") ? PIXEL : 0;
  const heldBytes = size.width * size.height * ((isLossless ? 16 : 8) + PIXEL + turned);
  return { ...size, decodesWhole: true, isUpright: false, heldBytes };
}
