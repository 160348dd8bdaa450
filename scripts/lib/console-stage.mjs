// @ts-check
/**
 * A temporary hub with an owner, and Debian's Chromium signed in: the starting point of the console's measurements.
 * HUB_MAIN: another build's main.js.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { claim, hubEnvironment, startHub } from "./hub-process.mjs";

const BROWSER_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Debian's Chromium, which connects only to the pages it opens. */
export function launchBrowser() {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: BROWSER_ARGUMENTS });
}

/**
 * A hub on a folder of its own; `stop` removes it.
 * @param {string[]} [args] of the hub
 * @param {string} [main] another build's main.js
 */
export async function startConsoleHub(args = [], main = process.env.HUB_MAIN) {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-console-"));
  const hub = await startHub({ env: hubEnvironment(data), args, ...(main === undefined ? {} : { main }) });
  const stop = async () => {
    await hub.stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { ...hub, stop };
}

/** Starts hub and browser; `call` sends requests as the hub's owner. */
export async function startStage() {
  const hub = await startConsoleHub();
  const { cookie, call } = await claim(hub);
  const browser = await launchBrowser();
  const newPage = async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: hub.url }]);
    return context.newPage();
  };
  const stop = async () => {
    await browser.close();
    await hub.stop();
  };
  return { url: hub.url, mqttPort: hub.mqttPort, browser, call, newPage, stop };
}
