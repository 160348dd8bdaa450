/** Chromium for the tests of the console. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import t, { type Test } from "tap";

/** Chromium without windows and tabs where it is installed: the same engine for a fifth less of the processor. */
export const CHROMIUM =
  ["/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium"].find((file) => existsSync(file)) ?? null;

/** A browser as one test has it: `close` ends its contexts, with which goes everything that it knew. */
export interface TestBrowser extends Pick<Browser, "newContext"> {
  close(): Promise<void>;
}

/** Those of this process by their switches. */
const running = new Map<string, Promise<Browser>>();

/**
 * Debian's Chromium without anything that reaches beyond this machine; `further`: switches that a test needs beside.
 * Test files that run in one process have one, each in contexts of its own: starting it is half a second of the
 * processor.
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
      // The pages of a context share a process, which saves some of the processor; contexts do not share one.
      "--renderer-process-limit=1",
      ...further,
    ],
  });
  ofTheProcess().teardown(() => browser.close());
  return browser;
}

/** The test above all others, which ends when the last file of the process has. */
function ofTheProcess(): Test {
  let test: Test = t;
  while (test.parent !== undefined) test = test.parent as Test; // tests stand below tests
  return test;
}
