/** The second step of the first run, by a person whose browser keeps another time than the house. */
import t from "tap";
import { startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser } from "./browser.ts";
import { cannotBrowse, SIZES } from "./stage.ts";

t.setTimeout(120_000);

t.test("where the house is", { skip: cannotBrowse }, async (t) => {
  const hub = await startHubProcess(testFolder(t), { GATEHOUSE_HTTP_TRUST_PROXY: "true" });
  t.teardown(() => hub.stop());
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: SIZES.desktop,
    serviceWorkers: "block",
  });
  const page = await context.newPage();
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  await t.test("a browser outside the house is told so before it fills in anything", async (t) => {
    const elsewhere = await browser.newContext({
      baseURL: hub.url,
      locale: "en-GB",
      extraHTTPHeaders: { "X-Forwarded-For": "203.0.113.9" },
    });
    const outside = await elsewhere.newPage();
    await outside.goto("/");
    await outside.getByText(/this browser comes from 203\.0\.113\.9/).waitFor();
    t.equal(await outside.getByLabel("Claim code").count(), 0);
    await elsewhere.close();
  });

  await page.goto("/");
  await page.getByLabel("Claim code").fill(hub.claimCode ?? "");
  await page.getByLabel("Your name").fill("Asha Rao");
  await page.getByLabel("E-mail").fill("asha@example.org");
  await page.getByLabel("Password").fill("correct horse battery staple");
  await button("Continue").click();
  const place = page.getByRole("combobox", { name: /^Place/ });
  const zone = page.getByLabel("Time zone");

  await t.test("a place brings its time zone; another one is reported, and put right with one tap", async (t) => {
    await place.click();
    await place.pressSequentially("London");
    await page.getByRole("option", { name: /^London.*United Kingdom/ }).click();
    t.equal(await zone.inputValue(), "Europe/London");
    await zone.selectOption({ label: "America/New York" });
    await page.getByText("London keeps the time of Europe/London.").waitFor();
    await button("Use this time").click();
    t.equal(await zone.inputValue(), "Europe/London");
    await page.getByText("London keeps the time of").waitFor({ state: "detached" });
  });

  await t.test("a place that nobody knows is said, and nothing is sent without it", async (t) => {
    await button("Take it out").click();
    await place.click();
    await place.pressSequentially("Xqzzy");
    await button("Finish").click();
    await page.getByText("Choose one of the places that are found").waitFor();
    await page.locator("[data-unread]:focus").waitFor();
    t.equal(await place.inputValue(), "Xqzzy");
    await place.fill("");
    await page.getByText("Choose one of the places that are found").waitFor({ state: "detached" });
  });

  await t.test("one press finishes with what was typed, although taking it moves the button", async (t) => {
    await place.click();
    await place.pressSequentially("Pune");
    await page.getByRole("option", { name: "Pune" }).waitFor();
    const before = await button("Finish").boundingBox();
    if (before === null) throw new Error("there is no button");
    await page.mouse.move(before.x + before.width / 2, before.y + before.height / 2);
    await page.mouse.down();
    await page.locator(".sun-line").waitFor(); // the field was left, and what it took stands above the button
    const after = await button("Finish").boundingBox();
    t.ok((after?.y ?? 0) > before.y + before.height / 2, `the button moved from ${before.y} to ${after?.y}`);
    await page.mouse.up();
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.getByRole("link", { name: "Next: Add the gate" }).waitFor();
    const { site } = (await (await context.request.get("/api/site")).json()) as { site: object }; // its contract
    t.match(site, { timeZone: /^Asia\/(Kolkata|Calcutta)$/, latitude: 18.52, longitude: 73.86 });
  });
});
