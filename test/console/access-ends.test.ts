/** The end of a person's access in the console: in the invitation, at the join, on their account, in the list and in who did what. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import t from "tap";
import { Person } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, SIZES, settled, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(180_000); // a hub and a browser
const PASSWORD = "a quiet sentence about rain";
const UGLY = "Maria-Magdalena_von_und_zu_Hohenschwangau-Wittelsbach.the.third_0x00158d0001a2b3c4";
const WIDTHS = [360, 1366] as const;
/** Where pictures for a person to look at go; none are made without it. */
const shots = process.env.GATEHOUSE_TEST_SHOTS;
if (shots !== undefined) mkdirSync(shots, { recursive: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** As the console says a day. */
const said = (day: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).format(
    Date.parse(day),
  );

t.test("an end is set, said everywhere, comes, and is given anew", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { owner, hub } = stage;
  const { desktop } = stage.pages;
  await owner.call("PATCH", "/api/site", { timeZone: "Asia/Kolkata" });

  /** Looks at what is shown in both widths, themes and languages; a dialog is in the way of nothing. */
  const look = async (page: Page, name: string, t: import("tap").Test) => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        t.equal(await beyond(page), 0, `${name} at ${width} px`);
        if (shots !== undefined)
          await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
    }
    t.same(await violations(page), [], name);
    await page.setViewportSize(SIZES.desktop);
  };
  const inHindi = async (page: Page, isHindi: boolean) => {
    await page.evaluate(`localStorage.setItem("gatehouse.language", "${isHindi ? "hi" : "en"}")`);
    await page.reload();
    await settled(page);
  };

  const lastDay = inDays(40);
  await visit(desktop, "/system/persons");
  await button(desktop, "Invite somebody").click();
  await dialog(desktop).getByLabel("Who is it?").fill(UGLY);
  await dialog(desktop).getByLabel("Role").selectOption("gatekeeper");
  await dialog(desktop).getByLabel("Access ends").selectOption({ label: "In a week" });
  await dialog(desktop)
    .getByText(/^Until \d+ \w+ \d+\. Then they are signed out/)
    .waitFor();
  await dialog(desktop).getByLabel("Access ends").selectOption({ label: "On a date" });
  t.ok(await button(desktop, "Create invitation").isDisabled(), "a date is to be chosen");
  await dialog(desktop).getByLabel("Last day").fill(inDays(-2));
  const asked: string[] = [];
  const note = (request: Request): void => void (request.method() === "POST" && asked.push(request.url()));
  desktop.on("request", note);
  await button(desktop, "Create invitation").click();
  await dialog(desktop).getByText("This day is over. Choose one that is to come.").waitFor();
  await dialog(desktop).getByLabel("Last day").and(desktop.locator(":focus")).waitFor();
  desktop.off("request", note);
  t.strictSame(asked, [], "the hub is asked nothing, so nobody is asked who they are");
  await dialog(desktop).getByLabel("Last day").fill(lastDay);
  await look(desktop, "invite", t);
  await button(desktop, "Create invitation").click();
  const link = (await dialog(desktop).locator("code.secret").textContent()) ?? "";
  for (let times = 0; times < 4; times++) await desktop.keyboard.press("Escape");
  await dialog(desktop).getByText("This is not shown again.").waitFor();
  t.equal(await dialog(desktop).locator("code.secret").textContent(), link, "Escape does not lose the link");
  await button(desktop, "Done").click();
  await desktop.getByText(`access until ${said(lastDay)}`).waitFor();

  const context = await stage.browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES.desktop,
  });
  t.teardown(() => context.close());
  const theirs = await context.newPage();
  await theirs.goto(link.replace(/^https?:\/\/[^/]+/, ""));
  await theirs.getByText(`Your access to this house is until ${said(lastDay)}.`).waitFor();
  await look(theirs, "join", t);
  await theirs.getByLabel("E-mail").fill("maria@example.org");
  await theirs.getByLabel("Password").fill(PASSWORD);
  await button(theirs, "Join").click();
  await theirs.getByRole("link", { name: "Gate", exact: true }).first().waitFor();
  await theirs.goto("/system");
  await theirs.getByText(`Your access to this house is until ${said(lastDay)}.`).waitFor();

  const line = desktop.locator("li", { hasText: UGLY });
  await desktop.reload();
  await line.getByText(`access until ${said(lastDay)}`).waitFor();
  await desktop.getByRole("link", { name: UGLY }).click();
  await desktop.locator("dd").getByText(said(lastDay), { exact: true }).waitFor();
  await desktop.getByText("Nothing so far").waitFor();
  await look(desktop, "person", t);
  await button(desktop, "Change access").click();
  t.equal(await dialog(desktop).getByLabel("Last day").inputValue(), lastDay);
  const sooner = inDays(5);
  await dialog(desktop).getByLabel("Last day").fill(sooner);
  await look(desktop, "change", t);
  await dialog(desktop).getByRole("button", { name: "Change access" }).click();
  await desktop.locator("dd").getByText(said(sooner), { exact: true }).waitFor();
  await theirs.reload();
  await theirs.locator(".notice", { hasText: `Your access to this house is until ${said(sooner)}.` }).waitFor();
  await look(theirs, "account", t);
  await inHindi(theirs, true);
  await look(theirs, "account-hi", t);

  const { body } = await owner.call<{ persons: { id: number; name: string }[] }>("GET", "/api/persons");
  const id = body.persons.find(({ name }) => name === UGLY)?.id;
  const until = new Date(Date.now() + 1_500).toISOString();
  t.equal((await owner.call("PATCH", `/api/persons/${id}`, { until })).status, 200);
  await theirs.goto("/").catch(() => {});
  await theirs.evaluate(`localStorage.setItem("gatehouse.language", "en")`);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await theirs.goto("/");
  await theirs.getByRole("heading", { level: 1, name: "Sign in to Gatehouse" }).waitFor();
  await theirs.getByLabel("E-mail").fill("maria@example.org");
  await theirs.getByLabel("Password").fill(PASSWORD);
  await button(theirs, "Sign in").click();
  await theirs.getByText(/^Your access to this house ended on .*\. An owner can give it to you again\.$/).waitFor();
  await look(theirs, "refused", t);

  await desktop.reload();
  await desktop
    .locator("dd")
    .getByText(/^Ended on /)
    .waitFor();
  await look(desktop, "person-ended", t);
  await inHindi(desktop, true);
  await look(desktop, "person-hi", t);
  await inHindi(desktop, false);
  await visit(desktop, "/system/persons");
  await line.getByText(/^Ended on /).waitFor();
  await look(desktop, "list", t);
  await inHindi(desktop, true);
  await look(desktop, "list-hi", t);
  await desktop.goto("/system/audit");
  await settled(desktop);
  await look(desktop, "audit-hi", t);
  await inHindi(desktop, false);
  await desktop.getByText(`The access of ${UGLY} ended`).waitFor();
  await desktop
    .getByText(`Asha Rao set until when ${UGLY} has access: ${said(sooner)} (before: ${said(lastDay)})`)
    .waitFor();
  await desktop.getByText(`Asha Rao invited ${UGLY} as a gatekeeper (access until ${said(lastDay)})`).waitFor();
  await look(desktop, "audit", t);
  await visit(desktop, `/system/persons/${id}`);
  await button(desktop, "Change access").click();
  await dialog(desktop).getByLabel("Access ends").selectOption({ label: "Never" });
  await dialog(desktop).getByRole("button", { name: "Change access" }).click();
  await desktop.locator("dd").getByText("Never", { exact: true }).waitFor();
  const again = new Person(hub.url);
  t.equal((await again.call("POST", "/api/session", { email: "maria@example.org", password: PASSWORD })).status, 200);
});
