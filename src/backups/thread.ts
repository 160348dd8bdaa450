import { Worker } from "node:worker_threads";
import { Problem } from "../kernel/problem.js";
import type { WorkOrder, WorkResults } from "./work.js";

/** How long orders are carried out: in a thread, so that devices are served meanwhile. */
export type DoWork = <Order extends WorkOrder>(order: Order) => Promise<WorkResults[Order["kind"]]>;

interface Reply {
  readonly result?: unknown;
  readonly problem?: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
  readonly text?: string;
}

/** Carries out one order in a thread of its own. @throws Problem as doWork; Error when the thread ends without an answer */
export const workInThread: DoWork = (order) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./backup-worker.js", import.meta.url), { workerData: order, resourceLimits: { maxOldGenerationSizeMb: 128 } });
    let answered = false;
    worker.on("message", (reply: Reply) => {
      answered = true;
      if (reply.text === undefined)
        resolve(reply.result as Awaited<ReturnType<typeof workInThread<typeof order>>>); // the result of this very order
      else reject(reply.problem ? new Problem(reply.problem.code, reply.problem.message, hintOf(reply.problem.hint)) : new Error(reply.text));
    });
    worker.on("error", reject);
    worker.on("exit", (code) => {
      if (!answered) reject(new Error(`the backup thread ended with ${code}`));
    });
  });

function hintOf(hint: string | null): { hint?: string } {
  return hint === null ? {} : { hint };
}
