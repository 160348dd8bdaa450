/** Times and gates of a person in the console: chosen, said in words, and on the limited person's own pages. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import t from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, connectDevice, SIZES, settled, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(300_000); // a hub, a browser, and a minute that has to begin
const PASSWORD = "a quiet sentence about rain";
const UGLY = "Maria-Magdalena_von_und_zu_Hohenschwangau-Wittelsbach.the.third_0x00158d0001a2b3c4";
const WIDTHS = [360, 1366] as const;
/** Where pictures for a person to look at go; none are made without it. */
const shots = process.env.GATEHOUSE_TEST_SHOTS;
if (shots !== undefined) mkdirSync(shots, { recursive: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
/** A clock time in the house, some minutes from now. */
const clockIn = (minutes: number): string =>
  new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "Asia/Kolkata" }).format(
    Date.now() + minutes * 60_000,
  );

t.test("times and gates are chosen, said everywhere, and kept", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { owner, hub } = stage;
  const { desktop } = stage.pages;
  await owner.call("PATCH", "/api/site", { timeZone: "Asia/Kolkata" });
  for (const [id, name, type] of [
    ["front", "Front gate", "gate"],
    ["back", "Yard gate", "gate"],
    ["alarm", "House alarm", "sentinel"],
    ["lamp", "Lamp", "light"],
  ] as const) {
    const { body } = await owner.call<{ password: string }>("POST", "/api/devices", { id, name, type });
    if (id !== "front") continue;
    const { client } = await connectDevice(stage, id, body.password);
    t.teardown(() => client.endAsync(true));
    await client.publishAsync("gatehouse/front/state", '{"open":false}', { qos: 1 });
  }

  const look = async (page: Page, name: string) => {
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

  await visit(desktop, "/system/persons");
  await button(desktop, "Invite somebody").click();
  await dialog(desktop).getByLabel("Who is it?").fill(UGLY);
  await dialog(desktop).getByLabel("When they may open").selectOption({ label: "At certain times" });
  for (const day of ["Tue", "Wed", "Fri"]) await dialog(desktop).getByRole("button", { name: day }).click();
  await dialog(desktop).getByLabel("From").fill("09:00");
  await dialog(desktop).getByLabel("To", { exact: true }).fill("12:00");
  await dialog(desktop).getByLabel("What they may open").selectOption({ label: "Only these" });
  t.ok(await button(desktop, "Create invitation").isDisabled(), "a gate is to be chosen");
  t.equal(await dialog(desktop).getByLabel("Lamp").count(), 0, "a lamp lets nobody in");
  await dialog(desktop).getByLabel("Front gate").check();
  await look(desktop, "invite-limits");
  await button(desktop, "Create invitation").click();
  const link = (await dialog(desktop).locator("code.secret").textContent()) ?? "";
  await button(desktop, "Done").click();
  const said = /^Mon, Thu 0?9:00.12:00 · only Front gate$/;
  await desktop.getByText(/opens: Mon, Thu .*only Front gate/).waitFor();

  const context = await stage.browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: SIZES.desktop,
  });
  t.teardown(() => context.close());
  const theirs = await context.newPage();
  await theirs.goto(link.replace(/^https?:\/\/[^/]+/, ""));
  await theirs.getByText(/You can open here: Mon, Thu/).waitFor();
  await theirs.getByLabel("E-mail").fill("maria@example.org");
  await theirs.getByLabel("Password").fill(PASSWORD);
  await button(theirs, "Join").click();
  await theirs.getByRole("link", { name: "Gate", exact: true }).first().waitFor();

  await desktop.getByRole("link", { name: UGLY }).waitFor(); // the list follows by itself
  await desktop.getByText(said).waitFor();
  await look(desktop, "list-limits");
  await desktop.getByRole("link", { name: UGLY }).click();
  await desktop
    .locator("dd")
    .getByText(/only Front gate/)
    .waitFor();
  const { body } = await owner.call<{ persons: { id: number; name: string }[] }>("GET", "/api/persons");
  const id = body.persons.find(({ name }) => name === UGLY)?.id;
  const limit = async (limits: unknown) =>
    t.equal((await owner.call("PATCH", `/api/persons/${id}`, { limits })).status, 200);

  await limit({ times: [], gates: ["back"] });
  await desktop.locator("dd").getByText("only Yard gate", { exact: true }).waitFor(); // and so does the page
  await look(desktop, "person-limits");
  const slide = theirs.locator(".slide");
  await theirs.goto("/");
  await theirs.getByText("You may open other gates of this house, not this one.").waitFor();
  t.ok(await slide.isDisabled());
  await look(theirs, "home-other-gate");

  const left = 60 - new Date().getSeconds();
  const ahead = left < 20 ? 2 : 1;
  await limit({ times: [{ days: [1, 2, 3, 4, 5, 6, 7], from: clockIn(ahead), to: clockIn(ahead + 90) }], gates: null });
  await theirs.getByText(/^You can open here every day .*Next time from .*/).waitFor(); // their page follows
  t.ok(await slide.isDisabled());
  await look(theirs, "home-outside");
  await inHindi(theirs, true);
  await theirs.getByText(/^आप यहाँ हर दिन/).waitFor();
  await look(theirs, "home-outside-hi");
  await inHindi(theirs, false);
  await theirs.locator(".slide:not([disabled])").waitFor({ timeout: 150_000 });
  t.pass("it can be slid by itself when the time comes");
  t.equal(await theirs.getByText(/Next time from/).count(), 0);
  await theirs.goto("/system");
  await theirs.getByText(/^You can open here: every day/).waitFor();

  await button(desktop, "Change access").click();
  await dialog(desktop).getByLabel("Role").selectOption("gatekeeper");
  await dialog(desktop)
    .getByText(/Should they become a member again, this counts again: every day/)
    .waitFor();
  await look(desktop, "change-limits-role");
  await dialog(desktop).getByLabel("Role").selectOption("member");
  await look(desktop, "change-limits");
  await dialog(desktop).getByLabel("When they may open").selectOption({ label: "At any time" });
  await dialog(desktop).getByRole("button", { name: "Change access" }).click();
  await desktop.locator("dd").getByText("Everything, at any time", { exact: true }).waitFor();
  await desktop.goto("/system/audit");
  await desktop
    .getByText(/^Asha Rao set what .* may open, and when: everything, at any time \(before: every day /)
    .waitFor();
  await desktop.getByText(/^Asha Rao invited .*opens: Mon, Thu .* only Front gate/).waitFor();
  await look(desktop, "audit-limits");
  await inHindi(desktop, true);
  await look(desktop, "audit-limits-hi");
  await visit(desktop, `/system/persons/${id}`);
  await look(desktop, "person-limits-hi");
});
