/**
 * Runs the periodic jobs that features name (`jobs` in core/feature.ts). A job that fails is logged by name and runs
 * again at its next time; two runs of one job never overlap.
 */
import type { Clock, Timer } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { Service } from "../kernel/service.ts";

/** One periodic job. */
export interface Job {
  readonly name: string;
  readonly periodMs: number;
  /** Also run shortly after the start, so that a box that is restarted often still sweeps. */
  readonly atStart: boolean;
  readonly run: () => Promise<void> | void;
}

/** What happened to a job, for the health page. */
export interface JobFigures {
  readonly name: string;
  readonly runs: number;
  readonly failures: number;
  readonly lastRunAt: number | null;
  readonly lastMs: number | null;
  readonly lastError: string | null;
}

const FIRST_RUN_MS = 20_000;

/** Runs the jobs while it is started. */
export class JobRunner implements Service {
  readonly name = "jobs";
  readonly #jobs: readonly Job[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #figures = new Map<string, JobFigures>();
  readonly #running = new Map<string, Promise<void>>();
  #timers: Timer[] = [];

  constructor(options: { jobs: readonly Job[]; clock: Clock; logger: Logger }) {
    this.#jobs = options.jobs;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  async start(): Promise<void> {
    for (const job of this.#jobs) {
      this.#timers.push(this.#clock.every(job.periodMs, () => void this.run(job)));
      if (job.atStart) this.#timers.push(this.#clock.after(FIRST_RUN_MS, () => void this.run(job)));
    }
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
    await Promise.all(this.#running.values());
  }

  /** What each job did so far. */
  figures(): JobFigures[] {
    return this.#jobs.map((job) => this.#figures.get(job.name) ?? blank(job.name));
  }

  /** Runs one job now unless it is already running; resolves when that run is over, never rejects. */
  async run(job: Job): Promise<void> {
    const already = this.#running.get(job.name);
    if (already) return already;
    const run = this.#guarded(job).finally(() => this.#running.delete(job.name));
    this.#running.set(job.name, run);
    return run;
  }

  async #guarded(job: Job): Promise<void> {
    const before = this.#figures.get(job.name) ?? blank(job.name);
    const startedMono = this.#clock.mono();
    let lastError: string | null = null;
    try {
      await job.run();
    } catch (error) {
      lastError = error instanceof Error ? error.message : String(error);
      this.#logger.error({ job: job.name, err: error }, "job failed");
    }
    this.#figures.set(job.name, {
      name: job.name,
      runs: before.runs + 1,
      failures: before.failures + (lastError === null ? 0 : 1),
      lastRunAt: this.#clock.now(),
      lastMs: Math.round(this.#clock.mono() - startedMono),
      lastError,
    });
  }
}

function blank(name: string): JobFigures {
  return { name, runs: 0, failures: 0, lastRunAt: null, lastMs: null, lastError: null };
}
