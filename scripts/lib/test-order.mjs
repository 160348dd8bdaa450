// @ts-check
/**
 * In which order test files run, and which of them run in a process of their own. The others share processes
 * (several-tests.mjs): a process with a hub in it loads modules for half a second of processor time, and its first hub
 * takes as long as six further ones; most files have less work than that. Files with a browser share processes among
 * themselves, so that Playwright is loaded, and the browser started, only once.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./prepare.mjs";

/** Each of these takes as long as many others, so it does not share a process. */
const LONG_WITH_BROWSER = ["console/pages", "console/console", "console/home"];
/** The longest files (see --times) begin first, in this order, so that none runs alone at the end. */
const LONG = [
  ...LONG_WITH_BROWSER,
  "console/restore",
  "console/passkeys",
  "console/history",
  "console/rules",
  "console/gate.",
  "console/by-hand",
  "console/trust",
  "console/matter-join",
  "console/notifications",
  "console/aged-history",
  "console/estate",
  "console/updates",
  "scripts/booted-units",
  "e2e/",
  "whole-hub/start-and-doctor",
  "matter/bridge",
  "attacks/restore",
  "cameras/cameras",
  "attacks/one-camera",
  "firmware-bridge/tasmota/over-mqtt",
  "matter/controller",
  "platform/mdns",
  "attacks/intake-http",
  "webhooks/order",
  "notifications/",
  "scripts/types",
  "attacks/login-guessing",
  "storage/folder-lock",
  "estate/",
  "attacks/tls-authority",
  "access/authority-sequences",
  "firmware-bridge/shelly1/over-mqtt",
  "attacks/home-assistant",
  "matter/host",
  "home-assistant/",
  "outside-broker/outside-broker",
  "attacks/bridge-clients",
  "recognition/training",
  "recognition/recogniser-thread",
  "attacks/backup-bombs",
  "automations/process",
  "whole-hub/full-card",
  "scripts/",
  "image/",
];
/** Marks of files that measure, observe or change the whole process: they have a separate one. */
const OF_THE_PROCESS = [
  /process\.(?:cpuUsage|memoryUsage|on|once|chdir|umask)\b|process\.env\.\w+ = |globalThis/,
  /heapUsed|\bgc\(|setFlagsFromString|\/fuzz\.ts"/,
];

/**
 * Dozens of hubs in sequence, each with a client that sends until it stops. In a shared process, one connection was
 * lost every few runs.
 */
const CONVERSATION = /\/over-mqtt\.test\.ts$/;
/** Files with a browser, which mostly wait: they begin before the others that share. */
const BROWSING = "console/";

/**
 * The files in queues, in the order in which they begin: first those that run alone, then
 * those that share a process per queue.
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
