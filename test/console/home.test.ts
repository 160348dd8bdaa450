/**
 * A household of 200 devices in daily use: finding, sorting and using devices on a phone and a desktop. A real browser,
 * a real hub, real devices.
 */
import { networkInterfaces } from "node:os";
import type { Page } from "playwright-core";
import t from "tap";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond, fits, overlaps, SCREENS } from "./layout.ts";
import {
  cannotBrowse,
  connectDevice,
  holds,
  SIZES,
  type Stage,
  settled,
  startOwnedStage,
  violations,
  visit,
} from "./stage.ts";

t.setTimeout(280_000);
/** Whether this machine has an address besides the loopback's. */
const hasNetwork = Object.values(networkInterfaces()).some((known) => known?.some(({ internal }) => !internal));
/** Realistic names, as people and their bridges choose them. */
const HARD_NAMES = ["0x00158d0001a2b3c4", "living_room_ceiling_light_2", "A".repeat(120), "बैठक की छत वाली बड़ी बत्ती"];
const ROOMS = ["Kitchen", "Bedroom", "Children’s room on the first floor towards the garden", "Office"];
/** With the few that send messages, a house of 200. */
const SILENT = 195;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
/** A control that can be pressed, or that looks as if something were on. */
const LIVE =
  "button:not(:disabled), select:not(:disabled), input:not(:disabled), [aria-checked=true], [aria-pressed=true]";
const tile = (page: Page, name: string) => page.locator(".tile", { hasText: name });

type Speaking = Awaited<ReturnType<typeof connectDevice>> & { readonly say: (state: object) => Promise<unknown> };

/** Adds a device that is connected and reports its state. */
async function speaking(
  stage: Stage,
  input: { id: string; name: string; type: string; room?: string; favorite?: boolean },
  state: object,
): Promise<Speaking> {
  const made = (await (await stage.pages.desktop.request.post("/api/devices", { data: input })).json()) as {
    password: string;
  }; // its contract
  const connected = await connectDevice(stage, input.id, made.password);
  const say = (next: object): Promise<unknown> =>
    connected.client.publishAsync(`gatehouse/${input.id}/state`, JSON.stringify(next), { qos: 1 });
  await say(state);
  return { ...connected, say };
}

/** The commands that a device has received, once there are as many. */
async function commandsOf({ commands }: Speaking, count: number): Promise<unknown[]> {
  for (let tries = 0; commands.length < count && tries < 400; tries++)
    await new Promise((resolve) => setTimeout(resolve, 25));
  return commands.map((command) => JSON.parse(command) as unknown);
}

t.test("a house of 200 devices", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { owner } = stage;
  const { desktop, phone } = stage.pages;
  const silent = Array.from({ length: SILENT }, (_, i) => ({
    id: `d-${i}`,
    name: HARD_NAMES[i] ?? `Plug ${i}`,
    type: i % 2 === 0 ? "smart-plug" : "sensor",
    ...(i % 6 === 5 ? {} : { room: ROOMS[i % 4] }),
  }));
  for (let i = 0; i < silent.length; i += 25)
    await Promise.all(silent.slice(i, i + 25).map((data) => desktop.request.post("/api/devices", { data })));
  const shutter = await speaking(
    stage,
    { id: "shutter", name: "Bedroom shutter", type: "cover", room: "Living room", favorite: true },
    { position: 40 },
  );
  const heating = await speaking(
    stage,
    { id: "heating", name: "Hall thermostat", type: "thermostat", room: "Living room" },
    { target: 21.5, mode: "heat" },
  );
  const relays = await speaking(
    stage,
    { id: "relays", name: "Relay board", type: "home-hub", room: "Living room" },
    { power: true, power2: false },
  );
  const door = await speaking(
    stage,
    { id: "door", name: "Front door", type: "lock", room: "Living room", favorite: true },
    { locked: true },
  );
  const lamp = await speaking(
    stage,
    { id: "lamp", name: "Reading lamp", type: "dimmer", room: "Living room" },
    { power: true, brightness: 40 },
  );
  const devices = [shutter, heating, relays, door, lamp];
  t.teardown(() => Promise.all(devices.map(({ client }) => client.endAsync(true))));

  /** Errors other than requests meant to be refused. */
  const unexpected = (): string[] => stage.problems.filter((problem) => !/\b400\b/.test(problem));

  await t.test("Home stays short: rooms lead to pages of their own, and only the visible part is drawn", async (t) => {
    await phone.goto("/");
    await phone.getByRole("heading", { level: 2, name: "Rooms" }).waitFor();
    t.ok(Number(await phone.evaluate("document.documentElement.scrollHeight")) < 3_500, "a few screens");
    await phone.getByRole("link", { name: /^195 offline/ }).click();
    await phone.getByText("195 devices found").waitFor();
    t.ok((await phone.locator(".tile").count()) <= 96, "not all at once");
    await phone.locator(".tile").first().waitFor();
    for (let last = 0; last < 195; ) {
      await button(phone, /^Show \d+ more$/)
        .scrollIntoViewIfNeeded()
        .catch(() => {}); // gone: all are there
      const seen = last;
      last = await eventually(async () => {
        const now = await phone.locator(".tile").count();
        return now > seen ? now : undefined;
      }, 20_000);
    }
    t.equal(await phone.locator(".tile").count(), 195, "the others are further down");
    await phone.getByRole("link", { name: "Show all", exact: true }).click();
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
    const field = desktop.getByLabel("Search the house, settings and help");
    await desktop.getByText("One device found").waitFor();
    t.equal(await field.inputValue(), "READING", "the search is still there after going back");
    await field.fill("kitchen smart");
    await desktop.getByText("devices found").waitFor();
    const found = await desktop.locator(".tile-name").allTextContents();
    t.ok(found.length > 0 && found.length < 60, `${found.length} found`);
    await field.fill("0x00158");
    await desktop.getByText("One device found").waitFor();
    await field.fill("zzqx");
    await desktop.getByText("Nothing found", { exact: true }).waitFor();
    for (const [typed, meant, link] of [
      ["enrgy", "energy", "Energy"],
      ["notfications", "notifications", "Notifications"],
    ] as const) {
      await field.fill(typed);
      const region = desktop.getByRole("region", { name: `Did you mean “${meant}”?`, exact: true });
      await region.getByRole("link", { name: link }).first().waitFor();
      t.equal(await desktop.getByText("Nothing found", { exact: true }).count(), 0, typed);
    }
    await field.fill("zzqx");
    await desktop.getByText("Nothing found", { exact: true }).waitFor();
    t.equal(await desktop.getByText("No device found").count(), 0, "an empty group says nothing");
    await field.press("Escape");
    await desktop.getByRole("heading", { level: 2, name: "Rooms" }).waitFor();
  });

  await t.test(
    "the same search finds rooms, scenes, rules, people, pages, settings and help, from any page",
    async (t) => {
      const post = (path: string, data: object) => desktop.request.post(path, { data });
      await post("/api/scenes", { name: "Reading time", actions: [{ deviceId: "lamp", command: { power: true } }] });
      await post("/v1/automations", {
        name: "Reading ends",
        trigger: { type: "time", at: "23:00" },
        action: { type: "command", deviceId: "lamp", command: { power: false } },
      });
      await desktop.goto("/developer");
      await desktop.getByRole("heading", { level: 1 }).waitFor();
      await desktop.keyboard.press("/");
      const field = desktop.getByLabel("Search the house, settings and help");
      await holds(desktop, "document.activeElement.type === 'search'");
      const group = (name: string) => desktop.getByRole("region", { name, exact: true });
      const leadsTo = (name: string, title: string | RegExp) => group(name).getByRole("link", { name: title }).first();
      await desktop.keyboard.type("reading");
      await group("Scenes").getByRole("button", { name: "Reading time Turns Reading lamp on" }).waitFor();
      await leadsTo("Automations", /^Reading ends/).waitFor();
      t.ok(((await field.boundingBox())?.y ?? 999) < 60, "the field stays at the top");
      t.same(await violations(desktop), []);
      for (const [typed, kind, title, to] of [
        ["kitchen", "Rooms", /^Kitchen/, /\/rooms\/\d+$/],
        ["asha", "People", /^Asha Rao/, /\/system\/persons\/\d+$/],
        ["quiet hours", "Pages and settings", /^What I am told/, /\/notifications\/settings$/],
        ["gate last night", "Pages and settings", /^Last night/, /\/history\?of=night$/],
        ["keep daily backups", "Pages and settings", /^Keep daily backups/, /\/system\/settings\?find=/],
        ["backup", "Manual", /^Backups/, /\/help\/using-gatehouse#backups$/],
      ] as const) {
        await field.fill(typed);
        t.match(await leadsTo(kind, title).evaluate((link) => link.getAttribute("href")), to, typed);
      }
      await leadsTo("Pages and settings", /^Backups/).click();
      await desktop.getByRole("heading", { level: 1, name: "Backups" }).waitFor();
      t.same(unexpected(), []);
    },
  );

  await t.test("on a phone, what a search finds stands above the keyboard", async (t) => {
    await phone.goto("/");
    const field = phone.getByRole("searchbox", { name: "Search the house, settings and help" });
    await field.focus();
    await field.fill("reading lamp");
    await phone.getByText("One device found").waitFor();
    const top = (await field.boundingBox())?.y ?? 999;
    t.ok(top < 60, `the field is at ${top}`);
    const found = (await tile(phone, "Reading lamp").boundingBox())?.y ?? 999;
    t.ok(found < 300, `the device is at ${found}`);
  });

  await t.test("tiles offer what their devices can do", async (t) => {
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
    t.same(door.commands, [], "nothing that opens is sent without confirmation");
  });

  await t.test("a new device's messages appear while the page waits for it", async (t) => {
    await phone.goto("/");
    await tile(phone, "Front door").waitFor();
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await phone.route("**/v1/devices/late", async (route) => {
      const response = await route.fetch();
      asked.resolve();
      await held.promise;
      await route.fulfill({ response });
    });
    const input = { id: "late", name: "Late plug", type: "smart-plug", favorite: true };
    const { password } = await (await phone.request.post("/api/devices", { data: input })).json();
    await asked.promise;
    const { client } = await connectDevice(stage, "late", password);
    await client.publishAsync("gatehouse/late/state", JSON.stringify({ power: true }), { qos: 1 });
    await door.say({ locked: false });
    await tile(phone, "Front door").getByText("Unlocked").waitFor(); // sent after it
    held.resolve();
    await tile(phone, "Late plug").locator("[aria-checked=true]").waitFor();
    t.equal(await tile(phone, "Late plug").getAttribute("data-offline"), "false", "and that it is connected");
    await client.endAsync(true);
    await door.say({ locked: true });
    await phone.unrouteAll({ behavior: "wait" });
    t.ok((await phone.request.delete("/api/devices/late")).ok());
    await tile(phone, "Late plug").waitFor({ state: "detached" });
  });

  await t.test("a lock that has said nothing is not said to be locked", async (t) => {
    await phone.goto("/");
    const chips = phone.locator(".house");
    await chips.getByText("Locked").waitFor();
    await chips.getByText("Front door").waitFor();
    const input = { id: "cellar", name: "Cellar door", type: "lock" };
    const { password } = await (await phone.request.post("/api/devices", { data: input })).json();
    await chips.getByText("1 locked").waitFor();
    await chips.getByText("1 door not known").waitFor();
    const { client } = await connectDevice(stage, "cellar", password);
    const says = (state: object) => client.publishAsync("gatehouse/cellar/state", JSON.stringify(state), { qos: 1 });
    await says({ locked: true });
    await chips.getByText("2 doors", { exact: true }).waitFor();
    await says({ locked: false });
    await chips.getByText("Unlocked").waitFor();
    await client.endAsync(true);
    t.ok((await phone.request.delete("/api/devices/cellar")).ok());
    await chips.getByText("Locked").waitFor();
  });

  await t.test("what needs somebody stands first on Home, is spoken, and goes when it is over", async (t) => {
    await phone.goto("/");
    const alert = phone.getByRole("alert");
    t.equal(await alert.locator("a").count(), 0, "nothing at first");
    const leak = await speaking(
      stage,
      { id: "leak", name: "Under the sink", type: "sensor", room: "Kitchen" },
      { leak: false, battery: 12 },
    );
    await phone.locator(".house").getByText("1 weak battery").waitFor();
    await leak.say({ leak: true });
    await alert.getByText("Water: Under the sink, Kitchen").waitFor();
    await alert.getByText("Close the water valve, then look.").waitFor();
    const [said, chips] = await Promise.all([alert.boundingBox(), phone.locator(".house").boundingBox()]);
    t.ok(said !== null && chips !== null && said.y < 40 && said.y < chips.y, "above everything else");
    const second = await speaking(
      stage,
      { id: "smoke", name: "रसोई का बहुत लंबे नाम वाला धुआँ सेंसर ".repeat(2).trim(), type: "sensor" },
      { smoke: true },
    );
    await alert.locator(".danger-what", { hasText: /^Smoke: / }).waitFor();
    await alert.getByRole("link", { name: "Water: Under the sink, Kitchen" }).waitFor();
    for (const size of [360, 1280] as const) {
      await phone.setViewportSize(SCREENS[size]);
      t.equal(await beyond(phone), 0);
      t.same(await overlaps(phone), []);
      t.same(await violations(phone), []);
    }
    await phone.setViewportSize(SIZES.phone);
    await leak.say({ leak: false });
    await second.say({ smoke: false });
    await alert.locator("a").first().waitFor({ state: "detached" });
    for (const id of ["leak", "smoke"]) t.ok((await phone.request.delete(`/api/devices/${id}`)).ok());
    await Promise.all([leak, second].map(({ client }) => client.endAsync(true)));
  });

  await t.test("an overview older than a change does not undo it", async (t) => {
    const made = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let asked = 0;
    await desktop.route("**/api/overview", async (route) => {
      const isFirst = ++asked === 1; // the second one is requested when the stream is open
      const response = await route.fetch();
      if (!isFirst) {
        made.resolve();
        await held.promise;
      }
      await route.fulfill({ response });
    });
    const move = async (name: string): Promise<void> => {
      const saved = desktop.waitForResponse(
        (response) => response.url().endsWith("/api/device-order") && response.request().method() === "PUT",
      );
      await button(desktop, name).click();
      await saved;
    };
    await desktop.goto("/");
    await made.promise;
    await desktop.getByRole("link", { name: /^Living room/ }).click();
    await button(desktop, "Change the order").click();
    const first = desktop.locator(".sortable > li:first-child");
    await move("Move Front door up");
    held.resolve();
    await desktop.unrouteAll({ behavior: "wait" });
    await settled(desktop);
    t.match(await first.textContent(), "Front door");
    await move("Move Front door down");
    await first.getByText("Bedroom shutter").waitFor();
  });

  await t.test("a room is sorted by hand: by keyboard, by mouse and by touch", async (t) => {
    await desktop.goto("/");
    await desktop.getByRole("link", { name: /^Living room/ }).click();
    const names = (page: Page): Promise<string[]> => page.locator(".sortable > li > p").allTextContents();
    await button(desktop, "Change the order").click();
    t.same(await names(desktop), ["Bedroom shutter", "Front door", "Hall thermostat", "Reading lamp", "Relay board"]);
    await button(desktop, "Move Relay board up").focus();
    for (let i = 0; i < 4; i++) await desktop.keyboard.press("Enter");
    await desktop.locator(".sortable > li:first-child", { hasText: "Relay board" }).waitFor();
    const handle = (name: string) => desktop.locator(".sortable > li", { hasText: name }).locator(".drag-handle");
    const from = await handle("Bedroom shutter").boundingBox();
    const to = await handle("Reading lamp").boundingBox();
    if (from === null || to === null) throw new Error("no handles");
    await desktop.mouse.move(from.x + 20, from.y + 20);
    await desktop.mouse.down();
    await desktop.mouse.move(from.x + 20, (from.y + to.y) / 2, { steps: 4 });
    await desktop.mouse.move(from.x + 20, to.y + 30, { steps: 4 });
    const saved = desktop.waitForResponse(
      (response) => response.url().endsWith("/api/device-order") && response.request().method() === "PUT",
    );
    await desktop.mouse.up();
    await saved;
    const wanted = ["Relay board", "Front door", "Hall thermostat", "Reading lamp", "Bedroom shutter"];
    t.same(await names(desktop), wanted);
    await phone.goto("/rooms/favourites");
    await tile(phone, "Front door").waitFor();
    t.same(
      await phone.locator(".tile-name").allTextContents(),
      ["Front door", "Bedroom shutter"],
      "one order everywhere, for everybody",
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
    await hand.goto("/rooms/favourites");
    await hand.getByRole("button", { name: "Change the order" }).tap();
    const [first, second] = [
      await hand.locator(".drag-handle").first().boundingBox(),
      await hand.locator(".drag-handle").last().boundingBox(),
    ];
    if (first === null || second === null) throw new Error("no handles");
    const finger = await touch.newCDPSession(hand);
    const at = (type: string, y: number) =>
      finger.send("Input.dispatchTouchEvent", {
        type: type as "touchStart",
        touchPoints: type === "touchEnd" ? [] : [{ x: first.x + 20, y }],
      });
    const stored = hand.waitForResponse(
      (response) => response.url().endsWith("/api/device-order") && response.request().method() === "PUT",
    );
    await at("touchStart", first.y + 20);
    await at("touchMove", (first.y + second.y) / 2);
    await at("touchMove", second.y + 30);
    await at("touchEnd", 0);
    await stored;
    t.same(await names(hand), ["Bedroom shutter", "Front door"]);
  });

  await t.test("the page waits for a new device, reports a wrong password, and then shows the device", async (t) => {
    await visit(phone, "/devices");
    await button(phone, "Add a device").click();
    const form = phone.getByRole("dialog");
    await form.getByRole("link", { name: "A device of another make" }).waitFor();
    t.same(await violations(phone), [], "the ways to add a device");
    t.same(await overlaps(phone), []);
    await form.getByRole("button", { name: "A Matter device" }).focus();
    for (const name of [/^A Matter device/, /^A device of another make/, /^A camera/, /^A device of your own/]) {
      t.match(await phone.evaluate("document.activeElement.innerText.trim()"), name);
      await phone.keyboard.press("Tab");
    }
    await phone.keyboard.press("Shift+Tab");
    await phone.keyboard.press("Enter");
    await button(phone, "Add").click();
    await form.getByText("This is needed.").waitFor();
    t.same(unexpected(), []);
    stage.problems.length = 0;
    await form.getByLabel("Name", { exact: true }).fill("Garden lamp");
    await form.getByLabel("Device id (optional)").fill("garden");
    await button(phone, "Add").click();
    await phone.getByText("Waiting for it to connect…").waitFor();
    await form.getByRole("img", { name: "QR code with the connection" }).waitFor();
    const host = (await form.locator("dd code").first().textContent()) ?? "";
    if (hasNetwork) t.notMatch(host, /^(127\.|localhost)/, "the device can reach the address");
    const password = (await form.locator(".secret").textContent())?.trim() ?? "";
    await t.rejects(connectDevice(stage, "garden", "let me in"));
    await phone.getByText(/tried to connect in its name with a wrong password/).waitFor();
    const { client } = await connectDevice(stage, "garden", password);
    t.teardown(() => client.endAsync(true));
    await phone.getByText("Garden lamp is connected.").waitFor();
    await button(phone, "Done").click();
    await visit(desktop, "/devices/garden");
    const refused = desktop.locator(".card", { hasText: "Refused" });
    await refused.getByText("Wrong password").waitFor();
    t.notMatch(await refused.textContent(), /let me in/);
    await visit(desktop, "/system/log");
    await desktop.getByText("a connection in the name of a device was refused").first().waitFor();
    t.notMatch(await desktop.locator("main").textContent(), /let me in/);
  });

  await t.test("a device's page has its features, and a way back", async (t) => {
    await speaking(stage, { id: "guard", name: "Sentinel", type: "sentinel" }, { armed: false }).then((guard) =>
      t.teardown(() => guard.client.endAsync(true)),
    );
    await desktop.request.post("/api/devices", { data: { id: "camera", name: "Yard camera", type: "camera" } });
    const controls = desktop.locator(".card", { has: desktop.getByRole("heading", { level: 2, name: "Controls" }) });
    await visit(desktop, "/devices/guard");
    await controls.getByRole("switch", { name: "Armed" }).waitFor();
    await visit(desktop, "/devices/shutter");
    await controls.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await visit(desktop, "/devices/heating");
    await controls.getByRole("button", { name: "Heat", exact: true }).waitFor();
    await desktop.getByRole("link", { name: "Living room" }).click();
    await desktop.getByRole("heading", { level: 1, name: "Living room" }).waitFor();
    await visit(desktop, "/devices/d-1");
    await settled(desktop);
    t.equal(await controls.count(), 0, "no card without controls");
    await visit(desktop, "/devices/camera");
    await desktop.getByRole("link", { name: "Set up the camera" }).click();
    await desktop.getByRole("heading", { level: 1, name: "Yard camera" }).waitFor();
  });

  await t.test("refusals are in words, beside the field or with its name, in both languages", async (t) => {
    await visit(desktop, "/automations/new");
    await button(desktop, "Save").click();
    const alert = desktop.getByRole("alert");
    await alert.waitFor();
    t.equal(await alert.innerText(), "Choose what starts it. Choose what happens.");
    t.equal(await desktop.evaluate("document.activeElement.textContent"), "choose what starts it");
    t.same(unexpected(), [], "the hub is not even asked");
    await button(desktop, "In detail").click();
    await desktop.getByLabel("What starts it").selectOption("interval");
    await desktop.getByLabel("Every", { exact: true }).fill("0");
    await desktop.getByLabel("Add an action").selectOption("delay");
    await button(desktop, "Save").click();
    await desktop.getByText(/^What starts it › /).waitFor();
    t.notMatch(await desktop.locator("body").textContent(), /must NOT|\/trigger|deviceId|trigger\./);
    await desktop.evaluate("localStorage.setItem('gatehouse.language', 'hi')");
    desktop.on("dialog", (question) => void question.accept()); // an unsaved rule is left
    await desktop.goto("/automations/new");
    await desktop.getByRole("button", { name: "सहेजें", exact: true }).click();
    await alert.waitFor();
    t.equal(await alert.innerText(), "चुनें कि किससे शुरू हो। चुनें कि क्या हो।");
    t.notMatch(await alert.textContent(), /[a-z]{3}/i, "no English in it");
    await desktop.evaluate("localStorage.setItem('gatehouse.language', 'en')");
    t.same(unexpected(), [], "nothing else went wrong");
    stage.problems.length = 0;
  });

  await t.test("settings have names, are found, and are saved together", async (t) => {
    await visit(phone, "/system/settings");
    const group = (name: string) => phone.locator("summary", { hasText: name });
    const list = (name: RegExp) => phone.getByRole("group", { name: "Which settings" }).getByRole("button", { name });
    await group("Backups").waitFor();
    t.equal(await group("Rate limits").count(), 0, "what is an installer's comes when it is asked for");
    await list(/^All \d+$/).click();
    await group("Rate limits").waitFor();
    await list(/^For the house$/).click();
    await group("Rate limits").waitFor({ state: "detached" });
    await phone.getByLabel("Find a setting").fill("requests per minute");
    await phone.getByLabel("Requests per minute of a key").waitFor(); // a search finds all
    await phone.getByLabel("Find a setting").fill("pictures of cars");
    await phone.getByText("0 to 365", { exact: true }).waitFor();
    const days = phone.getByLabel("Keep pictures of cars (days)");
    await days.fill("9000");
    await phone.getByText("This must be at most 365.").waitFor();
    await button(phone, "Save").click();
    await holds(phone, "document.activeElement.id === 'setting-plates.imageRetentionDays'");
    await days.fill("20");
    await phone.getByLabel("Find a setting").fill("backup");
    await phone.getByLabel("Keep daily backups (days)").fill("9");
    await phone.getByText("2 changes are not saved").waitFor();
    await phone.getByLabel("Find a setting").fill("log.level");
    await phone.getByLabel("What the log holds").selectOption({ label: "Warnings and errors" });
    await phone.getByRole("link", { name: "Home", exact: true }).click();
    await phone.getByText("Leave without saving?").waitFor();
    await button(phone, "Cancel").click();
    await phone.getByText("One counts only after a restart.").waitFor();
    await button(phone, "Save").click();
    await phone.getByText("One setting takes effect after a restart: What the log holds").waitFor();
    await phone.getByText("3 changes are not saved").waitFor({ state: "detached" });
    const { settings } = (await (await phone.request.get("/api/settings")).json()) as {
      settings: { key: string; saved: unknown }[];
    }; // its contract
    const saved = Object.fromEntries(settings.map((setting) => [setting.key, setting.saved]));
    t.match(saved, { "plates.imageRetentionDays": 20, "backups.keepDaily": 9, "log.level": "warn" });
    t.same(await violations(phone), []);
    t.ok((await beyond(phone)) <= 0);
    await phone.getByLabel("Find a setting").fill("");
    await list(/^\d+ changed$/).click();
    const changed = phone.locator(".setting", { hasText: "What the log holds" });
    await changed.getByRole("button", { name: /^Back to the default: / }).waitFor();
    t.equal(await phone.getByLabel("Find a setting").inputValue(), "");
    t.equal(await phone.locator(".setting", { hasText: "Commands of a key at once" }).count(), 0);
    await phone.getByLabel("Keep daily backups (days)").waitFor();
    t.same(await violations(phone), []);
    await button(phone, "Restart the hub").click();
    await phone.getByText("The hub starts with the new settings.").waitFor();
  });

  await t.test(
    "the time zone is asked for until it is answered, and system pages are in the order of use",
    async (t) => {
      await desktop.goto("/");
      await desktop.getByText("In which time zone is the house?").waitFor();
      await desktop.reload();
      await desktop.getByLabel("Time zone", { exact: true }).selectOption("Europe/Berlin");
      await button(desktop, "Save").click();
      await desktop.getByText("In which time zone is the house?").waitFor({ state: "detached" });
      t.match((await (await desktop.request.get("/api/site")).json()) as object, {
        site: { timeZone: "Europe/Berlin", timeZoneGiven: true },
      });
      await phone.goto("/system");
      await phone
        .getByText("All is well")
        .or(phone.getByText(/could be better$/))
        .waitFor();
      t.same(await phone.getByRole("heading", { level: 2 }).allTextContents(), [
        "House",
        "Connections",
        "Care",
        "Preferences",
      ]);
      const devices = phone.locator(".rows").getByRole("link", { name: /^Devices/ });
      await devices.getByText(/^\d+ devices/).waitFor();
      await phone.getByRole("searchbox", { name: "Find a setting" }).fill("dark");
      await phone.getByRole("link", { name: /^Theme/ }).click();
      await phone.getByRole("heading", { level: 1, name: "This browser" }).waitFor();
      await phone.getByRole("link", { name: "System", exact: true }).click();
      await phone.getByRole("heading", { level: 1, name: "System" }).waitFor();
      await visit(phone, "/system/settings");
      const search = phone.getByRole("searchbox", { name: "Find a setting" });
      await search.fill("how long are photos kept");
      await phone.getByLabel("Keep pictures of cars (days)").waitFor();
      await search.fill("timezone");
      await phone.getByRole("link", { name: /^Time zone/ }).waitFor();
      await search.fill("भाषा");
      await phone.getByRole("link", { name: /^Language/ }).waitFor();
      await search.fill("xyzzy");
      await phone.getByText("No setting is called that.").waitFor();
      const price = (perKwh: number) => ({
        currency: "INR",
        prices: [{ validFrom: null, perKwh, exportPerKwh: 0, periods: [] }],
      });
      for (const perKwh of [7, 8.5])
        await desktop.request.put("/api/energy/settings", { data: { tariff: price(perKwh), roles: [] } });
      await visit(phone, "/system/audit");
      await phone
        .getByText(/^.+ changed the site .+Time zone: .+ → Europe\/Berlin/)
        .first()
        .waitFor();
      await phone.getByText(/ set the price of energy to ₹\s?8\.50 per kWh \(before: ₹\s?7\.00\)$/).waitFor();
      t.notMatch(await phone.locator("main").innerText(), /\b(energy|Matter) \1\b|\{/, "no word twice, and no JSON");
      await visit(phone, "/system/health");
      const advice = phone.locator(".check-line", { hasText: "Encryption" });
      await advice.getByText("Advice", { exact: true }).waitFor();
      await advice.getByRole("link").click();
      await phone.getByLabel("Encryption", { exact: true }).waitFor();
      t.notOk(await phone.getByText("In which time zone is the house?").isVisible());
      await visit(phone, "/gate/cameras/new");
      await button(phone, /^Set it up by hand/).click();
      await phone.getByRole("dialog").getByLabel("Name", { exact: true }).fill("Side gate");
      await phone.getByRole("dialog").getByRole("button", { name: "Add this camera", exact: true }).click();
      await phone.getByRole("heading", { level: 1, name: "Side gate" }).waitFor();
      t.match(new URL(phone.url()).pathname, /^\/gate\/cameras\/camera-/);
    },
  );

  await t.test("a member sees only what concerns members", async (t) => {
    const { body } = await owner.call<{ code: string }>("POST", "/api/persons/invitations", {
      name: "Ravi",
      role: "member",
    });
    const ravi = await stage.browser.newContext({ baseURL: stage.hub.url, viewport: SIZES.phone, locale: "en-GB" });
    t.teardown(() => ravi.close());
    const joined = await ravi.request.post("/api/join", {
      data: { code: body.code, name: "Ravi", email: "ravi@example.org", password: "a quiet sentence about rain" },
    });
    t.equal(joined.status(), 201);
    const page = await ravi.newPage();
    await page.goto("/system");
    await page.getByRole("heading", { level: 2, name: "Your account" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    t.same(
      await page.getByRole("heading", { level: 2 }).allTextContents(),
      ["This browser", "Your account"],
      "neither disk nor broker",
    );
    await visit(page, "/rooms/favourites");
    await tile(page, "Front door").waitFor();
    t.equal(await page.getByRole("button", { name: "Change the order" }).count(), 0);
    t.equal((await ravi.request.put("/api/device-order", { data: { ids: ["door", "shutter"] } })).status(), 403);
    t.equal((await ravi.request.post("/api/restart", { data: {} })).status(), 403);
    await visit(page, "/devices/d-1");
    await page.getByText("It has not connected yet.").waitFor();
    await page.goto("/system/mqtt");
    await page.getByRole("heading", { level: 1 }).waitFor();
    t.equal(await page.getByRole("button", { name: "Start looking" }).count(), 0);
  });

  await t.test("an owner watches the broker's messages, and publishes after a proof", async (t) => {
    await visit(desktop, "/system/mqtt");
    await desktop.getByText("Nothing is watched until you start looking").waitFor();
    await Promise.all([desktop.waitForResponse(/\/api\/mqtt\/stream$/), button(desktop, "Start looking").click()]);
    await lamp.say({ power: true, brightness: 55, password: "hunter22" });
    await desktop.getByLabel("Find a topic").fill("lamp/state");
    await desktop.locator(".topic-choice", { hasText: "state" }).click();
    const last = desktop.locator(".card", { has: desktop.getByRole("heading", { level: 2, name: "Last message" }) });
    await last.getByText("gatehouse/lamp/state").waitFor();
    t.match(await last.locator("pre").textContent(), /"brightness":55/);
    t.notMatch(await desktop.locator("main").textContent(), /hunter22/);
    await button(desktop, "Publish").click();
    await desktop.getByText("This topic is the hub's own or a native device's; use the device's controls.").waitFor();
    await desktop.getByLabel("Topic", { exact: true }).fill("shed/relay/set");
    await desktop.getByLabel("Message", { exact: true }).fill("ON");
    await button(desktop, "Publish").click();
    await desktop.getByText("Published", { exact: true }).waitFor();
    t.same(await violations(desktop), []);
    await button(desktop, "Stop").click();
    await button(desktop, "Start looking").waitFor();
    t.same(unexpected(), []);
    stage.problems.length = 0;
    await desktop.request.post("/v1/automations", {
      data: {
        name: "Every morning",
        enabled: true,
        trigger: { type: "time", at: "07:00" },
        conditions: [],
        action: { type: "command", deviceId: "lamp", command: { power: true } },
      },
    });
    await visit(desktop, "/automations");
    await desktop.getByText(/^Next: (today|tomorrow) 0?7:00/).waitFor();
  });

  await t.test("seven windows of one browser are live, even after the first is closed", async (t) => {
    const many = await stage.browser.newContext({ baseURL: stage.hub.url, locale: "en-GB", serviceWorkers: "block" });
    t.teardown(() => many.close());
    await many.addCookies(await phone.context().cookies());
    const own: string[] = [];
    const windows: Page[] = [];
    const show = (percent: number, pages: readonly Page[]): Promise<unknown> =>
      Promise.all(
        pages.map((page) => page.locator("li", { hasText: "Reading lamp" }).getByText(`${percent} %`).waitFor()),
      );
    for (let n = 0; n < 7; n++) {
      const page = await many.newPage();
      page.on("request", (request) => void (/\/api\/stream(\?|$)/.test(request.url()) && own.push(request.url())));
      await page.goto("/devices");
      await page.getByLabel("Name, room, type or id").fill("reading");
      await page.getByRole("link", { name: "Reading lamp" }).waitFor();
      windows.push(page);
    }
    await lamp.say({ power: true, brightness: 61 });
    await show(61, windows);
    const [first, ...others] = windows;
    await first?.close();
    await lamp.say({ power: true, brightness: 62 });
    await show(62, others);
    await others[0]?.goto("about:blank");
    await others[0]?.goBack();
    await others[0]?.getByLabel("Name, room, type or id").fill("reading");
    await lamp.say({ power: true, brightness: 63 });
    await show(63, others);
    for (const page of others) {
      await page.goto("/system/log");
      await page.locator(".log li").first().waitFor();
    }
    const seventh = await many.newPage();
    await seventh.goto("/system/log");
    await seventh.locator(".log li").first().waitFor();
    await t.rejects(connectDevice(stage, "heating", "let me in"));
    for (const page of [...others, seventh])
      await page.locator(".log li", { hasText: /in the name of a device was refused.*heating/ }).waitFor();
    t.same(own, [], "none has a stream of its own");
  });

  await t.test("an offline device looks and is off, on its tile and on its page", async (t) => {
    for (const { client } of devices) await client.endAsync();
    await visit(phone, "/");
    await phone.getByRole("link", { name: /^Living room/ }).click();
    for (const [id, name, way] of [
      ["shutter", "Bedroom shutter", "Open"],
      ["heating", "Hall thermostat", "Heat"],
      ["relays", "Relay board", "Power"],
      ["door", "Front door", "Unlock"],
      ["lamp", "Reading lamp", "Power"],
    ] as const) {
      const one = tile(phone, name);
      await one.getByText("Offline", { exact: true }).waitFor();
      t.equal(await one.getAttribute("data-on"), "false", `${name} does not shine`);
      const controls = one.locator("button, select, input");
      t.ok((await controls.count()) > 0, `${name} has controls`);
      t.equal(await one.locator(LIVE).count(), 0, `nothing on ${name}'s tile can be pressed or looks on`);
      await visit(desktop, `/devices/${id}`);
      const card = desktop.locator(".card", { has: desktop.getByRole("heading", { level: 2, name: "Controls" }) });
      await card.locator("button, select, input").first().waitFor();
      t.equal(await card.locator(LIVE).count(), 0, `nor on its page (${way})`);
    }
  });

  await t.test("realistic names never make a page scroll sideways, and cover nothing", async (t) => {
    await phone.setViewportSize({ width: 360, height: 780 });
    // its contract
    const { rooms } = (await (await phone.request.get("/v1/rooms")).json()) as { rooms: { id: number }[] };
    for (const path of [
      "/",
      "/?q=a",
      ...rooms.map(({ id }) => `/rooms/${id}`),
      "/rooms/none",
      "/rooms/favourites",
      "/devices/d-2",
      "/devices/shutter",
      "/system/settings",
      "/system/mqtt",
      "/system",
    ]) {
      await visit(phone, path);
      await settled(phone);
      t.ok((await beyond(phone)) <= 0, `${path} is ${await beyond(phone)} px too wide`);
      t.same(await overlaps(phone), [], path);
    }
    await fits(
      desktop,
      ["/", "/rooms/none", "/history", "/energy", "/scenes", "/automations/new", "/devices", "/system/rooms"],
      [390, 768, 1280, 1920],
      t,
    );
    await visit(phone, "/rooms/favourites");
    await button(phone, "Change the order").click();
    t.ok((await beyond(phone)) <= 0);
    t.same(await violations(phone), []);
    await phone.setViewportSize(SIZES.phone);
    for (const path of ["/", `/rooms/${rooms[0]?.id}`]) {
      await visit(phone, path);
      await settled(phone);
      t.same(await violations(phone), [], path);
    }
  });
  t.same(stage.problems, []);
});
