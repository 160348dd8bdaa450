import { basename, dirname, join } from "node:path";
import type { Clock } from "../../core/kernel/clock.ts";
import { SingleFlight, TIMED_OUT, withDeadline } from "../../core/kernel/deadline.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { reasonOf } from "../../core/text/described-error.ts";
import { withEnglish } from "../../core/text/english.ts";
import type { Detail } from "../../core/text/keys.ts";
import { type Destination, locate, type MountFacts, type ResolvedDestination } from "./destinations.ts";
import { type FolderProbe, type FoundFile, OWN_FOLDER, type ProbeFolder } from "./folder-probe.ts";

/** How long an order may work on a place, and the place's name for people. */
export interface DestinationDeadline {
  readonly ms: number;
  readonly place: string;
}

/** A busy board needs a second or two to start a thread. */
const PROBE_MS = 5_000;

/**
 * The places where backups are kept. Access to a share whose server is off may block forever: probes have five seconds,
 * orders the given limit, and a place that hangs is not asked again before it has answered.
 */
export class DestinationProbe {
  readonly #options: ConstructorParameters<typeof DestinationProbe>[0];
  readonly #probes: SingleFlight<FolderProbe | null>;
  /** Folders on which an order hangs. */
  readonly #stuck = new Set<{ readonly folder: string }>();

  constructor(options: {
    /** The folder of the destination `local`. */
    readonly localFolder: string;
    readonly mounts: MountFacts;
    readonly probe: ProbeFolder;
    readonly clock: Clock;
  }) {
    this.#options = options;
    this.#probes = new SingleFlight(options.clock, PROBE_MS);
  }

  /** A destination as it is now. Never throws: problems are in its words. */
  async destination(name: string): Promise<Destination> {
    const { localFolder, mounts } = this.#options;
    const resolved = locate(name, localFolder, mounts);
    const { kind, place } = resolved;
    const silent: Detail = { code: "place.silent", kind, place };
    if (resolved.root === null) return away(resolved, resolved.words);
    try {
      const probe = await this.#probe(resolved.root);
      if (probe === TIMED_OUT) return away(resolved, silent);
      if (probe === null && kind !== "local") return away(resolved, { code: "place.noFolder", folder: resolved.root });
      const path = kind === "usb" && probe?.hasOwn ? join(resolved.root, OWN_FOLDER) : resolved.root;
      if (this.#isStuck(path)) return away(resolved, silent);
      return { name, kind, path, ready: true, freeBytes: probe?.freeBytes ?? null, ...withEnglish(resolved.words) };
    } catch (error) {
      return away(resolved, { code: "place.unreadable", kind, place, why: reasonOf(error) });
    }
  }

  /** Which of the files are there now. Those on a place that does not answer are not. */
  async present(files: readonly string[]): Promise<ReadonlySet<string>> {
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const seen = new Map(
      await Promise.all(folders.map(async (folder) => [folder, await this.filesIn(folder)] as const)),
    );
    return new Set(files.filter((file) => seen.get(dirname(file))?.some(({ name }) => name === basename(file))));
  }

  /** The files in a folder that may be backups; none if it does not answer. */
  async filesIn(folder: string): Promise<readonly FoundFile[]> {
    if (this.#isStuck(folder)) return [];
    try {
      const probe = await this.#probe(folder);
      return probe === TIMED_OUT ? [] : (probe?.files ?? []);
    } catch {
      return []; // a share that is there and cannot be read
    }
  }

  /**
   * Carries out an order on a folder, within the limit.
   * @throws Problem `unavailable` when it did not finish in time, or when an earlier one still hangs there; errors of
   *   `run`
   */
  async order<Result>(
    folder: string,
    limit: DestinationDeadline,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const silent = (): Problem => new Problem("unavailable", { code: "unavailable.place", folder: limit.place });
    if (this.#isStuck(folder)) throw silent();
    const { answer, ended } = withDeadline(this.#options.clock, limit.ms, run);
    const result = await answer;
    if (result !== TIMED_OUT) return result;
    const hanging = { folder };
    this.#stuck.add(hanging);
    void ended.then(() => this.#stuck.delete(hanging));
    throw silent();
  }

  /** The hub's own disk is waited for: without it nothing works, and a busy board may be slow to respond. */
  #probe(folder: string): Promise<FolderProbe | null | typeof TIMED_OUT> {
    const { probe, localFolder } = this.#options;
    return folder === localFolder
      ? probe(folder, new AbortController().signal)
      : this.#probes.ask(folder, (signal) => probe(folder, signal));
  }

  #isStuck(folder: string): boolean {
    return [...this.#stuck].some((hanging) => hanging.folder === folder);
  }
}

function away({ name, kind }: ResolvedDestination, words: Detail): Destination {
  return { name, kind, path: null, ready: false, freeBytes: null, ...withEnglish(words) };
}
