/**
 * What the house is set to, on Home: by an owner and by a member, with a keyboard and by touch; who is home, and what tells
 * of it. A real browser, a real hub, a device that connects by MQTT.
 */
import t from "tap";
import { testFolder } from "../support/test-folder.ts";
import { beyond } from "./layout.ts";
import { cannotBrowse, connectDevice, settled, startOwnedStage, violations, visit } from "./stage.ts";

t.setTimeout(120_000);
/** As people choose them. */
const LONG_NAME = "Venkatanarasimharajuvaripeta_Wolfeschlegelsteinhausenbergerdorff";

t.test("the house on Home", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(stage.stop);
  const { phone, desktop } = stage.pages;
  const { request } = desktop;
  const made = (await (
    await request.post("/api/devices", { data: { id: "tag", name: "Asha’s tag", type: "sensor" } })
  ).json()) as { password: string }; // its contract
  const tag = await connectDevice(stage, "tag", made.password);
  t.teardown(() => tag.client.endAsync(true));
  const say = (state: object): Promise<unknown> =>
    tag.client.publishAsync("gatehouse/tag/state", JSON.stringify(state), { qos: 1 });
  await say({ battery: 80, presence: false });
  const invited = (await (
    await request.post("/api/persons/invitations", { data: { name: LONG_NAME, role: "member" } })
  ).json()) as { code: string }; // its contract
  const context = await stage.browser.newContext({
    baseURL: stage.hub.url,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    locale: "hi-IN",
    serviceWorkers: "block",
  });
  t.teardown(() => context.close());
  const joined = {
    code: invited.code,
    name: LONG_NAME,
    email: "v@example.org",
    password: "correct horse battery staple",
  };
  t.equal((await context.request.post("/api/join", { data: joined })).status(), 201);
  const chip = (name: RegExp) => ({ name });

  await t.test("an owner sets it by keyboard; the other page follows", async (t) => {
    await visit(phone, "/");
    await visit(desktop, "/");
    await desktop.getByRole("button", chip(/^Home ?mode of the house$/)).focus();
    await desktop.keyboard.press("Enter");
    const sheet = desktop.locator("dialog[open]");
    await sheet.getByText("Not known").first().waitFor();
    t.same(await violations(desktop), []);
    await sheet.getByRole("button", { name: "Night", exact: true }).focus();
    await desktop.keyboard.press("Enter");
    await sheet.waitFor({ state: "detached" });
    await phone.getByRole("button", chip(/^Night ?(one|nobody|mode of the house|\d)/)).waitFor();
    await visit(desktop, "/activity");
    await desktop.getByText("Asha Rao set the house to Night").first().waitFor();
  });

  await t.test("a device that follows somebody is chosen among those that can tell", async (t) => {
    await visit(desktop, "/system/presence");
    await settled(desktop);
    const card = desktop.locator(".card", { hasText: "Asha Rao" });
    await card.getByRole("combobox", { name: "A device that follows them" }).click();
    await desktop.getByRole("option", { name: /Asha’s tag/ }).click();
    await card.getByText(/^Left .* · by Asha’s tag$/).waitFor();
    t.same(await violations(desktop), []);
    t.equal(await beyond(desktop), 0);
    await say({ presence: true });
    await phone.getByRole("button", chip(/^Night ?one is home$/)).waitFor();
  });

  await t.test("a car is found by a part of its plate, among many", async (t) => {
    for (let n = 10; n < 40; n++)
      await desktop.request.post("/v1/plate-rules", {
        data: { plate: `KA05MJ12${n}`, kind: "allow", label: n === 37 ? "Asha’s Nexon" : `Flat ${n}` },
      });
    await visit(desktop, "/system/presence");
    await settled(desktop);
    const card = desktop.locator(".card", { hasText: "Asha Rao" });
    const field = card.getByRole("combobox", { name: "Car", exact: true });
    await field.fill("05 mj 1237");
    await desktop.getByRole("option", { name: /Asha’s Nexon/ }).click();
    t.equal(await desktop.getByRole("option").filter({ visible: true }).count(), 0);
    await settled(desktop);
    await desktop.reload();
    await settled(desktop);
    t.equal(await field.inputValue(), "Asha’s Nexon");
    t.same(await violations(desktop), []);
  });

  await t.test("a member sets it too, in Hindi, and sees only themselves", async (t) => {
    const page = await context.newPage();
    await page.goto("/");
    await page.getByRole("button", chip(/^रात ?घर का मोड$/)).tap();
    const sheet = page.locator("dialog[open]");
    await sheet.getByText("पता नहीं").waitFor();
    t.equal(await sheet.getByText("Asha Rao", { exact: true }).count(), 0);
    t.equal(await sheet.getByRole("link").count(), 0, "what tells of people is an owner's");
    t.same(await violations(page), []);
    t.equal(await beyond(page), 0);
    await sheet.getByRole("button", { name: "बाहर जाना है", exact: true }).tap();
    await sheet.getByText(/ख़ुद बताया/).waitFor();
    await sheet.getByRole("button", { name: "छुट्टी", exact: true }).tap();
    await phone.getByRole("button", chip(/^Holiday ?/)).waitFor();
  });

  await t.test("a scene says what it does, by what its devices are, in both languages", async (t) => {
    const add = (id: string, name: string, type: string) => request.post("/api/devices", { data: { id, name, type } });
    for (const n of [1, 2, 3]) await add(`light-${n}`, `Light ${n}`, "light");
    await add("door", "Front door", "lock");
    await add("plug", "Iron", "smart-plug");
    const scene = {
      name: "Everybody out",
      houseMode: "away",
      actions: [
        ...[1, 2, 3].map((n) => ({ deviceId: `light-${n}`, command: { power: false } })),
        { deviceId: "door", command: { locked: true } },
      ],
    };
    t.equal((await request.post("/api/scenes", { data: scene })).status(), 201);
    await desktop.goto("/scenes");
    await desktop.getByText("Sets the house to Away, turns 3 lights off, locks Front door", { exact: true }).waitFor();
    const mixed = {
      name: "Iron off",
      actions: [...scene.actions.slice(0, 3), { deviceId: "plug", command: { power: false } }],
    };
    await request.post("/api/scenes", { data: mixed });
    await desktop.goto("/");
    await desktop.getByRole("button", { name: "Iron off Turns 4 devices off" }).waitFor();
    await desktop.getByRole("button", chip(/mode of the house$|is home$/)).click();
    await desktop.locator("dialog[open]").getByText("The scene “Everybody out” sets it too").waitFor();
    await desktop
      .locator("dialog[open]")
      .getByText(/^Set by .* By itself it switches nothing/)
      .waitFor();
    t.same(await violations(desktop), []);
    await desktop.keyboard.press("Escape");
    const page = await context.newPage();
    await page.goto("/");
    await page
      .getByRole("button", {
        name: "Everybody out घर को “बाहर” पर रखता है, 3 बत्तियाँ बंद करता है, Front door में ताला लगाता है",
      })
      .waitFor();
    t.equal(await beyond(page), 0);
    t.same(await violations(page), []);
    await page.close();
    for (const { id } of ((await (await request.get("/v1/scenes")).json()) as { scenes: { id: number }[] }).scenes)
      await request.delete(`/api/scenes/${id}`); // its contract
    await visit(phone, "/");
  });

  await t.test("a scene sets it", async (t) => {
    await visit(desktop, "/scenes");
    await desktop.getByRole("button", { name: "New scene" }).click();
    const dialog = desktop.locator("dialog[open]");
    await dialog.getByLabel("Name").fill("Good night");
    await dialog.getByLabel("Also set the house to").selectOption("night");
    await dialog.getByRole("button", { name: "Save" }).click();
    await desktop.getByText("Sets the house to Night", { exact: true }).waitFor();
    await desktop.getByRole("button", { name: "Run", exact: true }).click();
    await phone.getByRole("button", chip(/^Night ?(one|nobody|mode of the house|\d)/)).waitFor();
    t.same(stage.problems, []);
  });
});
