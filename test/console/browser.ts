/** Chromium for the tests of the console. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import t, { type Test } from "tap";

/** Headless Chromium if it is installed: the same engine for a fifth less processor time. */
export const CHROMIUM =
  ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium"].find((file) => existsSync(file)) ?? null;

/** A browser for one test: `close` ends its contexts, and with them everything it stored. */
export interface TestBrowser extends Pick<Browser, "newContext"> {
  close(): Promise<void>;
}

/** Those of this process by their switches. */
const running = new Map<string, Promise<Browser>>();

/**
 * Debian's Chromium with no access beyond this machine; `further`: extra switches for a test. Test files in one process
 * share a browser, each with contexts of its own: starting it takes half a second of processor time.
 */
export async function startBrowser(further: readonly string[] = []): Promise<TestBrowser> {
  const switches = further.join(" ");
  const launched = running.get(switches) ?? launch(further);
  running.set(switches, launched);
  const browser = await launched;
  browser.once("disconnected", () => running.delete(switches));
  const contexts: BrowserContext[] = [];
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context;
    },
    close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
  };
}

async function launch(further: readonly string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM ?? "chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // The pages of a context share a process, which saves processor time; contexts do not share one.
      "--renderer-process-limit=1",
      ...further,
    ],
  });
  ofTheProcess().teardown(() => browser.close());
  return browser;
}

/** The top-level test, which ends when the last file of the process has ended. */
function ofTheProcess(): Test {
  let test: Test = t;
  while (test.parent !== undefined) test = test.parent as Test; // tests are below tests
  return test;
}
