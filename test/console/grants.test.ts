/**
 * Removing a person and ending their grants, as an owner does it in the console: narrow and wide, English and Hindi.
 */
import t from "tap";
import { HouseholdProcess } from "../support/household-process.ts";
import { startBrowser } from "./browser.ts";
import { cannotBrowse, violations } from "./stage.ts";

t.setTimeout(180_000); // a hub and a browser
t.test(
  "the console asks what to do with everything that a person gave to others",
  { skip: cannotBrowse },
  async (t) => {
    const house = await HouseholdProcess.start(t);
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    const [name = "", value = ""] = house.owner.cookie.split("=");
    const open = async (width: number, language: "en" | "hi") => {
      const context = await browser.newContext({
        baseURL: house.hub.url,
        locale: "en-GB",
        reducedMotion: "reduce",
        viewport: { width, height: 780 },
      });
      context.setDefaultTimeout(20_000);
      await context.addCookies([{ name, value, url: house.hub.url }]);
      const page = await context.newPage();
      await page.addInitScript(`localStorage.setItem("gatehouse.language", ${JSON.stringify(language)})`);
      await page.goto(`/system/persons/${id}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      return page;
    };
    const { person: ravi, id } = await house.join("owner");
    const made = await ravi.call<{ key: { id: number }; secret: string }>("POST", "/api/keys", {
      name: "Wall panel in the hall",
      env: "live",
      scopes: ["devices:read", "devices:control"],
    });
    await ravi.call("POST", "/api/persons/invitations", { name: "Mina", role: "owner" });
    await ravi.call("POST", "/v1/plate-rules", { plate: "MH12AB1234", kind: "allow", label: "Ravi's car" });
    await ravi.call("POST", "/v1/plate-rules", { plate: "KA01AB1234", kind: "allow", label: "Grandmother" });
    await ravi.call("POST", "/api/devices", { id: "lamp", name: "Lamp in the garden", type: "light" });
    const shots = process.env.GATEHOUSE_SHOTS;
    for (const [width, language, remove] of [
      [360, "hi", "घर से हटाएँ"],
      [360, "en", "Remove from the house"],
    ] as const) {
      const page = await open(width, language);
      if (language === "en")
        await page
          .getByText("1 invitation, 1 key or app, 2 plates that may come in, 1 device’s password", { exact: true })
          .waitFor();
      t.strictSame(await violations(page), [], `${language}: the page of a person`);
      if (shots !== undefined)
        await page.screenshot({ path: `${shots}/person-${width}-${language}.png`, fullPage: true });
      await page.getByRole("button", { name: remove, exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.locator("select").nth(3).waitFor();
      t.strictSame(await violations(page), [], `${language}: no accessibility violation`);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      t.equal(overflow, 0, `${language}: nothing is wider than ${width} px`);
      if (shots !== undefined)
        await page.screenshot({ path: `${shots}/grants-${width}-${language}.png`, fullPage: true });
      if (language === "hi") continue;
      t.same(
        await dialog.locator("select").evaluateAll((all) => all.map((one) => ("value" in one ? one.value : null))),
        ["end", "end", "end", "keep"],
        "proposed: what opens or grants rights ends, the rest stays",
      );
      await dialog.getByLabel(/^API keys and apps/).selectOption("keep");
      await dialog.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByText(/3 accesses ended/).waitFor();
    }
    const key = { id: made.body.key.id, secret: made.body.secret };
    t.equal((await house.ask(key, "GET", "/v1/devices")).status, 200, "what was kept stays");
    t.equal((await ravi.call("GET", "/api/me")).status, 401);
    const { body } = await house.owner.call<{ persons: { id: number }[] }>("GET", "/api/persons");
    t.notOk(body.persons.some((person) => person.id === id));
    const page = await open(1280, "en");
    await page.goto("/system/account");
    await page.getByRole("button", { name: "What I gave to others" }).click();
    await page.getByRole("dialog").getByText("Wall panel in the hall").waitFor();
    if (shots !== undefined) await page.screenshot({ path: `${shots}/grants-own.png` });
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await page.getByText(/access(es)? ended/).waitFor();
    t.equal(
      (await house.ask(key, "GET", "/v1/devices")).status,
      401,
      "and ends with the person who kept it, in one step",
    );
  },
);
