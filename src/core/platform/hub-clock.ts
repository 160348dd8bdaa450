/**
 * The hub's wall clock: the machine's own, unless that jumped without explanation. A wrong answer from a time server, a
 * dead battery clock or a typing error must not age a household's history by ten years. In: the machine's two clocks
 * and the time since boot. Out: the time used everywhere in the hub. Must never know which source vouches for a time:
 * clock-trust.ts decides that.
 */
import { readFileSync } from "node:fs";
import { type Clock, TimedClock, type Timer } from "../kernel/clock.ts";

/**
 * The largest clock step that the hub follows without confirmation: a day plus the time zones' hours, so that a time
 * server can correct a battery clock that was set to local time. Retention is counted in weeks: such a step deletes
 * next to nothing.
 */
export const FOLLOWED_STEP_MS = 26 * 3_600_000;
/** How often the time since boot is read from its file while the machine's clock is not followed. */
const UPTIME_EVERY_MS = 1_000;

/** A saved moment by the hub's clock, with the time since boot at that moment. */
interface SavedMoment {
  readonly wallMs: number;
  readonly uptimeMs: number;
}

/** See the head of the file. */
export class HubClock extends TimedClock {
  readonly #options: ConstructorParameters<typeof HubClock>[0];
  /** Machine wall time minus monotonic time, as last vouched for; null: never, and the machine is followed. */
  #vouched: number | null = null;
  /** The same difference when it was last followed. */
  #followed: number;
  /** A moment that had certainly come, with its monotonic time; null while the hub's time itself is certain. */
  #certain: { readonly wallMs: number; readonly mono: number } | null = null;
  #uptime: { readonly ms: number; readonly mono: number } | null = null;
  #lookedMono = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly machine: Clock;
    /** Milliseconds since boot, including sleep; null if the system does not report it. */
    readonly uptimeMs: () => number | null;
    /** The hub's time at an earlier moment of the same boot; null when there is none. */
    readonly saved: SavedMoment | null;
  }) {
    super();
    this.#options = options;
    const { machine, uptimeMs, saved } = options;
    this.#followed = machine.now() - machine.mono();
    const uptime = uptimeMs();
    if (uptime !== null) this.#uptime = { ms: uptime, mono: machine.mono() };
    if (saved === null || uptime === null) return;
    this.#vouched = saved.wallMs + (uptime - saved.uptimeMs) - machine.mono();
    if (this.refused !== null) this.#followed = this.#vouched;
  }

  /** The machine's wall time if it is explained; otherwise the last one that was, plus the time since. */
  now(): number {
    const { machine } = this.#options;
    const wall = machine.now();
    // whole milliseconds, as a wall clock has them
    if (!this.#isExplained(wall)) return Math.round(this.#followed + machine.mono());
    this.#followed = wall - machine.mono();
    return wall;
  }

  /** Wall time of the machine (epoch ms) while the hub does not follow it; null while it does. */
  get refused(): number | null {
    const wall = this.#options.machine.now();
    return this.#isExplained(wall) ? null : wall;
  }

  certain(): number {
    const now = this.now();
    return this.#certain === null
      ? now
      : Math.min(now, Math.round(this.#certain.wallMs + this.mono() - this.#certain.mono));
  }

  override get isDoubted(): boolean {
    return this.#certain !== null;
  }

  /** Notes that only `wallMs` (epoch ms) has certainly come; this holds until {@link believe}. */
  doubt(wallMs: number): void {
    this.#certain ??= { wallMs, mono: this.mono() };
  }

  /** The wall time is confirmed. */
  believe(): void {
    this.#certain = null;
  }

  /** Notes that the machine's clock is right now: from here on, steps are measured against this. */
  vouch(): void {
    const { machine } = this.#options;
    this.#vouched = machine.now() - machine.mono();
    this.#followed = this.#vouched;
    this.believe();
  }

  /** Keeps the hub's own time, whatever the machine's clock does; does nothing if it is already kept. */
  keep(): void {
    this.#vouched ??= this.#followed;
  }

  /** No source vouches for any time: the machine's clock is followed. */
  letGo(): void {
    this.#vouched = null;
  }

  /** Milliseconds since boot, including sleep; null if the system does not report it. */
  uptimeMs(): number | null {
    return this.#options.uptimeMs();
  }

  mono(): number {
    return this.#options.machine.mono();
  }

  protected wake(ms: number, task: () => void): Timer {
    return this.#options.machine.after(ms, task);
  }

  #isExplained(wall: number): boolean {
    if (this.#vouched === null) return true;
    const mono = this.#options.machine.mono();
    if (Math.abs(wall - mono - this.#vouched) <= FOLLOWED_STEP_MS) return true;
    this.#addSleep(mono);
    return Math.abs(wall - mono - this.#vouched) <= FOLLOWED_STEP_MS;
  }

  /** Monotonic time stands still while a machine sleeps; the time since boot does not. */
  #addSleep(mono: number): void {
    if (mono - this.#lookedMono < UPTIME_EVERY_MS) return;
    this.#lookedMono = mono;
    const uptime = this.#options.uptimeMs();
    if (uptime === null || this.#uptime === null || this.#vouched === null) return;
    const slept = uptime - this.#uptime.ms - (mono - this.#uptime.mono);
    this.#uptime = { ms: uptime, mono };
    if (slept < UPTIME_EVERY_MS) return;
    this.#vouched += slept;
    this.#followed += slept;
  }
}

/** Milliseconds since boot by a file like `/proc/uptime` (proc_uptime(5)): seconds with sleep, first on its line. */
export function uptimeFrom(file: string): () => number | null {
  return () => {
    try {
      const seconds = Number(readFileSync(file, "utf8").split(" ")[0]);
      return Number.isFinite(seconds) ? seconds * 1_000 : null;
    } catch {
      return null;
    }
  };
}
