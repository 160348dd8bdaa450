import { fstatSync, statSync } from "node:fs";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

/** Words of the shared memory: when a thread's present turn began (0: none), whether the loop waits. */
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
 * Turns at the database's disk between the event loop, which commits, and threads that write large files beside it.
 * Each piece of a growing file is a commit of the file system's journal. Meanwhile any write to another file, or to
 * memory mapped from one (SQLite's index of its log), blocks until that commit is on disk. So a thread announces when
 * it waits for the disk ({@link inDiskTurn}), and the loop chooses to commit before or after. Neither side is locked
 * out: a turn counts for two seconds at most.
 */
export class DiskTurns {
  readonly #words: Int32Array;
  readonly #longestMs: number;

  /**
   * Threads started from now on take turns with this loop.
   * @param file on the shared disk
   * @param longestMs maximum length of a turn
   * @throws Error of the system if the file does not exist
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
  const shared = isMainThread ? undefined : (getEnvironmentData(KEY) as Shared | undefined); // set above, or never
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
