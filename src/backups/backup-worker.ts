/** Entry of the thread that packs, checks and unpacks backups: one order, one answer, end. */
import { parentPort, workerData } from "node:worker_threads";
import { Problem } from "../kernel/problem.js";
import { doWork, type WorkOrder } from "./work.js";

try {
  parentPort?.postMessage({ result: await doWork(workerData as WorkOrder) }); // ordered by thread.ts
} catch (error) {
  const problem = error instanceof Problem ? { code: error.code, message: error.message, hint: error.hint } : null;
  parentPort?.postMessage({ problem, text: error instanceof Error ? error.message : String(error) });
}
