import { existsSync, readdirSync, statSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock, Timer } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Service } from "../kernel/service.js";
import { type BundleManifest, checkFiles, openBundle } from "./bundle.js";
import { leaveRequest, NO_UPDATE, REQUESTS, readState, requestsFolder, type UpdateState, writeWhole } from "./state.js";

/** What {@link Updates} needs. */
export interface UpdatesOptions {
  readonly version: string;
  readonly dataFolder: string;
  /** Root of the installed program. */
  readonly projectFolder: string;
  /** Where root's part says how updates went; empty: there is no such part. */
  readonly stateFolder: string;
  /** Debian's name of the processor. */
  readonly arch: string;
  /** What this box takes: a program beside others, or a whole system for the idle slot of a card. */
  readonly kind: BundleManifest["kind"];
  /** PEM keys whose updates are taken. */
  readonly keys: () => readonly string[];
  /** Folders in which updates may lie: sticks, shares. */
  readonly folders: () => readonly string[];
  /** Whether the hub does its work now: what a new version has to show for two minutes. */
  readonly healthy: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An update that was found in a folder. */
export interface FoundUpdate {
  readonly file: string;
  readonly version: string;
  readonly bytes: number;
  readonly builtAt: string;
  readonly fits: boolean;
  readonly text: string;
}

const LOOK_MS = 5_000;
/** How long a new version has to be healthy before it is kept. */
const PROVEN_MS = 120_000;

/** The hub's half of updates: finds and checks them, hands them over, and says when a new version has proved itself. */
export class Updates implements Service {
  readonly name = "updates";
  readonly #options: UpdatesOptions;
  #timer: Timer | null = null;
  #healthySinceMono: number | null = null;
  #found = new Map<string, FoundUpdate & { readonly stamp: string }>();

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /** Begins to watch its own health where an update is on trial. */
  async start(): Promise<void> {
    if (!this.managed) return;
    this.#timer = this.#options.clock.every(LOOK_MS, () => this.#prove());
  }

  async stop(): Promise<void> {
    this.#timer?.stop();
    this.#timer = null;
  }

  /** Whether the installer or the image made this box, so that updates can be installed. */
  get managed(): boolean {
    return this.#options.stateFolder !== "";
  }

  /** How the latest update went. */
  state(): UpdateState {
    const { stateFolder, dataFolder } = this.#options;
    if (!this.managed) return { ...NO_UPDATE, text: "This hub was not installed by its installer; update it the way you installed it." };
    if (existsSync(join(dataFolder, REQUESTS, "update"))) return { ...NO_UPDATE, phase: "waiting", text: "Waiting for the system to take it." };
    return readState(stateFolder);
  }

  /** Versions on this box, where they lie side by side. */
  installed(): string[] {
    const { projectFolder, version } = this.#options;
    const folder = dirname(projectFolder);
    if (basename(folder) !== "versions") return [version];
    return readdirSync(folder).filter((name) => /^[0-9]/.test(name) && !/\.(partial|replaced)$/.test(name));
  }

  /** Whether there is a version to go back to. */
  get canRollBack(): boolean {
    const { phase, from, version } = this.state();
    if (!this.managed || from === null || version !== this.#options.version || (phase !== "committed" && phase !== "trial")) return false;
    return this.#options.kind === "slot" ? phase === "trial" : this.installed().includes(from);
  }

  /** Updates in the folders and on the sticks. Files that are no updates are left out. */
  found(): FoundUpdate[] {
    const files = this.#options.folders().flatMap(tarsIn);
    const seen = new Map<string, FoundUpdate & { readonly stamp: string }>();
    for (const file of files) {
      const { size, mtimeMs } = statSync(file);
      const stamp = `${size} ${mtimeMs}`;
      const known = this.#found.get(file);
      const update = known?.stamp === stamp ? known : { ...this.#look(file, size), stamp };
      seen.set(file, update);
    }
    this.#found = seen;
    return [...seen.values()].map(({ stamp: _own, ...update }) => update);
  }

  /**
   * Checks a bundle to the last byte and hands it over. The hub is restarted by the system.
   * @throws Problem `forbidden` when it is not signed by a trusted key, `conflict` when it does not fit or is damaged, `not_found`
   */
  async install(file: string): Promise<void> {
    await handOver(file, this.#options, this.state());
    this.#options.logger.info({ file: basename(file) }, "update handed over");
  }

  /** @throws Problem `conflict` without a version to go back to */
  async rollBack(): Promise<void> {
    if (!this.canRollBack) throw new Problem("conflict", "There is no version before this one on the box.");
    leaveRequest(this.#options.dataFolder, { kind: "rollback" });
  }

  #look(file: string, bytes: number): FoundUpdate {
    try {
      const { manifest } = openBundle(file, this.#options.keys());
      const wrong = misfit(manifest, this.#options);
      const text = wrong ?? `Gatehouse ${manifest.version}, signed.`;
      return { file, version: manifest.version, bytes, builtAt: manifest.builtAt, fits: wrong === null, text };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { file, version: "", bytes, builtAt: new Date(statSync(file).mtimeMs).toISOString(), fits: false, text };
    }
  }

  /** Two healthy minutes in a row are what the system waits for. */
  #prove(): void {
    const { clock, healthy, version, dataFolder, stateFolder } = this.#options;
    const { phase, version: onTrial } = readState(stateFolder);
    if (phase !== "trial" || onTrial !== version || !healthy()) {
      this.#healthySinceMono = null;
      return;
    }
    this.#healthySinceMono ??= clock.mono();
    if (clock.mono() - this.#healthySinceMono < PROVEN_MS) return;
    writeWhole(join(requestsFolder(dataFolder), "healthy"), JSON.stringify({ version }));
  }
}

/** What the box must be like for {@link handOver}. */
export type UpdateTarget = Pick<UpdatesOptions, "version" | "dataFolder" | "stateFolder" | "arch" | "kind" | "keys">;

/** Checks a bundle whole and leaves it with a request for root's part. @throws Problem as {@link Updates.install} */
export async function handOver(file: string, target: UpdateTarget, state: UpdateState): Promise<BundleManifest> {
  if (target.stateFolder === "") throw new Problem("conflict", "This hub was not installed by its installer; update it the way you installed it.");
  if (["waiting", "installing", "trial"].includes(state.phase)) throw new Problem("conflict", "An update is under way; wait until it is done.");
  const bundle = openBundle(file, target.keys());
  const wrong = misfit(bundle.manifest, target);
  if (wrong !== null) throw new Problem("conflict", wrong);
  const folder = requestsFolder(target.dataFolder);
  const draft = join(folder, "bundle.part");
  try {
    await copyFile(file, draft);
    await checkFiles({ ...bundle, file: draft });
    await rename(draft, join(folder, "bundle.tar"));
  } finally {
    await rm(draft, { force: true });
  }
  await rm(join(folder, "healthy"), { force: true });
  leaveRequest(target.dataFolder, { kind: "install" });
  return bundle.manifest;
}

/** Why a bundle is not for this box; null when it is. */
export function misfit({ arch, kind, version }: BundleManifest, box: Pick<UpdatesOptions, "arch" | "kind" | "version">): string | null {
  if (arch !== box.arch) return `It is for ${arch}, this box is ${box.arch}.`;
  if (kind !== box.kind)
    return kind === "slot"
      ? "It is for hubs that run from a card image; this one was installed by install.sh."
      : "It is for hubs that were installed by install.sh; this one runs from a card image.";
  if (version === box.version) return `Version ${version} is what runs.`;
  return null;
}

function tarsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^gatehouse-.*\.tar$/.test(name))
      .slice(0, 20)
      .map((name) => join(folder, name));
  } catch {
    return []; // pulled out a moment ago
  }
}
