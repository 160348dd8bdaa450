/**
 * Shared by the browser tests: one hub in its own process, one browser, two pages of one signed-in person (a phone and
 * a desktop), and a list of everything that went wrong in the pages.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import mqtt, { type MqttClient } from "mqtt";
import type { BrowserContext, Page, Request } from "playwright-core";
import { PROJECT_ROOT } from "../support/database.ts";
import { eventually, type HubProcess, type Person, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { CHROMIUM, startBrowser, type TestBrowser } from "./browser.ts";

const BUILT = join(PROJECT_ROOT, "dist/console/index.html");
const WAIT_MS = 20_000;
/** A page with requests pending longer than this is checked in its present state. */
const SETTLE_MS = 5_000;
const PROVE_EVERY_MS = 60_000;
/** Credentials of the person that the flows sign in. */
const OWNER_PASSWORD = "correct horse battery staple";

/** False, or why the browser tests cannot run here. */
export const cannotBrowse: string | false =
  CHROMIUM === null
    ? "Chromium is not installed (Debian: chromium-headless-shell or chromium)"
    : !existsSync(BUILT)
      ? "the console is not built (npm run build, or npm start)"
      : false;

/** The two widths that every flow is driven at. */
export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const;

/** Name of a width. */
export type Size = keyof typeof SIZES;

/** A hub, a browser and the errors so far. */
export interface Stage {
  readonly hub: HubProcess;
  readonly browser: TestBrowser;
  readonly pages: Readonly<Record<Size, Page>>;
  /** Console errors, failed requests and answers of 400 and above, in words. */
  readonly problems: string[];
  readonly stop: () => Promise<void>;
}

/**
 * The resources of a page; its event stream never ends, and for its icon and the program of a shared worker no end is
 * reported.
 */
const PARTS = new Set(["document", "script", "stylesheet", "fetch", "xhr", "image"]);
const WORKER = "/assets/stream-worker-";
/** A page's pending requests. */
const waitingFor = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const waiting = new Set<Request>();
  waitingFor.set(page, waiting);
  page.on("request", (request) => {
    if (request.isNavigationRequest()) waiting.clear(); // requests of the previous document are no longer reported
    if (PARTS.has(request.resourceType()) && !request.url().includes(WORKER)) waiting.add(request);
  });
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => void waiting.delete(request)); // one listener for both
}

/**
 * Waits until an expression holds in the page. Playwright's `waitForFunction` evaluates a string in the page again and
 * again, which the console's policy forbids: it only works where it holds at once.
 */
export async function holds(page: Page, expression: string): Promise<void> {
  await eventually(async () => ((await page.evaluate(expression)) === true ? true : undefined));
}

/** Resolves when a page of a stage shows everything it requested. */
export async function settled(page: Page): Promise<void> {
  const waiting = waitingFor.get(page) ?? new Set();
  const limit = Date.now() + SETTLE_MS;
  let isHeaded: unknown = false;
  for (let quiet = 0; quiet < 2 && Date.now() < limit; ) {
    // requests that follow from an answer are sent next
    isHeaded = await page.evaluate(`new Promise((drawn) => requestAnimationFrame(() => setTimeout(() => drawn(
      document.querySelector("h1")?.checkVisibility({ visibilityProperty: true }) === true))))`);
    quiet = waiting.size === 0 ? quiet + 1 : 0;
  }
  // Playwright's selectors have to be compiled in each document first, which is a sixth of loading a page
  if (isHeaded !== true) await page.getByRole("heading", { level: 1 }).first().waitFor();
}

/** Goes to another page of the console as one of its links does: the document stays. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor(); // only a loaded console listens to links
  await leave(page, path);
  await settled(page);
}

/** Like {@link follow}, for a page that may not come: it waits for nothing. */
export async function leave(page: Page, path: string): Promise<void> {
  await page.evaluate(clickOn(path));
}

/** Clicks on a link to `path`, in the page. */
const clickOn = (path: string): string => `{
  const link = document.body.appendChild(document.createElement("a"));
  link.href = ${JSON.stringify(path)};
  link.click();
  link.remove();
}`;

/**
 * Shows another page of the console by a link from the previous page, which takes a fifth of the work of loading the
 * console again. By its address if there is no console yet, if it is the current page, or if the previous page asks
 * before leaving. A test that checks what the hub has stored loads the page (`page.goto`): after this call the console
 * still knows what it knew.
 */
export async function visit(page: Page, path: string): Promise<void> {
  const [pathname] = path.split("?");
  const isThere = await page.evaluate(`(() => {
    if (document.querySelector(".frame") === null || location.pathname === ${JSON.stringify(pathname)}) return false;
    ${clickOn(path)}
    return location.pathname + location.search === ${JSON.stringify(path)};
  })()`);
  if (isThere !== true) await page.goto(path);
}

/** Options for a test of the console. */
export interface StageOptions {
  /** Further environment of the hub. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further switches of the browser. */
  readonly switches?: readonly string[];
  /**
   * The service worker runs; elsewhere the requests of a page are its own, so that errors are known to be the page's.
   */
  readonly worker?: boolean;
}

/** Settings of a stage's hub. */
const environment = ({ env = {} }: StageOptions) => ({ GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true", ...env });

/** Starts hub and browser; the hub is unclaimed, and both pages share one person's cookies. */
export async function startStage(dataFolder: string, options: StageOptions = {}): Promise<Stage> {
  return openStage(await startHubProcess(dataFolder, environment(options)), options);
}

/** Starts a hub with an owner, who is signed in on both pages, and as `owner` outside them. */
export async function startOwnedStage(
  dataFolder: string,
  options: StageOptions = {},
): Promise<Stage & { readonly owner: Person }> {
  const { hub, owner } = await startOwnedHub(dataFolder, environment(options));
  const stage = await openStage(hub, options);
  await signIn(stage.pages.phone.context(), hub, owner);
  return { ...stage, owner };
}

/** The pages of `context` have the session of `person`. */
export function signIn(context: BrowserContext, hub: HubProcess, person: Person): Promise<void> {
  const [name = "", value = ""] = person.cookie.split("=");
  return context.addCookies([{ name, value, url: hub.url, httpOnly: true, sameSite: "Strict" }]);
}

async function openStage(hub: HubProcess, { switches = [], worker = false }: StageOptions): Promise<Stage> {
  const browser = await startBrowser(switches);
  const serviceWorkers = worker ? ("allow" as const) : ("block" as const);
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    serviceWorkers,
  });
  context.setDefaultTimeout(WAIT_MS);
  const problems: string[] = [];
  const open = async (size: Size): Promise<Page> => {
    const page = await context.newPage();
    await page.setViewportSize(SIZES[size]);
    countRequests(page);
    page.on("console", (message) => void (message.type() === "error" && problems.push(`${size}: ${message.text()}`)));
    page.on("pageerror", (error) => problems.push(`${size}: ${error.message}`));
    page.on("requestfailed", (request) => {
      // Leaving a page ends its event stream and its pending requests; that is not a failure of the hub.
      if (request.failure()?.errorText !== "net::ERR_ABORTED")
        problems.push(`${size}: ${request.url()} ${request.failure()?.errorText}`);
    });
    page.on(
      "response",
      (response) => void (response.status() >= 400 && problems.push(`${size}: ${response.status()} ${response.url()}`)),
    );
    return page;
  };
  const pages = { phone: await open("phone"), desktop: await open("desktop") };
  // The flows take longer than a proof is valid; a page's reaction to that has its own test.
  const stayProved = setInterval(
    () => void context.request.post("/api/session/proof", { data: { password: OWNER_PASSWORD } }).catch(() => {}),
    PROVE_EVERY_MS,
  );
  return {
    hub,
    browser,
    pages,
    problems,
    stop: async () => {
      clearInterval(stayProved);
      await browser.close();
      await hub.stop();
    },
  };
}

/**
 * Finds one of many in a field of that name by typing, and selects it. `nth`: which of the fields of that name; the
 * last is -1.
 */
export async function choose(page: Page, label: string, name: string, nth = 0): Promise<void> {
  await page.getByLabel(label, { exact: true }).nth(nth).fill(name);
  await page.locator(".picker-list:not([hidden]) [role=option]", { hasText: name }).first().click();
}

/** Connects a device with a real client; resolves once the hub has its subscription. */
export async function connectDevice(
  stage: Stage,
  id: string,
  password: string,
): Promise<{ client: MqttClient; commands: string[] }> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${stage.hub.mqttPort}`, {
    clientId: id,
    username: id,
    password,
  });
  const commands: string[] = [];
  client.on("message", (_topic, payload) => commands.push(payload.toString()));
  await client.subscribeAsync(`gatehouse/${id}/command`, { qos: 1 });
  return { client, commands };
}

const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The axe violations of the page as it is now, one line for each kind. `colours`: only what depends on the theme. */
export async function violations(page: Page, what: "all" | "colours" = "all"): Promise<string[]> {
  const only = what === "all" ? "" : "runOnly: ['color-contrast'],";
  const options = `{ ${only} resultTypes: ['violations'], selectors: false }`; // one selector per node is half the work
  // Text, not functions: it runs in the page, and the page's policy forbids scripts of its own, not the browser's.
  if ((await page.evaluate("'axe' in window")) !== true) await page.evaluate(`(() => { ${axeSource} })()`);
  const found: unknown = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')))`,
  );
  return found as string[]; // the script above returns texts
}
