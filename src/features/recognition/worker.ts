/**
 * The recogniser's thread: inference is synchronous inside onnxruntime, and here nobody has to wait for it. Frames and
 * pictures in, sightings and JPEGs out, one at a time. The models are loaded at the first frame and again when their
 * files are replaced.
 */
import { getPriority, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { garbageCollector, settleCompiler } from "../../core/kernel/compiler.ts";
import { Countries } from "../../core/plates/countries.ts";
import { FrameReader } from "./frame-reader.ts";
import { CLOSE, type WorkerAnswer, type WorkerRequest, type WorkerStart } from "./messages.ts";
import { modelsStamp, NoModels, readModels } from "./models.ts";
import { BadPicture, limitDecoder, Picture } from "./picture.ts";
import type { PresentedAnswer } from "./presented-task.ts";

/** How often to check the model files. */
const LOOK_EVERY_MS = 5_000;

/** How much nicer than the hub this thread is. */
const NICER = 5;
const NICEST = 19;

/**
 * On a box with two cores, reading keeps one of them busy, and the app and the broker compete for the other: they come
 * first. Linux has a priority per thread, inherited by those it starts; elsewhere it would be the whole hub's.
 */
function giveWay(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(NICEST, getPriority() + NICER));
  } catch {
    // not permitted: then all have the same priority
  }
}

class WorkerThread {
  /**
   * A minor collection takes about a millisecond, a major one about ten. Pixels are outside the heap, and this thread's
   * heap is so small that it is hardly ever collected otherwise: after 100 frames about 20 MB of dead pictures were
   * kept, and more as it went on.
   */
  readonly #collect = garbageCollector();
  readonly #start: WorkerStart;
  readonly #countries: Countries;
  #reader: FrameReader | null = null;
  #stamp: string | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The bytes of model files that were just loaded are no longer needed. */
  #hasWaste = false;
  #line: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(start: WorkerStart) {
    this.#start = start;
    this.#countries = new Countries(start.countries);
  }

  take(request: WorkerRequest, answer: (message: WorkerAnswer) => void): void {
    this.#line = this.#line.then(async () => {
      if (this.#isClosing) return; // nobody waits for the answer
      answer(await this.#work(request));
      this.#collect({ type: this.#hasWaste ? "major" : "minor" });
      this.#hasWaste = false;
    });
  }

  /** Frees the networks once the task under way is done, then calls `end`; tasks behind it are dropped. */
  close(end: () => void): void {
    this.#isClosing = true;
    this.#line = this.#line.then(async () => {
      await this.#reader?.release();
      this.#reader = null;
      end();
    });
  }

  async #work(request: WorkerRequest): Promise<WorkerAnswer> {
    const { id } = request;
    try {
      if (request.kind === "image") {
        const picture = await Picture.open(request.jpeg);
        return { id, kind: "image", jpeg: await picture.encoded(request.maxWidth, request.quality, request.part) };
      }
      const reader = await this.#readerNow();
      if (request.kind === "presented") {
        const answers: PresentedAnswer[] = [];
        for (const task of request.tasks) answers.push(await reader.presented(task));
        return { id, kind: "presented", answers };
      }
      const { sightings, timings } = await reader.read(request.jpeg, request.look);
      return {
        id,
        kind: "frame",
        sightings,
        timings,
        version: reader.version,
        endedAt: performance.timeOrigin + performance.now(),
      };
    } catch (error) {
      const code = error instanceof NoModels ? "no_models" : error instanceof BadPicture ? "bad_picture" : "failed";
      return { id, kind: "error", code, message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The loaded networks; loads them on first use, and again when the files were replaced. */
  async #readerNow(): Promise<FrameReader> {
    const now = performance.now();
    if (this.#reader !== null && now - this.#lookedAt < LOOK_EVERY_MS) return this.#reader;
    this.#lookedAt = now;
    const stamp = await modelsStamp(this.#start.modelsFolder);
    if (this.#reader !== null && stamp === this.#stamp) return this.#reader;
    const models = await readModels(this.#start.modelsFolder, this.#start.secondReader);
    this.#hasWaste = true;
    if (models.version !== this.#reader?.version) {
      const ort = await import("onnxruntime-node").catch((error: unknown) => {
        throw new NoModels(`onnxruntime-node cannot be loaded (${firstLine(error)})`, { cause: error });
      });
      const next = await FrameReader.load(ort, models, this.#start.threads, this.#countries).catch((error: unknown) => {
        throw new NoModels(`the models cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
      await this.#reader?.release();
      this.#reader = next;
    }
    this.#stamp = stamp;
    return this.#reader;
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

const port = parentPort;
if (port === null) throw new Error("worker.ts runs as a worker thread only");
giveWay();
settleCompiler(process.execArgv);
limitDecoder();
const start = workerData as WorkerStart; // given by recogniser-thread.ts
const thread = new WorkerThread(start);
port.on("message", (message: WorkerRequest | typeof CLOSE) => {
  if (message === CLOSE) thread.close(() => port.close());
  else thread.take(message, (answer) => port.postMessage(answer));
});
