// @ts-check
/**
 * node scripts/console-first-view.mjs [RUNS]
 *
 * Opens Home with nothing cached, traces the browser, and prints when the page is painted and when it can be used:
 * after the first contentful paint and the last task of more than 50 ms. Prints the bytes of the first view too.
 * Target: 1.0 s, 250 kB.
 */
import { startStage } from "./lib/console-stage.mjs";
import { prepare } from "./lib/prepare.mjs";

const RUNS = Number(process.argv[2] ?? 5);
const LONG_TASK_US = 50_000;
await prepare();
const stage = await startStage();
/**
 * @typedef {{ name: string, ts: number, ph: string, pid: number, tid: number, dur: number, args?:
 *   { data?: { documentLoaderURL?: string } } }} TraceEvent
 */

/** @type {{ paintMs: number, interactiveMs: number, bytes: number }[]} */
const figures = [];
try {
  for (let i = 0; i < 12; i++)
    await stage.call("POST", "/api/devices", {
      id: `plug-${i}`,
      name: `Plug ${i}`,
      type: "smart-plug",
      room: `Room ${i % 3}`,
    });
  for (let run = 0; run < 2 * RUNS && figures.length < RUNS; run++) {
    const page = await stage.newPage();
    const session = await page.context().newCDPSession(page);
    let bytes = 0;
    await session.send("Network.enable");
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await stage.browser.startTracing(page, {
      categories: [
        "loading",
        "toplevel",
        "blink.user_timing",
        "devtools.timeline",
        "disabled-by-default-devtools.timeline",
      ],
    });
    await page.goto(stage.url);
    await page.locator(".tile").first().waitFor();
    await page.evaluate("new Promise((resolve) => requestIdleCallback(resolve))");
    const { traceEvents: events } = JSON.parse((await stage.browser.stopTracing()).toString());
    const figure = read(events);
    if (figure !== null) figures.push({ ...figure, bytes });
    await page.context().close();
  }
  figures.sort((a, b) => a.interactiveMs - b.interactiveMs);
  const middle = figures[Math.floor(figures.length / 2)];
  if (middle === undefined) throw new Error("no trace was whole");
  console.log(figures.map(({ paintMs, interactiveMs }) => `${paintMs}/${interactiveMs}`).join(" "));
  console.log(
    `cold first view: painted after ${middle.paintMs} ms, interactive after ${middle.interactiveMs} ms (median of ${RUNS}), ${Math.round(middle.bytes / 1000)} kB`,
  );
} finally {
  await stage.stop();
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
  return { paintMs: ms(paint.ts), interactiveMs: Math.max(ms(paint.ts), ms(lastLong)) };
}
