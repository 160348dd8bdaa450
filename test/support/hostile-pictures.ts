import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** Pictures that are small files but expensive to decode; each is refused by its header. */
export async function hostilePictures(): Promise<Readonly<Record<string, Buffer>>> {
  const grey = (megapixels: number): Sharp => {
    const side = Math.round(Math.sqrt(megapixels * 1e6));
    const background = { r: 90, g: 100, b: 110 };
    return sharp({ create: { width: side, height: side, channels: 3, background }, limitInputPixels: false });
  };
  const small = await grey(0.1).png().toBuffer();
  const text = deflateSync(Buffer.alloc(15_000_000), { level: 9 });
  return {
    "a progressive JPEG in four colours": await grey(4)
      .toColourspace("cmyk")
      .jpeg({ progressive: true, quality: 30 })
      .toBuffer(),
    "a progressive JPEG of 40 megapixels": await grey(39.9).jpeg({ progressive: true, quality: 30 }).toBuffer(),
    "a JPEG of 42 megapixels": await grey(42).jpeg({ quality: 20 }).toBuffer(),
    "a JPEG of 20 megapixels that is to be turned": await grey(20)
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 30 })
      .toBuffer(),
    "an interlaced PNG of 20 megapixels": await grey(20).png({ progressive: true, compressionLevel: 2 }).toBuffer(),
    "a PNG with forty packed texts": Buffer.concat([
      small.subarray(0, 33),
      ...Array<Buffer>(40).fill(chunk("zTXt", Buffer.concat([Buffer.from("k\0\0"), text]))),
      small.subarray(33),
    ]),
    "a WebP of 12 megapixels": await grey(12).webp({ quality: 20, effort: 0 }).toBuffer(),
    "a WebP of 8 megapixels without loss": await grey(8).webp({ lossless: true, effort: 0 }).toBuffer(),
    "a JPEG of a hundred scans": manyScans(await grey(0.1).jpeg({ progressive: true }).toBuffer(), 100),
  };
}

/** A chunk of a PNG. */
function chunk(name: string, data: Buffer): Buffer {
  const all = Buffer.alloc(12 + data.length);
  all.writeUInt32BE(data.length, 0);
  all.write(name, 4, "latin1");
  data.copy(all, 8);
  all.writeUInt32BE(crc32(all.subarray(4, 8 + data.length)), 8 + data.length);
  return all;
}

/** A progressive JPEG whose last scan is repeated. */
function manyScans(jpeg: Buffer, count: number): Buffer {
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(last, -2);
  return Buffer.concat([jpeg.subarray(0, -2), ...Array<Buffer>(count).fill(scan), jpeg.subarray(-2)]);
}
