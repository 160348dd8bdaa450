/**
 * Owns the Matter process: starts it when Matter is switched on, watches it, restarts it with growing pauses, ends it
 * with the hub. The Matter libraries live there and nowhere else; the protocol between the hub and the process is in
 * calls.ts.
 *
 * In: whether Matter is switched on. Out: a {@link Link} to the parts in the process, its state and its memory. Must
 * never know: what a part does.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Static } from "typebox";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import { makeFolderBelow } from "../../core/kernel/folder-below.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { restrictToOwner } from "../../core/kernel/restrict-to-owner.ts";
import { TO_HUB, TO_PROCESS } from "./calls.ts";
import { openLines } from "./lines.ts";
import { type Handlers, Link } from "./link.ts";

/** What the process receives when it starts. */
type HostStart = Omit<Static<(typeof TO_PROCESS)["host.start"]["input"]>, "folder">;

/** The state of the process. */
export interface HostState {
  /** `waiting`: it ended, and is restarted after a pause. */
  readonly state: "off" | "starting" | "running" | "waiting" | "stopping";
  /** Epoch milliseconds. */
  readonly since: number;
  readonly pid: number | null;
  /** Its resident memory; null until it reported it. */
  readonly rssBytes: number | null;
  /** How often it has ended by itself since Matter was switched on. */
  readonly restarts: number;
  /** Why it last ended; null if it never did. */
  readonly reason: string | null;
}

type Conversation = Link<typeof TO_PROCESS, typeof TO_HUB>;

/**
 * Its young objects die young: most of a default-sized space would stay. Its old ones are bounded, so that a leak ends
 * it and not the hub.
 */
const ARGUMENTS = ["--max-semi-space-size=2", "--max-old-space-size=256"];
/** The environment: of the hub's own nothing reaches the process but where compiled code is kept. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "65536", NODE_ENV: "production" };
const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000];
/** A run of this length resets the pauses to the shortest. */
const GOOD_RUN_MS = 600_000;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 3_000;
/** The process reports every ten seconds. */
const SILENT_MS = 60_000;
const KEPT_ERRORS = 2_000;

interface Running {
  readonly child: ChildProcess;
  readonly link: Conversation;
  readonly ended: Promise<void>;
  heardMono: number;
  errors: string;
}

/** See the head of the file. */
export class MatterHost {
  readonly name = "matter";
  readonly #options: ConstructorParameters<typeof MatterHost>[0];
  readonly #handlers: Partial<Handlers<typeof TO_HUB>>[] = [];
  readonly #ups: (() => Promise<void>)[] = [];
  #running: Running | null = null;
  #state: HostState;
  #pause: Timer | null = null;
  #watch: Timer | null = null;
  #failures = 0;
  /** {@link HostState.since} by the clock that never jumps. */
  #sinceMono = 0;
  #isOver = true;
  /** Switching on and off happens one at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: {
    /** The data folder, which is there; the process has `matter/` in it. */
    readonly dataFolder: string;
    readonly folder: string;
    /** The program of the process, if not the one beside this file. */
    readonly program?: URL;
    /** Whether Matter is switched on; read at the start and by {@link MatterHost.refresh}. */
    readonly wanted: () => boolean;
    readonly start: () => HostStart;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#state = { state: "off", since: options.clock.now(), pid: null, rssBytes: null, restarts: 0, reason: null };
  }

  /** How the process is now. */
  get state(): HostState {
    return this.#state;
  }

  /** Adds handlers of the process's calls; call it before the start. */
  serve(handlers: Partial<Handlers<typeof TO_HUB>>): void {
    this.#handlers.push(handlers);
  }

  /** Adds work for each start of the process: a part sends its state there. Call it before the start. */
  onUp(tell: () => Promise<void>): void {
    this.#ups.push(tell);
  }

  /** Calls the process. @throws the process's Problem; `matter_unavailable` while it does not run */
  call: Conversation["call"] = (name, input, timeoutMs) =>
    this.#running === null
      ? Promise.reject(new Problem("matter_unavailable", "Matter is switched off, or its process is not there."))
      : this.#running.link.call(name, input, timeoutMs);

  /** Starts the process if Matter is switched on; the hub does not wait for it. */
  async start(): Promise<void> {
    this.#isOver = false;
    void this.refresh();
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.refresh();
  }

  /** Follows the switch: starts the process, or ends it. Resolves when that is done or has begun. */
  refresh(): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      const wanted = !this.#isOver && this.#options.wanted();
      if (wanted && this.#running === null && this.#pause === null) await this.#launch();
      else if (!wanted) await this.#end();
    });
    return this.#turn;
  }

  async #launch(): Promise<void> {
    const { folder, dataFolder, clock, logger } = this.#options;
    const { program = new URL("./matter-process.ts", import.meta.url) } = this.#options;
    this.#become("starting");
    try {
      await makeFolderBelow(dataFolder, folder);
      restrictToOwner(folder);
      const { Check } = await import("typebox/value"); // only those who switch Matter on need it
      const child = spawn(process.execPath, [...ARGUMENTS, fileURLToPath(program)], {
        cwd: folder,
        env: environment(),
        stdio: ["ignore", "ignore", "pipe", "pipe"],
      });
      // a pipe to a process is a socket
      const send = openLines(child.stdio[3] as Socket, {
        take: (message) => void link.take(message),
        broken: (reason) => this.#kill(running, reason),
      });
      const link: Conversation = new Link({
        channel: { send },
        asks: TO_PROCESS,
        answers: TO_HUB,
        check: Check,
      });
      const running: Running = { child, link, heardMono: clock.mono(), errors: "", ended: once(child) };
      this.#running = running;
      link.serve({
        "host.figures": (figures) => this.#heard(running, figures.rssBytes),
        "host.log": ({ level, ...line }) => this.#log(level, line),
      });
      for (const handlers of this.#handlers) link.serve(handlers);
      child.stderr?.on("data", (text: Buffer) => {
        running.errors = (running.errors + text.toString()).slice(-KEPT_ERRORS);
      });
      void running.ended.then(() => this.#ended(running));
      void this.#greet(running);
    } catch (error) {
      logger.error({ err: error }, "the Matter process could not be started");
      this.#again(String(error));
    }
  }

  async #greet(running: Running): Promise<void> {
    const { folder, start, clock, logger } = this.#options;
    try {
      await running.link.call("host.start", { ...start(), folder }, START_TIMEOUT_MS);
      running.heardMono = clock.mono();
      this.#watch = clock.every(SILENT_MS / 2, () => this.#look(running));
      this.#become("running");
      for (const tell of this.#ups) await tell();
      logger.info({ pid: running.child.pid }, "Matter process running");
    } catch (error) {
      if (this.#running !== running) return;
      logger.error({ err: error }, "the Matter process did not start");
      this.#kill(running, error instanceof Error ? error.message : String(error));
    }
  }

  /** Ends a process that is of no use; it is started again. */
  #kill(running: Running, reason: string): void {
    running.errors ||= reason;
    running.child.kill("SIGKILL");
  }

  #heard(running: Running, rssBytes: number): null {
    running.heardMono = this.#options.clock.mono();
    this.#state = { ...this.#state, rssBytes };
    return null;
  }

  #log(
    level: "debug" | "info" | "warn" | "error",
    { facility, text }: { readonly facility: string; readonly text: string },
  ): null {
    this.#options.logger[level]({ facility }, text);
    return null;
  }

  #look(running: Running): void {
    if (this.#running !== running || this.#options.clock.mono() - running.heardMono < SILENT_MS) return;
    this.#kill(running, "it did not answer any more");
  }

  async #end(): Promise<void> {
    this.#pause?.stop();
    this.#pause = null;
    const running = this.#running;
    if (running !== null) {
      this.#become("stopping");
      await running.link.call("host.stop", null, STOP_TIMEOUT_MS).catch(() => {}); // it is ended in any case
      running.child.kill("SIGKILL"); // does nothing to one that has ended
      await running.ended;
    }
    this.#failures = 0;
    this.#become("off", { restarts: 0, reason: null });
  }

  /** Handles the end of the process, for any reason. */
  #ended(running: Running): void {
    running.link.close();
    this.#watch?.stop();
    this.#watch = null;
    const isExpected = this.#state.state === "stopping" || this.#running !== running;
    if (this.#running === running) this.#running = null;
    if (isExpected) return;
    const { exitCode, signalCode } = running.child;
    const last =
      running.errors
        .trim()
        .split("\n")
        .find((line) => /error/i.test(line)) ??
      running.errors.trim().split("\n").at(-1) ??
      "";
    const reason = last === "" ? `it ended with ${signalCode ?? exitCode}` : last.slice(0, 300);
    this.#options.logger.error({ exitCode, signalCode, errors: running.errors }, "the Matter process ended");
    this.#again(reason);
  }

  #again(reason: string): void {
    const { clock } = this.#options;
    if (this.#state.state === "running" && clock.mono() - this.#sinceMono > GOOD_RUN_MS) this.#failures = 0;
    const pause = PAUSES_MS[Math.min(this.#failures, PAUSES_MS.length - 1)] ?? 0;
    this.#failures += 1;
    this.#become("waiting", { restarts: this.#state.restarts + 1, reason });
    this.#pause = clock.after(pause, () => {
      this.#pause = null;
      void this.refresh();
    });
  }

  #become(state: HostState["state"], more: Partial<HostState> = {}): void {
    const pid = this.#running?.child.pid ?? null;
    const rssBytes = state === "running" ? this.#state.rssBytes : null;
    this.#sinceMono = this.#options.clock.mono();
    this.#state = { ...this.#state, ...more, state, pid, rssBytes, since: this.#options.clock.now() };
  }
}

function environment(): NodeJS.ProcessEnv {
  const kept = getCompileCacheDir(); // a folder of this version of Node, in the one that was named
  return kept === undefined ? ENVIRONMENT : { ...ENVIRONMENT, NODE_COMPILE_CACHE: dirname(kept) };
}

function once(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => {
      if (child.pid === undefined) resolve(); // it never started
    });
  });
}
