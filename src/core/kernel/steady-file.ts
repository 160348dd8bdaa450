import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { inDiskTurn } from "./disk-turns.ts";
import { restrictToOwner } from "./restrict-to-owner.ts";
import { openWholeFile } from "./small-file.ts";

const PIECE_BYTES = 131_072;
/**
 * Maximum unsynced bytes: the file system blocks writers of other files until these are written, on a card that takes
 * 10 MB/s for 13 ms.
 */
const UNSYNCED_BYTES = 131_072;

/**
 * Reads a file piece by piece. Blocks only its own thread: a stream's read would occupy one of the few threads that
 * serve all files of the process for as long as a share does not answer.
 */
export function* chunksOf(file: string): Generator<Buffer, void> {
  const descriptor = openWholeFile(file);
  try {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const count = readSync(descriptor, piece, 0, PIECE_BYTES, null);
      if (count === 0) return;
      yield piece.subarray(0, count);
    }
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file that is on its medium once the stream has finished. It syncs every eighth of a megabyte: ext4 delays
 * writes to any file while its journal waits for other data, so the hub's own commits would otherwise queue behind
 * everything that the system still has to write. Blocks its thread.
 */
export function steadyWriter(file: string): Writable {
  const descriptor = openSync(file, "w", 0o600);
  restrictToOwner(file); // one that was left over keeps its own rights otherwise
  let unsynced = 0;
  const write = (piece: Buffer): void => {
    for (let done = 0; done < piece.length; ) {
      const count = writeSync(descriptor, piece, done, Math.min(piece.length - done, UNSYNCED_BYTES - unsynced));
      done += count;
      unsynced += count;
      if (unsynced < UNSYNCED_BYTES) continue;
      inDiskTurn(descriptor, fdatasyncSync);
      unsynced = 0;
    }
  };
  return new Writable({
    write: (piece: Buffer, _encoding, done) => done(failureOf(() => write(piece))),
    final: (done) => done(failureOf(() => inDiskTurn(descriptor, fsyncSync))),
    destroy: (error, done) => done(failureOf(() => closeSync(descriptor)) ?? error),
  });
}

function failureOf(task: () => void): Error | null {
  try {
    task();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
