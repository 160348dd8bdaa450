import { askThread } from "../../core/kernel/thread.ts";
import type { WorkOrder, WorkResults } from "./work.ts";

/** Runs long orders: in a thread, so that devices are served meanwhile. An aborted signal gives up the order. */
export type DoWork = <Order extends WorkOrder>(
  order: Order,
  signal?: AbortSignal,
) => Promise<WorkResults[Order["kind"]]>;

/**
 * Carries out one order in a thread of its own. @throws Problem as doWork; Error when the thread ends without an answer
 */
export const workInThread: DoWork = (order, signal) =>
  askThread(new URL("./backup-worker.ts", import.meta.url), order, signal);
