/**
 * npm start [-- --demo] [-- --<setting> <value> …]
 *
 * Installs what is missing, builds what changed, then runs the hub in this terminal. Data goes to ./data
 * (GATEHOUSE_DATA). Stop it with Ctrl-C; it finishes what it began.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ensureBuild, ensureModules, root } from "./lib/prepare.mjs";

ensureModules();
ensureBuild();

const hub = spawn(process.execPath, ["--enable-source-maps", join(root, "build/src/main.js"), ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => hub.kill(signal));
hub.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 0 : 1)));
