import { Worker } from "node:worker_threads";
import type { Logger } from "../kernel/logger.js";
import type { WorkerAnswer, WorkerRequest, WorkerStart } from "./messages.js";

/** A request without its number. */
export type WorkerTask = WorkerRequest extends infer Request ? (Request extends { readonly id: number } ? Omit<Request, "id"> : never) : never;

/** Pictures live outside the heap; a small young generation keeps the thread some 20 MB smaller (measured over 100 bursts). */
const MEMORY = { maxYoungGenerationSizeMb: 8 } as const;

/** The thread ended while it worked; what it was given is lost, the next request starts a new one. */
export class ThreadLost extends Error {
  override readonly name = "ThreadLost";
}

/** One worker thread that is started when it is needed and replaced when it dies. */
export class RecogniserThread {
  readonly #start: WorkerStart;
  readonly #logger: Logger;
  #worker: Worker | null = null;
  #nextId = 1;
  #starts = 0;
  readonly #waiting = new Map<number, { readonly resolve: (answer: WorkerAnswer) => void; readonly reject: (error: Error) => void }>();

  constructor(start: WorkerStart, logger: Logger) {
    this.#start = start;
    this.#logger = logger;
  }

  /** Threads started so far; more than one means that some died. */
  get starts(): number {
    return this.#starts;
  }

  /** Does one task. @throws ThreadLost. */
  run(task: WorkerTask): Promise<WorkerAnswer> {
    const worker = this.#worker ?? this.#open();
    const id = this.#nextId;
    this.#nextId += 1;
    const jpeg = new Uint8Array(task.jpeg); // a view into a pool would carry the whole pool across
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ ...task, jpeg, id }, [jpeg.buffer]);
    });
  }

  /** Ends the thread; requests that wait are lost. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    if (worker === null) return;
    this.#lose(worker, "the recogniser was stopped");
    await worker.terminate();
  }

  #open(): Worker {
    const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: this.#start, name: "recogniser", resourceLimits: MEMORY });
    this.#starts += 1;
    this.#worker = worker;
    worker.on("message", (answer: WorkerAnswer) => {
      this.#waiting.get(answer.id)?.resolve(answer);
      this.#waiting.delete(answer.id);
    });
    worker.on("error", (error) => {
      this.#logger.error({ err: error }, "the recogniser's thread failed");
      this.#drop(worker);
    });
    worker.on("exit", () => this.#drop(worker));
    worker.unref();
    return worker;
  }

  #drop(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#lose(worker, "the recogniser's thread ended");
  }

  #lose(worker: Worker, message: string): void {
    worker.removeAllListeners("message");
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new ThreadLost(message));
  }
}
