// @ts-check
/**
 * Loaded into a hub (`node --expose-gc --import …`): at each SIGUSR2 it collects garbage and writes the size of
 * the remaining heap to HEAP_FILE. With HEAP_SNAPSHOTS, a folder, it writes a heap snapshot
 * there at each SIGWINCH; that stops the hub for a second or two.
 */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeHeapSnapshot } from "node:v8";

const { HEAP_FILE = "", HEAP_SNAPSHOTS = "" } = process.env;

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  writeFileSync(`${HEAP_FILE}.part`, JSON.stringify({ heapUsed, external, arrayBuffers, rss }));
  renameSync(`${HEAP_FILE}.part`, HEAP_FILE);
});
if (HEAP_SNAPSHOTS !== "")
  process.on("SIGWINCH", () => void writeHeapSnapshot(join(HEAP_SNAPSHOTS, `${Date.now()}.heapsnapshot`)));
