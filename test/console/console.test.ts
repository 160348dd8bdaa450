/** The console in a real browser against a real hub with real MQTT clients: what a homeowner does, at phone and desktop width. */
import t, { type Test } from "tap";
import { findCamera, presetCamera } from "./camera-flows.js";
import { addDevice, addWebhook, burst, captureScene, drawMask, firstRun, importRules, liveState, makeKey, makeRule, type Plug, toggle } from "./flows.js";
import { editWebhook, filterReads, household, livePicture, otherMakes, watchLog } from "./household-flows.js";
import { cannotBrowse, connectDevice, SIZES, type Size, type Stage, startStage, violations } from "./stage.js";

const SIZE_NAMES = Object.keys(SIZES) as Size[]; // keys of a literal
const PAGES = [
  "/",
  "/devices/plug-phone",
  "/gate",
  "/gate/vehicles",
  "/gate/rules",
  "/gate/cameras",
  "/gate/cameras/new",
  "/gate/cameras/cam-phone",
  "/automations",
  "/automations/new",
  "/automations/:rule",
  "/scenes",
  "/activity",
  "/developer",
  "/system",
  "/system/persons",
  "/system/devices",
  "/system/rooms",
  "/system/bridge",
  "/system/backups",
  "/system/updates",
  "/system/log",
  "/system/settings",
  "/more",
  "/nowhere",
];

t.setTimeout(600_000);
t.test("a household sets itself up and lives in its console", { skip: cannotBrowse }, async (t) => {
  const stage = await startStage(t.testdir());
  t.teardown(() => stage.stop());
  await t.test("first run", (t) => firstRun(stage, t));
  for (const size of SIZE_NAMES) await t.test(`${size}: devices, keys, rules, scenes, receivers`, (t) => liveAt(stage, size, t));
  await t.test("every page, both themes: nothing that axe objects to", (t) => checkPages(stage, t));
  await t.test("by keyboard alone", (t) => byKeyboard(stage, t));
  await t.test("in Hindi no page is wider than the phone, and none is left in English", (t) => inHindi(stage, t));
  t.strictSame(stage.problems, [], "no console error, no failed request");
});

async function liveAt(stage: Stage, size: Size, t: Test): Promise<void> {
  const page = stage.pages[size];
  const other = stage.pages[size === "phone" ? "desktop" : "phone"];
  await page.bringToFront(); // browsers slow pages down that nobody sees
  const id = `plug-${size}`;
  const name = `Kettle ${size}`;
  const password = await addDevice(page, { id, name, type: "Smart plug", room: "Kitchen" }, t);
  const plug: Plug = { id, name, ...(await connectDevice(stage, id, password)) };
  t.teardown(() => plug.client.endAsync());
  await t.test("a state appears live", (t) => liveState(page, plug, t));
  await t.test("a switch reaches the device", (t) => toggle(page, plug, t));
  await t.test("a key opens the API", (t) => makeKey(page, stage, t));
  await t.test("a rule fires", () => makeRule(page, plug, size));
  await t.test("pictures of a car arrive while the gate page is open", async (t) => {
    await addDevice(page, { id: `cam-${size}`, name: `Camera ${size}`, type: "Camera", room: "Driveway" }, t);
    await burst(page, other, `cam-${size}`, t);
  });
  await t.test("a scene from how it is now", (t) => captureScene(page, plug, size, t));
  await t.test("a receiver is tested, disabled, enabled", (t) => addWebhook(page, t));
  await t.test("a receiver is changed, and shows what it was sent", (t) => editWebhook(page, t));
  await t.test("the live picture with its plates", (t) => livePicture(page, size, t));
  await t.test("a camera is searched for, looked through, added", (t) => findCamera(page, size, stage.problems, t));
  await t.test("a camera by its maker", (t) => presetCamera(page, size, t));
  await t.test("reads are narrowed", () => filterReads(page));
  await t.test("the log", (t) => watchLog(page, stage, t));
  await t.test("another person of the household", (t) => household(page, stage, size, t));
  await t.test("another make", (t) => otherMakes(page, size, t));
  if (size === "phone") return;
  await t.test("plates from a spreadsheet", (t) => importRules(page, t));
  await t.test("a mask by keyboard", (t) => drawMask(page, `cam-${size}`, stage.problems, t));
}

/** Each page is loaded once a width and looked at in both themes; the short form takes the wide layout for the first pages only. */
async function checkPages(stage: Stage, t: Test): Promise<void> {
  const isLong = process.env.GATEHOUSE_TEST_LONG === "1";
  const { automations } = (await (await stage.pages.phone.request.get("/v1/automations")).json()) as { automations: { id: number }[] }; // its contract
  for (const size of SIZE_NAMES) {
    const page = stage.pages[size];
    await page.bringToFront();
    for (const pattern of size === "phone" || isLong ? PAGES : PAGES.slice(0, 4)) {
      const path = pattern.replace(":rule", String(automations[0]?.id));
      await page.emulateMedia({ colorScheme: "dark" });
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await page.waitForLoadState("load");
      t.strictSame(await violations(page), [], `${path} ${size} dark`);
      await page.emulateMedia({ colorScheme: "light" });
      t.strictSame(await violations(page, isLong ? "all" : "colours"), [], `${path} ${size} light`);
      const overflow: unknown = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      t.equal(overflow, 0, `${path} ${size} does not scroll sideways`);
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
  for (let i = 0; i < 6; i++) await page.keyboard.press("Tab");
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
  for (const path of PAGES.filter((pattern) => !pattern.includes(":") && pattern !== "/devices/plug-phone" && pattern !== "/gate/cameras/cam-phone")) {
    await page.goto(path);
    const head = page.getByRole("heading", { level: 1 }).first();
    await head.waitFor();
    t.match(await head.textContent(), /[\u0900-\u097F]/, `${path} in Hindi`);
    const overflow: unknown = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    t.equal(overflow, 0, `${path} does not scroll sideways in Hindi`);
  }
  await page.goto("/system");
  await page.getByLabel("भाषा").selectOption("en");
  await page.getByRole("heading", { level: 1, name: "System" }).waitFor();
}
