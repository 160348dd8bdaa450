/**
 * Owns the question whether the wall clock can be believed, and notices when it jumps. A box without a clock battery wakes
 * up with the time of its last shutdown, or with 1970. In: systemd-timesyncd's mark, the battery clock, the clock saved before,
 * a signed-in console. Out: a state, its changes, and jumps. Must never know what hangs on the time.
 */
import { existsSync, readFileSync } from "node:fs";
import type { Clock, Timer } from "../kernel/clock.js";
import type { ClockTrustState, ClockTrustView } from "../kernel/clock-trust.js";
import type { Logger } from "../kernel/logger.js";
import { writeWhole } from "../kernel/write-whole.js";

/** Where Linux keeps what vouches for the time; tests give files of their own. */
export interface ClockFiles {
  /** There once systemd-timesyncd has heard a time server since boot. */
  readonly synchronized: string;
  /** Seconds since 1970 by the battery clock. */
  readonly batteryClock: string;
  /** There on boards that are described by a device tree: those may have no battery clock. PCs and virtual machines have one. */
  readonly deviceTree: string;
  /** Changes with every boot. */
  readonly bootId: string;
}

/** The files of a running Linux. */
export const LINUX_CLOCK_FILES: ClockFiles = {
  synchronized: "/run/systemd/timesync/synchronized",
  batteryClock: "/sys/class/rtc/rtc0/since_epoch",
  deviceTree: "/proc/device-tree/model",
  bootId: "/proc/sys/kernel/random/boot_id",
};

/** What {@link ClockTrust} needs. */
export interface ClockTrustOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly files: ClockFiles;
  /** Where the time is saved, on the data partition. */
  readonly savedFile: string;
  /** When this version was built (epoch ms): no true clock shows an earlier time. */
  readonly builtAt: number;
  /** Sets the machine's clock; false when the hub may not. Absent: the hub never may. */
  readonly setSystemClock?: (wallMs: number) => Promise<boolean>;
}

interface SavedClock {
  readonly wallMs: number;
  readonly believed: boolean;
  readonly bootId: string;
}

const TICK_MS = 1_000;
const EVIDENCE_EVERY_TICKS = 5;
const SAVE_EVERY_MS = 600_000;
/** Wall time that runs away from monotonic time by more than this has jumped. */
const JUMP_MS = 2_000;
/** A person's browser confirms the hub's clock when they differ by no more than this. */
const AGREES_MS = 30_000;

/** Watches the wall clock: state, changes of state, jumps. A Service. */
export class ClockTrust implements ClockTrustView {
  readonly name = "clock-trust";
  readonly #options: ClockTrustOptions;
  readonly #changeListeners = new Set<(state: ClockTrustState, before: ClockTrustState) => void>();
  readonly #jumpListeners = new Set<(jumpMs: number) => void>();
  #state: ClockTrustState = "unknown";
  #believedBefore = false;
  #confirmed = false;
  #offset = 0;
  #ticks = 0;
  #saved: SavedClock | null = null;
  #timers: Timer[] = [];

  constructor(options: ClockTrustOptions) {
    this.#options = options;
  }

  /** Judges the clock and begins to watch it. */
  async start(): Promise<void> {
    const { clock, logger } = this.#options;
    this.#saved = this.#readSaved();
    this.#believedBefore = this.#keptRunningSinceSaved();
    this.#offset = clock.now() - clock.mono();
    this.#state = this.#judge();
    logger.info({ state: this.#state }, "clock judged");
    this.#timers = [clock.every(TICK_MS, () => this.#tick()), clock.every(SAVE_EVERY_MS, () => this.#save())];
    if (this.#state !== "unknown") this.#save();
  }

  /** Saves the time and stops watching. */
  async stop(): Promise<void> {
    if (this.#timers.length === 0) return;
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
    this.#save();
  }

  state(): ClockTrustState {
    return this.#state;
  }

  onChange(listener: (state: ClockTrustState, before: ClockTrustState) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  onJump(listener: (jumpMs: number) => void): () => void {
    this.#jumpListeners.add(listener);
    return () => this.#jumpListeners.delete(listener);
  }

  /**
   * Takes the time of a signed-in person's browser (epoch ms): it confirms a clock that agrees within 30 s, and sets one that does
   * not, where the hub may. Returns whether the clock can be believed now. A clock that is trusted already is left alone.
   */
  async confirm(browserMs: number): Promise<boolean> {
    if (this.#state === "trusted") return true;
    if (browserMs < this.#options.builtAt) return false;
    if (Math.abs(browserMs - this.#options.clock.now()) > AGREES_MS) {
      const set = await this.#options.setSystemClock?.(browserMs);
      if (set !== true) return false;
      this.#watchOffset();
    }
    this.#confirmed = true;
    this.#rejudge();
    this.#save();
    return this.state() === "trusted";
  }

  #tick(): void {
    this.#watchOffset();
    this.#ticks += 1;
    if (this.#ticks % EVIDENCE_EVERY_TICKS === 0) this.#rejudge();
  }

  #watchOffset(): void {
    const { clock, logger } = this.#options;
    const offset = clock.now() - clock.mono();
    const jumpMs = offset - this.#offset;
    if (Math.abs(jumpMs) <= JUMP_MS) return;
    this.#offset = offset;
    logger.warn({ jumpMs: Math.round(jumpMs) }, "the wall clock jumped");
    this.#rejudge(); // the jump may be the time server's: whoever hears of it must see the new state
    for (const listener of this.#jumpListeners) listener(jumpMs);
  }

  #rejudge(): void {
    const state = this.#judge();
    const before = this.#state;
    if (state === before) return;
    this.#options.logger.info({ from: before, to: state }, "clock trust changed");
    this.#state = state;
    if (state !== "unknown") this.#save();
    for (const listener of this.#changeListeners) listener(state, before);
  }

  #judge(): ClockTrustState {
    const { clock, files, builtAt } = this.#options;
    if (clock.now() < builtAt) return "unknown";
    if (existsSync(files.synchronized) || this.#confirmed || this.#hasBatteryClock()) {
      this.#believedBefore = true;
      return "trusted";
    }
    return this.#believedBefore ? "holdover" : "unknown";
  }

  /** A battery clock that lost its battery restarts in 1970: it counts only when it is past all that is known to have been. */
  #hasBatteryClock(): boolean {
    const { files, builtAt } = this.#options;
    if (!existsSync(files.deviceTree)) return true;
    const seconds = Number(readOrNull(files.batteryClock) ?? Number.NaN);
    return seconds * 1000 >= Math.max(builtAt, this.#saved?.wallMs ?? 0);
  }

  /** Same boot and not set back: the clock that was believed has been running ever since; only the process restarted. */
  #keptRunningSinceSaved(): boolean {
    const { clock, files } = this.#options;
    const saved = this.#saved;
    return saved?.believed === true && saved.bootId !== "" && saved.bootId === readOrNull(files.bootId)?.trim() && clock.now() >= saved.wallMs - JUMP_MS;
  }

  #readSaved(): SavedClock | null {
    try {
      const saved = JSON.parse(readFileSync(this.#options.savedFile, "utf8")) as Partial<SavedClock>; // written by #save; checked below
      const { wallMs, believed, bootId } = saved;
      return typeof wallMs === "number" && typeof believed === "boolean" && typeof bootId === "string" ? { wallMs, believed, bootId } : null;
    } catch {
      return null; // none yet, or torn by a power cut: the clock has to prove itself anew
    }
  }

  #save(): void {
    const { clock, files, savedFile, logger } = this.#options;
    if (this.#state === "unknown") return; // never replace a believed time by one that nothing vouches for
    const saved: SavedClock = { wallMs: clock.now(), believed: true, bootId: readOrNull(files.bootId)?.trim() ?? "" };
    try {
      writeWhole(savedFile, JSON.stringify(saved));
    } catch (error) {
      logger.warn({ err: error }, "the clock could not be saved");
    }
  }
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
