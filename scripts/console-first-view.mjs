// @ts-check
/**
 * node scripts/console-first-view.mjs [RUNS]
 *
 * Opens pages of a house of 200 devices with nothing cached, on a phone (360 wide, processor slowed fourfold), with the
 * network as it is and as Fast 3G. Prints, as medians, when the page is first painted, when its largest part is (LCP),
 * when it can be used (after the last task of more than 50 ms), and the bytes: of the first view, and of what the page
 * loads ahead after it. PATHS=/,/gate: these pages alone. BESIDE=/other/build-hub/src/main.js: the same of another
 * build, in turns with this one. PARTS=1: what was requested, and when.
 */
import { setTimeout as pause } from "node:timers/promises";
import { launchBrowser, startConsoleHub } from "./lib/console-stage.mjs";
import { claim } from "./lib/hub-process.mjs";
import { prepare } from "./lib/prepare.mjs";

const RUNS = Number(process.argv[2] ?? 5);
const PATHS = (process.env.PATHS ?? "/,/gate,/devices").split(",");
const DEVICES = 200;
const SLOWED = 4;
const LONG_TASK_US = 50_000;
/** What the page loads ahead begins after eight seconds. */
const AHEAD_MS = 11_000;
const NETWORKS = {
  unlimited: null,
  // as Chromium's developer tools have it
  "Fast 3G": { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 },
};
/** The largest part painted so far, kept by the page. */
const WATCH_LARGEST = `new PerformanceObserver((list) => {
  for (const { startTime, element } of list.getEntries())
    window.largest = { ms: Math.round(startTime), what: element?.outerHTML.slice(0, 60) ?? "" };
}).observe({ type: "largest-contentful-paint", buffered: true })`;

await prepare();
/** @typedef {{ name: string, ts: number, ph: string, pid: number, tid: number, dur: number, args?:
 *   { data?: { documentLoaderURL?: string } } }} TraceEvent */
/** @typedef {{ paint: number, largest: number, usable: number, kB: number, aheadKB: number, what: string }} Figure */

const builds = [process.env.HUB_MAIN, ...(process.env.BESIDE === undefined ? [] : [process.env.BESIDE])];
const browser = await launchBrowser();
/** @type {Awaited<ReturnType<typeof startHouse>>[]} */
const houses = [];
try {
  for (const main of builds) houses.push(await startHouse(main));
  for (const path of PATHS)
    for (const [network, limits] of Object.entries(NETWORKS)) {
      /** @type {Figure[][]} */
      const figures = houses.map(() => []);
      for (let run = 0; run < RUNS; run++)
        for (const [index, house] of houses.entries()) {
          const figure = await openOnce(house, path, limits, run === 0);
          if (figure !== null) figures[index]?.push(figure);
        }
      for (const [index, all] of figures.entries()) print(`${path}, ${network}`, builds[index] ?? "this build", all);
    }
} finally {
  await browser.close();
  for (const { stop } of houses) await stop();
}

/** The demo's house, for its pictures of cars, with more devices. @param {string | undefined} main */
async function startHouse(main) {
  const hub = await startConsoleHub(["--demo", "--demo.speed=0.1"], main);
  const { cookie, call } = await claim(hub);
  for (let i = 0; i < DEVICES; i++)
    await call("POST", "/api/devices", {
      id: `plug-${i}`,
      name: `Plug ${i}`,
      type: i % 7 === 0 ? "sensor" : "smart-plug",
      room: `Room ${i % 12}`,
    });
  for (let i = 0; i < 120; i++) {
    const { reads } = await call("GET", "/api/reads?limit=50");
    if (reads.some((/** @type {{ hasImage: boolean }} */ { hasImage }) => hasImage)) break;
    await pause(500); // the demo furnishes itself
  }
  return { ...hub, cookie };
}

/**
 * Opens a page once; null when the trace lost its start or its paint, as a full buffer may.
 * @param {{ url: string, cookie: string }} house
 * @param {string} path
 * @param {typeof NETWORKS["Fast 3G"] | null} limits
 * @param {boolean} hasAhead wait for what the page loads ahead, too
 * @returns {Promise<Figure | null>}
 */
async function openOnce({ url, cookie }, path, limits, hasAhead) {
  const context = await browser.newContext({ viewport: { width: 360, height: 780 }, deviceScaleFactor: 3 });
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  /** @type {Map<string, { path: string, at: number, ms: number, kB: number }>} */
  const requests = new Map();
  await session.send("Network.enable");
  session.on("Network.requestWillBeSent", ({ requestId, request, timestamp }) => {
    requests.set(requestId, { path: request.url.slice(url.length), at: timestamp * 1000, ms: 0, kB: 0 });
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) => {
    bytes += encodedDataLength;
    const one = requests.get(requestId);
    if (one !== undefined) Object.assign(one, { ms: timestamp * 1000 - one.at, kB: encodedDataLength / 1000 });
  });
  if (limits !== null) await session.send("Network.emulateNetworkConditions", limits);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  await page.addInitScript(WATCH_LARGEST);
  await browser.startTracing(page, {
    categories: ["loading", "toplevel", "blink.user_timing", "devtools.timeline"],
  });
  await page.goto(url + path);
  await page.locator("main h1").first().waitFor();
  await pause(limits === null ? 1_500 : 4_000); // pictures
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const largest = /** @type {{ ms: number, what: string }} */ (await page.evaluate("window.largest"));
  const first = bytes;
  if (hasAhead) await pause(AHEAD_MS);
  const figure = read(traceEvents);
  if (hasAhead && process.env.PARTS === "1") {
    const all = [...requests.values()];
    for (const one of all)
      console.log(
        `  ${Math.round(one.at - (all[0]?.at ?? 0))} ms +${Math.round(one.ms)} ${one.kB.toFixed(1)} kB ${one.path}`,
      );
  }
  await context.close();
  return figure === null
    ? null
    : { ...figure, largest: largest.ms, what: largest.what, kB: first / 1000, aheadKB: (bytes - first) / 1000 };
}

/** @param {string} what @param {string} build @param {Figure[]} figures */
function print(what, build, figures) {
  const middle = (/** @type {"paint" | "largest" | "usable" | "kB"} */ key) =>
    Math.round([...figures].map((one) => one[key]).sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN);
  console.log(
    `${what}: painted ${middle("paint")}, largest ${middle("largest")}, usable ${middle("usable")} ms; ${middle("kB")} kB, ${Math.round(figures[0]?.aheadKB ?? 0)} kB ahead (${build}); ${figures[0]?.what}`,
  );
}

/**
 * Milliseconds from the start of the navigation; null when the trace lost its start or its paint, as a full buffer may.
 * @param {TraceEvent[]} events
 */
function read(events) {
  const paint = events.filter(({ name }) => name === "firstContentfulPaint").at(-1);
  const start = events
    .filter(({ name, args }) => name === "navigationStart" && args?.data?.documentLoaderURL?.startsWith("http"))
    .at(-1);
  if (start === undefined || paint === undefined) return null;
  const long = events.filter(
    ({ name, ph, pid, tid, dur }) =>
      ph === "X" && name === "RunTask" && pid === start.pid && tid === start.tid && dur > LONG_TASK_US,
  );
  const lastLong = Math.max(0, ...long.filter(({ ts }) => ts > start.ts).map(({ ts, dur }) => ts + dur));
  const ms = (/** @type {number} */ ts) => Math.round((ts - start.ts) / 1000);
  return { paint: ms(paint.ts), usable: Math.max(ms(paint.ts), ms(lastLong)) };
}
