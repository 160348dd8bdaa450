import { parentPort, Worker, workerData } from "node:worker_threads";
import { Problem } from "./problem.ts";

interface Reply {
  readonly result?: unknown;
  readonly problem?: Pick<Problem, "code" | "message" | "hint" | "words"> | null;
  readonly text?: string;
}

/** Space for a thread's JavaScript objects. */
const HEAP_MEGABYTES = 128;

/**
 * Runs one order in a thread of its own and resolves with its answer. An aborted signal ends the thread or, if it hangs
 * in a system call, lets it end with that call: the promise rejects only once the thread has ended.
 * @throws Problem as the thread; Error when it ends without an answer
 */
export function askThread<Answer>(program: URL, order: unknown, signal?: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    const giveUp = (): void => {
      worker.unref();
      void worker.terminate();
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    worker.on("message", ({ result, problem, text }: Reply) => {
      if (text === undefined)
        resolve(result as Answer); // its program defines the answer's type
      else
        reject(
          problem
            ? new Problem(problem.code, problem.message, {
                words: problem.words,
                ...(problem.hint === null ? {} : { hint: problem.hint }),
              })
            : new Error(text),
        );
    });
    worker.on("error", reject);
    worker.on("exit", (code) => {
      signal?.removeEventListener("abort", giveUp);
      reject(new Error(`the thread ended with ${code}`)); // without effect once there was an answer
    });
  });
}

/**
 * The thread's side of {@link askThread}: carries out the order that it was started with. A thread's program calls it
 * once.
 */
export async function answerOrder<Order>(carryOut: (order: Order) => unknown): Promise<void> {
  try {
    // the caller starts the program with its orders only
    parentPort?.postMessage({ result: await carryOut(workerData as Order) });
  } catch (error) {
    const problem =
      error instanceof Problem
        ? { code: error.code, message: error.message, hint: error.hint, words: error.words }
        : null;
    parentPort?.postMessage({ problem, text: error instanceof Error ? error.message : String(error) });
  }
}
