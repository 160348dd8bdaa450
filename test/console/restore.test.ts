/**
 * Going back: to a backup, from a backup on a new host, and to factory state; the page finds the hub again by itself.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { eventually, type HubProcess, startHubProcess, startOwnedHub } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser, type TestBrowser } from "./browser.ts";
import { makeBackup } from "./household-flows.ts";
import { cannotBrowse, SIZES, type Size, signIn } from "./stage.ts";

const PASSWORD = "correct horse battery staple";
/** Something that restarts the hub on its request: here, the test. */
const SUPERVISED = { SUPERVISED_BY: "test" };
const RESTART_CODE = 75;

/** Waits until the hub has stopped by itself, and restarts it on the same folder. */
async function startedAgain(hub: HubProcess, folder: string, t: Test): Promise<HubProcess> {
  await eventually(() => (isRunning(hub.pid) ? undefined : true), 30_000); // a signal would be a second wish to stop
  t.equal(await hub.stop(), RESTART_CODE, "it asks to be started again");
  return startHubProcess(folder, { ...SUPERVISED, GATEHOUSE_HTTP_PORT: new URL(hub.url).port });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const names = async (page: Page, hub: HubProcess): Promise<string[]> =>
  ((await (await page.request.get(`${hub.url}/v1/devices`)).json()) as { devices: { name: string }[] }).devices.map(
    ({ name }) => name,
  ); // its contract

t.setTimeout(600_000);
t.test("backup and restore in the page", { skip: cannotBrowse }, async (t) => {
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  // keys of a literal
  for (const size of Object.keys(SIZES) as Size[]) await t.test(size, (t) => thereAndBack(browser, size, t));
});

async function thereAndBack(browser: TestBrowser, size: Size, t: Test): Promise<void> {
  const folders = { old: join(testFolder(t), "old"), fresh: join(testFolder(t), "fresh") };
  const owned = await startOwnedHub(folders.old, SUPERVISED);
  let { hub } = owned;
  t.teardown(() => hub.stop());
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES[size],
    acceptDownloads: true,
  });
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  await signIn(context, hub, owned.owner);
  await page.request.post("/api/devices", { data: { id: "kettle", name: "Kettle", type: "smart-plug" } });
  const file = await makeBackup(page, t);
  await page.request.post("/api/devices", { data: { id: "lamp", name: "Lamp", type: "light" } });
  t.strictSame((await names(page, hub)).sort(), ["Kettle", "Lamp"]);
  await page.getByRole("button", { name: "Restore", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByRole("dialog").getByText("The hub restarts").waitFor();
  hub = await startedAgain(hub, folders.old, t);
  // a restore ends all sessions
  await page.getByLabel("E-mail").fill("asha@example.org");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Kettle", exact: true }).waitFor();
  t.strictSame(await names(page, hub), ["Kettle"], "the house is as it was");

  let fresh = await startHubProcess(folders.fresh, SUPERVISED);
  t.teardown(() => fresh.stop());
  const other = await (
    await browser.newContext({ baseURL: fresh.url, locale: "en-GB", viewport: SIZES[size] })
  ).newPage();
  await other.goto("/");
  await other.getByRole("button", { name: "Restore a backup instead" }).click();
  await other.getByLabel("Claim code").fill(fresh.claimCode ?? "");
  await other
    .getByLabel("Backup file")
    .setInputFiles({ name: "house.backup", mimeType: "application/octet-stream", buffer: await readFile(file) });
  await other.getByRole("button", { name: "Restore", exact: true }).click();
  await other.getByRole("dialog").getByText("The hub restarts").waitFor();
  fresh = await startedAgain(fresh, folders.fresh, t);
  await other.getByLabel("E-mail").fill("asha@example.org");
  await other.getByLabel("Password").fill(PASSWORD);
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("link", { name: "Kettle", exact: true }).waitFor();

  await other.goto("/system/site");
  await other.getByRole("button", { name: "Factory reset …" }).click();
  const siteName =
    /: (.+)$/.exec(
      (await other
        .getByRole("dialog")
        .getByText(/^Type the name of this site/)
        .textContent()) ?? "",
    )?.[1] ?? "";
  await other.getByLabel(/^Type the name of this site/).fill(siteName);
  await other.getByRole("button", { name: "Delete everything" }).click();
  await other.getByRole("dialog").getByText("The hub restarts").waitFor();
  fresh = await startedAgain(fresh, folders.fresh, t);
  await other.getByRole("heading", { name: "Welcome to Gatehouse" }).waitFor();
  t.ok(fresh.claimCode, "as new: the code is enough to claim it");
}
