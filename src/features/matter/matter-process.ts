/**
 * Entry of the Matter process, the only file of it that touches `process`. It ends when the hub does, however that
 * ends.
 */
import { Socket } from "node:net";
import { basename } from "node:path";
import { Check } from "typebox/value";
import { systemClock } from "../../core/kernel/clock.ts";
import { settleCompiler } from "../../core/kernel/compiler.ts";
import { TO_HUB, TO_PROCESS } from "./calls.ts";
import { openLines } from "./lines.ts";
import { Link } from "./link.ts";
import type { MatterProcess } from "./process/process.ts";
import { removeStaleLocks } from "./stale-locks.ts";

const FIGURES_EVERY_MS = 10_000;

const socket = new Socket({ fd: 3 });
const send = openLines(socket, {
  take: (message) => void link.take(message),
  broken: () => {}, // the hub never sends such a line; the end of the socket ends this process
});
const link = new Link({ channel: { send }, asks: TO_HUB, answers: TO_PROCESS, check: Check });
let running: MatterProcess | null = null;

function tellFigures(delayMs: number): void {
  const { rss, heapUsed } = process.memoryUsage();
  // the next one reports it again
  link.call("host.figures", { rssBytes: rss, heapBytes: heapUsed, loopDelayMs: Math.max(0, delayMs) }).catch(() => {});
}

link.serve({
  "host.start": async (start) => {
    // After the first message: the libraries read their settings when they are loaded.
    process.env.MATTER_STORAGE_PATH = start.folder;
    process.env.MATTER_PATH_ROOT = start.folder;
    await removeStaleLocks(start.folder, basename(process.argv[1] ?? ""));
    const { startMatter } = await import("./process/process.ts");
    settleCompiler(process.execArgv);
    running = await startMatter(start, link);
    tellFigures(0);
    let due = systemClock.mono() + FIGURES_EVERY_MS;
    systemClock.every(FIGURES_EVERY_MS, () => {
      tellFigures(systemClock.mono() - due);
      due = systemClock.mono() + FIGURES_EVERY_MS;
    });
    return null;
  },
  "host.stop": async () => {
    await running?.stop();
    setImmediate(() => process.exit(0)); // lets the response go out first
    return null;
  },
});
// The hub was killed, or has closed the socket.
socket.on("close", () => {
  const late = setTimeout(() => process.exit(1), 2_000);
  late.unref();
  void (running?.stop() ?? Promise.resolve()).finally(() => process.exit(0));
});
// The terminal's signal reaches both; the hub decides when to stop.
process.on("SIGINT", () => {});
