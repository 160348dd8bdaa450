/** Device pages: how a gate stands by whatever it reports, a lock's own words, the room chooser, weak batteries. */
import t from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond, overlaps, SCREENS } from "./layout.ts";
import { cannotBrowse, connectDevice, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(240_000);

t.test("device pages", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(() => stage.stop());
  const { phone, desktop } = stage.pages;
  await phone.setViewportSize(SCREENS[360]);
  const connect = async (id: string, name: string, type: string, room?: string) => {
    const answer = await desktop.request.post("/api/devices", { data: { id, name, type, room } });
    const { password } = (await answer.json()) as { password: string }; // its contract
    const { client } = await connectDevice(stage, id, password);
    t.teardown(() => client.endAsync(true));
    return (state: object) => client.publishAsync(`gatehouse/${id}/state`, JSON.stringify(state), { qos: 1 });
  };

  await t.test("a gate that reports yes or no says Open and Closed everywhere", async (t) => {
    const says = await connect("gate", "Driveway gate", "gate");
    await says({ open: false });
    await visit(phone, "/");
    await phone.getByRole("heading", { name: "Closed", exact: true }).waitFor();
    await says({ open: true });
    await phone.getByRole("heading", { name: "Open", exact: true }).waitFor();
    await visit(phone, "/gate");
    await phone.locator(".gate-bar").getByText("Open", { exact: true }).waitFor();
    await phone.locator(".gate-bar").getByRole("button", { name: "Close" }).waitFor();
    await visit(phone, "/devices/gate");
    await phone.locator("h1 + p, header").getByText("Open", { exact: true }).first().waitFor();
    await phone.getByRole("row", { name: "Position Open" }).waitFor();
    t.equal(await beyond(phone), 0);
    t.same(await overlaps(phone), []);
    t.same(await violations(phone), []);
  });

  await t.test("a gate that does not report how it stands says what its sensor says", async () => {
    await connect("side", "Side gate", "gate");
    const reed = await connect("reed", "Reed contact", "sensor");
    await reed({ contact: true });
    await visit(desktop, "/devices/side");
    await desktop.getByText("Not known whether it is open").first().waitFor();
    await desktop.getByLabel("What tells whether it is open?").selectOption({ label: "Reed contact" });
    await desktop.locator("header").getByText("Closed").first().waitFor();
    await reed({ contact: false });
    await desktop.locator("header").getByText("Open").first().waitFor();
  });

  await t.test("a lock's page talks of the lock", async (t) => {
    const says = await connect("lock", "Front door", "lock");
    await says({ locked: true });
    await visit(desktop, "/devices/lock");
    await desktop.getByRole("heading", { name: "Locked or unlocked" }).waitFor();
    await desktop.getByLabel("What tells whether it is locked?").waitFor();
    await desktop.getByText(/^The lock counts as unlocked/).waitFor();
    t.equal(await desktop.getByText("The gate itself").count(), 0);
  });

  await t.test("the way back stays in one line above the shortest name", async (t) => {
    await connect("x", "x", "lock");
    await desktop.setViewportSize(SCREENS[1280]);
    await visit(desktop, "/devices/x");
    await desktop.getByRole("heading", { level: 1, name: "x", exact: true }).waitFor();
    t.same(await overlaps(desktop), []);
    const back = await desktop.locator(".back-link").boundingBox();
    t.ok(back !== null && back.height < 30, `${back?.height} high`);
  });

  await t.test("a page opens with what its device is for: its state in a sentence, its control large", async (t) => {
    const heats = await connect("heating", "Hall thermostat", "thermostat", "Hall");
    await heats({ temperature: 19.5, target: 21, mode: "heat", heating: true });
    const meters = await connect("meter", "House meter", "energy-meter");
    await meters({ watts: 412, kwh: 1031.5, voltage: 230 });
    const lights = await connect("reading", "Reading lamp", "dimmer", "Hall");
    await lights({ power: false, brightness: 40 });
    const lead = (page: typeof phone) => page.locator(".lead");
    for (const page of [phone, desktop]) {
      await visit(page, "/devices/heating");
      await lead(page).getByText("19.5 °C", { exact: true }).waitFor();
      await lead(page).getByText("Heating to 21 °C", { exact: true }).waitFor();
      const warmer = await lead(page).getByRole("button", { name: "Hall thermostat: warmer" }).boundingBox();
      t.ok(
        (warmer?.height ?? 0) >= 60 && (warmer?.y ?? 999) < 480,
        `large, and on the first screen: ${JSON.stringify(warmer)}`,
      );
      await visit(page, "/devices/meter");
      await lead(page).getByText("412 W", { exact: true }).waitFor();
      await lead(page).locator("dd", { hasText: "230 V" }).waitFor();
      t.equal(await lead(page).getByRole("button").count(), 0, "nothing to press");
      await visit(page, "/devices/reading");
      await lead(page).getByText("Off", { exact: true }).waitFor();
      t.same(await violations(page), []);
      t.same(await overlaps(page), []);
    }
    await lights({ power: true, brightness: 40 });
    await lead(desktop).getByText("On", { exact: true }).waitFor();
    await lead(desktop)
      .getByText(/^Since \d/)
      .waitFor();
    t.ok((await lead(desktop).getByRole("switch").boundingBox())?.height, "its switch");
    const words = await lead(phone).getByText("Power", { exact: true }).boundingBox();
    await phone.mouse.click((words?.x ?? 0) + 2, (words?.y ?? 0) + 2);
    await phone.locator(".lead .switch[data-pending=true]").waitFor(); // its name is part of it
  });

  await t.test("a room is chosen, or named anew", async (t) => {
    await connect("lamp", "Lamp", "light", "Hall");
    await visit(phone, "/devices/lamp");
    const dialog = phone.getByRole("dialog");
    await phone.getByRole("button", { name: "Edit", exact: true }).click();
    await dialog.getByLabel("Room", { exact: true }).click();
    await dialog.getByRole("option", { name: "No room" }).click();
    t.equal(await dialog.getByLabel("Room", { exact: true }).inputValue(), "No room");
    t.same(await violations(phone), []);
    t.same(await overlaps(phone), []);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await visit(desktop, "/devices/lamp");
    await desktop.getByRole("button", { name: "Edit", exact: true }).click();
    await desktop.getByRole("dialog").getByLabel("Room", { exact: true }).fill("Attic");
    await desktop.getByRole("option", { name: "Use “Attic”" }).click();
    await desktop.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await desktop.getByRole("link", { name: "Attic" }).waitFor();
  });

  await t.test("names that differ at their ends are told apart on a phone, however long", async (t) => {
    const names = [
      "Living room ceiling lamp №1",
      "Living room ceiling lamp №2",
      `${"The lamp of the hall ".repeat(4)}№3`,
    ];
    for (const [index, name] of names.entries())
      await desktop.request.post("/api/devices", { data: { id: `long-${index}`, name, type: "dimmer" } });
    await visit(phone, "/rooms/none");
    for (const [index, name] of names.entries()) {
      const link = phone.locator(`a[href="/devices/long-${index}"]`);
      await link.waitFor();
      t.match(await link.innerText(), new RegExp(`№${index + 1}`), name);
      const cut = await link.evaluate((element) => {
        const box = element.parentElement;
        return box === null || box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
      });
      t.notOk(cut, `${name}: nothing is cut`);
    }
    t.same(await violations(phone), []);
  });

  await t.test(
    "a name that is too long stands beside the page's action, with its end, and leaves it its place",
    async (t) => {
      const names = { letters: `${"A".repeat(118)}№7`, words: `${"The lamp of the hall ".repeat(5)}№8` };
      for (const [id, name] of Object.entries(names)) {
        await desktop.request.post("/api/devices", { data: { id, name, type: "dimmer" } });
        await visit(phone, `/devices/${id}`);
        const head = phone.getByRole("heading", { level: 1, name });
        const edit = phone.getByRole("button", { name: "Edit", exact: true });
        t.match(await head.innerText(), / … .*№[78]/s, "its end is seen");
        const [title, action] = [await head.boundingBox(), await edit.boundingBox()];
        if (title === null || action === null) throw new Error("the head is not drawn");
        t.ok(title.height < 200, `it takes a few lines: ${title.height}`);
        t.ok(action.x >= title.x + title.width && action.x + action.width <= 360 - 15, "the action is beside it");
        t.equal(await beyond(phone), 0);
        t.same(await overlaps(phone), []);
        await visit(desktop, `/devices/${id}`);
        t.equal(await desktop.locator("h1").innerText(), name, "a desk's screen has room for all of it");
      }
    },
  );

  await t.test("weak batteries are found, and what a maker calls a value is in words", async () => {
    const says = await connect("leak", "Cellar sensor", "sensor");
    await says({ battery: 12, lastFilterChange_days: 3, leak: false });
    for (const id of ["one", "two", "three"])
      await desktop.request.post("/api/devices", { data: { id, name: id, type: "light" } });
    await visit(desktop, "/devices");
    await desktop.getByRole("button", { name: "Weak battery 1" }).click();
    await desktop.getByText("battery 12 %").waitFor();
    await visit(desktop, "/devices/leak");
    await desktop.getByRole("row", { name: /^Last filter change days/ }).waitFor();
  });
  t.strictSame(stage.problems, [], "no console error, no failed request");
});
