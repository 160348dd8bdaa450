import { type Stats, statSync } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";

const LOOK_MS = 1_000;

/**
 * What is wrong with the location of the database's files: `gone`: they were moved, deleted or replaced; `unwritable`:
 * their folder is not writable.
 */
export interface PlaceTrouble {
  readonly state: "gone" | "unwritable";
  readonly reason: string;
}

/**
 * Knows which files the open connection uses. If they are moved or deleted meanwhile, SQLite keeps writing into
 * unreachable files, and reports no error.
 */
export class FilePlace {
  readonly #folder: string;
  readonly #known: ReadonlyMap<string, Pick<Stats, "dev" | "ino">>;

  /**
   * Remembers the database and its log as they are now; the log exists once something has been written.
   * @throws Error when the database does not exist
   */
  constructor(file: string) {
    this.#folder = dirname(file);
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    this.#known = new Map([[file, statSync(file)], ...(log === undefined ? [] : [[`${file}-wal`, log] as const])]);
  }

  /** Looks right now, after a commit: a few microseconds beside its wait for the disk. */
  look(): PlaceTrouble | null {
    for (const [file, known] of this.#known) {
      const found = statSync(file, { throwIfNoEntry: false }) ?? null;
      if (!isSame(found, known)) return gone(file);
    }
    return null;
  }

  /**
   * Looks every second without blocking the event loop, also whether the folder takes writes, and reports what it
   * finds. Returns a function that stops it.
   */
  watch(found: (trouble: PlaceTrouble | null) => void): () => void {
    let isOver = false;
    let isLooking = false; // a disk that does not answer must not take one thread of the pool after another
    const look = async (): Promise<void> => {
      if (isLooking) return;
      isLooking = true;
      const trouble = await this.#lookAside();
      isLooking = false;
      if (!isOver) found(trouble);
    };
    const timer = setInterval(() => void look(), LOOK_MS).unref();
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }

  async #lookAside(): Promise<PlaceTrouble | null> {
    for (const [file, known] of this.#known) {
      const found = await stat(file).catch(() => null);
      if (!isSame(found, known)) return gone(file);
    }
    try {
      await access(this.#folder, constants.W_OK);
      return null;
    } catch (error) {
      return { state: "unwritable", reason: error instanceof Error ? error.message : String(error) };
    }
  }
}

function isSame(found: Stats | null, known: Pick<Stats, "dev" | "ino">): boolean {
  return found !== null && found.ino === known.ino && found.dev === known.dev;
}

function gone(file: string): PlaceTrouble {
  return { state: "gone", reason: `${file} was moved or deleted` };
}
