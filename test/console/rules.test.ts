/**
 * Rules made by hand: found by name, evaluated while being written, reordered, deleted and restored, never lost by
 * leaving.
 */
import type { CDPSession, Page } from "playwright-core";
import t, { type Test } from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, choose, connectDevice, SIZES, settled, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(240_000);
const LONG_NAME = `Wohnzimmer ${"A".repeat(109)}`;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const dialog = (page: Page) => page.getByRole("dialog");

interface StoredRule {
  readonly id: number;
  readonly name: string;
  readonly conditions: readonly { readonly type: string; readonly op?: string; readonly value?: unknown }[];
  readonly action: { readonly actions?: readonly { readonly type: string }[] };
}

async function rules(page: Page): Promise<readonly StoredRule[]> {
  // its contract
  return ((await (await page.request.get("/v1/automations")).json()) as { automations: StoredRule[] }).automations;
}

/** An owner who is signed in on both pages of a house with a sensor that reports and lamps that never have. */
async function household(t: Test) {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { request } = stage.pages.desktop;
  await request.patch("/api/site", { data: { timeZone: "Asia/Kolkata", latitude: 25.6, longitude: 85.1 } });
  const made = (await (
    await request.post("/api/devices", { data: { id: "hall", name: "Hall sensor", type: "sensor", room: "Hall" } })
  ).json()) as {
    password: string;
  }; // its contract
  const names = ["Reading lamp", "0x00158d0001a2b3c4", "living_room_ceiling_light_2", LONG_NAME];
  await Promise.all(
    names.map((name, index) =>
      request.post("/api/devices", {
        data: { id: `lamp-${index}`, name, type: "dimmer", room: index === 0 ? "Study" : "Attic" },
      }),
    ),
  );
  const sensor = await connectDevice(stage, "hall", made.password);
  t.teardown(() => sensor.client.endAsync(true));
  const report = (state: object) =>
    sensor.client.publishAsync("gatehouse/hall/state", JSON.stringify(state), { qos: 1 });
  await report({ temperature: 19.2, humidity: 41, motion: false });
  return { stage, report };
}

/** The heads of the blocks in one card of the editor. */
const heads = (page: Page): Promise<string[]> => page.locator(".block-head strong").allTextContents();

t.test("rules by hand", { skip: cannotBrowse }, async (t) => {
  const { stage, report } = await household(t);
  const { desktop, phone } = stage.pages;

  await t.test(
    "devices and values are found by typing, with their current value, and every condition shows whether it holds",
    async (t) => {
      await desktop.goto("/automations/new?detail");
      await desktop.getByLabel("Name", { exact: true }).pressSequentially("Warm hall");
      await desktop.getByLabel("What starts it").selectOption("sun");
      await desktop.getByText(/^Next: .*sunset is .* today$/).waitFor();
      await desktop.getByLabel("Add a condition").selectOption("state");
      await desktop.getByText("Not complete yet", { exact: true }).waitFor();
      const device = desktop.getByLabel("Device", { exact: true });
      await device.click();
      const list = desktop.locator(".picker-list [role=option]");
      await list.filter({ hasText: "Reading lamp" }).getByText("Study · Not connected yet").waitFor();
      t.equal(await list.count(), 5, "offline ones too");
      await device.pressSequentially("hal sen");
      await list.getByText("Hall · No movement · 19.2 °C · 41 %").waitFor();
      t.equal(await list.count(), 1);
      await device.press("Enter");
      t.equal(await device.inputValue(), "Hall sensor");
      const value = desktop.getByLabel("Value", { exact: true });
      await value.click();
      t.same(await list.locator(".picker-name").allTextContents(), ["Temperature", "Humidity", "Movement"]);
      t.same(await list.locator(".picker-detail").allTextContents(), ["19.2\u00a0°C now", "41\u00a0% now", "no now"]);
      await value.press("Escape");
      t.equal(await list.count(), 0);
      await choose(desktop, "Value", "Temperature");
      t.same(await desktop.getByLabel("Comparison").locator("option").allTextContents(), [
        "is",
        "is not",
        "is more than",
        "is at least",
        "is less than",
        "is at most",
      ]);
      const compared = desktop.getByLabel("Compare with (°C)");
      t.equal(await compared.inputValue(), "28", "a usual limit, not what was measured last");
      await compared.fill("19");
      await desktop.getByText("True now: Temperature is 19.2 °C").waitFor();
      await desktop.getByText("Would run now, if triggered.").waitFor();
      await compared.fill("");
      await compared.pressSequentially("21,5");
      await desktop.getByText("Not now: Temperature is 19.2 °C").waitFor();
      await desktop.getByText("Would not run now:").waitFor();
      await report({ temperature: 22.4 });
      await desktop.getByText("True now: Temperature is 22.4 °C").waitFor();
      await report({ temperature: 20 });
      await desktop
        .getByText("Temperature is 20 °C, and the rule asks that the temperature of Hall sensor is more than 21.5 °C.")
        .waitFor();
      await desktop.getByLabel("Add a condition").selectOption("sun");
      await desktop.getByText(/the sun is (up|down), sunrise is .* today, sunset is .* today$/).waitFor();
      await desktop.getByLabel("Add an action").selectOption("notify");
      await desktop.getByLabel("Title", { exact: true }).fill("Warm at ");
      await button(desktop, "the value").click();
      t.equal(await desktop.getByLabel("Title", { exact: true }).inputValue(), "Warm at {value}");
      await desktop.getByLabel("Title", { exact: true }).fill("Warm");
      await device.click();
      t.same(await violations(desktop), [], "with an open list");
      await device.press("Escape");
      await button(desktop, "Save").click();
      await desktop.getByRole("link", { name: "Warm hall" }).waitFor();
      t.hasStrict((await rules(desktop))[0]?.conditions[0], {
        type: "state",
        deviceId: "hall",
        field: "temperature",
        op: "gt",
        value: 21.5,
      });
    },
  );

  await t.test("typed text that is not a device is reset, and so is a value that the device never has", async (t) => {
    await desktop.goto("/automations/new?detail");
    await desktop.getByLabel("What starts it").selectOption("state");
    await choose(desktop, "Device", "Reading lamp");
    const device = desktop.getByLabel("Device", { exact: true });
    await device.fill("no such thing");
    await device.press("Tab");
    t.equal(await device.inputValue(), "Reading lamp");
    const value = desktop.getByLabel("Value", { exact: true });
    const known = await value.inputValue();
    await value.fill("scene.last");
    await value.press("Tab");
    t.equal(await value.inputValue(), known);
    await desktop.getByLabel("What starts it").selectOption("time");
  });

  await t.test("blocks are reordered by keyboard, by mouse and by touch, and Escape restores the order", async (t) => {
    await desktop.goto("/automations/new?detail");
    await desktop.getByLabel("Name", { exact: true }).fill("In order");
    await desktop.getByLabel("What starts it").selectOption("time");
    for (const type of ["notify", "delay", "notify"]) await desktop.getByLabel("Add an action").selectOption(type);
    await desktop.getByLabel("Title", { exact: true }).first().fill("first");
    await desktop.getByLabel("Title", { exact: true }).last().fill("last");
    await button(desktop, "Move 3. Tell somebody up").focus();
    await desktop.keyboard.press("Enter");
    await desktop.getByText("3. Tell somebody is now number 2 of 3.").waitFor();
    t.same(await heads(desktop), ["1. Tell somebody", "2. Tell somebody", "3. Wait"]);
    t.equal(
      await desktop.evaluate("document.activeElement.getAttribute('aria-label')"),
      "Move 2. Tell somebody up",
      "the pressed button moves along",
    );
    await desktop.keyboard.press("Enter");
    const titles = (page: Page) =>
      page
        .getByLabel("Title", { exact: true })
        .evaluateAll((fields) => fields.map((field) => Reflect.get(field, "value") as string));
    t.same(await titles(desktop), ["last", "first"]);

    // Faster than the list is drawn: each press counts from the block's current place, not its drawn one.
    const pressTwice = (name: string): Promise<unknown> =>
      desktop.evaluate(`for (const _ of [1, 2]) document.querySelector('[aria-label="${name}"]').click()`);
    await pressTwice("Move 1. Tell somebody down");
    await desktop.getByText("2. Tell somebody is now number 3 of 3.").waitFor();
    t.same(await titles(desktop), ["first", "last"]);
    await pressTwice("Move 3. Tell somebody up");
    await desktop.getByText("2. Tell somebody is now number 1 of 3.").waitFor();
    t.same(await titles(desktop), ["last", "first"]);

    await desktop.setViewportSize({ width: 1280, height: 1400 }); // all three in sight
    const handles = desktop.locator(".block .drag-handle");
    await handles.last().scrollIntoViewIfNeeded();
    const [wait, top] = [await handles.last().boundingBox(), await desktop.locator(".block").first().boundingBox()];
    if (wait === null || top === null) throw new Error("no handles");
    const pull = async (): Promise<void> => {
      await desktop.mouse.move(wait.x + 20, wait.y + 20);
      await desktop.mouse.down();
      await desktop.mouse.move(wait.x + 20, top.y + 40, { steps: 8 });
      await desktop.getByText("1. Wait").waitFor();
    };
    await pull();
    await desktop.keyboard.press("Escape");
    await desktop.getByText("3. Wait").waitFor();
    await desktop.mouse.up();
    await pull();
    await desktop.mouse.up();
    t.same(await heads(desktop), ["1. Wait", "2. Tell somebody", "3. Tell somebody"]);
    t.same(await titles(desktop), ["last", "first"], "the typed text moves along");
    await desktop.setViewportSize(SIZES.desktop);
    await button(desktop, "Save").click();
    await desktop.getByRole("link", { name: "In order" }).waitFor();
    const stored = (await rules(desktop)).find(({ name }) => name === "In order");
    t.same(
      stored?.action.actions?.map(({ type }) => type),
      ["delay", "notify", "notify"],
    );

    const touch = await stage.browser.newContext({
      baseURL: stage.hub.url,
      hasTouch: true,
      isMobile: true,
      viewport: SIZES.phone,
      locale: "en-GB",
    });
    t.teardown(() => touch.close());
    await touch.addCookies(await phone.context().cookies());
    const hand = await touch.newPage();
    await hand.goto(`/automations/${stored?.id ?? 0}?detail`);
    await hand.getByLabel("Add a condition").selectOption("state");
    await hand.getByLabel("Device", { exact: true }).tap();
    await hand.locator("dialog[open]").waitFor();
    t.equal(await hand.evaluate("document.activeElement.tagName"), "H2", "no keyboard covers the choices");
    await hand.locator(".picker-list [role=option]", { hasText: "Hall sensor" }).tap();
    t.equal(await hand.getByLabel("Device", { exact: true }).inputValue(), "Hall sensor");
    // both in sight: a message's block is nearly as high as the screen
    await hand.evaluate("document.querySelectorAll('.block .drag-handle')[1].scrollIntoView(); scrollBy(0, -80)");
    const [last, before] = [
      await hand.locator(".block .drag-handle").last().boundingBox(),
      await hand.locator(".block .drag-handle").nth(1).boundingBox(),
    ];
    if (last === null || before === null) throw new Error("no handles");
    t.ok(before.y > 0 && last.y < SIZES.phone.height - 80, `${before.y} and ${last.y} are in sight`);
    const finger = await touch.newCDPSession(hand);
    await at(finger, "touchStart", last.x + 20, last.y + 20);
    for (const part of [0.3, 0.6, 1])
      await at(finger, "touchMove", last.x + 20, last.y + 20 + (before.y - last.y) * part);
    await at(finger, "touchEnd", 0, 0);
    await hand.getByText("3. Tell somebody is now number 2 of 3.").waitFor();
    t.same(await titles(hand), ["first", "last"]);
    await touch.close();
  });

  await t.test(
    "a message with an action stays while in use, is reached by F6 and closed by Escape; a deletion can be undone after it",
    async (t) => {
      await desktop.clock.install();
      await desktop.goto("/automations");
      const remove = button(desktop, "Delete In order");
      await remove.focus();
      await desktop.keyboard.press("Enter");
      await desktop.getByText("In order was deleted.").waitFor();
      await desktop.getByRole("link", { name: "Warm hall" }).focus();
      await desktop.keyboard.press("F6");
      t.equal(await desktop.evaluate("document.activeElement.textContent"), "Undo");
      await desktop.clock.fastForward(30_000);
      t.equal(await button(desktop, "Undo").count(), 1, "it stays while it has the focus");
      t.same(await violations(desktop), []);
      await desktop.keyboard.press("Escape");
      await button(desktop, "Undo").waitFor({ state: "detached" });
      t.equal(
        await desktop.evaluate("document.activeElement.textContent"),
        "Warm hall",
        "the focus is back where it was",
      );
      await desktop.reload();
      await button(desktop, "Restore In order").click();
      await button(desktop, "Delete In order").waitFor();
      await desktop.getByText("Deleted in this window").waitFor({ state: "detached" });
      t.same((await rules(desktop)).map(({ name }) => name).sort(), ["In order", "Warm hall"]);
      await button(desktop, "Delete In order").click();
      await button(desktop, "Undo").waitFor();
      await desktop.clock.fastForward(13_000);
      await button(desktop, "Undo").waitFor({ state: "detached" });
      await button(desktop, "Restore In order").waitFor();
      await desktop.clock.resume();
    },
  );

  await t.test("leaving an editor by link, key, tap, back button or reload asks a question", async (t) => {
    const leave = () => dialog(desktop).filter({ hasText: "Leave without saving?" });
    const stay = () => leave().getByRole("button", { name: "Cancel", exact: true }).click();
    await desktop.goto("/gate/rules");
    await desktop.getByRole("link", { name: "Scenes" }).click();
    await button(desktop, "New scene").click();
    const name = dialog(desktop).getByLabel("Name", { exact: true });
    await name.pressSequentially("Film");
    await desktop.keyboard.press("Escape");
    await leave().waitFor();
    await stay();
    t.equal(await name.inputValue(), "Film");
    await desktop.mouse.click(5, 5);
    await leave().waitFor();
    await stay();
    await desktop.goBack();
    await leave().waitFor();
    await stay();
    t.equal(new URL(desktop.url()).pathname, "/scenes");
    const asked = desktop.waitForEvent("dialog");
    await desktop.evaluate("setTimeout(() => location.reload())");
    const browserAsks = await asked;
    t.equal(browserAsks.type(), "beforeunload");
    await browserAsks.dismiss();
    t.equal(await name.inputValue(), "Film");
    await desktop.goBack();
    await leave().getByRole("button", { name: "Leave", exact: true }).click();
    await desktop.getByRole("heading", { level: 1, name: "Plate rules" }).waitFor();

    await button(desktop, "Add a plate rule").click();
    await dialog(desktop).getByLabel("When", { exact: true }).focus();
    await desktop.keyboard.press("Escape");
    await dialog(desktop).waitFor({ state: "detached" }); // nothing was typed: nothing is asked
    await button(desktop, "Add a plate rule").click();
    await dialog(desktop).getByLabel("When", { exact: true }).focus();
    await dialog(desktop).getByLabel("When", { exact: true }).selectOption("weekly");
    await desktop.keyboard.press("Escape");
    await leave().getByRole("button", { name: "Leave", exact: true }).click();
    await dialog(desktop).waitFor({ state: "detached" });

    await desktop.getByRole("link", { name: "Automations" }).click();
    await desktop.getByRole("link", { name: "Warm hall" }).click();
    await button(desktop, "In detail").click();
    await button(desktop, /^Remove 2/).click();
    await desktop.getByRole("link", { name: "Activity" }).click();
    await leave().waitFor();
    await stay();
    await button(desktop, "Save").click(); // saved changes can be left without a question
    await desktop.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
  });

  await t.test("with realistic names the pages stay within a phone, in both themes", async (t) => {
    const [rule] = await rules(phone);
    await phone.setViewportSize({ width: 360, height: 780 });
    for (const path of ["/scenes", "/automations", `/automations/${rule?.id ?? 0}?detail`]) {
      await visit(phone, path);
      await settled(phone);
      if (path.endsWith(String(rule?.id))) {
        await choose(phone, "Device", LONG_NAME);
        await phone.getByText(/^Not now: .* is not known$/).waitFor();
        await phone.getByLabel("Device", { exact: true }).click();
      }
      t.equal(await beyond(phone), 0, `${path} is no wider than the phone`);
    }
    t.same(await violations(phone), []);
    await phone.emulateMedia({ colorScheme: "dark" });
    t.same(await violations(phone, "colours"), []);
  });
  t.same(stage.problems, []);
});

function at(finger: CDPSession, type: "touchStart" | "touchMove" | "touchEnd", x: number, y: number): Promise<unknown> {
  return finger.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
}
