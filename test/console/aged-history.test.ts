/**
 * Age limits in the page: lowering a limit shows what it deletes, and what would be too old at once waits for the
 * owner's confirmation.
 */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser, type TestBrowser } from "./browser.ts";
import { cannotBrowse, SIZES, type Size } from "./stage.ts";

const DAY = 86_400_000;
const OWNER = { name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" };

t.setTimeout(280_000);
t.test("old history in the page", { skip: cannotBrowse }, async (t) => {
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const sizes = Object.keys(SIZES) as Size[]; // keys of a literal
  const folder = testFolder(t);
  // both wait for their first sweep
  const houses = await Promise.all(sizes.map((size) => oldHouse(browser, size, join(folder, size), t)));
  for (const house of houses) await t.test(house.size, (t) => ages(house, t));
});

interface House {
  readonly size: Size;
  readonly page: Page;
  /** How many lines are older than this. */
  readonly older: (days: number) => number;
}

/** A house with 900 old lines and 900 younger ones, before its first sweep. */
async function oldHouse(browser: TestBrowser, size: Size, folder: string, t: Test): Promise<House> {
  const hub = await startHubProcess(folder);
  t.teardown(() => hub.stop());
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES[size],
  });
  context.setDefaultTimeout(40_000);
  const page = await context.newPage();
  await page.request.post("/api/claim", { data: { code: hub.claimCode, ...OWNER } });
  const database = new SqliteDatabase(join(folder, "gatehouse.db"));
  t.teardown(() => database.close());
  const now = Date.now();
  const record = (from: number, to: number): void =>
    void database
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
         INSERT INTO feed_item (site_id, device_id, kind, title, body, about_vehicles, read, at)
         SELECT (SELECT id FROM site WHERE env = 'live'), NULL, 'system.started', 'Started', '', 0, 0, ? + (? - ?) * i / 900 FROM n`,
      )
      .run(from, to, from);
  const older = (days: number): number =>
    (
      database
        .prepare("SELECT count(*) AS n FROM feed_item WHERE title = 'Started' AND at < ?")
        .get(now - days * DAY) as { n: number }
    ).n;
  record(now - 150 * DAY, now - 100 * DAY);
  record(now - 80 * DAY, now - DAY);
  return { size, page, older };
}

async function ages({ page, older }: House, t: Test): Promise<void> {
  // The first sweep is twenty seconds after the start.
  const waiting = await eventually(async () => {
    const { history } = (await (await page.request.get("/api/history")).json()) as {
      history: { waiting: number; isBehind: boolean }[];
    };
    return history.find(({ isBehind }) => isBehind)?.waiting;
  }, 60_000);
  t.ok(waiting > 700 && waiting < 900, `${waiting} pending`);
  await page.goto("/system");
  await page.getByText(`${waiting} lines of the activity list`, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete it now …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete now" }).click();
  await eventually(() => (older(90) === 0 ? true : undefined), 20_000);
  await page.getByRole("button", { name: "Delete it now …" }).waitFor({ state: "detached" });

  await page.goto("/system/settings");
  const field = page.getByLabel("Keep activity (days)");
  await field.waitFor({ state: "attached" });
  await page.evaluate("for (const group of document.querySelectorAll('details')) group.open = true");
  const save = async (days: string): Promise<void> => {
    await field.fill(days);
    await page.getByRole("button", { name: "Save", exact: true }).click();
  };
  await save("30");
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^\d+ lines of the activity list$/).waitFor();
  const announced = Number(
    /^(\d+)/.exec((await dialog.getByText(/lines of the activity list/).textContent()) ?? "")?.[1],
  );
  t.ok(Math.abs(announced - older(30)) <= 2, `${announced} announced, ${older(30)} older`);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  t.match(
    await (await page.request.get("/api/settings")).text(),
    /"key":"feed.days"[^}]*"saved":90/,
    "nothing was changed",
  );
  await save("30");
  await dialog.getByRole("button", { name: "Delete now" }).click();
  await eventually(async () =>
    /"key":"feed.days"[^}]*"saved":30/.test(await (await page.request.get("/api/settings")).text()) ? true : undefined,
  );
}
