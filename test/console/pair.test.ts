/**
 * A person approves an app in the browser: a member on a phone, by the link of the QR code; an owner at a desk, who
 * types the code and refuses; in Hindi too.
 */
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import type { HouseholdProcess as House } from "../support/household-process.ts";
import { HouseholdProcess } from "../support/household-process.ts";
import type { Person } from "../support/hub-process.ts";
import { startBrowser } from "./browser.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, SIZES, type Size, violations } from "./stage.ts";

t.setTimeout(180_000);
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri_complete: string;
}

async function post<Body>(house: House, path: string, body: object): Promise<Body> {
  const response = await fetch(house.hub.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Body; // as the description has it
}

t.test(
  "an app is approved by code or link, at both widths and in both languages",
  { skip: cannotBrowse },
  async (t) => {
    const house = await HouseholdProcess.start(t);
    const browser = await startBrowser();
    t.teardown(() => browser.close());
    const open = async (person: Person, size: Size, language: "en" | "hi"): Promise<Page> => {
      const context = await browser.newContext({
        baseURL: house.hub.url,
        locale: "en-GB",
        reducedMotion: "reduce",
        viewport: SIZES[size],
      });
      context.setDefaultTimeout(20_000);
      const [name = "", value = ""] = person.cookie.split("=");
      await context.addCookies([{ name, value, url: house.hub.url }]);
      const page = await context.newPage();
      await page.addInitScript(`localStorage.setItem("gatehouse.language", ${JSON.stringify(language)})`);
      return page;
    };
    const ask = (name: string): Promise<Codes> =>
      post(house, "/v1/pairing", { client_name: name, scope: "devices:read devices:control automations:write" });
    const fetched = (codes: Codes): Promise<{ scope?: string; error?: { code: string } }> =>
      post(house, "/v1/pairing/token", { grant_type: GRANT, device_code: codes.device_code });
    const sound = async (page: Page, t: Test): Promise<void> => {
      await page.getByRole("heading", { level: 1 }).waitFor();
      t.strictSame(await violations(page), [], "axe finds nothing");
      t.equal(await beyond(page), 0, "nothing is wider than the page");
    };

    const { person } = await house.join("member");
    const phone = await open(person, "phone", "en");
    const codes = await ask("Ravi's phone");
    await phone.goto(codes.verification_uri_complete);
    await sound(phone, t);
    await phone.getByRole("button", { name: "Continue" }).click();
    await phone.getByRole("heading", { name: "Ravi's phone asks for access" }).waitFor();
    await phone.getByText("It also asks for what you do not have yourself: automations:write.").waitFor();
    await sound(phone, t);
    await phone.getByLabel("devices:control").uncheck();
    await phone.getByRole("button", { name: "Approve" }).click();
    await phone.getByText("Approved.").waitFor();
    t.hasStrict(await fetched(codes), { scope: "devices:read" });
    const more = await ask("A".repeat(80));
    await person.call("POST", "/api/pairing/approve", {
      userCode: more.user_code,
      name: "A".repeat(80),
      scopes: ["devices:read"],
    });
    t.hasStrict(await fetched(more), { scope: "devices:read" });

    await phone.goto("/system/account");
    await phone.getByRole("heading", { name: "Connected apps" }).waitFor();
    await sound(phone, t);
    await phone.getByRole("button", { name: "Disconnect Ravi's phone" }).click();
    await phone.getByRole("dialog").getByText("Disconnect Ravi's phone?").waitFor();
    await phone.getByRole("dialog").getByRole("button", { name: "Disconnect", exact: true }).click();
    await phone.getByRole("button", { name: "Disconnect Ravi's phone" }).waitFor({ state: "detached" });
    await phone.getByRole("button", { name: `Disconnect ${"A".repeat(80)}` }).waitFor();

    const desk = await open(house.owner, "desktop", "hi");
    const refused = await ask("Somebody's app");
    await desk.goto("/developer");
    await desk.getByText("Ravi का ऐप").first().waitFor();
    await desk.getByRole("link", { name: "ऐप जोड़ें" }).click();
    await desk.getByLabel("कोड").fill("BBBB-BBBB");
    await desk.getByRole("button", { name: "आगे बढ़ें" }).click();
    await desk.locator("[aria-invalid=true]").waitFor();
    await desk.getByLabel("कोड").fill(refused.user_code.toLowerCase());
    await desk.getByRole("button", { name: "आगे बढ़ें" }).click();
    await desk.getByRole("heading", { name: "Somebody's app पहुँच माँग रहा है" }).waitFor();
    await sound(desk, t);
    await desk.getByRole("button", { name: "मना करें" }).click();
    await desk.getByText("मना कर दिया गया").waitFor();
    t.hasStrict(await fetched(refused), { error: { code: "access_denied" } });
    await desk.goto("/system/account");
    await desk.getByRole("heading", { name: "जुड़े हुए ऐप" }).waitFor();
    await desk.getByText("Ravi का ऐप").first().waitFor();
    await sound(desk, t);
  },
);
