// @ts-check
/**
 * In which order test files run, and which of them run in a process of their own. The others share processes
 * (several-tests.mjs): a process with a hub in it loads modules for half a second of the processor, and its first hub
 * takes as long as six more; most files have less to do than that, and for long ones it is still a second. Those with a
 * browser share processes among themselves: there it is Playwright that is loaded, and the browser that is started, once.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/** Each of these takes as long as many others: no other file waits for it in its process. */
const LONG_WITH_BROWSER = ["console/pages", "console/console", "console/home"];
/** Those that take long (--times says which they are) begin first, in this order: the last one is waited for alone. */
const LONG = [
  ...LONG_WITH_BROWSER,
  "e2e/",
  "matter/bridge",
  "matter/controller",
  "matter/host",
  "cameras/cameras",
  "attacks/intake-http",
  "recognition/training",
  "recognition/recogniser-thread",
  "platform/mdns",
  "attacks/home-assistant",
  "firmware-bridge/tasmota/over-mqtt",
  "firmware-bridge/shelly1/over-mqtt",
  "outside-broker/outside-broker",
  "notifications/",
  "home-assistant/",
  "estate/",
  "scripts/",
  "image/",
];
/** What belongs to a process as a whole: who measures it, listens to it or changes it has one of its own. */
const OF_THE_PROCESS = [
  /process\.(?:cpuUsage|memoryUsage|on|once|chdir|umask)\b|process\.env\.\w+ = |globalThis/,
  /heapUsed|\bgc\(|setFlagsFromString|\/fuzz\.ts"/,
];

/**
 * Dozens of hubs one after another, each with a client that speaks until it stops. In a process with other files, one in
 * a few runs lost its connection.
 */
const CONVERSATION = /\/over-mqtt\.test\.ts$/;
/** Those with a browser, which wait for most of their time: they begin before the others that share. */
const BROWSING = "console/";

/**
 * The files in queues, in the order in which they begin: those that run alone, which go first, and those of which each
 * queue shares processes.
 * @param {readonly string[]} files
 * @param {string} folder below which their paths stand
 */
export function inOrder(files, folder) {
  const place = (/** @type {string} */ file) => {
    const index = LONG.findIndex((start) => file.startsWith(join(folder, start)));
    return index === -1 ? LONG.length : index;
  };
  const isAlone = (/** @type {string} */ file) =>
    files.length === 1 ||
    LONG_WITH_BROWSER.some((start) => file.startsWith(join(folder, start))) ||
    CONVERSATION.test(file) ||
    OF_THE_PROCESS.some((pattern) => pattern.test(readFileSync(join(root, file), "utf8")));
  const sorted = files.toSorted((a, b) => place(a) - place(b));
  const sharing = sorted.filter((file) => !isAlone(file));
  const isBrowsing = (/** @type {string} */ file) => file.startsWith(join(folder, BROWSING));
  return {
    alone: sorted.filter(isAlone),
    sharing: [sharing.filter(isBrowsing), sharing.filter((file) => !isBrowsing(file))],
  };
}
