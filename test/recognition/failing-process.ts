/**
 * A recogniser's thread for tests: reads the frame as an order of how to fail. Everything else shows no plate. A
 * models' folder called `/loads 3000` takes 3 s to load, with the first frame.
 */
import { parentPort, workerData } from "node:worker_threads";
import {
  CLOSE,
  type WorkerAnswer,
  type WorkerRequest,
  type WorkerStart,
} from "../../src/features/recognition/messages.ts";

const TIMINGS = { decodeMs: 1, detectMs: 1, readMs: 1, totalMs: 3 };

const { modelsFolder } = workerData as WorkerStart; // as RecogniserThread gives it
let loadMs = Number(/^\/loads (\d+)$/.exec(modelsFolder)?.[1] ?? "0");
const port = parentPort;
if (port === null) throw new Error("this runs as a worker thread only");
port.on("message", (message: WorkerRequest | typeof CLOSE) => {
  if (message === CLOSE) {
    port.close();
    return;
  }
  if (message.kind === "presented") return; // it hangs
  const order = Buffer.from(message.jpeg).toString();
  if (order === "throw") throw new Error("as ordered");
  if (order === "exit") process.exit(3);
  const wait = /^wait (\d+)$/.exec(order)?.[1] ?? "0";
  const answer: WorkerAnswer = {
    id: message.id,
    kind: "frame",
    sightings: [],
    timings: TIMINGS,
    version: "test",
    endedAt: performance.timeOrigin + performance.now(),
  };
  setTimeout(() => port.postMessage(answer), Number(wait) + loadMs);
  loadMs = 0;
});
