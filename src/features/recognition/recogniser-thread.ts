import { Worker } from "node:worker_threads";
import type { Logger } from "../../core/kernel/logger.ts";
import { CLOSE, type WorkerAnswer, type WorkerRequest, type WorkerStart } from "./messages.ts";

/** A request without its number. */
export type WorkerTask = WorkerRequest extends infer Request
  ? Request extends { readonly id: number }
    ? Omit<Request, "id">
    : never
  : never;

/**
 * Pictures are outside the heap; a small young generation keeps the thread about 20 MB smaller (measured over 100
 * bursts).
 */
const MEMORY = { maxYoungGenerationSizeMb: 8 } as const;

/** The thread ended while it worked; its tasks are lost, and the next request starts a new one. */
class ThreadLost extends Error {
  override readonly name = "ThreadLost";
}

/** How long {@link RecogniserThread.close} waits for a thread to end. */
const CLOSE_MS = 1_200;
/** The thread's own program. */
const PROGRAM = new URL("./worker.ts", import.meta.url);

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
  /** `performance.now()`. */
  readonly since: number;
}

/**
 * One worker thread that is started when needed and replaced when it dies. It is never terminated: a thread that ends
 * in the middle of the picture decoder's work takes the whole process with it (Napi::Error in the decoder's callback),
 * so it is asked to end instead.
 */
export class RecogniserThread {
  readonly #start: WorkerStart;
  readonly #logger: Logger;
  readonly #program: URL;
  #worker: Worker | null = null;
  #nextId = 1;
  #starts = 0;
  /** Started and not ended, including those that were abandoned. */
  readonly #alive = new Set<Worker>();
  readonly #waiting = new Map<number, Waiting>();
  /** See {@link knowsModels}. */
  #knowsModels = false;
  #idle: (() => void)[] = [];

  /** @param program the thread's program; tests give another one */
  constructor(start: WorkerStart, logger: Logger, program = PROGRAM) {
    this.#start = start;
    this.#logger = logger;
    this.#program = program;
  }

  /** Threads started so far; more than one means that some died. */
  get starts(): number {
    return this.#starts;
  }

  /** Threads that have not ended, including those that were abandoned because they hang. */
  get alive(): number {
    return this.#alive.size;
  }

  /** Whether there is a thread that has loaded the models, or found that it cannot. */
  get knowsModels(): boolean {
    return this.#worker !== null && this.#knowsModels;
  }

  /** Does one task. @throws ThreadLost. */
  run(task: WorkerTask): Promise<WorkerAnswer> {
    const worker = this.#worker ?? this.#open();
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, since: performance.now() });
      if (task.kind === "presented") {
        worker.postMessage({ ...task, id });
        return;
      }
      const jpeg = new Uint8Array(task.jpeg); // a view into a pool would transfer the whole pool
      worker.postMessage({ ...task, jpeg, id }, [jpeg.buffer]);
    });
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#waiting.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Milliseconds since the oldest request under way was made; 0 when none is. */
  get busyMs(): number {
    const [oldest] = this.#waiting.values();
    return oldest === undefined ? 0 : performance.now() - oldest.since;
  }

  /**
   * Abandons a thread that does not answer any more: waiting requests are lost, it ends when it can, and the next
   * request starts another one.
   */
  abandon(): void {
    const worker = this.#worker;
    this.#worker = null;
    if (worker === null) return;
    this.#lose(worker, "the recogniser's thread does not answer");
    worker.postMessage(CLOSE);
  }

  /**
   * Lets the thread end after its current task, without those behind it, and waits a moment for that; requests that are
   * waiting are lost.
   */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = haveEnded([worker], CLOSE_MS);
    this.abandon();
    await ended;
  }

  /** Resolves when every thread has ended, or after `limitMs`: a process that exits before is aborted by the decoder. */
  ended(limitMs: number): Promise<void> {
    return haveEnded([...this.#alive], limitMs);
  }

  #open(): Worker {
    const worker = new Worker(this.#program, { workerData: this.#start, name: "recogniser", resourceLimits: MEMORY });
    this.#starts += 1;
    this.#worker = worker;
    this.#knowsModels = false;
    this.#alive.add(worker);
    worker.on("message", (answer: WorkerAnswer) => {
      if (answer.kind === "frame" || (answer.kind === "error" && answer.code === "no_models")) this.#knowsModels = true;
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
      this.#tellIdle();
    });
    worker.on("error", (error) => {
      this.#logger.error({ err: error }, "the recogniser's thread failed");
      // a library that cannot be loaded has several lines to say
      this.#drop(worker, `the recogniser's thread failed (${error.message.split("\n")[0]})`);
    });
    worker.on("exit", () => {
      this.#alive.delete(worker);
      this.#drop(worker);
    });
    worker.unref();
    return worker;
  }

  #drop(worker: Worker, why = "the recogniser's thread ended"): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#lose(worker, why);
  }

  #lose(worker: Worker, message: string): void {
    worker.removeAllListeners("message");
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ThreadLost(message));
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#waiting.size > 0) return;
    for (const tell of this.#idle.splice(0)) tell();
  }
}

async function haveEnded(workers: readonly Worker[], limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined; // it keeps the process alive, which the workers do not
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  const ends = workers.map((worker) => new Promise<void>((resolve) => worker.once("exit", () => resolve())));
  await Promise.race([Promise.all(ends), limit]);
  clearTimeout(timer);
}
