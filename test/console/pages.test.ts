/** Every page of a lived-in house: no axe violations, no wider than the screen, by keyboard, in Hindi. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIRequestContext, Page } from "playwright-core";
import t, { type Test } from "tap";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";
import { beyond, overlaps, PATTERNS, SCREENS, type Width } from "./layout.ts";
import { cannotBrowse, connectDevice, follow, type Stage, settled, startOwnedStage, violations } from "./stage.ts";

/**
 * Values for the named parts of the console's addresses; with several, each is visited. A new page with a named part
 * needs a line here.
 */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "/devices/:id": ["plug", "away"],
  "/rooms/:id": ["none"],
  "/gate/reads/:id": ["READ"],
  "/gate/vehicles/:plate": ["BR03AD2586"],
  "/gate/cameras/:id": ["eye"],
  "/gate/cameras/:id/find": ["eye"],
  "/automations/:id": ["new", "RULE"],
  "/system/persons/:id": ["1"],
  "/help/:chapter": ["gate"],
};
/** Every page of the console, and one address that does not exist. */
const PAGES = PATTERNS.flatMap((pattern) =>
  pattern.includes(":") ? (EXAMPLES[pattern] ?? [""]).map((part) => pattern.replace(/:\w+/, part)) : [pattern],
).concat("/nowhere");
/** Their first heading is a name chosen by a person. */
const NAMED = /^\/(devices\/|gate\/vehicles\/|gate\/reads\/|gate\/cameras\/eye$|automations\/RULE|system\/persons\/)/;
/** Realistic names, as people and their bridges choose them. */
const HARD_NAMES = {
  plug: "0x00158d0001a2b3c4",
  camera: "living_room_ceiling_light_2",
  gate: "A".repeat(120),
} as const;
/** Maximum readable line length, in letters. */
const LONGEST_LINE = 160;
/** What a laptop of 1366 × 768 shows at a zoom of 200 %. */
const ZOOMED = { width: 683, height: 384 };

/** Objects made for the pages that show a single one. */
interface Made {
  readonly rule: number;
  readonly read: number;
}

t.setTimeout(280_000);
t.test("every page", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(testFolder(t));
  t.teardown(() => stage.stop());
  const made = await furnish(stage, t);
  t.ok(
    PAGES.length > 35 && PAGES.every((path) => !path.endsWith("/") || path === "/"),
    "every page of the table is known here",
  );
  await t.test("both themes: no axe violations", (t) => checkPages(stage, made, t));
  await t.test("by keyboard alone", (t) => byKeyboard(stage, t));
  await t.test("in Hindi no page is wider than the phone, and none is left in English", (t) => inHindi(stage, t));
  t.strictSame(stage.problems, [], "no console error, no failed request");
});

/** An owner, and something on every page. */
async function furnish(stage: Stage, t: Test): Promise<Made> {
  const { request } = stage.pages.phone;
  const post = (path: string, data: object): Promise<Record<string, unknown>> => made(request, path, data);
  const { password } = await post("/api/devices", {
    id: "plug",
    name: HARD_NAMES.plug,
    type: "smart-plug",
    room: "Kitchen",
  });
  await post("/api/devices", { id: "eye", name: HARD_NAMES.camera, type: "camera", room: "Driveway" });
  await post("/api/devices", { id: "away", name: HARD_NAMES.gate, type: "gate", room: "Driveway" });
  const { client } = await connectDevice(stage, "plug", String(password));
  t.teardown(() => client.endAsync());
  await client.publishAsync("gatehouse/plug/state", JSON.stringify({ power: true, watts: 92.3, rssi: -61 }), {
    qos: 1,
  });
  for (const watts of [10, 20, 30])
    await client.publishAsync("gatehouse/plug/telemetry", JSON.stringify({ watts }), { qos: 1 });
  await client.publishAsync("gatehouse/plug/state", "not JSON", { qos: 1 });
  await post("/v1/devices/plug/commands", { power: false });
  await post("/api/scenes", { name: "Night", actions: [{ deviceId: "plug", command: { power: false } }] });
  await post("/v1/plate-rules", { plate: "MH 12 AB 1234", kind: "allow", label: "Rao" });
  await post("/api/keys", { name: "Tablet", env: "live", scopes: ["devices:read"] });
  await post("/api/webhooks", { url: "http://127.0.0.1:9/hook", label: "Node-RED", events: ["device.state"] });
  await post("/api/persons/invitations", { name: "Ravi", role: "member" });
  await post("/api/bridge/clients", { family: "tasmota", name: "Boiler" });
  await post("/api/backups", {});
  const jpeg = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg"));
  const burst = await request.post("/api/cameras/eye/burst", { data: jpeg, headers: { "content-type": "image/jpeg" } });
  const { reads } = (await burst.json()) as { reads: { id: number; plate: string }[] }; // its contract
  t.hasStrict(reads, [{ plate: "BR03AD2586" }]);
  const { automation } = await post("/v1/automations", {
    name: "Evening",
    trigger: { type: "time", at: "18:30", days: [] },
    conditions: [
      {
        type: "any",
        conditions: [
          { type: "sun", is: "down" },
          { type: "state", deviceId: "plug", field: "power", op: "truthy" },
        ],
      },
    ],
    action: { type: "command", deviceId: "plug", command: { power: true } },
  });
  const { id } = automation as { id: number }; // its contract
  await post(`/api/automations/${id}/run`, {});
  return { rule: id, read: reads[0]?.id ?? 0 };
}

async function made(request: APIRequestContext, path: string, data: object): Promise<Record<string, unknown>> {
  const answer = await request.post(path, { data });
  if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>; // every answer is a JSON object
}

/** Whether the long form runs: every rule in both themes, and what covers what at every width. */
const IS_LONG = process.env.GATEHOUSE_TEST_LONG === "1";

/** Each page is opened by its address on a narrow screen, and from the previous page on a wide one. */
async function checkPages({ pages }: Stage, { rule, read }: Made, t: Test): Promise<void> {
  const paths = PAGES.map((pattern) => pattern.replace("RULE", String(rule)).replace("READ", String(read)));
  await byAddress(pages.phone, paths, t);
  await fromPageToPage(pages.desktop, paths, t);
}

async function byAddress(page: Page, paths: readonly string[], t: Test): Promise<void> {
  await page.bringToFront();
  for (const path of paths) {
    await page.setViewportSize(SCREENS[360]);
    await page.goto(path);
    await settled(page);
    for (const width of [360, 768] as const) await isLaidOut(page, path, width, t);
  }
}

/**
 * In one document, in which axe is compiled once. Every rule at both widths, as they show different parts of the page;
 * in the light theme only the rules that depend on it, whatever the width.
 */
async function fromPageToPage(page: Page, paths: readonly string[], t: Test): Promise<void> {
  await page.bringToFront();
  await page.goto("/more");
  for (const path of paths) {
    const accuse = async (how: string, what?: "colours"): Promise<void> =>
      void t.strictSame(await violations(page, what), [], `${path} ${how}`);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize(SCREENS[1280]);
    await follow(page, path);
    await accuse("desktop dark");
    for (const width of [1280, 1920] as const) await isLaidOut(page, path, width, t);
    await page.setViewportSize(ZOOMED);
    t.equal(await beyond(page), 0, `${path} does not scroll sideways at a zoom of 200 %`);
    await page.setViewportSize(SCREENS[1920]);
    t.same(await longLines(page), [], `${path}: no line of ${LONGEST_LINE} letters at 1920`);
    await page.setViewportSize(SCREENS[360]);
    await accuse("phone dark");
    await page.emulateMedia({ colorScheme: "light" });
    await accuse("phone light", IS_LONG ? undefined : "colours");
    if (!IS_LONG) continue;
    await page.setViewportSize(SCREENS[1280]);
    await accuse("desktop light");
  }
  await page.setViewportSize(SCREENS[1280]);
}

/** No wider than the screen, and, if checked, nothing over something else. */
async function isLaidOut(page: Page, path: string, width: Width, t: Test): Promise<void> {
  await page.setViewportSize(SCREENS[width]);
  t.equal(await beyond(page), 0, `${path} does not scroll sideways at ${width}`);
  if (IS_LONG || width === 360 || width === 1280)
    t.same(await overlaps(page), [], `${path}: nothing covers something else at ${width}`);
}

/** Beginnings of the paragraphs with a line that is too long. */
async function longLines(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll("main p, main li, main .notice")]
    .filter((block) => block.children.length === 0 && block.textContent.length > ${LONGEST_LINE})
    .filter((block) => {
      const text = document.createRange();
      text.selectNodeContents(block);
      return block.textContent.length / Math.max(1, new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size) > ${LONGEST_LINE};
    })
    .map((block) => block.textContent.slice(0, 60))`);
}

async function byKeyboard(stage: Stage, t: Test): Promise<void> {
  const page = stage.pages.desktop;
  const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent.trim()");
  await page.bringToFront();
  await page.goto("/");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Tab");
  t.equal(await focused(), "Skip to the page", "the link past the menu comes first");
  for (let n = 0; n < 15 && (await focused()) !== "Developer"; n++) await page.keyboard.press("Tab");
  t.equal(await focused(), "Developer");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Developer" }).waitFor();
  t.equal(await focused(), "Developer", "the new page's heading is focused");
  await page.getByRole("button", { name: "New key", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  t.strictSame(await violations(page), [], "a dialog too");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  t.equal(await focused(), "New key", "focus is back where it was");
}

/** Words that stay the same in every language: names, units, the owner's own text. */
async function inHindi({ pages: { phone: page } }: Stage, t: Test): Promise<void> {
  await page.bringToFront();
  await page.setViewportSize(SCREENS[360]);
  await page.goto("/system/browser");
  await page.getByLabel("Language").selectOption("hi");
  await page.getByRole("heading", { level: 1, name: "यह ब्राउज़र" }).waitFor();
  t.equal(await page.locator("html").getAttribute("lang"), "hi");
  await follow(page, "/system/health");
  const health = page.locator(".check-line p");
  await health.first().waitFor({ state: "attached" }); // what is fine is folded
  const english = (await health.allTextContents()).filter((text) => !/[\u0900-\u097F]/.test(text));
  t.strictSame(english, [], "the hub's descriptions of its parts are in Hindi too");
  for (const path of PAGES.filter((pattern) => !NAMED.test(pattern))) {
    await follow(page, path);
    const head = page.getByRole("heading", { level: 1 }).first();
    t.match(await head.textContent(), /[\u0900-\u097F]/, `${path} in Hindi`);
    t.equal(await beyond(page), 0, `${path} does not scroll sideways in Hindi`);
    if (IS_LONG) t.strictSame(await violations(page), [], `${path} in Hindi`);
  }
}
