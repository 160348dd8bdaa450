// @ts-check
/**
 * Which test files share a process (several-tests.mjs): a file's start and its modules are half of what a quick one has
 * of the processor. Those that take long stay by themselves, so that they are begun first and wait beside others.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/**
 * Those that take long, each by itself (--times says which they are). They begin first, in this order: the last one is
 * waited for alone.
 */
const LONG = [
  "console/pages",
  "console/console",
  "e2e/",
  "console/",
  "matter/",
  "cameras/cameras",
  "attacks/intake-http",
  "recognition/",
  "platform/mdns",
  "attacks/home-assistant",
  "outside-broker/",
  "estate/",
  "notifications/",
  "home-assistant/",
  "scripts/",
  "image/",
];
/** What belongs to a process as a whole: who measures it, listens to it or changes it has one of its own. */
const OF_THE_PROCESS =
  /process\.(?:cpuUsage|memoryUsage|on|once|chdir|umask)\b|process\.env\.\w+ = |globalThis|heapUsed|\bgc\(|\/fuzz\.js"/;
/** More at once, and the last ones would wait for the longest group. */
const MOST = 8;

/** When a file begins, by its path below test/: the least first. @param {string} name */
export function placeOf(name) {
  const index = LONG.findIndex((start) => name.startsWith(start));
  return index === -1 ? LONG.length : index;
}

/**
 * `files`, whose paths stand below `folder`, in the processes that they run in: those that share one are neighbours, in
 * the order in which they came.
 * @param {readonly string[]} files
 * @param {string} folder
 */
export function grouped(files, folder) {
  /** @type {string[][]} */
  const groups = [];
  /** The one that is being filled. */
  /** @type {string[]} */
  let open = [];
  for (const file of files) {
    const isLong = placeOf(file.slice(folder.length + 1)) < LONG.length;
    if (isLong || OF_THE_PROCESS.test(readFileSync(join(root, file), "utf8"))) {
      groups.push([file]);
      continue;
    }
    if (open.length === 0 || open.length === MOST) {
      open = [];
      groups.push(open);
    }
    open.push(file);
  }
  return groups;
}
