import { crc32 } from "node:zlib";

/** A file in a ZIP file. */
export interface ZipEntry {
  /** ASCII, without folders. */
  readonly name: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
const VERSION = 20;
const UTF8_NAMES = 0x0800;

/**
 * A ZIP file (APPNOTE 6.3.10, without compression: pictures are compressed already) that is made while it is sent. Its
 * sum of bytes has to stay below 4 GB and its entries below 65,536.
 */
export async function* zipped(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, at, bytes } of entries) {
    const common = fields(name, at, bytes);
    const local = Buffer.concat([u32(LOCAL), common, Buffer.from(name)]);
    directory.push(
      Buffer.concat([
        u32(CENTRAL),
        u16(VERSION),
        common,
        u16(0),
        u16(0),
        u16(0),
        u32(0),
        u32(offset),
        Buffer.from(name),
      ]),
    );
    yield local;
    yield bytes;
    offset += local.length + bytes.length;
  }
  const listed = Buffer.concat(directory);
  const count = u16(directory.length);
  yield listed;
  yield Buffer.concat([u32(END), u16(0), u16(0), count, count, u32(listed.length), u32(offset), u16(0)]);
}

/** What the head of a file and its line of the directory have in common. */
function fields(name: string, at: number, bytes: Uint8Array): Buffer {
  const size = u32(bytes.length);
  return Buffer.concat([
    ...[u16(VERSION), u16(UTF8_NAMES), u16(0), dosMoment(at), u32(crc32(bytes)), size, size],
    ...[u16(Buffer.byteLength(name)), u16(0)],
  ]);
}

/** Time and date as MS-DOS wrote them, in UTC; in steps of two seconds, from 1980 on. */
function dosMoment(at: number): Buffer {
  const date = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return Buffer.concat([u16(time), u16(day)]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
