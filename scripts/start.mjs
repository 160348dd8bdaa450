/**
 * npm start [-- --demo] [-- --<setting> <value> …]
 *
 * Installs what is missing, builds what changed, then runs the hub in this terminal. Data goes to ./data
 * (GATEHOUSE_DATA). Stop it with Ctrl-C; it finishes what it began.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureBuild, ensureModules, root } from "./lib/prepare.mjs";

/** The hub asks to be started again: a backup was restored. */
const RESTART = 75;

ensureModules();
ensureBuild();

const env = {
  // The allocator keeps an arena per thread otherwise: 10 to 35 MB on a small box.
  MALLOC_ARENA_MAX: "2",
  // Pictures and tensors are given back to the system when they are freed; kept in the heap they break it up, and it grows.
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
  // The hub sets it too, before it loads the library; here it holds for everything the process starts.
  ORT_DISABLE_TELEMETRY: "1",
  ...process.env,
  SUPERVISED_BY: "npm start",
};
let hub;
const start = () => {
  hub = spawn(process.execPath, ["--enable-source-maps", join(root, "build/src/main.js"), ...process.argv.slice(2)], { stdio: "inherit", env });
  hub.on("exit", (code, signal) => {
    if (code === RESTART) start();
    else process.exit(code ?? (signal === null ? 0 : 1));
  });
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => hub.kill(signal));
start();
