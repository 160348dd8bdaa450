// @ts-check
/**
 * How the hub's process is started so that it stays small, in one place for `npm start` and the benches;
 * systemd/gatehouse.service says the same (a test compares them). Measured with scripts/soak-bursts.mjs. Plain Node.
 */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of the bundle that `npm start`, releases and tests of a whole process run (bundle-hub.mjs). */
export const BUNDLE = "build-hub";

/**
 * The program of a hub.
 * @param {string} [build] the folder of a bundle, relative to the project or absolute
 */
export function hubMain(build = BUNDLE) {
  return resolve(root, build, "src/main.js");
}

/** What the environment must say; what the caller's own says comes first. */
export const HUB_ENVIRONMENT = {
  // The allocator keeps an arena per thread otherwise: 10 to 35 MB on a small box.
  MALLOC_ARENA_MAX: "2",
  // Pictures and tensors are given back to the system when they are freed; kept in the heap they break it up, and it
  // grows. A little more than 64 kB: Node takes that much for each read of a socket, and would have the system map and
  // clear it each time (bench ingest: page faults for each message 0.02 instead of 0.08).
  MALLOC_MMAP_THRESHOLD_: "69632",
  MALLOC_TRIM_THRESHOLD_: "65536",
  // The hub sets it too, before it loads the library; here it holds for everything the process starts.
  ORT_DISABLE_TELEMETRY: "1",
  // The hub collects once itself, before it says that it is ready: what its start leaves behind.
  HUB_COLLECTS_START: "1",
};

/**
 * Arguments of Node itself. The space for young objects is 3 × 4 MB, and 3 × 8 where very much comes in: messages on
 * their way to the disk are to die young, or each is moved twice and marked (bench ingest: a fifth more messages per
 * CPU second than with 1 to 4 MB). By itself it takes 32 MB (Node 24: 128) and hardly ever gives them back. The space
 * for old ones is far more than a large house needs (ten thousand devices: under 150 MB); on a machine with much memory
 * Node would otherwise let four times the living objects pile up as garbage under an attack (scripts/denial.mjs: 154
 * MB, now 29). Only options by which V8 does not tell compiled code apart stand here (v8.cachedDataVersionTag stays the
 * same; a test holds them to it); the hub sets the others itself, src/core/kernel/compiler.ts says why.
 */
export const NODE_ARGUMENTS = ["--min-semi-space-size=4", "--max-semi-space-size=8", "--max-old-space-size=512"];
