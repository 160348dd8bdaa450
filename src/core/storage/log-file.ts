/**
 * SQLite's write-ahead log as a file: waiting until it is on the medium without blocking the event loop, and rewriting
 * it after the system failed to. SQLite itself writes and reads it; this module only knows which bytes belong to
 * commits (https://www.sqlite.org/fileformat2.html §4).
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The first word of the file; its last bit gives the byte order of the checksums. */
const MAGIC = 0x377f0682;
const PIECE_FRAMES = 256;

/** The open log of a database. It remains the same file as long as any connection is open. */
export class LogFile {
  readonly #descriptor: number;

  /** @throws Error of the system if there is no log: the database must be open in WAL mode and written to */
  constructor(databaseFile: string) {
    this.#descriptor = openSync(`${databaseFile}-wal`, "r+");
  }

  /**
   * Resolves when everything written to the log before the call is on the medium.
   * @throws Error of the system: then the outcome is unknown
   */
  sync(): Promise<void> {
    return new Promise((resolve, reject) =>
      fdatasync(this.#descriptor, (error) => (error ? reject(error) : resolve())),
    );
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/**
 * Writes the first `frames` frames of the log again and waits for the medium. After a failed sync the system considers
 * unwritten pages written, and a second sync would report success. The data read back is checked against SQLite's own
 * checksums before it is written, because it may be the old content of the medium. The database must not be written
 * while this runs. Blocks: belongs in a thread.
 * @throws Error `SQLITE_CORRUPT` when the data read back is not what was committed; Error of the system
 */
export function rewriteLog(databaseFile: string, frames: number): void {
  const descriptor = openSync(`${databaseFile}-wal`, "r+");
  try {
    const header = read(descriptor, 0, HEADER_BYTES);
    const magic = header.readUInt32BE(0);
    if ((magic & ~1) >>> 0 !== MAGIC) throw corrupt("the log has no header");
    const words = magic & 1 ? bigEndian : littleEndian;
    const pageBytes = header.readUInt32BE(8);
    const salts = header.subarray(16, 24);
    let sum = checksum([0, 0], words(header.subarray(0, 24)));
    if (!isSum(sum, header.subarray(24, 32))) throw corrupt("the log's header is not what was written");
    const frameBytes = FRAME_HEADER_BYTES + pageBytes;
    if (fstatSync(descriptor).size < HEADER_BYTES + frames * frameBytes)
      throw corrupt("the log is shorter than what was committed");
    const write = (bytes: Buffer, at: number): void => {
      for (let done = 0; done < bytes.length; )
        done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
    };
    write(header, 0);
    for (let first = 0; first < frames; first += PIECE_FRAMES) {
      const at = HEADER_BYTES + first * frameBytes;
      const piece = read(descriptor, at, Math.min(PIECE_FRAMES, frames - first) * frameBytes);
      for (let frame = 0; frame < piece.length; frame += frameBytes) {
        sum = checksum(sum, words(piece.subarray(frame, frame + 8)));
        sum = checksum(sum, words(piece.subarray(frame + FRAME_HEADER_BYTES, frame + frameBytes)));
        const isSame =
          piece.subarray(frame + 8, frame + 16).equals(salts) && isSum(sum, piece.subarray(frame + 16, frame + 24));
        if (!isSame) throw corrupt(`frame ${first + frame / frameBytes + 1} of the log is not what was written`);
      }
      write(piece, at);
    }
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

type Sum = readonly [number, number];

function checksum([first, second]: Sum, words: Uint32Array): Sum {
  let [a, b] = [first, second];
  for (let n = 0; n < words.length; n += 2) {
    a = (a + (words[n] ?? 0) + b) >>> 0;
    b = (b + (words[n + 1] ?? 0) + a) >>> 0;
  }
  return [a, b];
}

function isSum([a, b]: Sum, stored: Buffer): boolean {
  return stored.readUInt32BE(0) === a && stored.readUInt32BE(4) === b;
}

function littleEndian(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readUInt32LE(n * 4));
}

function bigEndian(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length / 4 }, (_, n) => bytes.readUInt32BE(n * 4));
}

function read(descriptor: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const count = readSync(descriptor, bytes, done, length - done, at + done);
    if (count === 0) throw corrupt("the log ends early");
    done += count;
  }
  return bytes;
}

/** The error that SQLite gives for a damaged file. */
export function corrupt(reason: string): Error {
  return Object.assign(new Error(reason), { code: "SQLITE_CORRUPT" });
}
