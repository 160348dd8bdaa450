/**
 * Decides whether the wall clock can be trusted, and notices when it jumps. A box without a clock battery wakes up with
 * the time of its last shutdown, or with 1970; a time server can be wrong by ten years. In: systemd-timesyncd's mark,
 * the battery clock, the clock saved before, a signed-in console. Out: a state, its changes, jumps, and the latest
 * moment that has certainly come. Must never know what depends on the time.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import type { Clock, Timer } from "../kernel/clock.ts";
import type { ClockCorrection, ClockTrustState, ClockTrustView } from "../kernel/clock-trust.ts";
import type { Logger } from "../kernel/logger.ts";
import { FOLLOWED_STEP_MS, HubClock, uptimeFrom } from "./hub-clock.ts";
import { readSavedClock, type SavedClock, writeSavedClock } from "./saved-clock.ts";

/** The files in which Linux keeps what vouches for the time; tests use their own. */
export interface ClockFiles {
  /** Exists once systemd-timesyncd has received a time server's answer since boot. */
  readonly synchronized: string;
  /** Seconds since 1970 by the battery clock. */
  readonly batteryClock: string;
  /**
   * Exists on boards that are described by a device tree: those may have no battery clock. PCs and virtual machines
   * have one.
   */
  readonly deviceTree: string;
  /** Changes with every boot. */
  readonly bootId: string;
  /** Seconds since boot, sleep included. */
  readonly uptime: string;
}

/** The files of a running Linux. */
export const LINUX_CLOCK_FILES: ClockFiles = {
  synchronized: "/run/systemd/timesync/synchronized",
  batteryClock: "/sys/class/rtc/rtc0/since_epoch",
  deviceTree: "/proc/device-tree/model",
  bootId: "/proc/sys/kernel/random/boot_id",
  uptime: "/proc/uptime",
};

/**
 * A saved time this much later than the build proves nothing by itself: no hub goes so long without an update, and one
 * flipped digit leads there.
 */
const PLAUSIBLE_MS = 10 * 365 * 86_400_000;

/** The latest time (epoch ms) that a file alone may vouch for; `builtAt` of 0: not known, and any. */
export function latestPlausible(builtAt: number): number {
  return builtAt > 0 ? builtAt + PLAUSIBLE_MS : Number.POSITIVE_INFINITY;
}

/** The hub's clock on top of the machine's, with what was saved of it in this boot. */
export function openHubClock(
  machine: Clock,
  files: ClockFiles,
  savedFile: string,
  uptimeMs = uptimeFrom(files.uptime),
  builtAt = 0,
): HubClock {
  const saved = readSavedClock(savedFile, latestPlausible(builtAt));
  const isOfThisBoot =
    saved?.believed === true && saved.uptimeMs !== null && saved.bootId !== "" && saved.bootId === bootIdOf(files);
  return new HubClock({
    machine,
    uptimeMs,
    saved: isOfThisBoot && saved.uptimeMs !== null ? { wallMs: saved.wallMs, uptimeMs: saved.uptimeMs } : null,
  });
}

/** A time of the machine that the hub does not follow. */
interface Refusal {
  /** Epoch ms, when it was noticed. */
  readonly machineMs: number;
  /** Whether the battery clock showed it then; later the kernel may have copied it there. */
  readonly batteryAgreed: boolean;
}

const TICK_MS = 1_000;
const EVIDENCE_EVERY_TICKS = 5;
const SAVE_EVERY_MS = 600_000;
/** A larger deviation of wall time from monotonic time is a jump. */
const JUMP_MS = 2_000;
/**
 * A larger step, or several within a day that lead farther, in a boot in which a time server had answered before, are
 * followed and doubted until they are confirmed.
 */
const DOUBTED_STEP_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Steps of a day that are remembered; each next one is held to the first. */
const MOST_STEPS = 100;
/** A person's browser confirms the hub's clock if they differ by no more than this. */
const AGREES_MS = 30_000;
/** The battery clock and a time server agree if they differ by no more than this. */
const SOURCES_AGREE_MS = 60_000;

/** Watches the wall clock: state, changes of state, jumps. A Service. */
export class ClockTrust implements ClockTrustView {
  readonly name = "clock-trust";
  readonly #options: ConstructorParameters<typeof ClockTrust>[0];
  readonly #changeListeners = new Set<(state: ClockTrustState, before: ClockTrustState) => void>();
  readonly #jumpListeners = new Set<(jumpMs: number) => void>();
  readonly #refusalListeners = new Set<(machineMs: number | null) => void>();
  readonly #correctionListeners = new Set<(correction: ClockCorrection) => void>();
  #state: ClockTrustState = "unknown";
  #believedBefore = false;
  #confirmed = false;
  #offset = 0;
  /** Time since boot minus monotonic time: it grows while the machine sleeps. */
  #slept = 0;
  /** The offset, without sleep, before the step that is doubted; null: none is. */
  #undoubted: number | null = null;
  /** Steps of the last day that nothing explains, the oldest first: the offset, without sleep, before each. */
  #steps: { readonly atMono: number; readonly from: number }[] = [];
  /** Whether a time server has answered in this boot, when that was last looked at. */
  #wasSynchronized = false;
  #ticks = 0;
  #saved: SavedClock | null = null;
  #refusal: Refusal | null = null;
  /** Since which wall time rows have a time for which only one source, or none, vouches. */
  #doubtfulSince = 0;
  /** The battery clock minus monotonic time, when it was last read independently. */
  #battery: number | null = null;
  #timers: Timer[] = [];
  #saving = Promise.resolve();
  /** The save that begins when the running one ends. */
  #nextSave: Promise<void> | null = null;

  constructor(options: {
    readonly clock: HubClock;
    readonly logger: Logger;
    readonly files: ClockFiles;
    /** Where the time is saved, on the data partition. */
    readonly savedFile: string;
    /** When this version was built (epoch ms): no correct clock shows an earlier time. */
    readonly builtAt: number;
    /** Sets the machine's clock; false if the hub may not. Absent: the hub never may. */
    readonly setSystemClock?: (wallMs: number) => Promise<boolean>;
  }) {
    this.#options = options;
  }

  /** Judges the clock and begins to watch it. */
  async start(): Promise<void> {
    const { clock, logger, savedFile, builtAt } = this.#options;
    this.#saved = readSavedClock(savedFile, latestPlausible(builtAt));
    this.#believedBefore = this.#keptRunningSinceSaved();
    this.#offset = clock.now() - clock.mono();
    this.#slept = this.#sleepSoFar();
    this.#wasSynchronized = existsSync(this.#options.files.synchronized);
    this.#battery = this.#readBattery();
    this.#state = this.#judge();
    this.#doubtAtStart();
    this.#doubtfulSince = clock.now();
    this.#guard();
    logger.info({ state: this.#state, certain: !clock.isDoubted }, "clock judged");
    this.#watchRefusal();
    this.#timers = [clock.every(TICK_MS, () => this.#tick()), clock.every(SAVE_EVERY_MS, () => void this.#save())];
    if (this.#state !== "unknown") await this.#save();
  }

  /** Saves the time and stops watching. */
  async stop(): Promise<void> {
    if (this.#timers.length === 0) return;
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
    await this.#save();
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
   * Calls `listener` with the machine's time (epoch ms) when it is no longer followed, and with null when it is again.
   */
  onRefusal(listener: (machineMs: number | null) => void): () => void {
    this.#refusalListeners.add(listener);
    return () => this.#refusalListeners.delete(listener);
  }

  onCorrection(listener: (correction: ClockCorrection) => void): () => void {
    this.#correctionListeners.add(listener);
    return () => this.#correctionListeners.delete(listener);
  }

  /** The machine's time (epoch ms) while the hub keeps its own; null while it follows the machine. */
  refusedMs(): number | null {
    return this.#refusal === null ? null : this.#options.clock.refused;
  }

  /**
   * Takes the time of an owner's browser (epoch ms): it confirms the clock that agrees with it within 30 s, the hub's
   * or the machine's; if neither does, it sets the machine's, if the hub may. Returns whether the clock can be trusted
   * now. A clock that is trusted and certain is left alone.
   */
  async confirm(browserMs: number): Promise<boolean> {
    const { clock, builtAt, setSystemClock } = this.#options;
    if (this.#state === "trusted" && !clock.isDoubted && this.#refusal === null) return true;
    if (browserMs < builtAt) return false;
    const machineMs = clock.refused;
    if (machineMs !== null && Math.abs(browserMs - machineMs) <= AGREES_MS) this.#follow();
    else if (Math.abs(browserMs - clock.now()) > AGREES_MS) {
      if (this.#state === "trusted" && machineMs === null) return false; // two sources differ: neither wins
      // A known time is moved by hours at most: a stolen session must not age the history by years.
      if (this.#state !== "unknown" && Math.abs(browserMs - clock.now()) > FOLLOWED_STEP_MS) return false;
      const set = await setSystemClock?.(browserMs);
      if (set !== true) return false;
      this.#follow();
    }
    this.#confirmed = true;
    this.#believe();
    this.#rejudge();
    return this.state() === "trusted" || (this.#refusal !== null && this.state() === "holdover");
  }

  #tick(): void {
    this.#watchRefusal();
    this.#watchOffset();
    this.#ticks += 1;
    if (this.#ticks % EVIDENCE_EVERY_TICKS !== 0) return;
    this.#wasSynchronized = existsSync(this.#options.files.synchronized);
    if (this.#refusal !== null && this.#serverConfirmsMachine()) this.#follow();
    if (this.#options.clock.isDoubted && this.#sourcesAgree()) this.#believe();
    this.#rejudge();
  }

  /** Notices when the machine's clock leaves the range that the hub follows, and when it comes back. */
  #watchRefusal(): void {
    const { clock, logger } = this.#options;
    const machineMs = clock.refused;
    if ((machineMs === null) === (this.#refusal === null)) return;
    this.#battery = this.#readBattery();
    const isBattery =
      machineMs !== null &&
      this.#battery !== null &&
      Math.abs(this.#battery + clock.mono() - machineMs) <= SOURCES_AGREE_MS;
    this.#refusal = machineMs === null ? null : { machineMs, batteryAgreed: isBattery };
    if (machineMs === null) logger.warn({}, "the machine's clock is back at the hub's time");
    else
      logger.warn(
        { machineMs, hubMs: Math.round(clock.now()) },
        "the machine's clock jumped without explanation: the hub keeps its own time",
      );
    this.#rejudge();
    for (const listener of this.#refusalListeners) listener(machineMs);
  }

  /** A source vouches for the machine's current clock. */
  #follow(): void {
    this.#options.clock.vouch();
    this.#confirmed = true;
    this.#watchOffset(true);
    this.#watchRefusal();
    void this.#save();
  }

  #believe(): void {
    const { clock } = this.#options;
    this.#steps = [];
    clock.believe();
    this.#undoubted = null;
    this.#doubtfulSince = clock.now();
    void this.#save();
  }

  /** Whether a time server has answered since the jump, and the battery clock independently agreed. */
  #serverConfirmsMachine(): boolean {
    const heardMs = changedAt(this.#options.files.synchronized);
    return (
      this.#refusal?.batteryAgreed === true && heardMs !== null && heardMs >= this.#refusal.machineMs - FOLLOWED_STEP_MS
    );
  }

  /** Whether a time server answers, and the battery clock independently agrees. */
  #sourcesAgree(): boolean {
    const { clock, files } = this.#options;
    return (
      this.#battery !== null &&
      existsSync(files.synchronized) &&
      Math.abs(this.#battery + clock.mono() - clock.now()) <= SOURCES_AGREE_MS
    );
  }

  #guard(): void {
    if (this.#state === "unknown") this.#options.clock.letGo();
    else this.#options.clock.keep();
  }

  /** How long the machine has slept, give or take a constant; 0 where it does not say. */
  #sleepSoFar(): number {
    const { clock } = this.#options;
    return (clock.uptimeMs() ?? clock.mono()) - clock.mono();
  }

  /** @param isVouched a source that was just asked vouches for the step */
  #watchOffset(isVouched = false): void {
    const { clock, logger } = this.#options;
    const offset = clock.now() - clock.mono();
    const jumpMs = offset - this.#offset;
    if (Math.abs(jumpMs) <= JUMP_MS) return;
    this.#offset = offset;
    const slept = this.#sleepSoFar();
    const unexplained = Math.abs(jumpMs - (slept - this.#slept));
    this.#slept = slept;
    logger.warn({ jumpMs: Math.round(jumpMs) }, "the wall clock jumped");
    const before = clock.now() - jumpMs;
    const isCorrected = this.#state === "unknown" || clock.isDoubted;
    const correction: ClockCorrection = { fromMs: this.#doubtfulSince, toMs: before, shiftMs: jumpMs };
    const from = before - clock.mono() - slept;
    const isMoved = this.#wasSynchronized && !isVouched && unexplained > JUMP_MS;
    const isLie = isMoved && Math.abs(offset - slept - this.#movedSince(from)) > DOUBTED_STEP_MS;
    if (isLie && !clock.isDoubted) this.#undoubted = from;
    if (isLie || (Math.abs(jumpMs) > FOLLOWED_STEP_MS && !this.#confirmed)) clock.doubt(before);
    const isUndone = this.#undoubted !== null && Math.abs(offset - slept - this.#undoubted) <= SOURCES_AGREE_MS;
    this.#doubtfulSince = isCorrected ? this.#doubtfulSince + jumpMs : clock.now();
    if (isCorrected) for (const listener of this.#correctionListeners) listener(correction);
    if (isUndone) {
      const steps = this.#steps;
      this.#believe();
      this.#steps = steps; // what led there before is not confirmed by that
    }
    this.#rejudge(); // the jump may be the time server's: its listeners must see the new state
    for (const listener of this.#jumpListeners) listener(jumpMs);
  }

  /** Notes a step, and answers from where the steps of the last day began. */
  #movedSince(from: number): number {
    const now = this.#options.clock.mono();
    this.#steps = this.#steps.filter(({ atMono }) => now - atMono <= DAY_MS);
    if (this.#steps.length < MOST_STEPS) this.#steps.push({ atMono: now, from });
    return this.#steps[0]?.from ?? from;
  }

  #rejudge(): void {
    const state = this.#judge();
    const before = this.#state;
    if (state === before) return;
    this.#options.logger.info({ from: before, to: state }, "clock trust changed");
    this.#state = state;
    this.#guard();
    if (state !== "unknown") void this.#save();
    for (const listener of this.#changeListeners) listener(state, before);
  }

  #judge(): ClockTrustState {
    const { clock, files, builtAt } = this.#options;
    if (clock.now() < builtAt) return "unknown";
    // sources that vouch for the machine's clock do not vouch for the hub's
    if (this.#refusal !== null || clock.refused !== null) return "holdover";
    if (existsSync(files.synchronized) || this.#confirmed || this.#hasBatteryClock()) {
      this.#believedBefore = true;
      return "trusted";
    }
    return this.#believedBefore ? "holdover" : "unknown";
  }

  /**
   * A battery clock that lost its battery restarts in 1970: it counts only if it is later than everything known to have
   * happened.
   */
  #hasBatteryClock(): boolean {
    const { files, builtAt } = this.#options;
    if (!existsSync(files.deviceTree)) return true;
    const seconds = Number(readOrNull(files.batteryClock) ?? Number.NaN);
    return seconds * 1000 >= Math.max(builtAt, this.#saved?.wallMs ?? 0);
  }

  /** The battery clock minus monotonic time; null if there is none. */
  #readBattery(): number | null {
    const { files, clock } = this.#options;
    const seconds = Number(readOrNull(files.batteryClock)?.trim() || Number.NaN);
    return Number.isFinite(seconds) ? seconds * 1000 - clock.mono() : null;
  }

  /**
   * Whether it is the same boot and the clock was not set back: the trusted clock has been running ever since, and only
   * the process restarted.
   */
  #keptRunningSinceSaved(): boolean {
    const { clock } = this.#options;
    const saved = this.#saved;
    return saved?.believed === true && this.#isSavedOfThisBoot() && clock.now() >= saved.wallMs - JUMP_MS;
  }

  #isSavedOfThisBoot(): boolean {
    return this.#saved !== null && this.#saved.bootId !== "" && this.#saved.bootId === bootIdOf(this.#options.files);
  }

  /**
   * After a restart the saved time has certainly passed. How long the host was off is unknown: a long gap needs a
   * second source.
   */
  #doubtAtStart(): void {
    const { clock } = this.#options;
    const saved = this.#saved;
    if (saved === null) return;
    const wasCertain = Math.abs(saved.wallMs - saved.certainMs) <= JUMP_MS;
    const passed = clock.now() - (this.#isSavedOfThisBoot() ? saved.wallMs : saved.certainMs);
    if (wasCertain && (this.#isSavedOfThisBoot() || Math.abs(passed) <= FOLLOWED_STEP_MS)) return;
    clock.doubt(saved.certainMs + (this.#isSavedOfThisBoot() ? Math.max(0, passed) : 0));
  }

  /** Saves the time as it is when the running save has ended; at most one save waits for that. */
  #save(): Promise<void> {
    this.#nextSave ??= this.#saving = this.#saving.then(() => {
      this.#nextSave = null;
      return this.#write();
    });
    return this.#nextSave;
  }

  async #write(): Promise<void> {
    const { clock, files, savedFile, logger } = this.#options;
    if (this.#state === "unknown") return; // never replaces a trusted time by one that nothing vouches for
    try {
      const [wallMs, uptimeMs, certainMs] = [clock.now(), clock.uptimeMs(), clock.certain()];
      await writeSavedClock(savedFile, { wallMs, believed: true, bootId: bootIdOf(files) ?? "", uptimeMs, certainMs });
    } catch (error) {
      logger.warn({ err: error }, "the clock could not be saved");
    }
  }
}

function bootIdOf(files: ClockFiles): string | null {
  return readOrNull(files.bootId)?.trim() ?? null;
}

/** When a file was last written, epoch ms by the machine's clock; null if it does not exist. */
function changedAt(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
