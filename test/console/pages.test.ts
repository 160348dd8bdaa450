/** Every page of a lived-in house, as it is: nothing that axe objects to, no wider than the screen, by keyboard, in Hindi. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIRequestContext } from "playwright-core";
import t, { type Test } from "tap";
import { PROJECT_ROOT } from "../support/database.js";
import { cannotBrowse, connectDevice, follow, SIZES, type Size, type Stage, settled, startStage, violations } from "./stage.js";

const SIZE_NAMES = Object.keys(SIZES) as Size[]; // keys of a literal
const PAGES = [
  "/",
  "/devices/plug",
  "/gate",
  "/gate/vehicles",
  "/gate/vehicles/BR03AD2586",
  "/gate/guests",
  "/gate/rules",
  "/gate/cameras",
  "/gate/cameras/new",
  "/gate/cameras/eye",
  "/gate/cameras/eye/find",
  "/automations",
  "/automations/new",
  "/automations/:rule",
  "/scenes",
  "/activity",
  "/notifications",
  "/notifications/settings",
  "/developer",
  "/system",
  "/system/persons",
  "/system/devices",
  "/system/rooms",
  "/system/bridge",
  "/system/backups",
  "/system/updates",
  "/system/log",
  "/system/mqtt",
  "/system/settings",
  "/rooms/none",
  "/more",
  "/nowhere",
];
/** Their first head is a name that somebody gave. */
const NAMED = /^\/(devices|gate\/vehicles|gate\/cameras)\/(plug|BR03AD2586|eye)$|:/;

t.setTimeout(280_000);
t.test("every page", { skip: cannotBrowse }, async (t) => {
  const stage = await startStage(t.testdir());
  t.teardown(() => stage.stop());
  const rule = await furnish(stage, t);
  await t.test("both themes: nothing that axe objects to", (t) => checkPages(stage, rule, t));
  await t.test("by keyboard alone", (t) => byKeyboard(stage, t));
  await t.test("in Hindi no page is wider than the phone, and none is left in English", (t) => inHindi(stage, t));
  t.strictSame(stage.problems, [], "no console error, no failed request");
});

/** An owner, and something on every page. Resolves with the id of an automation. */
async function furnish(stage: Stage, t: Test): Promise<number> {
  const { request } = stage.pages.phone;
  const post = (path: string, data: object): Promise<Record<string, unknown>> => made(request, path, data);
  await post("/api/claim", { code: stage.hub.claimCode, name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" });
  const { password } = await post("/api/devices", { id: "plug", name: "Kettle", type: "smart-plug", room: "Kitchen" });
  await post("/api/devices", { id: "eye", name: "Gate camera", type: "camera", room: "Driveway" });
  await post("/api/devices", { id: "away", name: "Barrier", type: "gate", room: "Driveway" });
  const { client } = await connectDevice(stage, "plug", String(password));
  t.teardown(() => client.endAsync());
  await client.publishAsync("gatehouse/plug/state", JSON.stringify({ power: true, watts: 92.3, rssi: -61 }), { qos: 1 });
  for (const watts of [10, 20, 30]) await client.publishAsync("gatehouse/plug/telemetry", JSON.stringify({ watts }), { qos: 1 });
  await client.publishAsync("gatehouse/plug/state", "not JSON", { qos: 1 });
  await post("/v1/devices/plug/commands", { power: false });
  await post("/api/scenes", { name: "Night", actions: [{ deviceId: "plug", command: { power: false } }] });
  await post("/v1/plate-rules", { plate: "MH 12 AB 1234", kind: "allow", label: "Rao" });
  await post("/api/keys", { name: "Tablet", env: "live", scopes: ["devices:read"] });
  await post("/api/webhooks", { url: "http://127.0.0.1:9/hook", label: "Node-RED", events: ["device.state"] });
  await post("/api/persons/invitations", { name: "Ravi", role: "member" });
  await post("/api/bridge/clients", { family: "tasmota", name: "Boiler" });
  await post("/api/backups", {});
  const jpeg = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg"));
  const burst = await request.post("/api/cameras/eye/burst", { data: jpeg, headers: { "content-type": "image/jpeg" } });
  t.match(await burst.json(), { reads: [{ plate: "BR03AD2586" }] });
  const { automation } = await post("/v1/automations", {
    name: "Evening",
    trigger: { type: "time", at: "18:30", days: [] },
    conditions: [
      {
        type: "any",
        conditions: [
          { type: "sun", is: "down" },
          { type: "state", deviceId: "plug", field: "power", op: "truthy" },
        ],
      },
    ],
    action: { type: "command", deviceId: "plug", command: { power: true } },
  });
  const { id } = automation as { id: number }; // its contract
  await post(`/api/automations/${id}/run`, {});
  return id;
}

async function made(request: APIRequestContext, path: string, data: object): Promise<Record<string, unknown>> {
  const answer = await request.post(path, { data });
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>; // every answer is a JSON object
}

/**
 * Each page is opened at both widths: by its address on the narrow screen, from the page before on the wide one. The narrow one in both themes; colours do
 * not depend on the width, so the wide one in both in the long form only.
 */
async function checkPages(stage: Stage, rule: number, t: Test): Promise<void> {
  const isLong = process.env.GATEHOUSE_TEST_LONG === "1";
  for (const size of SIZE_NAMES) {
    const page = stage.pages[size];
    await page.bringToFront();
    await page.goto("/more");
    for (const pattern of PAGES) {
      const path = pattern.replace(":rule", String(rule));
      await page.emulateMedia({ colorScheme: "dark" });
      if (size === "phone" || isLong) await page.goto(path);
      else await follow(page, path);
      await settled(page);
      t.strictSame(await violations(page), [], `${path} ${size} dark`);
      const overflow: unknown = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      t.equal(overflow, 0, `${path} ${size} does not scroll sideways`);
      if (size !== "phone" && !isLong) continue;
      await page.emulateMedia({ colorScheme: "light" });
      t.strictSame(await violations(page, isLong ? "all" : "colours"), [], `${path} ${size} light`);
    }
  }
}

async function byKeyboard(stage: Stage, t: Test): Promise<void> {
  const page = stage.pages.desktop;
  const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent.trim()");
  await page.bringToFront();
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  t.equal(await focused(), "Skip to the page", "the way past the menu comes first");
  for (let n = 0; n < 15 && (await focused()) !== "Developer"; n++) await page.keyboard.press("Tab");
  t.equal(await focused(), "Developer");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Developer" }).waitFor();
  t.equal(await focused(), "Developer", "the new page's head is focused");
  await page.getByRole("button", { name: "New key", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  t.strictSame(await violations(page), [], "a dialog too");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  t.equal(await focused(), "New key", "focus is back where it was");
}

/** Words that stay as they are in every language: names, units, what the owner typed. */
async function inHindi({ pages: { phone: page } }: Stage, t: Test): Promise<void> {
  await page.bringToFront();
  await page.goto("/system");
  await page.getByLabel("Language").selectOption("hi");
  await page.getByRole("heading", { level: 1, name: "सिस्टम" }).waitFor();
  t.equal(await page.locator("html").getAttribute("lang"), "hi");
  const health = page.locator("section", { has: page.getByRole("heading", { name: "सेहत" }) }).locator("li p");
  await health.first().waitFor();
  const english = (await health.allTextContents()).filter((text) => !/[\u0900-\u097F]/.test(text));
  t.strictSame(english, [], "what the hub says of its parts is in Hindi too");
  for (const path of PAGES.filter((pattern) => !NAMED.test(pattern))) {
    await follow(page, path);
    const head = page.getByRole("heading", { level: 1 }).first();
    t.match(await head.textContent(), /[\u0900-\u097F]/, `${path} in Hindi`);
    const overflow: unknown = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    t.equal(overflow, 0, `${path} does not scroll sideways in Hindi`);
  }
}
