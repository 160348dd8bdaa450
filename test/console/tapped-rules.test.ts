/**
 * A rule is a sentence that is tapped: five rules of a house by touch, counted; one by keyboard alone; what was tapped is
 * what is stored and runs. A real browser, a real hub, devices that connect by MQTT.
 */
import type { Page } from "playwright-core";
import t, { type Test } from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, choose, connectDevice, holds, settled, startOwnedStage, violations } from "./stage.ts";

t.setTimeout(240_000);
/** Taps that any of the five may take, from the list of automations to a stored rule. */
const MOST_TAPS = 8;

interface Stored {
  readonly id: number;
  readonly name: string;
  readonly trigger: Record<string, unknown>;
  readonly conditions: readonly unknown[];
  readonly action: Record<string, unknown>;
}

t.test("rules are tapped", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { phone, desktop } = stage.pages;
  const { request } = phone;
  const clients: Record<string, Awaited<ReturnType<typeof connectDevice>>> = {};
  for (const [id, name, type, state] of [
    ["porch", "Porch light", "light", { power: false }],
    ["hall", "Hall light", "light", { power: false }],
    ["pump", "Water pump", "switch", { power: true }],
    ["cellar", "Cellar sensor", "sensor", { leak: false, battery: 80 }],
    ["cam", "Gate camera", "camera", {}],
    ["heater", "Heater", "thermostat", { temperature: 19.2, target: 20, mode: "heat", heating: true }],
  ] as const) {
    const made = (await (await request.post("/api/devices", { data: { id, name, type } })).json()) as {
      password: string;
    }; // its contract
    const device = await connectDevice(stage, id, made.password);
    t.teardown(() => device.client.endAsync(true));
    await device.client.publishAsync(`gatehouse/${id}/state`, JSON.stringify(state), { qos: 1 });
    clients[id] = device;
  }
  await request.post("/api/scenes", {
    data: { name: "All off", actions: [{ deviceId: "porch", command: { power: false } }] },
  });
  const rules = async (): Promise<readonly Stored[]> =>
    ((await (await request.get("/v1/automations")).json()) as { automations: Stored[] }).automations;

  /** Taps what is named, one after the other, from the list of automations. Returns the rule that was stored. */
  const tapped = async (t: Test, page: Page, names: readonly string[]): Promise<Stored | undefined> => {
    const before = (await rules()).length;
    await page.goto("/automations");
    await settled(page);
    let taps = 0;
    for (const name of names) {
      taps += 1;
      const inDialog = page.locator("dialog[open]").getByRole("button", { name, exact: true });
      const there = page
        .getByRole("button", { name, exact: true })
        .or(page.getByRole("link", { name, exact: true }))
        .first();
      await ((await page.locator("dialog[open]").count()) > 0 ? inDialog : there).tap();
    }
    await page.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
    t.ok(taps <= MOST_TAPS, `${taps} taps: ${names.join(", ")}`);
    const after = await rules();
    t.equal(after.length, before + 1);
    return after.at(-1);
  };

  const context = await stage.browser.newContext({
    baseURL: stage.hub.url,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    locale: "en-GB",
    serviceWorkers: "block",
  });
  await context.addCookies(await phone.context().cookies());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);

  await t.test("a late arrival: the starter, with another lamp and another time", async (t) => {
    const rule = await tapped(t, page, [
      "Light for a late arrival",
      "Hall light",
      "Porch light",
      "for 5 min",
      "10 min",
      "Save",
    ]);
    t.hasStrict(rule, {
      name: "Light for a late arrival",
      trigger: { type: "plate", decision: "allow" },
      conditions: [{ type: "time", from: "22:00", to: "06:00" }],
      action: {
        type: "sequence",
        actions: [
          { type: "command", deviceId: "porch", command: { power: true } },
          { type: "delay", seconds: 600 },
          { type: "command", deviceId: "porch", command: { power: false } },
        ],
      },
    });
  });

  await t.test("a leak: a message and the pump off, for any sensor", async (t) => {
    const rule = await tapped(t, page, ["Water leak: tell us and stop the pump", "Save"]);
    t.hasStrict(rule?.trigger, { type: "any_state", field: "leak", op: "truthy" });
    await page
      .getByText("When any device reports water, tell us “The device reports water”, then turn Water pump off.")
      .waitFor();
    await clients.cellar?.client.publishAsync("gatehouse/cellar/state", '{"leak":true}', { qos: 1 });
    await page.goto("/activity");
    await page.getByText("Cellar sensor reports water").first().waitFor();
    t.ok(clients.pump?.commands.includes('{"power":false}'), "it ran");
  });

  await t.test("sunset, from nothing", async (t) => {
    const rule = await tapped(t, page, [
      "New automation",
      "choose what starts it",
      "at sunset",
      "choose what happens",
      "turn Porch light on",
      "Save",
    ]);
    t.hasStrict(rule, { trigger: { type: "sun", event: "sunset" }, action: { type: "command", deviceId: "porch" } });
    t.equal(rule?.name, "Turn Porch light on at sunset", "it has a name in its own words");
    await page.getByRole("link", { name: "At sunset, turn Porch light on.", exact: true }).waitFor();
    await page.getByText(/^Saved, but it never runs/).waitFor();
    await page.locator(".just-saved", { hasText: "At sunset" }).waitFor();
  });

  await t.test("any battery, from nothing", async (t) => {
    const rule = await tapped(t, page, [
      "New automation",
      "choose what starts it",
      "the battery of any device is less than 20 %",
      "choose what happens",
      "Tell us …",
      "Save",
    ]);
    t.hasStrict(rule?.trigger, { type: "any_state", field: "battery", op: "lt", value: 20 });
    t.equal(rule?.action.title, "The battery of {device} is less than 20 %", "the message names the device");
    await page.goto(`/automations/${rule?.id}`);
    await page.getByRole("button", { name: "any device", exact: true }).waitFor();
    const stop = await page.evaluate(`(() => {
      const clause = [...document.querySelectorAll(".tap-clause > p:first-child")].at(-1);
      const range = document.createRange();
      range.selectNodeContents(clause.lastChild);
      const message = [...clause.querySelectorAll(".tap")].at(-1).getBoundingClientRect();
      return { besides: range.getBoundingClientRect().left - message.right, height: message.height };
    })()`);
    t.hasStrict(stop, { besides: 0 }, "the full stop stands beside a message, however many lines it has");
    t.ok((stop as { height: number }).height > 40, "several");
    const tap = async (word: string, choice: string): Promise<void> => {
      await page.getByRole("button", { name: word, exact: true }).tap();
      await page.locator("dialog[open]").getByRole("button", { name: choice, exact: true }).tap();
    };
    await tap("any device", "any sensor");
    await tap("and stays so for …", "10 min");
    t.same(await violations(page), []);
    await page.getByRole("button", { name: "Save", exact: true }).tap();
    await page.getByText("When the battery of any sensor is less than 20 % for 10 min").waitFor();
    await page.waitForURL(/\/automations$/); // the editor shows the sentence before it is saved
    t.hasStrict((await rules()).at(-1)?.trigger, { type: "any_state", deviceType: "sensor", forSeconds: 600 });
  });

  await t.test("an allowed car, from nothing: one person is told, with its picture", async (t) => {
    const rule = await tapped(t, page, [
      "New automation",
      "choose what starts it",
      "a car is allowed",
      "choose what happens",
      "Tell us …",
      "us",
      "Asha Rao",
      "Save",
    ]);
    t.match(rule?.action, { type: "notify", to: [/^person:\d+$/], picture: { type: "read" } });
    await page.getByText("When a car is allowed, tell Asha Rao “A car is allowed” with the car’s picture.").waitFor();
    await page.goto(`/automations/${rule?.id}`);
    await page.getByRole("button", { name: "with the car’s picture" }).tap();
    t.same(await violations(page), []);
    await page.locator("dialog[open]").getByRole("button", { name: "Gate camera", exact: true }).tap();
    await page.getByRole("button", { name: "with a picture of Gate camera" }).waitFor();
    await page.getByRole("button", { name: "Asha Rao", exact: true }).tap();
    await page.locator("dialog[open]").getByRole("button", { name: "Everybody", exact: true }).tap();
    await page.getByRole("button", { name: "Save", exact: true }).tap();
    await page.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
    const action = (await rules()).at(-1)?.action;
    t.match(action, { picture: { type: "camera", deviceId: "cam" } });
    t.notOk("to" in (action ?? {}), "for everybody, as a rule of the contract");
  });

  await t.test("all have left, from nothing: a scene, otherwise nothing", async (t) => {
    const rule = await tapped(t, page, [
      "New automation",
      "choose what starts it",
      "no car is inside",
      "choose what happens",
      "All off",
      "Save",
    ]);
    t.hasStrict(rule, { trigger: { type: "occupancy", op: "eq", value: 0 }, action: { type: "scene" } });
  });

  await t.test("the last one leaves, from nothing: the house becomes Away", async (t) => {
    const rule = await tapped(t, page, [
      "New automation",
      "choose what starts it",
      "the last one leaves",
      "choose what happens",
      "set the house to Away",
      "Save",
    ]);
    t.hasStrict(rule, {
      name: "Set the house to Away when the last one leaves",
      trigger: { type: "presence", event: "leaves" },
      action: { type: "house", mode: "away" },
    });
    await page.getByRole("link", { name: "When the last one leaves, set the house to Away.", exact: true }).waitFor();
  });

  await t.test("the house becomes Away, only if nobody is home: every word of it leads to the others", async (t) => {
    const rule = await tapped(t, page, [
      "New automation",
      "choose what starts it",
      "the house becomes Away",
      "only if …",
      "nobody is home",
      "choose what happens",
      "Tell us …",
      "Save",
    ]);
    t.hasStrict(rule, {
      trigger: { type: "house", becomes: "away" },
      conditions: [{ type: "presence", is: "away" }],
      action: { title: "The house becomes Away" },
    });
    await page.goto(`/automations/${rule?.id}`);
    await page.getByRole("button", { name: "nobody is home", exact: true }).tap();
    t.same(await violations(page), []);
    await page.locator("dialog[open]").getByRole("button", { name: "Asha Rao is away", exact: true }).tap();
    await page
      .getByText(/the hub does not know of anybody whether they are home/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "In detail", exact: true }).tap();
    await page.getByLabel("Who", { exact: true }).selectOption({ label: "Anybody of us" });
    await page.getByRole("button", { name: "Save", exact: true }).tap();
    await page.getByText("When the house becomes Away, only if nobody is home, tell us").waitFor();
    t.equal(await beyond(page), 0);
  });

  await t.test("the starters of the house", async (t) => {
    for (const [starter, name, made] of [
      [
        "nightMode",
        "Night at 23:00",
        { trigger: { type: "time", at: "23:00" }, action: { type: "house", mode: "night" } },
      ],
      ["awayMode", "Away when everybody has left", { action: { type: "house", mode: "away" } }],
      ["away", "Lights off when the last one leaves", { trigger: { type: "occupancy" } }], // only cars tell of it yet
    ] as const) {
      await page.goto(`/automations/new?starter=${starter}`);
      await page.getByRole("button", { name: "Save", exact: true }).tap();
      await page.getByRole("link", { name, exact: true }).waitFor();
      t.hasStrict((await rules()).at(-1), { name, ...made });
    }
  });

  await t.test("the sentence of a stored rule is its editor: a second trigger, and otherwise", async (t) => {
    await page.goto("/automations");
    await page.getByRole("link", { name: "Light for a late arrival", exact: true }).tap();
    const sentence = page.locator(".tap-sentence");
    await sentence.getByText("a car is allowed").waitFor();
    t.same(await violations(page), []);
    for (const [word, choice] of [
      ["or", "an unknown car comes"],
      ["otherwise …", "Tell us …"],
    ] as const) {
      await sentence.getByRole("button", { name: word, exact: true }).tap();
      t.same(await violations(page), [], `${word}: the sheet`);
      await page.locator("dialog[open]").getByRole("button", { name: choice, exact: true }).tap();
    }
    await page.getByRole("button", { name: "Save", exact: true }).tap();
    await page.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
    const rule = (await rules()).find(({ name }) => name === "Light for a late arrival");
    t.hasStrict(rule?.trigger, { type: "any", triggers: [{ decision: "allow" }, { decision: "unknown" }] });
    t.hasStrict(rule?.action, { type: "either", do: { type: "sequence" }, otherwise: { type: "notify" } });
    t.equal(await beyond(page), 0);
  });

  await t.test(
    "the switch of a row is tapped, whichever page was shown before; a rule's own page has it too",
    async (t) => {
      const stored = async (): Promise<unknown> =>
        (await rules()).find(({ name }) => name === "Light for a late arrival");
      await page.goto("/gate/rules"); // its styles stay
      await page.getByRole("heading", { level: 1, name: "Plate rules" }).waitFor();
      await page.getByRole("link", { name: "Automations" }).first().tap();
      const toggle = page.getByRole("switch", { name: "Light for a late arrival is on" });
      await toggle.waitFor();
      await settled(page);
      await toggle.scrollIntoViewIfNeeded();
      const box = await toggle.boundingBox();
      if (box === null) throw new Error("no switch");
      t.ok(box.width >= 40 && box.height >= 24, `${box.width} x ${box.height}`);
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      t.equal(await page.evaluate(`document.elementFromPoint(${x}, ${y}).getAttribute("role")`), "switch");
      await page.touchscreen.tap(x, y);
      await page.locator("[role=switch][aria-checked=false]").waitFor();
      t.hasStrict(await stored(), { enabled: false });
      const row = await page.locator(".rule-row", { has: toggle }).boundingBox();
      if (row === null) throw new Error("no row");
      await page.touchscreen.tap(row.x + 4, row.y + row.height - 6); // anywhere else leads to the rule
      await page.getByText("It is switched off.", { exact: true }).waitFor();
      const act = async (name: string): Promise<void> => {
        await page.getByRole("button", { name: "More actions", exact: true }).tap();
        await page.getByRole("button", { name, exact: true }).tap();
      };
      await act("Switch on");
      await page.getByText("It is switched on.", { exact: true }).waitFor();
      t.hasStrict(await stored(), { enabled: true });
      await act("Delete");
      await page.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
      t.equal(await stored(), undefined);
      await page.getByRole("button", { name: "Undo", exact: true }).tap();
      await toggle.waitFor();
      t.hasStrict(await stored(), { enabled: true });
    },
  );

  await t.test("what is looked for is found by any of its words", async (t) => {
    const look = async (word: string, typed: string, choice: string): Promise<void> => {
      await page.goto("/automations/new");
      await page.getByRole("button", { name: word, exact: true }).tap();
      await page.locator("dialog[open]").getByRole("searchbox").fill(typed);
      await page.locator("dialog[open]").getByRole("button", { name: choice, exact: true }).first().waitFor();
      t.pass(`${typed}: ${choice}`);
    };
    for (const [typed, choice] of [
      ["thermostat", "the temperature of Heater is more than 28 °C"],
      ["leak", "Cellar sensor reports water"],
      ["dark", "at sunset"],
      ["family", "no car is inside"],
      ["nobody", "the last one leaves"],
      ["holiday", "the house becomes Holiday"],
      ["arrives", "Asha Rao comes home"],
      ["weekday", "at a time of day"],
    ] as const)
      await look("choose what starts it", typed, choice);
    for (const [typed, choice] of [
      ["off", "turn Porch light off"],
      ["heat", "set Heater to Heat"],
      ["notify", "Tell us …"],
      ["bedtime", "set the house to Night"],
    ] as const)
      await look("choose what happens", typed, choice);
  });

  await t.test("by keyboard alone", async (t) => {
    const before = (await rules()).length;
    await desktop.goto("/automations/new");
    await settled(desktop);
    /** Goes to what is named by Tab, and presses Enter. */
    const press = async (name: string): Promise<void> => {
      for (let n = 0; n < 90; n += 1) {
        const here = await desktop.evaluate("(document.activeElement?.textContent ?? '').trim()");
        if (here === name) return desktop.keyboard.press("Enter");
        await desktop.keyboard.press("Tab");
      }
      throw new Error(`${name} is not reached`);
    };
    const comesTo = (part: string) => holds(desktop, `document.activeElement.closest("${part}") !== null`);
    await press("choose what starts it");
    // the search of a long list is ready for words
    await comesTo(".sheet-search");
    await press("at sunset");
    await comesTo(".tap-sentence");
    await press("choose what happens");
    await comesTo(".sheet-search");
    await desktop.keyboard.type("hall light");
    await desktop.locator(".sheet-row", { hasText: "turn Hall light on" }).waitFor();
    await desktop.keyboard.press("ArrowDown");
    await comesTo(".sheet-row");
    await desktop.keyboard.press("ArrowUp");
    await desktop.keyboard.press("Enter");
    await comesTo(".tap-sentence");
    t.match(await desktop.locator(".tap-sentence").innerText(), /turn Hall light on/i);
    await press("Save");
    await desktop.getByRole("heading", { level: 1, name: "Automations" }).waitFor();
    t.equal((await rules()).length, before + 1);
    t.same(await violations(desktop), []);
  });

  await t.test(
    "half a rule is not stored: what is missing is said and marked, and nothing is chosen for anybody",
    async (t) => {
      const before = (await rules()).length;
      await desktop.goto("/automations/new?detail");
      await settled(desktop);
      await desktop.getByLabel("Add an action").selectOption("command");
      await desktop.getByRole("button", { name: "Save", exact: true }).click();
      const refusal = desktop.getByRole("alert");
      await refusal.waitFor();
      t.equal(await refusal.innerText(), "Choose what starts it. Choose the device.");
      t.equal(await desktop.evaluate("document.activeElement.textContent"), "choose what starts it");
      t.same(await desktop.locator(".tap[aria-invalid=true]").allTextContents(), ["choose what starts it", "a device"]);
      t.same(await violations(desktop), []);
      await desktop.getByLabel("What starts it").selectOption("sun");
      await desktop.getByText("Choose the device.", { exact: true }).waitFor();
      await choose(desktop, "Device", "Hall light");
      await refusal.waitFor({ state: "detached" });
      t.equal((await rules()).length, before);
    },
  );

  await t.test("a heater is set in words, by steps within its range, and its modes are words", async (t) => {
    await desktop.goto("/automations/new");
    await settled(desktop);
    const tap = (name: string): Promise<void> =>
      desktop.locator("dialog[open]").getByRole("button", { name }).first().click();
    await desktop.getByRole("button", { name: "choose what starts it" }).click();
    t.notMatch(await desktop.locator("dialog[open]").innerText(), /[{}]|: (yes|no)\b|19\.2/, "no raw values");
    await tap("Heater");
    await desktop.getByRole("button", { name: "choose what happens" }).click();
    await tap("set Heater to 20 °C");
    await desktop.getByRole("button", { name: "20 °C", exact: true }).click();
    await tap("More");
    await tap("Set to 20.5 °C");
    await desktop.getByRole("button", { name: "20.5 °C", exact: true }).waitFor();
    await desktop.getByRole("button", { name: "Save", exact: true }).click();
    await desktop.getByText("set Heater to 20.5 °C.").waitFor();
    t.hasStrict((await rules()).at(-1), {
      trigger: { type: "state", deviceId: "heater", field: "temperature", op: "gt", value: 28 },
      action: { type: "command", deviceId: "heater", command: { target: 20.5 } },
    });
    await desktop.goto(`/automations/${(await rules()).at(-1)?.id}`);
    await desktop.getByRole("button", { name: "20.5 °C", exact: true }).click();
    await tap("Cool");
    await desktop.getByRole("button", { name: "Save", exact: true }).click();
    await desktop.getByText("set Heater to Cool.").waitFor();
  });

  await t.test(
    "names and messages that nobody wrote are in the reader's language; others stay as they are",
    async (t) => {
      await request.post("/v1/automations", {
        data: {
          name: "My own words",
          trigger: { type: "any_state", field: "leak", op: "truthy" },
          action: { type: "notify", title: "{device} is wet", body: "" },
        },
      });
      await desktop.evaluate("localStorage.setItem('gatehouse.language', 'hi')");
      await desktop.goto("/automations");
      await settled(desktop);
      await desktop.locator(".find-list > .button").click(); // the newest are below what is shown at first
      await desktop.locator(".rule-list").getByText("My own words").waitFor();
      const text = await desktop.locator(".rule-list").innerText();
      for (const line of [
        "पानी का रिसाव: बताएँ और पंप रोकें",
        "“डिवाइस पर पानी मिला”",
        "सूर्यास्त पर, Porch light चालू करें।",
        "My own words",
        "“The device is wet”",
      ])
        t.ok(text.includes(line), line);
      t.notMatch(text, /At sunset|reports water|डिवाइस is wet/);
      await desktop.evaluate("localStorage.setItem('gatehouse.language', 'en')");
    },
  );

  await t.test("a starter opened by its address, and again, is there", async (t) => {
    for (let n = 0; n < 2; n += 1) {
      await desktop.goto("/automations/new?starter=sunset");
      await settled(desktop);
      t.equal(await desktop.getByLabel("Name", { exact: true }).inputValue(), "Light at sunset");
    }
  });

  await t.test("what the house has already is said and opened instead of being saved again", async (t) => {
    const before = await rules();
    await page.goto("/automations/new?starter=nightMode");
    const said = page.getByRole("status").filter({ hasText: "You have this automation already: “Night at 23:00”." });
    await said.waitFor();
    await page.getByLabel("Name", { exact: true }).fill("The same under another name");
    await page.getByRole("button", { name: "Save", exact: true }).tap();
    t.equal(await page.evaluate("document.activeElement.textContent"), "Open it", "saving leads to it");
    t.same(await rules(), before, "nothing was stored");
    t.same(await violations(page), []);
    await said.getByRole("button", { name: "Open it" }).tap();
    await page.getByRole("heading", { level: 1, name: "Night at 23:00" }).waitFor();
    await page.goto("/automations/new?starter=nightMode");
    await page.getByRole("button", { name: "23:00", exact: true }).tap();
    await page.locator("dialog[open]").getByRole("button", { name: "22:00", exact: true }).tap();
    await said.waitFor({ state: "detached" });
  });

  await t.test("a rule is paused until a moment, and goes on by hand", async (t) => {
    await page.goto("/automations");
    await page.getByRole("link", { name: "Night at 23:00", exact: true }).tap();
    await page.getByRole("button", { name: "More actions" }).tap();
    await page.getByRole("button", { name: "Pause until …" }).tap();
    t.same(await violations(page), []);
    await page.locator("dialog[open]").getByRole("button", { name: "for 2 h", exact: true }).tap();
    await page
      .locator("header")
      .getByText(/^Paused until (today|tomorrow) /)
      .waitFor();
    await page.goto("/automations");
    const row = page.locator(".rule-row", { hasText: "Night at 23:00" });
    await row.getByText(/^Paused until /).waitFor();
    t.equal(await row.getByText(/^Next: /).count(), 0, "what will not happen is not announced");
    t.equal(await row.getByRole("switch").getAttribute("aria-checked"), "true");
    t.same(await violations(page), []);
    t.equal(await beyond(page), 0);
    await row.getByRole("button", { name: "End the pause" }).tap();
    await row.getByText(/^Next: /).waitFor();
    t.equal(await row.getByText(/^Paused until /).count(), 0);
  });

  await t.test("of many devices each room is folded, with a search and what is used above them", async (t) => {
    for (let n = 1; n <= 40; n += 1) {
      const device = { id: `many-${n}`, name: `Lamp ${n} of the long corridor`, type: "light", room: `Floor ${n % 5}` };
      await request.post("/api/devices", { data: device });
    }
    await page.goto("/automations/new?starter=nightMode");
    await page.locator(".tap-sentence").getByRole("button", { name: "and", exact: true }).tap();
    const sheet = page.locator("dialog[open]");
    await sheet.getByText("Floor 1", { exact: true }).waitFor();
    t.ok(await sheet.getByRole("heading", { name: "Used in your other automations" }).isVisible());
    t.ok(
      Number(await page.evaluate("document.querySelector('dialog .tap-sheet').offsetHeight")) < 3 * 740,
      "it is no longer than three screens",
    );
    t.equal(await sheet.getByText("turn Lamp 6 of the long corridor on").count(), 0);
    t.same(await violations(page), []);
    await sheet.getByText("Floor 1", { exact: true }).tap();
    await sheet.getByRole("button", { name: "turn Lamp 6 of the long corridor on", exact: true }).waitFor();
    t.equal(await beyond(page), 0);
    await sheet.getByRole("searchbox").fill("lamp 17 off");
    await sheet.getByRole("button", { name: "turn Lamp 17 of the long corridor off", exact: true }).waitFor();
    t.match(await sheet.getByRole("status").innerText(), /found/i, "how many is said");
    await sheet.getByRole("searchbox").fill("");
    await sheet.locator("summary", { hasText: "Floor 2" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".tap-sentence").getByText("Lamp 2 of the long corridor").waitFor();
  });

  await t.test("what is typed into a field of a phone goes on in the search of its sheet", async (t) => {
    await page.goto("/system/site");
    await page.getByRole("combobox", { name: "Place (optional)" }).focus();
    await page.keyboard.type("hyder");
    const search = page.locator("dialog[open]").getByRole("searchbox");
    await page.getByRole("option", { name: /^Hyderabad\s*India/ }).waitFor();
    t.equal(await search.inputValue(), "hyder", "no letter is lost while the sheet opens");
    t.equal(await page.evaluate("document.activeElement.type"), "search");
  });
  await context.close();
});
