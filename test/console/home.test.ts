/** A household of 200 devices, as a person lives with it: finds, orders and uses devices on a phone and a desktop. A real browser, a real hub, real devices. */
import type { Page } from "playwright-core";
import t from "tap";
import { Person } from "../support/hub-process.js";
import { cannotBrowse, connectDevice, SIZES, type Stage, settled, startStage, violations } from "./stage.js";

t.setTimeout(240_000);
const PASSWORD = "correct horse battery staple";
/** Names as people and their bridges give them. */
const HARD_NAMES = ["0x00158d0001a2b3c4", "living_room_ceiling_light_2", "A".repeat(120), "बैठक की छत वाली बड़ी बत्ती"];
const ROOMS = ["Kitchen", "Bedroom", "Children’s room on the first floor towards the garden", "Office"];
/** With the few that speak, a house of 200. */
const SILENT = 195;

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
const tile = (page: Page, name: string) => page.locator(".tile", { hasText: name });

/** How far a page can be scrolled sideways. */
async function beyond(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
}

type Speaking = Awaited<ReturnType<typeof connectDevice>> & { readonly say: (state: object) => Promise<unknown> };

/** Adds a device that is connected and says how it is. */
async function speaking(stage: Stage, input: { id: string; name: string; type: string; room?: string; favorite?: boolean }, state: object): Promise<Speaking> {
  const made = (await (await stage.pages.desktop.request.post("/api/devices", { data: input })).json()) as { password: string }; // its contract
  const connected = await connectDevice(stage, input.id, made.password);
  const say = (next: object): Promise<unknown> => connected.client.publishAsync(`gatehouse/${input.id}/state`, JSON.stringify(next), { qos: 1 });
  await say(state);
  return { ...connected, say };
}

/** The commands that a device has got, once there are as many. */
async function commandsOf({ commands }: Speaking, count: number): Promise<unknown[]> {
  for (let tries = 0; commands.length < count && tries < 400; tries++) await new Promise((resolve) => setTimeout(resolve, 25));
  return commands.map((command) => JSON.parse(command) as unknown);
}

t.test("a house of 200 devices", { skip: cannotBrowse }, async (t) => {
  const stage = await startStage(t.testdir());
  t.teardown(stage.stop);
  const { desktop, phone } = stage.pages;
  const owner = new Person(stage.hub.url);
  await owner.claim(stage.hub.claimCode ?? "");
  await desktop.request.post("/api/session", { data: { email: "asha@example.org", password: PASSWORD } });
  const silent = Array.from({ length: SILENT }, (_, i) => ({
    id: `d-${i}`,
    name: HARD_NAMES[i] ?? `Plug ${i}`,
    type: i % 2 === 0 ? "smart-plug" : "sensor",
    ...(i % 6 === 5 ? {} : { room: ROOMS[i % 4] }),
  }));
  for (let i = 0; i < silent.length; i += 25) await Promise.all(silent.slice(i, i + 25).map((data) => desktop.request.post("/api/devices", { data })));
  const shutter = await speaking(stage, { id: "shutter", name: "Bedroom shutter", type: "cover", room: "Living room", favorite: true }, { position: 40 });
  const heating = await speaking(stage, { id: "heating", name: "Hall thermostat", type: "thermostat", room: "Living room" }, { target: 21.5, mode: "heat" });
  const relays = await speaking(stage, { id: "relays", name: "Relay board", type: "home-hub", room: "Living room" }, { power: true, power2: false });
  const door = await speaking(stage, { id: "door", name: "Front door", type: "lock", room: "Living room", favorite: true }, { locked: true });
  const lamp = await speaking(stage, { id: "lamp", name: "Reading lamp", type: "dimmer", room: "Living room" }, { power: true, brightness: 40 });
  const devices = [shutter, heating, relays, door, lamp];
  t.teardown(() => Promise.all(devices.map(({ client }) => client.endAsync(true))));

  await t.test("Home is no wall: rooms lead to pages of their own, and only what is seen is drawn", async (t) => {
    await phone.goto("/");
    await phone.getByRole("heading", { level: 2, name: "Rooms" }).waitFor();
    t.ok(Number(await phone.evaluate("document.documentElement.scrollHeight")) < 3_500, "a few screens");
    await button(phone, "195 offline").click();
    await phone.getByText("195 devices found").waitFor();
    t.ok((await phone.locator(".tile").count()) <= 96, "not all at once");
    await phone.locator(".tile").first().waitFor();
    for (let last = 0; last < 195; ) {
      await button(phone, /^Show \d+ more$/)
        .scrollIntoViewIfNeeded()
        .catch(() => {}); // gone: all are there
      await settled(phone);
      const now = await phone.locator(".tile").count();
      if (now === last) break;
      last = now;
    }
    t.equal(await phone.locator(".tile").count(), 195, "further down are the others");
    await button(phone, "195 offline").click();
    await phone.getByRole("link", { name: /^Kitchen/ }).click();
    await phone.getByRole("heading", { level: 1, name: "Kitchen" }).waitFor();
    await phone.getByRole("link", { name: "Home", exact: true }).first().click();
    await phone.getByRole("heading", { level: 2, name: "Rooms" }).waitFor();
  });

  await t.test("a device is found by its name, its room or its type", async (t) => {
    await desktop.goto("/");
    await desktop.getByRole("heading", { level: 2, name: "Rooms" }).waitFor();
    await desktop.keyboard.press("/");
    await desktop.keyboard.type("READING");
    await desktop.getByText("One device found").waitFor();
    await tile(desktop, "Reading lamp").getByRole("link").click();
    await desktop.getByRole("heading", { level: 1, name: "Reading lamp" }).waitFor();
    await desktop.goBack();
    const field = desktop.getByLabel("Find a device, room or type");
    await desktop.getByText("One device found").waitFor();
    t.equal(await field.inputValue(), "READING", "the search is still there after a way back");
    await field.fill("kitchen smart");
    await desktop.getByText("devices found").waitFor();
    const found = await desktop.locator(".tile-name").allTextContents();
    t.ok(found.length > 0 && found.length < 60, `${found.length} found`);
    await field.fill("0x00158");
    await desktop.getByText("One device found").waitFor();
    await field.press("Escape");
    await desktop.getByRole("heading", { level: 2, name: "Rooms" }).waitFor();
  });

  await t.test("tiles do what their devices can", async (t) => {
    await phone.goto("/");
    await phone.getByRole("link", { name: /^Living room/ }).click();
    await tile(phone, "Bedroom shutter").waitFor();
    for (const way of ["Open", "Stop", "Close"]) await button(phone, `Bedroom shutter: ${way}`).click();
    t.same(await commandsOf(shutter, 3), [{ position: 100 }, { stop: true }, { position: 0 }]);
    await button(phone, "Hall thermostat: warmer").click();
    await tile(phone, "Hall thermostat").getByText("22 °C").waitFor();
    await heating.say({ target: 22 });
    await phone.getByLabel("Hall thermostat: Mode").selectOption({ label: "Cool" });
    t.same(await commandsOf(heating, 2), [{ target: 22 }, { mode: "cool" }]);
    await button(phone, "Relay board: Channel 2").click();
    await relays.say({ power2: true });
    await phone.locator('[aria-label="Relay board: Channel 2"][aria-pressed="true"]').waitFor();
    t.same(await commandsOf(relays, 1), [{ ch: 2, on: true }]);
    await tile(phone, "Reading lamp").getByRole("switch").click();
    t.same(await commandsOf(lamp, 1), [{ power: false }]);
    await tile(phone, "Front door").getByRole("button", { name: "Unlock", exact: true }).click();
    await phone.getByRole("dialog").getByText("Unlock Front door?").waitFor();
    await button(phone, "Cancel").click();
    t.same(door.commands, [], "nothing that lets somebody in is sent without a yes");
  });

  await t.test("the order of a room is a person's: by keyboard, by mouse and by touch", async (t) => {
    await desktop.goto("/");
    await desktop.getByRole("link", { name: /^Living room/ }).click();
    const names = (page: Page): Promise<string[]> => page.locator(".sortable > li > p").allTextContents();
    await button(desktop, "Change the order").click();
    t.same(await names(desktop), ["Bedroom shutter", "Front door", "Hall thermostat", "Reading lamp", "Relay board"]);
    await button(desktop, "Move Relay board up").focus();
    for (let i = 0; i < 4; i++) await desktop.keyboard.press("Enter");
    t.equal((await names(desktop))[0], "Relay board");
    const handle = (name: string) => desktop.locator(".sortable > li", { hasText: name }).locator(".drag-handle");
    const from = await handle("Bedroom shutter").boundingBox();
    const to = await handle("Reading lamp").boundingBox();
    if (from === null || to === null) throw new Error("no handles");
    await desktop.mouse.move(from.x + 20, from.y + 20);
    await desktop.mouse.down();
    await desktop.mouse.move(from.x + 20, (from.y + to.y) / 2, { steps: 4 });
    await desktop.mouse.move(from.x + 20, to.y + 30, { steps: 4 });
    const saved = desktop.waitForResponse((response) => response.url().endsWith("/api/device-order") && response.request().method() === "PUT");
    await desktop.mouse.up();
    await saved;
    const wanted = ["Relay board", "Front door", "Hall thermostat", "Reading lamp", "Bedroom shutter"];
    t.same(await names(desktop), wanted);
    await phone.goto("/rooms/favourites");
    await tile(phone, "Front door").waitFor();
    t.same(await phone.locator(".tile-name").allTextContents(), ["Front door", "Bedroom shutter"], "one order everywhere, for everybody");

    const touch = await stage.browser.newContext({ baseURL: stage.hub.url, hasTouch: true, isMobile: true, viewport: SIZES.phone, locale: "en-GB" });
    t.teardown(() => touch.close());
    await touch.addCookies(await phone.context().cookies());
    const hand = await touch.newPage();
    await hand.goto("/rooms/favourites");
    await hand.getByRole("button", { name: "Change the order" }).tap();
    const [first, second] = [await hand.locator(".drag-handle").first().boundingBox(), await hand.locator(".drag-handle").last().boundingBox()];
    if (first === null || second === null) throw new Error("no handles");
    const finger = await touch.newCDPSession(hand);
    const at = (type: string, y: number) =>
      finger.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints: type === "touchEnd" ? [] : [{ x: first.x + 20, y }] });
    const stored = hand.waitForResponse((response) => response.url().endsWith("/api/device-order") && response.request().method() === "PUT");
    await at("touchStart", first.y + 20);
    await at("touchMove", (first.y + second.y) / 2);
    await at("touchMove", second.y + 30);
    await at("touchEnd", 0);
    await stored;
    t.same(await names(hand), ["Bedroom shutter", "Front door"]);
  });

  await t.test("names as they are never push a page sideways", async (t) => {
    await phone.setViewportSize({ width: 360, height: 780 });
    const { rooms } = (await (await phone.request.get("/v1/rooms")).json()) as { rooms: { id: number }[] }; // its contract
    for (const path of ["/", "/?q=a", ...rooms.map(({ id }) => `/rooms/${id}`), "/rooms/none", "/rooms/favourites", "/devices/d-2", "/devices/shutter"]) {
      await phone.goto(path);
      await settled(phone);
      t.ok((await beyond(phone)) <= 0, `${path} is ${await beyond(phone)} px too wide`);
    }
    await phone.goto("/rooms/favourites");
    await button(phone, "Change the order").click();
    t.ok((await beyond(phone)) <= 0);
    t.same(await violations(phone), []);
    await phone.setViewportSize(SIZES.phone);
    for (const path of ["/", `/rooms/${rooms[0]?.id}`]) {
      await phone.goto(path);
      await settled(phone);
      t.same(await violations(phone), [], path);
    }
  });
  t.same(stage.problems, []);
});
