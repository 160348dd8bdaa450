import { basename, dirname, join } from "node:path";
import type { Clock } from "../kernel/clock.js";
import { inTime, NO_ANSWER, Patience } from "../kernel/patience.js";
import { Problem } from "../kernel/problem.js";
import { type Destination, locate, type MountFacts, type Spot } from "./destinations.js";
import { type FolderLook, type FoundFile, type LookAtFolder, OWN_FOLDER } from "./look.js";

/** What {@link Places} needs. */
export interface PlacesOptions {
  /** Where the destination `local` is. */
  readonly localFolder: string;
  readonly mounts: MountFacts;
  readonly look: LookAtFolder;
  readonly clock: Clock;
}

/** How long an order may work on a place, and what is said when it does not come back. */
export interface PlaceLimit {
  readonly ms: number;
  readonly silent: string;
}

/** A busy board needs a second or two to start a thread. */
const LOOK_MS = 5_000;

/**
 * The places where backups lie. A share whose box is off may hold whoever touches it for ever: looks have five seconds, orders the limit
 * that they are given, and what hangs is not asked again before it has come back.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #looks: Patience<FolderLook | null>;
  /** Folders on which an order hangs. */
  readonly #stuck = new Set<{ readonly folder: string }>();

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#looks = new Patience(options.clock, LOOK_MS);
  }

  /** A destination as it is now. Never throws: what is wrong is said in its text. */
  async destination(name: string): Promise<Destination> {
    const { localFolder, mounts } = this.#options;
    const spot = locate(name, localFolder, mounts);
    if (spot.root === null) return away(spot, spot.text);
    try {
      const look = await this.#look(spot.root);
      if (look === NO_ANSWER) return away(spot, `${spot.subject} does not answer.`);
      if (look === null && spot.kind !== "local") return away(spot, `There is no folder ${spot.root}.`);
      const path = spot.kind === "usb" && look?.hasOwn ? join(spot.root, OWN_FOLDER) : spot.root;
      if (this.#isStuck(path)) return away(spot, `${spot.subject} does not answer.`);
      return { name, kind: spot.kind, path, ready: true, freeBytes: look?.freeBytes ?? null, text: spot.text };
    } catch (error) {
      return away(spot, `${spot.subject} cannot be read (${error instanceof Error ? error.message : String(error)}).`);
    }
  }

  /** Which of the files are there now. Those on a place that does not answer are not. */
  async present(files: readonly string[]): Promise<ReadonlySet<string>> {
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const seen = new Map(await Promise.all(folders.map(async (folder) => [folder, await this.filesIn(folder)] as const)));
    return new Set(files.filter((file) => seen.get(dirname(file))?.some(({ name }) => name === basename(file))));
  }

  /** What may be backups in a folder; none where it does not answer. */
  async filesIn(folder: string): Promise<readonly FoundFile[]> {
    if (this.#isStuck(folder)) return [];
    try {
      const look = await this.#look(folder);
      return look === NO_ANSWER ? [] : (look?.files ?? []);
    } catch {
      return []; // a share that is there and cannot be read
    }
  }

  /**
   * Carries out an order on a folder, for as long as the limit says.
   * @throws Problem `unavailable` when it did not come back in time, or when one before it still hangs there; what `run` throws
   */
  async order<Result>(folder: string, limit: PlaceLimit, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const silent = (): Problem => new Problem("unavailable", limit.silent);
    if (this.#isStuck(folder)) throw silent();
    const { answer, ended } = inTime(this.#options.clock, limit.ms, run);
    const result = await answer;
    if (result !== NO_ANSWER) return result;
    const hanging = { folder };
    this.#stuck.add(hanging);
    void ended.then(() => this.#stuck.delete(hanging));
    throw silent();
  }

  /** The hub's own disk is waited for: without it nothing works, and a busy board may be slow to look. */
  #look(folder: string): Promise<FolderLook | null | typeof NO_ANSWER> {
    const { look, localFolder } = this.#options;
    return folder === localFolder ? look(folder, new AbortController().signal) : this.#looks.ask(folder, (signal) => look(folder, signal));
  }

  #isStuck(folder: string): boolean {
    return [...this.#stuck].some((hanging) => hanging.folder === folder);
  }
}

function away({ name, kind }: Spot, text: string): Destination {
  return { name, kind, path: null, ready: false, freeBytes: null, text };
}
