import { fstatSync, statSync } from "node:fs";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

/** Words of the shared memory: when the present turn of a thread began (0: there is none), whether the loop waits. */
const SINCE = 0;
const WANTED = 1;
/** An older turn belongs to a thread that ended during it, or to a disk that does not answer. */
const LONGEST_MS = 2_000;
/** How long a thread leaves the disk to a loop that waits for it. */
const GAP_MS = 20;
const KEY = "gatehouse.disk-turns";

interface Shared {
  readonly words: Int32Array;
  readonly device: number;
}

/**
 * Turns at the database's disk between the event loop, which commits, and threads that write large files beside it. To
 * the file system each piece of a growing file is a commit of its journal, and whoever writes to any other file
 * meanwhile, or to memory that is mapped from one (SQLite's index of its log), stands still until that is on the disk.
 * So a thread says when it waits for the disk ({@link inDiskTurn}), and the loop commits before or after, at a moment
 * of its own choice. Nobody is locked out: a turn counts for two seconds at most.
 */
export class DiskTurns {
  readonly #words: Int32Array;
  readonly #longestMs: number;

  /**
   * Threads that are started from now on heed the loop of this one.
   * @param file on the disk that is shared
   * @param longestMs what a turn counts for
   * @throws Error of the system when there is no such file
   */
  constructor(file: string, longestMs = LONGEST_MS) {
    this.#longestMs = longestMs;
    this.#words = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const shared: Shared = { words: this.#words, device: statSync(file).dev };
    setEnvironmentData(KEY, shared);
  }

  /** Whether a thread waits for the disk now; if the loop asks, it is given its turn soon after. */
  isTaken(): boolean {
    const since = Atomics.load(this.#words, SINCE);
    const isTaken = since !== 0 && Math.abs(now() - since) < this.#longestMs;
    if (isTaken) Atomics.store(this.#words, WANTED, 1);
    return isTaken;
  }

  /** The loop has written what it wanted to. */
  done(): void {
    if (Atomics.exchange(this.#words, WANTED, 0) === 1) Atomics.notify(this.#words, WANTED);
  }
}

/**
 * Runs a wait for a file's disk. In a thread, with a file on the database's disk, the event loop commits nothing
 * meanwhile, and gets room for it afterwards. Blocks.
 */
export function inDiskTurn(descriptor: number, wait: (descriptor: number) => void): void {
  const shared = isMainThread ? undefined : (getEnvironmentData(KEY) as Shared | undefined); // set above, or by nobody
  if (shared === undefined || fstatSync(descriptor).dev !== shared.device) {
    wait(descriptor);
    return;
  }
  const { words } = shared;
  Atomics.store(words, SINCE, now());
  try {
    wait(descriptor);
  } finally {
    Atomics.store(words, SINCE, 0);
  }
  if (Atomics.load(words, WANTED) === 1) Atomics.wait(words, WANTED, 1, GAP_MS);
}

/** Milliseconds by a clock that all threads share; never 0. */
function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return ((seconds % 1_000_000) * 1_000 + Math.trunc(nanoseconds / 1e6)) | 1;
}
