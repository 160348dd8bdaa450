import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import { SingleFlight, TIMED_OUT } from "../../core/kernel/deadline.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import { withEnglish } from "../../core/text/english.ts";
import type { FoundUpdate } from "./api/console-updates.ts";
import type { UpdateBox } from "./stage-update.ts";
import { NO_UPDATE, REQUESTS, readState, requestsFolder, requestUpdate, type UpdateState } from "./state.ts";
import type { DoUpdateWork } from "./work.ts";

const PROVE_MS = 5_000;
/** Time for a stick that spins up, or a share over Wi-Fi; slower ones count as absent. */
const LOOK_MS = 5_000;
/** Far beyond what the largest update takes from the slowest stick. */
const INSTALL_MS = 30 * 60_000;
/** How long a new version has to be healthy before it is kept. */
const PROVEN_MS = 120_000;

/**
 * The hub's half of updates: finds and checks them, hands them over, and reports when a new version has proved itself.
 */
export class Updates implements Service {
  readonly name = "updates";
  readonly #options: ConstructorParameters<typeof Updates>[0];
  readonly #looks: SingleFlight<readonly FoundUpdate[]>;
  readonly #installs: SingleFlight<null>;
  #timer: Timer | null = null;
  #healthySinceMono: number | null = null;
  #installing = false;

  constructor(
    options: UpdateBox & {
      readonly dataFolder: string;
      /** Root of the installed program. */
      readonly projectFolder: string;
      /** Where root's part reports how updates went; empty: no such part. */
      readonly stateFolder: string;
      /** PEM keys whose updates are taken. */
      readonly keys: () => readonly string[];
      /** Folders that may contain updates: sticks, shares. */
      readonly folders: () => readonly string[];
      /** Carries out what touches those folders, which may never answer. */
      readonly doWork: DoUpdateWork;
      /** Whether the hub works now: a new version has to show this for two minutes. */
      readonly healthy: () => boolean;
      readonly clock: Clock;
      readonly logger: Logger;
    },
  ) {
    this.#options = options;
    this.#looks = new SingleFlight(options.clock, LOOK_MS);
    this.#installs = new SingleFlight(options.clock, INSTALL_MS);
  }

  /** Begins to watch its own health where an update is on trial. */
  async start(): Promise<void> {
    if (!this.managed) return;
    this.#timer = this.#options.clock.every(PROVE_MS, () => this.#prove());
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
    if (!this.managed) return { ...NO_UPDATE, ...withEnglish({ code: "update.unmanaged" }) };
    if (existsSync(join(dataFolder, REQUESTS, "update")))
      return { ...NO_UPDATE, phase: "waiting", ...withEnglish({ code: "update.waiting" }) };
    return readState(stateFolder);
  }

  /** Versions on this host, installed side by side. */
  installed(): string[] {
    const { projectFolder, version } = this.#options;
    const folder = dirname(projectFolder);
    if (basename(folder) !== "versions") return [version];
    return readdirSync(folder).filter((name) => /^[0-9]/.test(name) && !/\.(partial|replaced)$/.test(name));
  }

  /** Whether there is a version to go back to. */
  get canRollBack(): boolean {
    const { phase, from, version } = this.state();
    if (
      !this.managed ||
      from === null ||
      version !== this.#options.version ||
      (phase !== "committed" && phase !== "trial")
    )
      return false;
    return this.#options.kind === "slot" ? phase === "trial" : this.installed().includes(from);
  }

  /** Updates in the folders and on the sticks. Other files are left out, and so is a share that does not answer. */
  async found(): Promise<FoundUpdate[]> {
    const { folders, doWork, logger } = this.#options;
    const box = this.#box();
    const lookIn = async (folder: string): Promise<readonly FoundUpdate[]> => {
      try {
        const found = await this.#looks.ask(folder, (signal) => doWork({ kind: "look", folder, box }, signal));
        if (found !== TIMED_OUT) return found;
        logger.warn({ folder }, "update source does not answer");
      } catch (error) {
        logger.warn({ err: error, folder }, "update source cannot be read");
      }
      return [];
    };
    return (await Promise.all(folders().map(lookIn))).flat();
  }

  /**
   * Checks a bundle to the last byte and hands it over. The hub is restarted by the system.
   * @throws Problem `forbidden` when it is not signed by a trusted key, `conflict` when it does not fit or is damaged,
   *   `not_found`
   */
  async install(file: string): Promise<void> {
    const { doWork, dataFolder, stateFolder, logger } = this.#options;
    if (this.#installing) throw new Problem("conflict", { code: "update.underWay" });
    this.#installing = true;
    try {
      const order = {
        kind: "stage",
        file,
        box: this.#box(),
        dataFolder,
        stateFolder,
        phase: this.state().phase,
      } as const;
      const answer = await this.#installs.ask(file, (signal) => doWork(order, signal));
      if (answer === TIMED_OUT) throw new Problem("conflict", { code: "update.noAnswer" });
    } finally {
      this.#installing = false;
    }
    logger.info({ file: basename(file) }, "update handed over");
  }

  /** @throws Problem `conflict` without a version to go back to */
  async rollBack(): Promise<void> {
    if (!this.canRollBack) throw new Problem("conflict", { code: "update.nothingBefore" });
    await requestUpdate(this.#options.dataFolder, { kind: "rollback" });
  }

  #box(): UpdateBox & { readonly keys: readonly string[] } {
    const { version, arch, kind, keys } = this.#options;
    return { version, arch, kind, keys: keys() };
  }

  /** Two healthy minutes in a row are what the system waits for. */
  #prove(): void {
    const { clock, healthy, version, dataFolder, stateFolder, logger } = this.#options;
    const { phase, version: onTrial } = readState(stateFolder);
    if (phase !== "trial" || onTrial !== version || !healthy()) {
      this.#healthySinceMono = null;
      return;
    }
    this.#healthySinceMono ??= clock.mono();
    if (clock.mono() - this.#healthySinceMono < PROVEN_MS) return;
    writeFileAtomic(join(requestsFolder(dataFolder), "healthy"), JSON.stringify({ version }), 0o644).catch(
      (error: unknown) => logger.error({ err: error }, "this version's health could not be reported to the system"),
    );
  }
}
