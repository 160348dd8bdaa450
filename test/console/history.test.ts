/**
 * Looking back: ranges, values by mouse, finger and keys, zoom, comparison, the whole house's energy, its prices. A
 * real browser, a real hub, a year of samples.
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import t from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, connectDevice, SIZES, settled, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(240_000);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Realistic names, as people and their bridges choose them. */
const NAMES = { meter: "0x00158d0001a2b3c4", plug: "living_room_ceiling_light_2", sensor: "A".repeat(120) } as const;

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });
const readout = (page: Page) => page.locator(".readout");
const chart = (page: Page) => page.getByRole("slider", { name: /History of|Energy,/ });
/** The first and last moment that the chart shows, in words. */
const shownTime = (page: Page) => page.locator(".when").first();

t.test("a person looks back", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { desktop, phone } = stage.pages;
  const { request } = desktop;
  await request.patch("/api/site", { data: { timeZone: "Asia/Kolkata" } });
  const send: Record<string, (samples: readonly { at: number; data: Record<string, number> }[]) => Promise<void>> = {};
  for (const [id, type] of [
    ["meter", "energy-meter"],
    ["plug", "smart-plug"],
    ["sensor", "sensor"],
  ] as const) {
    const made = (await (await request.post("/api/devices", { data: { id, name: NAMES[id], type } })).json()) as {
      password: string;
    }; // its contract
    const { client } = await connectDevice(stage, id, made.password);
    t.teardown(() => client.endAsync(true));
    send[id] = async (samples) => {
      for (let n = 0; n < samples.length; n += 500) {
        const part = samples.slice(n, n + 500).map(({ at, data }) => ({ at: new Date(at).toISOString(), data }));
        await client.publishAsync(`gatehouse/${id}/telemetry`, JSON.stringify(part), { qos: 1 });
      }
    };
  }
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const past = (stepMs: number, lengthMs: number, data: (at: number, n: number) => Record<string, number>) =>
    Array.from({ length: Math.floor(lengthMs / stepMs) }, (_, n) => ({
      at: now - lengthMs + n * stepMs,
      data: data(now - lengthMs + n * stepMs, n),
    }));
  await send.meter?.(past(5 * MINUTE, 15 * DAY, (_, n) => ({ watts: 600, kwh: 100 + n * 0.05 })));
  await send.plug?.(past(5 * MINUTE, 15 * DAY, (_, n) => ({ watts: 120, kwh: 5 + n * 0.01 })));
  await send.sensor?.(
    past(10 * MINUTE, 60 * DAY, (at) => ({
      temperature: Math.round((20 + 8 * Math.sin(at / (4 * HOUR))) * 10) / 10,
      humidity: 50,
    })),
  );

  await t.test("any value over any range, back and forward, in the household's zone", async (t) => {
    await desktop.goto("/history/values?device=sensor&metric=temperature");
    await settled(desktop);
    await chart(desktop).locator("canvas").waitFor();
    const today = await shownTime(desktop).innerText();
    t.match(
      await desktop.locator("main").innerText(),
      /Times of the house: India Standard Time \(GMT\+5:30\)/,
      "the zone is named",
    );
    for (const range of ["Hour", "Week", "Month", "Year", "Day"]) {
      await button(desktop, range).click();
      await settled(desktop);
      t.equal(await button(desktop, range).getAttribute("aria-pressed"), "true", range);
    }
    await button(desktop, "Earlier").click();
    await settled(desktop);
    t.not(await shownTime(desktop).innerText(), today);
    t.ok(await button(desktop, "Later").isEnabled());
    await button(desktop, "Now").click();
    await desktop.locator(".when").filter({ hasText: "Last 24 hours" }).waitFor();
    t.equal(await button(desktop, "Later").isDisabled(), true);
  });

  await t.test("values by mouse and by keyboard, in words", async (t) => {
    await chart(desktop).hover();
    await readout(desktop).filter({ hasText: "°C" }).waitFor();
    await chart(desktop).focus();
    await desktop.keyboard.press("End");
    const last = (await chart(desktop).getAttribute("aria-valuetext")) ?? "";
    await desktop.keyboard.press("ArrowLeft");
    await desktop.locator(`.plot:not([aria-valuetext=${JSON.stringify(last)}])`).waitFor();
    t.match(
      await chart(desktop).getAttribute("aria-valuetext"),
      /\d{2}:\d{2}.* · -?\d+(\.\d+)?\s°C/,
      "the moment and the value, for screen readers",
    );
    t.match(await desktop.locator("main").innerText(), /on average; lowest .* highest /, "and a summary in a sentence");
  });

  await t.test("a zoomed range stays when a sample comes", async (t) => {
    const box = await chart(desktop).locator(".u-over").boundingBox();
    if (box === null) throw new Error("the chart has no place");
    await desktop.mouse.move(box.x + box.width * 0.3, box.y + 60);
    await desktop.mouse.down();
    await desktop.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 });
    await desktop.mouse.up();
    await button(desktop, "Zoom out").waitFor();
    await settled(desktop);
    const zoomed = await shownTime(desktop).innerText();
    await desktop.evaluate(`new Promise((open) => {
      const stream = new EventSource("/api/stream");
      window.told = new Promise((seen) => stream.addEventListener("device.telemetry", () => { stream.close(); seen(true); }));
      stream.onopen = () => open(true);
    })`);
    await send.sensor?.([{ at: Date.now(), data: { temperature: 99, humidity: 1 } }]);
    await desktop.evaluate("window.told");
    await settled(desktop);
    t.equal(await shownTime(desktop).innerText(), zoomed);
    await button(desktop, "Zoom out").click();
    await button(desktop, "Zoom out").waitFor({ state: "detached" });
    await desktop.getByText(/highest 99\s°C/).waitFor(); // and the live range has it
  });

  await t.test("two values beside each other, as a table and as a file", async (t) => {
    await desktop.getByLabel("Compare with").selectOption("meter");
    await desktop.locator(".legend li", { hasText: NAMES.meter }).waitFor();
    await desktop.getByLabel("Its value").selectOption("watts");
    await desktop.locator(".legend li", { hasText: "Power" }).waitFor();
    await desktop.locator("summary", { hasText: "As a table" }).click();
    await desktop.getByRole("columnheader", { name: "Time" }).waitFor();
    await desktop.getByRole("row").nth(50).waitFor();
    const [file] = await Promise.all([desktop.waitForEvent("download"), button(desktop, "Save as CSV").click()]);
    const text = await readFile(await file.path(), "utf8");
    t.match(text, /^line,time_utc,time_Asia\/Kolkata,mean,min,max,unit\r\n/);
    t.match(text, /0x00158d0001a2b3c4: Power,\d{4}-.*,600,600,600,W/);
    await desktop.reload();
    await desktop.locator(".legend li", { hasText: "Power" }).waitFor(); // the address contains the view
    t.same(await violations(desktop), []);
  });

  await t.test("a value beside itself on another day: one axis, and the difference in a sentence", async (t) => {
    await desktop.goto("/history/values?device=sensor&metric=temperature");
    await chart(desktop).locator("canvas").waitFor();
    const compare = desktop.getByLabel("Compare with");
    await compare.selectOption({ label: "The day before" });
    await desktop.locator(".legend li[data-color=earlier]").waitFor();
    // 8 sin(t / 4 h): its mean over a day differs from that of the day before
    await desktop.getByText(/^(\d+(\.\d+)?\s°C (more|less) than on|As much as on) \d+ \w+ – \d+ \w+ \(/).waitFor();
    await compare.selectOption({ label: "Another day …" });
    await desktop.getByLabel("Which day").fill("2020-01-01");
    await desktop.getByText("Nothing was measured on 1 Jan – 2 Jan.").waitFor();
    t.same(await violations(desktop), []);
    await button(desktop, "Week").click();
    await compare.selectOption({ label: "The week before" });
    await desktop.locator(".legend li[data-color=earlier]").waitFor();
  });

  await t.test("moments are in the house's time wherever the reader is, shown and typed", async (t) => {
    const away = await stage.browser.newContext({
      baseURL: stage.hub.url,
      locale: "en-GB",
      timezoneId: "America/New_York",
      viewport: SIZES.desktop,
    });
    t.teardown(() => away.close());
    await away.addCookies(await phone.context().cookies());
    const page = await away.newPage();
    await page.goto("/activity");
    await page.getByText("Times of the house: India Standard Time (GMT+5:30)").first().waitFor();
    const moment = page.locator("main time:visible").first();
    const iso = (await moment.getAttribute("datetime")) ?? "";
    // within the last hour it says how long ago; the whole moment is in its title
    t.match(
      await moment.getAttribute("title"),
      new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: "Asia/Kolkata" }).format(new Date(iso)),
    );
    await visit(page, "/gate/rules");
    await button(page, "Add a plate rule").click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Plate", { exact: true }).fill("MH 12 AB 1234");
    await form.getByLabel("When", { exact: true }).selectOption("until");
    await form.getByLabel("Until").fill("2027-01-02T18:00");
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.waitFor({ state: "detached" });
    await page.getByText(/2 Jan 2027, 18:00/).waitFor();
    // its contract
    const { rules } = (await (await request.get("/v1/plate-rules")).json()) as { rules: { validTo: string }[] };
    t.same(
      rules.map(({ validTo }) => validTo),
      ["2027-01-02T12:30:00.000Z"],
    );
  });

  await t.test("the chart is on the first screen of a small phone", async (t) => {
    await phone.setViewportSize({ width: 360, height: 640 });
    await phone.goto("/history/values?device=sensor&metric=temperature");
    await chart(phone).locator("canvas").waitFor();
    await settled(phone);
    const [plot, nav] = [await chart(phone).boundingBox(), await phone.locator(".nav").boundingBox()];
    if (plot === null || nav === null) throw new Error("the page has no chart");
    t.ok(
      plot.height >= 180 && plot.y + plot.height <= nav.y,
      `the chart ends at ${plot.y + plot.height} px, the navigation begins at ${nav.y}`,
    );
  });

  await t.test("the bars of energy are on the first screen too", async (t) => {
    await phone.setViewportSize({ width: 360, height: 740 });
    await phone.goto("/energy");
    await settled(phone);
    await chart(phone).waitFor();
    const [bars, nav] = [await chart(phone).boundingBox(), await phone.locator(".nav").boundingBox()];
    if (bars === null || nav === null) throw new Error("the page has no bars");
    t.ok(
      bars.y + bars.height <= nav.y,
      `the bars end at ${bars.y + bars.height} px, the navigation begins at ${nav.y}`,
    );
  });

  await t.test("touch shows values, and the page is no wider than the phone", async (t) => {
    await phone.setViewportSize({ width: 360, height: 800 });
    await phone.goto("/history/values?device=sensor&metric=temperature&with=meter&value=watts");
    await settled(phone);
    await chart(phone).locator(".u-over").waitFor();
    await phone.evaluate(`(() => {
      const over = document.querySelector(".u-over");
      const { left, top, width } = over.getBoundingClientRect();
      const at = (type, share) => over.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: "touch", bubbles: true, clientX: left + width * share, clientY: top + 40 }));
      at("pointerdown", 0.4);
      at("pointermove", 0.5);
    })()`);
    await readout(phone).filter({ hasText: "°C" }).waitFor();
    for (const path of ["/history/values?device=sensor", "/energy", "/energy/settings", "/devices/plug"]) {
      await visit(phone, path);
      await settled(phone);
      await phone.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      t.equal(await beyond(phone), 0, path);
      t.same(await violations(phone), [], path);
      await phone.emulateMedia({ colorScheme: "dark" });
      t.same(await violations(phone, "colours"), [], `${path} in the dark`);
      await phone.emulateMedia({ colorScheme: "light" });
    }
    await phone.setViewportSize(SIZES.phone);
  });

  await t.test("the energy of the whole house: bars, devices, the remainder, money", async (t) => {
    await visit(desktop, "/energy");
    await button(desktop, "Week").click();
    await button(desktop, "Earlier").click();
    await desktop.getByText("100.8 kWh").first().waitFor(); // 0.6 kW for a week, by the meter's counter
    await desktop.getByText("80.6 kWh").first().waitFor(); // less the plug
    await chart(desktop).focus();
    await desktop.keyboard.press("ArrowRight");
    t.match(
      await chart(desktop).getAttribute("aria-valuetext"),
      /Mon.*: 14\.40\skWh · Everything else 11\.52 · living_room_ceiling_light_2 2\.88/,
    );
    const rank = desktop.locator(".energy-rank li");
    t.match(await rank.first().innerText(), /living_room_ceiling_light_2\s+20\.2\skWh\s+20\s%/);

    const busiest = desktop.getByText(/^Most on one day: \w{3},? \d+ \w+, 14\.40\skWh\.$/);
    await busiest.waitFor(); // the plug used a fifth of it: it is not the reason
    await chart(desktop).focus();
    await desktop.keyboard.press("End");
    await desktop.keyboard.press("Enter"); // Sunday by itself
    await desktop.locator(".when").filter({ hasText: /^Sun/ }).waitFor();
    await desktop.getByText("14.40 kWh").first().waitFor();
    t.equal(await button(desktop, "Day").getAttribute("aria-pressed"), "true", "a bar leads to its day");

    const asked = desktop.getByLabel("What does one kWh cost?");
    t.equal(await button(desktop, "Show costs").isDisabled(), true, "nothing is no price");
    await asked.fill("5");
    await button(desktop, "Show costs").click();
    await desktop.getByText("₹72.00").first().waitFor(); // at once, and for the past too
    t.equal(await asked.count(), 0, "it is asked once");
    t.equal(
      (
        (await (await request.get("/api/energy/settings")).json()) as { settings: { roles: { chosen: boolean }[] } }
      ).settings.roles.some(({ chosen }) => chosen), // its contract
      false,
      "what the meters measure is still what the hub takes them for",
    );

    await desktop.getByRole("link", { name: "Prices and meters" }).click();
    const price = desktop.getByLabel("Price per kWh").first();
    t.equal(await price.inputValue(), "5");
    await price.fill("");
    await price.pressSequentially("8,05");
    t.equal(await price.inputValue(), "8,05", "typing is not overwritten");
    await button(desktop, "Add a time of day").click();
    await desktop.getByLabel("From", { exact: true }).selectOption("18:00");
    await desktop.getByLabel("To", { exact: true }).selectOption("22:00");
    const evening = desktop.getByLabel("Price per kWh").last();
    await evening.fill("");
    await evening.pressSequentially("12");
    await button(desktop, "Save").click();
    await desktop.getByText("Saved.").waitFor();
    t.match(((await (await request.get("/api/energy/settings")).json()) as { settings: object }).settings, {
      tariff: {
        currency: "INR",
        prices: [{ perKwh: 8.05, periods: [{ from: "18:00", to: "22:00", days: [], perKwh: 12 }] }],
      },
    });
    await desktop.getByRole("link", { name: "Energy" }).first().click();
    await button(desktop, "Week").click();
    await button(desktop, "Earlier").click();
    // A sixth of the day at 12, the rest at 8.05.
    await desktop
      .getByText(/₹877\.8/)
      .first()
      .waitFor();
    const lines = await rank.allInnerTexts();
    const paise = lines.map((text) => Math.round(Number(/₹([\d.,]+)/.exec(text)?.[1]?.replaceAll(",", "")) * 100));
    t.equal(paise.length, 3, lines.join(" | "));
    t.equal((paise[0] ?? 0) + (paise[1] ?? 0), paise[2], "the cost of the lines adds up to that of the house");
    await chart(desktop).focus();
    await desktop.keyboard.press("Home");
    t.match(await chart(desktop).getAttribute("aria-valuetext"), /14\.40\skWh · ₹125\.40/, "and of each day");
    await desktop.locator("summary", { hasText: "As a table" }).click();
    await desktop.getByRole("rowheader").nth(6).waitFor(); // it opens after the click
    t.equal(await desktop.getByRole("rowheader").count(), 7);
    const [file] = await Promise.all([desktop.waitForEvent("download"), button(desktop, "Save as CSV").click()]);
    t.match(await readFile(await file.path(), "utf8"), /,14\.4,2\.88,11\.52,14\.4,0,0,0,0,125\.4/);
  });

  await t.test("the plug is not counted twice on Home, and its own page shows its own energy", async (t) => {
    await visit(desktop, "/devices/plug");
    await button(desktop, "Week").last().waitFor();
    await desktop.getByText("Counted by the device itself.").waitFor();
    await button(desktop, "Week").last().click();
    await button(desktop, "Earlier").last().click();
    await desktop.getByText("20.16 kWh").first().waitFor();
    t.same(stage.problems, []);
  });

  await t.test("every sample of some days as a file", async (t) => {
    await visit(desktop, "/history/values?device=sensor&metric=temperature");
    await desktop.locator("summary", { hasText: "Every sample as a file" }).click();
    await desktop.getByLabel("Value").last().selectOption("humidity");
    const save = desktop.getByRole("link", { name: "Save as CSV" });
    const [file] = await Promise.all([desktop.waitForEvent("download"), save.click()]);
    const [head, ...lines] = (await readFile(await file.path(), "utf8")).trimEnd().split("\r\n");
    t.equal(head, "time,device,metric,value");
    t.ok(lines.length > 6 * 144 && lines.length <= 7 * 144, `${lines.length} lines of six days and some hours`);
    t.match(lines[0], /^\d{4}-\d\d-\d\dT00:0\d:00\.000\+05:30,sensor,humidity,50$/);
    await desktop.getByLabel("To and with").fill("2020-01-01");
    await desktop.getByText("Must not be before the first day.").waitFor();
    t.equal(await save.count(), 0);
  });

  await t.test("measurements are exported to a database, and errors are in plain words", async (t) => {
    let status = 503;
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(status).end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await visit(desktop, "/system/series");
    await desktop.locator("summary", { hasText: "Set up" }).click();
    await desktop.getByLabel("Kind of server").selectOption("1");
    await desktop.getByLabel("Address of the server").fill("http://192.168.1.20:8086/?db=house");
    await button(desktop, "Save").first().click();
    await desktop.getByText("without a question mark").first().waitFor();
    t.match(stage.problems.splice(0), [/400/, /400/], "the refusal, and nothing else");
    await desktop.getByLabel("Address of the server").fill(url);
    await desktop.getByLabel("Database").fill("house");
    await desktop.getByLabel("Begin with").selectOption("kept");
    await button(desktop, "Save").first().click();
    await desktop.getByText("Nothing is being taken: the server answered 503", { exact: false }).waitFor();
    status = 204;
    await desktop.locator("summary", { hasText: "Change" }).click();
    t.equal(await desktop.getByLabel("Database").inputValue(), "house", "the typed input stays");
    await button(desktop, "Save").first().click(); // tried at once
    await desktop.getByText("Up to date", { exact: true }).waitFor();
    await desktop.getByRole("switch", { name: "Prometheus may fetch values" }).click();
    await desktop.getByText("/v1/telemetry/metrics", { exact: false }).waitFor();
    await desktop.locator("summary", { hasText: "Which devices" }).click();
    await desktop.getByLabel(NAMES.plug).uncheck();
    await Promise.all([
      desktop.waitForResponse((answer) => answer.url().endsWith("/api/series/devices") && answer.ok()),
      button(desktop, "Save").last().click(),
    ]);
    const { series } = (await (await request.get("/api/series")).json()) as {
      series: { leftOut: string[]; export: { sent: number } };
    };
    t.same(series.leftOut, ["plug"]);
    t.ok(series.export.sent > 15_000, `${series.export.sent} samples were sent`);
    await phone.setViewportSize({ width: 360, height: 800 });
    await visit(phone, "/system/series");
    await phone.getByText("Up to date", { exact: true }).waitFor();
    t.equal(await beyond(phone), 0);
    t.same(stage.problems, []);
  });
});
