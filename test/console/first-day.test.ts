/**
 * The first day of a hub on a machine set to UTC: claimed on its page from a house in another zone, it uses the house's
 * time; and a page left open during the restart recovers by itself.
 */
import type { Page } from "playwright-core";
import t from "tap";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser } from "./browser.ts";
import { cannotBrowse, leave, SIZES } from "./stage.ts";

t.setTimeout(180_000);
const ZONE = "Asia/Kolkata";
/** Minutes by which the house's time is ahead of UTC. */
const AHEAD = 330;
/** A car of the simulated household, and the hours, in the house's time, when it comes and goes. */
const FAMILY = { plate: "MH12AB1234", in: [18.2, 18.5], out: [8.5, 9] } as const;
/** Pages with code and lists of their own, none of which was opened before. */
const UNOPENED = ["/energy", "/gate/vehicles", "/system/bridge"];

t.test("a demo on a machine that keeps UTC", { skip: cannotBrowse }, async (t) => {
  const folder = testFolder(t);
  const env = { TZ: "UTC", GATEHOUSE_DEMO: "true", GATEHOUSE_RECOGNITION: "false" };
  let hub = await startHubProcess(folder, env);
  t.teardown(() => hub.stop());
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    timezoneId: ZONE,
    viewport: SIZES.desktop,
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  /** A car of the household has just come home, whatever the hour. */
  const lately = Date.now() - 3_600_000;

  await t.test("its past is in the zone of the house", async (t) => {
    await page.goto("/");
    await page.getByLabel("Claim code").fill(hub.claimCode ?? "");
    await page.getByLabel("Your name").fill("Asha Rao");
    await page.getByLabel("E-mail").fill("asha@example.org");
    await page.getByLabel("Password").fill("correct horse battery staple");
    await button("Continue").press("Enter");
    await button("Finish").waitFor();
    t.equal(await page.evaluate("document.activeElement.tagName"), "H1", "by keyboard one goes on from the head");
    await button("Finish").click();
    await page.locator(".hero h1").waitFor();
    t.equal(new URL(page.url()).pathname, "/");
    interface Read {
      readonly plate: string;
      readonly direction: string;
      readonly at: string;
    }
    const family = await eventually(async () => {
      // its contract
      const { plates } = (await (await context.request.get("/v1/plates?limit=200")).json()) as { plates: Read[] };
      const reads = plates.filter(({ plate, at }) => plate === FAMILY.plate && Date.parse(at) < lately);
      return reads.length >= 8 ? reads : undefined;
    }, 60_000);
    const hourOf = ({ at }: Read): number => ((Date.parse(at) / 60_000 + AHEAD) / 60) % 24;
    for (const direction of ["in", "out"] as const)
      for (const read of family.filter((one) => one.direction === direction)) {
        const hour = hourOf(read);
        const [from, to] = FAMILY[direction];
        t.ok(hour >= from && hour <= to, `the family's car goes ${direction} at ${hour.toFixed(1)} o'clock`);
      }
  });

  await t.test("a page opened while the hub was away recovers by itself", async (t) => {
    await page.close(); // a browser has six connections to a host, and each window keeps one open
    const tabs: Page[] = [];
    for (const _ of UNOPENED) tabs.push(await context.newPage());
    for (const tab of tabs) {
      await tab.goto("/more");
      await tab.getByRole("link", { name: "Home", exact: true }).first().waitFor();
    }
    const known = await context.newPage(); // its page was open once: only what is on it is missing
    await known.goto("/gate/rules");
    await known.getByText("Family car").waitFor();
    await leave(known, "/more");
    await known.getByText("Family car").waitFor({ state: "detached" });
    await hub.stop();
    await known.getByText("The connection to the hub is interrupted").first().waitFor();
    await leave(known, "/gate/rules");
    await known.getByRole("heading", { level: 1, name: "Plate rules" }).waitFor();
    for (const [index, tab] of tabs.entries()) {
      await tab.getByText("The connection to the hub is interrupted").first().waitFor();
      await leave(tab, UNOPENED[index] ?? "");
      await tab.locator("main [aria-busy=true], main [data-failed]").first().waitFor();
    }
    hub = await startHubProcess(folder, {
      ...env,
      GATEHOUSE_DEMO: "false",
      GATEHOUSE_HTTP_PORT: new URL(hub.url).port,
    });
    await known.getByText("Family car").waitFor();
    for (const [index, tab] of tabs.entries()) {
      await tab.locator("main h1").first().waitFor();
      await tab.locator("main .card, main .read-rows").first().waitFor();
      await tab.locator("main [aria-busy=true], main [data-failed]").first().waitFor({ state: "detached" });
      t.equal(new URL(tab.url()).pathname, UNOPENED[index], "and is the requested page");
    }
  });
});
