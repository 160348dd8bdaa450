// @ts-check
/**
 * The start-up options that keep the hub's process small, in one place for `npm start` and the benches;
 * systemd/gatehouse.service has the same (a test compares them). Measured with scripts/soak-bursts.mjs. Plain Node.
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

/** The environment of the hub; the caller's own values take precedence. */
export const HUB_ENVIRONMENT = {
  // Otherwise the allocator keeps an arena per thread: 10 to 35 MB on a small host.
  MALLOC_ARENA_MAX: "2",
  // Returns pictures and tensors to the system when they are freed; in the heap they would fragment it, and it would
  // grow. A little more than 64 kB: Node allocates that much for each read of a socket, and the system would map and
  // clear it each time (bench ingest: page faults per message 0.02 instead of 0.08).
  MALLOC_MMAP_THRESHOLD_: "69632",
  MALLOC_TRIM_THRESHOLD_: "65536",
  // The hub sets it too, before it loads the library; here it applies to everything that the process starts.
  ORT_DISABLE_TELEMETRY: "1",
  // The hub collects the garbage of its start once, before it is ready.
  HUB_COLLECTS_START: "1",
};

/**
 * Arguments of Node itself. The space for young objects is 3 × 4 MB, and 3 × 8 where very much comes in: messages on
 * their way to the disk should die young; otherwise each is copied twice and marked (bench ingest: a fifth more
 * messages per CPU second than with 1 to 4 MB). By default it takes 32 MB (Node 24: 128) and rarely returns them. The
 * space for old ones is far more than a large house needs (ten thousand devices: under 150 MB); on a machine with much
 * memory Node would otherwise let garbage of four times the live heap accumulate under an attack (scripts/denial.mjs:
 * 154 MB, now 29). Only options that do not affect V8's code cache are here (v8.cachedDataVersionTag stays the same; a
 * test checks it); the hub sets the others itself, for the reason in src/core/kernel/compiler.ts.
 */
export const NODE_ARGUMENTS = ["--min-semi-space-size=4", "--max-semi-space-size=8", "--max-old-space-size=512"];
