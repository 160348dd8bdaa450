// @ts-check
/**
 * Which test files share a process (several-tests.mjs): a file's start and its modules are half of what a quick one has
 * of the processor. Those that take long stay by themselves, so that they are begun first and wait beside others.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Folders of test/ whose files use nothing but what they make themselves. */
const SHARING =
  /^(access|automations|client|composition|contract|devices|domain|energy|feed|gate|health|http|jobs|kernel|mqtt|scenes|settings|storage|telemetry|text|webhooks)\//;
/** What belongs to a process as a whole: who measures it, listens to it or changes it has one of its own. */
const OF_THE_PROCESS =
  /process\.(?:cpuUsage|memoryUsage|on|once|chdir|umask)\b|process\.env\.\w+ = |globalThis|heapUsed|\bgc\(|\/fuzz\.js"/;
/** More at once, and the last ones would wait for the longest group. */
const MOST = 8;

/**
 * `files`, whose paths stand below `folder`, in the processes that they run in: neighbours of one folder together, in
 * the order in which they came.
 * @param {readonly string[]} files
 * @param {string} folder
 */
export function grouped(files, folder) {
  /** @type {string[][]} */
  const groups = [];
  /** The group that is being filled, by its folder. */
  /** @type {Map<string, string[]>} */
  const open = new Map();
  for (const file of files) {
    const name = file.slice(folder.length + 1);
    const top = name.split("/")[0] ?? "";
    let group = open.get(top);
    if (!SHARING.test(name) || OF_THE_PROCESS.test(readFileSync(join(import.meta.dirname, "../..", file), "utf8"))) {
      groups.push([file]);
      continue;
    }
    if (group === undefined || group.length === MOST) {
      group = [];
      open.set(top, group);
      groups.push(group);
    }
    group.push(file);
  }
  return groups;
}
