/**
 * Every page of a lived-in house, as it is: nothing that axe objects to, no wider than the screen, by keyboard, in
 * Hindi.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { APIRequestContext, Page } from "playwright-core";
import t, { type Test } from "tap";
import { PROJECT_ROOT } from "../support/database.js";
import {
  cannotBrowse,
  connectDevice,
  follow,
  SIZES,
  type Size,
  type Stage,
  settled,
  startOwnedStage,
  violations,
} from "./stage.js";

const SIZE_NAMES = Object.keys(SIZES) as Size[]; // keys of a literal
/**
 * What stands for the named parts of the console's addresses; several: each is looked at. A new page with a named part
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
};
/** Every page of the console's own table, so that none can be forgotten, and an address that is none. */
const PAGES = [
  ...(await readFile(join(PROJECT_ROOT, "src/console/pages/pages.ts"), "utf8")).matchAll(/pattern: "([^"]+)"/g),
]
  .map(([, pattern = ""]) => pattern)
  .flatMap((pattern) =>
    pattern.includes(":") ? (EXAMPLES[pattern] ?? [""]).map((part) => pattern.replace(/:\w+/, part)) : [pattern],
  )
  .concat("/nowhere");
/** Their first head is a name that somebody gave. */
const NAMED = /^\/(devices\/|gate\/vehicles\/|gate\/reads\/|gate\/cameras\/eye$|automations\/RULE)/;
/** Names as people and their bridges give them. */
const HARD_NAMES = {
  plug: "0x00158d0001a2b3c4",
  camera: "living_room_ceiling_light_2",
  gate: "A".repeat(120),
} as const;
/**
 * The narrowest screen of people, a tablet upright, a large one: no page is wider, and none is one broad line of text.
 */
const NARROWEST = { width: 360, height: 740 } as const;
const FURTHER = { phone: { width: 768, height: 1024 }, desktop: { width: 1920, height: 1080 } } as const;
/** Letters in a line beyond which nobody reads on. */
const LONGEST_LINE = 160;

/** What was made for the pages that show one thing. */
interface Made {
  readonly rule: number;
  readonly read: number;
}

t.setTimeout(280_000);
t.test("every page", { skip: cannotBrowse }, async (t) => {
  const stage = await startOwnedStage(t.testdir());
  t.teardown(() => stage.stop());
  const made = await furnish(stage, t);
  t.ok(
    PAGES.length > 35 && PAGES.every((path) => !path.endsWith("/") || path === "/"),
    "every page of the table is known here",
  );
  await t.test("both themes: nothing that axe objects to", (t) => checkPages(stage, made, t));
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
  t.match(reads, [{ plate: "BR03AD2586" }]);
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

/**
 * Each page is opened at both widths: by its address on the narrow screen, from the page before on the wide one. The
 * narrow one in both themes; colours do not depend on the width, so the wide one in both in the long form only.
 */
async function checkPages(stage: Stage, { rule, read }: Made, t: Test): Promise<void> {
  const isLong = process.env.GATEHOUSE_TEST_LONG === "1";
  for (const size of SIZE_NAMES) {
    const page = stage.pages[size];
    const screen = size === "phone" ? NARROWEST : SIZES.desktop;
    await page.bringToFront();
    await page.setViewportSize(screen);
    await page.goto("/more");
    for (const pattern of PAGES) {
      const path = pattern.replace("RULE", String(rule)).replace("READ", String(read));
      await page.emulateMedia({ colorScheme: "dark" });
      if (size === "phone" || isLong) await page.goto(path);
      else await follow(page, path);
      await settled(page);
      t.strictSame(await violations(page), [], `${path} ${size} dark`);
      t.equal(await beyond(page), 0, `${path} does not scroll sideways at ${screen.width}`);
      await page.setViewportSize(FURTHER[size]);
      t.equal(await beyond(page), 0, `${path} does not scroll sideways at ${FURTHER[size].width}`);
      if (size === "desktop") t.same(await longLines(page), [], `${path}: no line of ${LONGEST_LINE} letters at 1920`);
      await page.setViewportSize(screen);
      if (size !== "phone" && !isLong) continue;
      await page.emulateMedia({ colorScheme: "light" });
      t.strictSame(await violations(page, isLong ? "all" : "colours"), [], `${path} ${size} light`);
    }
  }
}

/** How far a page can be scrolled sideways, in pixels. */
async function beyond(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"));
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
  t.equal(await focused(), "Skip to the page", "the way past the menu comes first");
  for (let n = 0; n < 15 && (await focused()) !== "Developer"; n++) await page.keyboard.press("Tab");
  t.equal(await focused(), "Developer");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Developer" }).waitFor();
  t.equal(await focused(), "Developer", "the new page's head is focused");
  await page.getByRole("button", { name: "New key", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  t.strictSame(await violations(page), [], "a dialog too");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  t.equal(await focused(), "New key", "focus is back where it was");
}

/** Words that stay as they are in every language: names, units, what the owner typed. */
async function inHindi({ pages: { phone: page } }: Stage, t: Test): Promise<void> {
  await page.bringToFront();
  await page.setViewportSize(NARROWEST);
  await page.goto("/system");
  await page.getByLabel("Language").selectOption("hi");
  await page.getByRole("heading", { level: 1, name: "सिस्टम" }).waitFor();
  t.equal(await page.locator("html").getAttribute("lang"), "hi");
  const health = page.locator("section", { has: page.getByRole("heading", { name: "सेहत" }) }).locator("li p");
  await health.first().waitFor();
  const english = (await health.allTextContents()).filter((text) => !/[\u0900-\u097F]/.test(text));
  t.strictSame(english, [], "what the hub says of its parts is in Hindi too");
  for (const path of PAGES.filter((pattern) => !NAMED.test(pattern))) {
    await follow(page, path);
    const head = page.getByRole("heading", { level: 1 }).first();
    t.match(await head.textContent(), /[\u0900-\u097F]/, `${path} in Hindi`);
    t.equal(await beyond(page), 0, `${path} does not scroll sideways in Hindi`);
  }
}
