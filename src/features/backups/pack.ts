import { createHash } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { PassThrough, Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Decrypter, Encrypter } from "age-encryption";
import { inDiskTurn } from "../../core/kernel/disk-turns.ts";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { openWholeFile } from "../../core/kernel/small-file.ts";
import { chunksOf, steadyWriter } from "../../core/kernel/steady-file.ts";
import { notABackup } from "./backup-file.ts";

/** How a backup file is packed. */
export type Packing = "plain" | "gzip" | "age";

/** Figures of a written or read file: its hash and size, and the hash of its content. */
export interface PackFigures {
  readonly bytes: number;
  readonly sha256: string;
  readonly plainSha256: string;
}

/** scrypt with N = 2^15 takes 32 MiB; the usual 2^18 would take 256 MiB, a quarter of a small board. */
const SCRYPT_LOG_N = 15;
/** The default of age itself; each step more is twice the memory, and the library goes up to a gigabyte. */
const MOST_SCRYPT_LOG_N = 18;
const AGE_MAGIC = "age-encryption.org/v1";
const SQLITE_MAGIC = "SQLite format 3\0";

/**
 * Compresses bytes into a file, encrypts it when there is a passphrase, and syncs it to disk. The result opens with
 * gunzip, or age and gunzip.
 */
export async function pack(
  from: Iterable<Buffer> | AsyncIterable<Buffer>,
  to: string,
  passphrase: string | null,
): Promise<PackFigures> {
  const plain = hashing();
  const packed = hashing();
  const zipped = new PassThrough();
  const body =
    passphrase === null
      ? zipped
      : Readable.fromWeb(
          (await (await encrypter(passphrase)).encrypt(toWeb(zipped))) as Parameters<typeof Readable.fromWeb>[0],
        ); // the browsers' type of the same class
  await Promise.all([
    pipeline(Readable.from(from, { objectMode: false }), plain.stream, createGzip({ level: 6 }), zipped), // not before both are waited for
    pipeline(body, packed.stream, steadyWriter(to)),
  ]);
  return { bytes: packed.bytes(), sha256: packed.digest(), plainSha256: plain.digest() };
}

/**
 * Unpacks a file into `to` or, with null, only reads it to compute its hashes. The output is bounded by the file's size
 * and by the room for it, so that a small file cannot fill the disk.
 * @throws Problem `wrong_passphrase` for a missing or wrong one, `wrong_file` when it is not a backup, `damaged_file`,
 *   `unreadable_file`, `not_found`, `storage_full`, where it can be known before anything is written
 */
export async function unpack(from: string, to: string | null, passphrase: string | null): Promise<PackFigures> {
  const packing = packingOf(from);
  if (packing === "age" && passphrase === null) throw new Problem("wrong_passphrase", { code: "backup.encrypted" });
  if (packing === "age" && scryptLogN(from) > MOST_SCRYPT_LOG_N)
    throw new Problem("damaged_file", { code: "backup.notUnpacked" });
  const limit = unpackLimit(from, to);
  if (to !== null) checkRoom(dirname(to), leastUnpacked(from, packing), limit.bytes);
  const plain = hashing(limit);
  const packed = hashing();
  const sink = to === null ? nowhere() : steadyWriter(to);
  const raw = Readable.from(chunksOf(from), { objectMode: false });
  try {
    if (packing === "plain") await pipeline(raw, packed.stream, plain.stream, sink);
    else if (packing === "gzip") await pipeline(raw, packed.stream, createGunzip(), plain.stream, sink);
    else {
      raw.on("error", (error) => packed.stream.destroy(error));
      const opened = await (await decrypter(passphrase ?? "")).decrypt(toWeb(raw.pipe(packed.stream)));
      await pipeline(
        Readable.fromWeb(opened as Parameters<typeof Readable.fromWeb>[0]),
        createGunzip(),
        plain.stream,
        sink,
      ); // the browsers' type of the same class
    }
  } catch (cause) {
    raw.destroy();
    sink.destroy();
    if (to !== null) rmSync(to, { force: true });
    const known = fileProblem(cause, "backup");
    if (known !== null) throw known;
    const isWrongPassphrase =
      packing === "age" && cause instanceof Error && /no identity matched|passphrase/i.test(cause.message);
    if (isWrongPassphrase) throw new Problem("wrong_passphrase", { code: "backup.passphrase" }, { cause });
    throw new Problem("damaged_file", { code: "backup.notUnpacked" }, { cause });
  }
  return { bytes: packed.bytes(), sha256: packed.digest(), plainSha256: plain.digest() };
}

/** A database of telemetry packs to a quarter; an empty one, only room for rows, to a fiftieth. */
const MOST_TIMES = 60;
/** The last bytes of a gzip file: the size of its content. */
const GZIP_SIZE_BYTES = 4;
/** The unpacked size allowed even for a small backup. */
const LEAST_LIMIT = 64 * 1_048_576;
/** Disk space left free by unpacking: the hub keeps recording meanwhile. */
const SPARE_BYTES = 64 * 1_048_576;

/** Most bytes that a backup may unpack to: by its own size, and by the room where it goes. */
function unpackLimit(from: string, to: string | null): { readonly bytes: number; readonly problem: Problem } {
  const bySize = Math.max(LEAST_LIMIT, statSync(from).size * MOST_TIMES);
  const tooLarge = new Problem("damaged_file", { code: "backup.bomb" });
  if (to === null) return { bytes: bySize, problem: tooLarge };
  const { bavail, bsize } = statfsSync(dirname(to));
  const byRoom = Math.max(0, bavail * bsize - SPARE_BYTES);
  if (byRoom >= bySize) return { bytes: bySize, problem: tooLarge };
  return {
    bytes: byRoom,
    problem: new Problem("storage_full", { code: "backup.noRoomToUnpack", folder: dirname(to) }),
  };
}

/** Refuses what is known not to fit before a byte of it is written. @throws Problem `storage_full` */
function checkRoom(folder: string, needed: number, room: number): void {
  if (needed <= room) return;
  const megabytes = Math.ceil((needed + SPARE_BYTES) / 1_048_576);
  throw new Problem("storage_full", { code: "backup.roomToUnpack", folder, megabytes });
}

/**
 * A lower bound of a file's unpacked size. gzip records the size at the end; one that claims more than a backup can
 * have is false, and unpacking detects it.
 */
function leastUnpacked(file: string, packing: Packing): number {
  const { size } = statSync(file);
  if (packing !== "gzip" || size < GZIP_SIZE_BYTES) return size;
  const declared = bytesOf(file, size - GZIP_SIZE_BYTES, GZIP_SIZE_BYTES).readUInt32LE();
  return declared > size * MOST_TIMES ? size : Math.max(size, declared);
}

/** The work that opening an age file takes, from its second line. @throws Problem `unreadable_file` */
function scryptLogN(file: string): number {
  const head = bytesOf(file, 0, 256).toString("latin1");
  return Number(/^-> scrypt \S+ (\d+)$/m.exec(head)?.[1] ?? 0);
}

/** @throws Problem `unreadable_file` */
function bytesOf(file: string, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    const descriptor = openWholeFile(file);
    try {
      readSync(descriptor, bytes, 0, length, at);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw fileProblem(error, "backup") ?? error;
  }
  return bytes;
}

/**
 * What a file is by its first bytes. @throws Problem `wrong_file` when it is not a backup, `not_found`,
 * `unreadable_file`
 */
export function packingOf(file: string): Packing {
  if (!existsSync(file) || !statSync(file).isFile()) throw new Problem("not_found", { code: "file.missing", file });
  const head = bytesOf(file, 0, 32);
  if (head.toString("latin1").startsWith(AGE_MAGIC)) return "age";
  if (head.toString("latin1").startsWith(SQLITE_MAGIC)) return "plain";
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  throw notABackup(file);
}

/** Waits until a file's content is on the disk. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, "r+");
  inDiskTurn(descriptor, fsyncSync);
  closeSync(descriptor);
}

/** Waits until a folder's entries are on the disk. */
export function syncFolderNow(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    inDiskTurn(descriptor, fsyncSync);
  } catch {
    // Some file systems of sticks and shares cannot; the rename is then as safe as they make it.
  } finally {
    closeSync(descriptor);
  }
}

/** The library is loaded for the first backup that has a passphrase: its curves take several megabytes. */
async function encrypter(passphrase: string): Promise<Encrypter> {
  const { Encrypter } = await import("age-encryption");
  const encrypt = new Encrypter();
  encrypt.setPassphrase(passphrase);
  encrypt.setScryptWorkFactor(SCRYPT_LOG_N);
  return encrypt;
}

async function decrypter(passphrase: string): Promise<Decrypter> {
  const { Decrypter } = await import("age-encryption");
  const decrypt = new Decrypter();
  decrypt.addPassphrase(passphrase);
  return decrypt;
}

function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>; // Node's own class, typed apart from the browsers'
}

function hashing(limit: { readonly bytes: number; readonly problem: Problem } | null = null): {
  stream: Transform;
  digest: () => string;
  bytes: () => number;
} {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      if (limit !== null && bytes > limit.bytes) done(limit.problem);
      else done(null, chunk);
    },
  });
  return { stream, digest: () => hash.digest("hex"), bytes: () => bytes };
}

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
