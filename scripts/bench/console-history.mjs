// @ts-check
/**
 * npm run bench -- console-history [--build FOLDER] [--calls N]
 *
 * A year of one-minute samples of a meter in a hub's database, and Chromium on a desktop and a phone: the time from a
 * click until the chart of another range is painted, and from "Earlier" until that of the previous range is. The
 * baseline is the last hour, sixty samples. Finally the page itself, opened from Home. Wanted: a year painted 500 ms
 * after the click, a previous range 100 ms after it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { benchDevices, benchEnvironment, option, percentile, provision } from "../lib/bench-hub.mjs";
import { startHub } from "../lib/hub-process.mjs";
import { fillYear } from "../lib/year-of-samples.mjs";

const HOUR_MS = 3_600_000;
const CHROMIUM =
  ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium"].find((file) => existsSync(file)) ?? "chromium";
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 360, height: 640 } };
/** How far people go back in a year of each range. */
const BACK = { Day: 12, Week: 12, Month: 8 };

/**
 * Records in the page when the chart was drawn after an answer. `painted(button)` clicks and resolves, once that is on
 * the screen, with the milliseconds from the click on. Text: the page's policy forbids it scripts of its own, not the
 * browser's.
 */
const WATCH = `(() => {
  let answered = false, drawn = null;
  const ask = window.fetch;
  window.fetch = async (...about) => {
    const answer = await ask(...about);
    if (String(about[0]?.url ?? about[0]).includes("/history")) answered = true;
    return answer;
  };
  const stroke = CanvasRenderingContext2D.prototype.stroke;
  CanvasRenderingContext2D.prototype.stroke = function (...path) {
    stroke.apply(this, path);
    if (answered) drawn?.();
  };
  window.painted = (name) => new Promise((resolve, reject) => {
    const button = [...document.querySelectorAll("button, a")].find((one) => (one.getAttribute("aria-label") ?? one.textContent).trim() === name);
    if (button === undefined) return reject(new Error("no button " + name));
    answered = false;
    const begun = performance.now();
    drawn = () => {
      drawn = null;
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
    };
    button.click();
  });
})()`;

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const calls = Number(option(options, "--calls", "15"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-console-history-"));
  try {
    const env = benchEnvironment(data, { GATEHOUSE_RECOGNITION: "false", GATEHOUSE_TELEMETRY_RAW_DAYS: "400" });
    const { account } = provision(build, env, benchDevices("energy-meter", null, "meter"));
    const size = fillYear(join(data, "gatehouse.db"), ["meter"], Math.floor(Date.now() / HOUR_MS) * HOUR_MS);
    const hub = await startHub({ build, env });
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
    try {
      console.log(
        `${size.samples} samples, database ${(size.bytes / 1e6).toFixed(0)} MB; milliseconds from the click to the paint\n`,
      );
      console.log("| screen | what | p50 | p95 | of the hour's p50 |\n| --- | --- | --- | --- | --- |");
      for (const [screen, viewport] of Object.entries(SIZES)) {
        const context = await browser.newContext({
          baseURL: hub.url,
          viewport,
          locale: "en-GB",
          serviceWorkers: "block",
        });
        await context.request.post("/api/session", { data: { email: account.email, password: account.password } });
        await measure(await context.newPage(), screen, calls);
        await context.close();
      }
    } finally {
      await browser.close();
      await hub.stop();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} screen
 * @param {number} calls
 */
async function measure(page, screen, calls) {
  await page.addInitScript(WATCH);
  await page.goto("/history/values?device=meter&metric=watts");
  await page.locator(".plot canvas").waitFor();
  /** @type {(button: string) => Promise<number>} */
  const painted = async (button) => Number(await page.evaluate(`painted(${JSON.stringify(button)})`));
  await painted("Hour"); // all code has run once
  /** @type {Record<string, number[]>} */
  const times = { Hour: [], Year: [] };
  for (let n = 0; n < calls; n++) for (const name of ["Hour", "Year"]) times[name]?.push(await painted(name));
  for (const [range, count] of Object.entries(BACK)) {
    await painted(range);
    const back = [];
    for (let n = 0; n < count; n++) back.push(await painted("Earlier"));
    times[`${range}, one back`] = back;
  }
  const opened = [];
  for (let n = 0; n < calls; n++) {
    await page.goto("/");
    await page.locator(".tile").first().waitFor();
    opened.push(await painted("History"));
  }
  times["the page, from Home"] = opened;
  const hour = percentile(times.Hour ?? [], 0.5);
  for (const [what, values] of Object.entries(times)) {
    const p50 = percentile(values, 0.5);
    console.log(
      `| ${screen} | ${what} | ${p50.toFixed(0)} | ${percentile(values, 0.95).toFixed(0)} | ${(p50 / hour).toFixed(1)} |`,
    );
  }
}
