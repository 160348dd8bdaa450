/**
 * The console in a real browser against a real hub with real MQTT clients: a homeowner's tasks, at phone and desktop
 * width.
 */
import t, { type Test } from "tap";
import { testFolder } from "../support/test-folder.ts";
import { findCamera, presetCamera } from "./camera-flows.ts";
import {
  addDevice,
  addWebhook,
  burst,
  captureScene,
  drawMask,
  firstRun,
  importRules,
  liveState,
  makeKey,
  makeRule,
  type Plug,
  toggle,
} from "./flows.ts";
import { editWebhook, filterReads, household, livePicture, otherMakes, watchLog } from "./household-flows.ts";
import { fits } from "./layout.ts";
import { cannotBrowse, connectDevice, SIZES, type Size, type Stage, startStage } from "./stage.ts";

/** The pages people open first; the long form has every page (extremes.test.ts). */
const EMPTY_PAGES = ["/", "/gate", "/automations", "/energy", "/history", "/scenes", "/activity", "/system/matter"];
const SIZE_NAMES = Object.keys(SIZES) as Size[]; // keys of a literal

t.setTimeout(600_000);
t.test("a household sets itself up and lives in its console", { skip: cannotBrowse }, async (t) => {
  const stage = await startStage(testFolder(t));
  t.teardown(() => stage.stop());
  await t.test("first run", (t) => firstRun(stage, t));
  await t.test("a house without a device fits its pages", (t) => emptyHouse(stage, t));
  for (const size of SIZE_NAMES)
    await t.test(`${size}: devices, keys, rules, scenes, receivers`, (t) => liveAt(stage, size, t));
  t.strictSame(stage.problems, [], "no console error, no failed request");
});

async function emptyHouse({ pages: { desktop: page } }: Stage, t: Test): Promise<void> {
  await page.bringToFront();
  await page.goto("/");
  await fits(page, EMPTY_PAGES, [1280, 360], t);
  await page.setViewportSize(SIZES.desktop);
}

async function liveAt(stage: Stage, size: Size, t: Test): Promise<void> {
  const page = stage.pages[size];
  const other = stage.pages[size === "phone" ? "desktop" : "phone"];
  await page.bringToFront(); // browsers slow hidden pages down
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
  await t.test("a scene from the current state", (t) => captureScene(page, plug, size, t));
  await t.test("a receiver is tested, disabled, enabled", (t) => addWebhook(page, t));
  await t.test("a receiver is changed, and shows what it was sent", (t) => editWebhook(page, t));
  await t.test("the live picture with its plates", (t) => livePicture(page, size, t));
  await t.test("a camera is searched for, previewed, added", (t) => findCamera(page, size, stage.problems, t));
  await t.test("a camera by its maker", (t) => presetCamera(page, size, t));
  await t.test("reads are filtered", () => filterReads(page));
  await t.test("the log", (t) => watchLog(page, stage, size, t));
  await t.test("another person of the household", (t) => household(page, stage, size, t));
  await t.test("a third-party device", (t) => otherMakes(page, size, t));
  if (size === "phone") return;
  await t.test("plates from a spreadsheet", (t) => importRules(page, t));
  await t.test("a mask by keyboard", (t) => drawMask(page, `cam-${size}`, stage.problems, t));
}
