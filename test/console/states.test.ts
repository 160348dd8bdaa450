/**
 * Looking an evening up: how long the gate was open, who came, and who opened it. A real browser, a real hub with its
 * demo household, a device that connects by MQTT.
 */
import mqtt from "mqtt";
import type { Page } from "playwright-core";
import t from "tap";
import { eventually, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";
import { startBrowser } from "./browser.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, SIZES, settled, violations } from "./stage.ts";

t.setTimeout(240_000);

t.test("an evening is looked up", { skip: cannotBrowse }, async (t) => {
  const hub = await startHubProcess(testFolder(t), { GATEHOUSE_DEMO: "true", GATEHOUSE_RECOGNITION: "false" });
  t.teardown(() => hub.stop());
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const context = await browser.newContext({
    baseURL: hub.url,
    locale: "en-GB",
    timezoneId: "Asia/Kolkata",
    viewport: SIZES.phone,
    serviceWorkers: "block",
  });
  const { request } = context;
  const person = { name: "Asha Rao", email: "asha@example.org", password: "correct horse battery staple" };
  const claimed = await request.post("/api/claim", {
    data: { code: hub.claimCode, ...person, timeZone: "Asia/Kolkata" },
  });
  t.equal(claimed.status(), 201);
  await eventually(async () => {
    const { plates } = (await (await request.get("/v1/plates?limit=1")).json()) as { plates: { at: string }[] };
    // its past is made oldest first
    return Date.parse(plates[0]?.at ?? "") > Date.now() - 14 * 3_600_000 ? plates : undefined;
  }, 90_000);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  const main = page.locator("main");

  await t.test("how long was the gate open last night, and who came: four taps at most", async (t) => {
    await page.goto("/");
    let taps = 0;
    const tap = async (role: "link" | "button", name: string): Promise<void> => {
      taps += 1;
      await page
        .getByRole(role, { name, exact: role === "button" })
        .first()
        .click();
      await settled(page);
    };
    await tap("link", "More");
    await tap("link", "History");
    await tap("button", "Last night");
    const answers = page.locator(".day-answers");
    // the last: in a night that the hub has not seen from its beginning
    await answers
      .getByText(/Driveway gate: (open \d+ times|open once|open at|open until|(stayed )?closed all |closed since)/)
      .waitFor();
    await answers.getByText(/(\d+ cars, |One car, |No car was seen|not read)/).waitFor();
    t.ok(taps <= 4, `${taps} taps`);
    t.same(await violations(page), []);
  });

  await t.test("a whole day: bars of each state on one axis, with words for who cannot see them", async (t) => {
    await page.getByRole("button", { name: "Yesterday", exact: true }).click();
    await settled(page);
    const bar = page.getByRole("img", { name: /^Driveway gate: open \d+ times, .* in all$/ });
    await bar.waitFor();
    await page.locator(".happened li").first().waitFor();
    await page.getByRole("button", { name: /^Show all \d+$/ }).click();
    // on some days the family is away, or the camera misses it
    t.match(
      await page.locator(".happened").innerText(),
      /Driveway gate open for (Family car|Second car|Milk delivery)/,
    );
    const axis = page.getByRole("slider", { name: "Moment on the timeline" });
    await axis.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    const first = await axis.getAttribute("aria-valuetext");
    await page.keyboard.press("ArrowRight");
    t.not(await axis.getAttribute("aria-valuetext"), first, "the keys go from change to change");
    await page.setViewportSize({ width: 1366, height: 768 });
    t.same(await violations(page), []);
    t.equal(await beyond(page), 0);
    await page.setViewportSize(SIZES.phone);
  });

  await t.test("the list obeys the chips, a block says what it is, and a car can be followed", async (t) => {
    const chips = page.getByRole("group", { name: "What to show" });
    await chips.getByRole("button", { name: "Switched on" }).click();
    const happened = page.locator(".happened");
    await happened.getByText(/Dining lamp on by the rule Lamp in the evening · 4\sh \d+\smin/).waitFor();
    t.notMatch(await happened.innerText(), /Driveway gate/, "no doors among what was switched on");
    const bar = page.getByRole("img", { name: /^Dining lamp: on once/ });
    const box = await bar.boundingBox();
    if (box === null) throw new Error("the lamp has no bar");
    // 8 pm of the day
    await bar.dispatchEvent("pointerdown", {
      pointerType: "touch",
      clientX: box.x + (box.width * 20) / 24,
      clientY: box.y + 4,
    });
    t.match(
      await page.locator(".state-tip").innerText(),
      /On 18:30\s?–\s?22:5\d · 4\sh \d+\smin · by the rule Lamp in the evening/,
    );
    t.same(await violations(page), []);
    await chips.getByRole("button", { name: "All" }).click();
    const car = page.getByRole("group", { name: "Who came" }).getByRole("button").first();
    const name = (await car.innerText()).split(/\s\d/)[0] ?? "";
    await car.click();
    await page.getByRole("link", { name: /^Every visit of / }).waitFor();
    t.ok(
      (await happened.locator("li").allInnerTexts()).every((line) => line.includes(name)),
      `only ${name}: ${await happened.innerText()}`,
    );
    await car.click();
    t.ok((await page.evaluate<number>("document.documentElement.scrollHeight")) <= 2_400, "a page of a few screens");
  });

  await t.test("bars and what happened are narrowed to a room", async (t) => {
    const bars = page.locator(".state-bar");
    const all = await bars.count();
    await page.getByLabel("Room", { exact: true }).selectOption("Dining room");
    await page.getByRole("img", { name: /^Dining lamp: / }).waitFor();
    t.ok((await bars.count()) < all);
    t.match(await page.locator(".happened").innerText(), /Dining lamp/);
    t.notMatch(await page.locator(".happened").innerText(), /Driveway gate/);
    t.equal(await page.locator(".state-cars").count(), 0, "no camera is there");
    t.equal(await beyond(page), 0);
    t.same(await violations(page), []);
    await page.getByLabel("Room", { exact: true }).selectOption("All rooms");
  });

  await t.test("the hours under the bars never touch", async (t) => {
    for (const width of [360, 768, 1024, 1366]) {
      await page.setViewportSize({ width, height: 800 });
      await open(page, "/history");
      const ticks = page.locator(".state-axis span");
      await ticks.first().waitFor();
      const places = await ticks.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      t.ok(places.length >= 3, `${width}: ${places.length} hours`);
      for (const [index, { left }] of places.entries())
        if (index > 0) t.ok(left - (places[index - 1]?.right ?? 0) >= 4, `${width}: hour ${index}`);
    }
    await page.setViewportSize(SIZES.phone);
  });

  await t.test("the list at the gate follows the keys beyond what is drawn", async (t) => {
    await page.setViewportSize(SIZES.desktop);
    await open(page, "/gate");
    const rows = page.locator(".read-row");
    await rows.first().waitFor();
    const drawn = await rows.count();
    for (let n = 0; n < drawn + 3; n++) await page.keyboard.press("j");
    const here = await page.locator(".read-row a:focus").getAttribute("data-read");
    t.equal(
      here,
      await rows
        .nth(drawn + 2)
        .locator("a")
        .getAttribute("data-read"),
      "none was passed over",
    );
    const box = await page.locator(".read-row a:focus").boundingBox();
    t.ok(box !== null && box.y >= 0 && box.y + box.height <= SIZES.desktop.height, "it is in sight");
    await page.keyboard.press("x");
    await page.locator(".read-check").first().waitFor();
    await page.getByRole("toolbar", { name: "For the chosen ones" }).waitFor();
    const boxes = page.locator(".read-check:enabled");
    await page
      .locator(".read-check:checked")
      .evaluateAll((all) => all.map((one) => (one as { click(): void }).click()));
    await boxes.nth(drawn).click();
    await boxes.nth(drawn - 4).click({ modifiers: ["Shift"] });
    t.equal(await page.locator(".read-check:checked").count(), 5, "those between are chosen too");
    await page.setViewportSize(SIZES.phone);
  });

  await t.test("by touch a bar says what it is, and only its name leads to the device", async (t) => {
    const touch = await browser.newContext({
      baseURL: hub.url,
      hasTouch: true,
      isMobile: true,
      viewport: SIZES.phone,
      locale: "en-GB",
      timezoneId: "Asia/Kolkata",
      serviceWorkers: "block",
    });
    t.teardown(() => touch.close());
    await touch.addCookies(await context.cookies());
    const hand = await touch.newPage();
    await hand.goto("/history?of=yesterday");
    await settled(hand);
    const rows = hand.locator(".state-row:has(.state-bar)");
    await rows.first().waitFor();
    const count = await rows.count();
    t.ok(count > 3, `${count} bars`);
    let said = 0;
    for (let place = 0; place < count; place += 1) {
      const row = rows.nth(place);
      const name = (await row.locator(".who a").innerText()).trim();
      const cell = row.locator(".state-cell");
      await cell.evaluate((one) => one.scrollIntoView({ block: "center" })); // not under the bar of pages
      const [bar, link] = [await cell.boundingBox(), await row.locator(".who a").boundingBox()];
      if (bar === null || link === null) throw new Error(`${name} has no bar or no link`);
      t.ok(bar.height >= 32, `${name}: ${bar.height} px under the finger`);
      t.ok(link.height >= 44 && link.y + link.height <= bar.y + 0.5, `${name}: the link ends above the bar`);
      for (const share of [0.5, 0.8]) {
        await hand.touchscreen.tap(bar.x + bar.width * share, bar.y + bar.height / 2);
        await hand.locator(".state-cursor").first().waitFor();
        if ((await row.locator(".now").innerText()) === "") continue; // nothing is known of then
        await row.locator(".state-tip").waitFor({ timeout: 3_000 });
        said += 1;
        t.equal(new URL(hand.url()).pathname, "/history", `${name}: the tap stays`);
        t.equal(await row.locator(".tip-name").innerText(), name);
        t.equal(await hand.locator(".state-tip").count(), 1);
        const after = await cell.boundingBox();
        t.same(after, bar, `${name}: nothing moves under the finger`);
      }
    }
    t.ok(said > count, `${said} bubbles`);
    t.notMatch(
      await hand.locator(".happened").innerText(),
      /still open|still going/,
      "a day that is over says when it ended",
    );
    const clipped = await hand
      .locator(".state-row .who, .state-row .now")
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    t.same(clipped, [], "no word is cut");
    t.equal(await beyond(hand), 0);
    await rows.first().locator(".who a").tap();
    await hand.waitForURL(/\/devices\//);
    await hand.goto("/energy");
    await settled(hand);
    t.notMatch(await hand.locator("main").innerText(), /Point at/);
  });

  await t.test("as a file", async (t) => {
    const now = Date.now();
    const query = `from=${new Date(now - 86_400_000).toISOString()}&to=${new Date(now).toISOString()}`;
    const answer = await request.get(`/api/states.csv?${query}&deviceId=demo-gate`);
    t.match(answer.headers()["content-type"], "text/csv");
    const [head, ...lines] = (await answer.text()).trim().split("\r\n");
    t.equal(head, "time,device,name,state,value,by");
    t.ok(lines.some((line) => /,demo-gate,Driveway gate,position,open,/.test(line)));
    const long = await request.get(`/api/states?from=${new Date(now - 40 * 86_400_000).toISOString()}`);
    t.equal(long.status(), 400, "at most a month at once");
    t.equal((await request.get("/api/states?deviceId=nobody")).status(), 404);
  });

  await t.test("who opened it just now is on the device's page", async (t) => {
    const made = (await (
      await request.post("/api/devices", { data: { id: "side-gate", name: "Side gate", type: "gate" } })
    ).json()) as { password: string }; // its contract
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
      clientId: "side-gate",
      username: "side-gate",
      password: made.password,
    });
    t.teardown(() => client.endAsync(true));
    const say = (state: object) => client.publishAsync("gatehouse/side-gate/state", JSON.stringify(state), { qos: 1 });
    await client.subscribeAsync("gatehouse/side-gate/command", { qos: 1 });
    client.on("message", () => void say({ position: "opening" }).then(() => say({ position: "open" })));
    await say({ position: "closed" });
    await open(page, "/devices/side-gate");
    await request.post("/v1/devices/side-gate/commands", { data: { open: true } });
    await page
      .locator(".happened")
      .getByText(/still open · Asha Rao/)
      .waitFor();
    t.notMatch(await main.innerText(), /Nothing has been measured|Nothing has been sent/, "no card is empty");
    t.same(await violations(page), []);
  });
  t.same(errors, []);
});

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
}
