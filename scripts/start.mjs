// @ts-check
/**
 * npm start [-- --demo] [-- --<setting> <value> …]
 *
 * Installs missing packages, builds what changed, then runs the hub in this terminal. Data goes to ./data
 * (GATEHOUSE_DATA). Ctrl-C stops it after it has finished pending work.
 */
import { spawn } from "node:child_process";
import { HUB_ENVIRONMENT, hubMain, NODE_ARGUMENTS } from "./lib/hub-environment.mjs";
import { COMPILE_CACHE, prepare } from "./lib/prepare.mjs";
import { handDownSignals } from "./lib/runtime.mjs";

/** The exit code that requests a restart: a backup was restored. */
const RESTART = 75;

await prepare();

const env = { ...HUB_ENVIRONMENT, NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, SUPERVISED_BY: "npm start" };
/** @type {import("node:child_process").ChildProcess | null} */
let hub = null;
const start = () => {
  hub = spawn(process.execPath, [...NODE_ARGUMENTS, hubMain(), ...process.argv.slice(2)], {
    stdio: "inherit",
    env,
  });
  hub.on("exit", (code, signal) => {
    if (code === RESTART) start();
    else process.exit(code ?? (signal === null ? 0 : 1));
  });
};
handDownSignals(() => hub);
start();
