// @ts-check
/**
 * node scripts/screenshots.mjs [FOLDER]
 *
 * Starts a hub with its demo household on free ports, opens every page of the console in Debian's Chromium at phone and
 * desktop width, light and dark, and those of the manual in Hindi too, and writes small WebP files to FOLDER
 * (docs/screenshots). ONLY=name,name: these pages (`gate`) or pictures (`gate-phone-hi`) alone.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { launchBrowser, startConsoleHub } from "./lib/console-stage.mjs";
import { callAs } from "./lib/hub-process.mjs";
import { prepare, root } from "./lib/prepare.mjs";

await prepare();
const only = process.env.ONLY?.split(",");
const QUALITY = 72;
/** The time zone of the house and of the browser. */
const ZONE = "Asia/Kolkata";
const folder = process.argv[2] ?? join(root, "docs/screenshots");
const PAGES = {
  home: "/",
  device: "/devices/:plug",
  gate: "/gate",
  vehicles: "/gate/vehicles",
  vehicle: "/gate/vehicles/:plate",
  guests: "/gate/guests",
  rules: "/gate/rules",
  cameras: "/gate/cameras",
  "camera-new": "/gate/cameras/new",
  camera: "/gate/cameras/:camera",
  automations: "/automations",
  automation: "/automations/:rule",
  "automation-new": "/automations/new",
  energy: "/energy",
  history: "/history",
  notifications: "/notifications",
  scenes: "/scenes",
  activity: "/activity",
  developer: "/developer",
  system: "/system",
  persons: "/system/persons",
  devices: "/devices",
  rooms: "/system/rooms",
  "other-makes": "/system/bridge",
  matter: "/system/matter",
  estate: "/gate/estate",
  backups: "/system/backups",
  updates: "/system/updates",
  log: "/system/log",
  settings: "/system/settings",
  more: "/more",
};
/** The pages that the manual has a picture of. */
const IN_MANUAL = ["home", "gate", "device", "rules", "automation-new", "history"];
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

mkdirSync(folder, { recursive: true });
const hub = await startConsoleHub(["--demo"]);
try {
  const { url } = hub;
  const browser = await launchBrowser();
  const cookie = await signIn(browser, url);
  /** @type {Record<string, string | undefined>} */
  const ids = await furnish(url, cookie);
  for (const size of /** @type {const} */ (["phone", "desktop"]))
    for (const colorScheme of /** @type {const} */ (["light", "dark"]))
      await takeAll(size, { colorScheme, locale: "en-IN" }, `${size}-${colorScheme}`, Object.keys(PAGES));
  await takeAll("phone", { colorScheme: "light", locale: "hi-IN" }, "phone-hi", IN_MANUAL);

  /**
   * Takes a picture of each page.
   * @param {keyof typeof SIZES} size
   * @param {{ colorScheme: "light" | "dark", locale: string }} how
   * @param {string} ending of the names of the pictures
   * @param {string[]} names of the pages
   */
  async function takeAll(size, how, ending, names) {
    const context = await browser.newContext({ ...how, viewport: SIZES[size], deviceScaleFactor: 1, timezoneId: ZONE });
    await context.addCookies([cookie]);
    const page = await context.newPage();
    /** @type {string[]} */
    const problems = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on(
      "requestfailed",
      (request) => !request.url().includes("/api/stream") && problems.push(`failed: ${request.url()}`),
    );
    for (const [name, path] of Object.entries(PAGES)) {
      const target = path.replace(/:(\w+)/, (_, id) => String(ids[id]));
      if (target.includes("undefined") || !names.includes(name)) continue;
      if (only !== undefined && !only.includes(name) && !only.includes(`${name}-${ending}`)) continue;
      await page.goto(url + target, { waitUntil: "load" });
      await page.locator("main h1").first().waitFor();
      await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" });
      await page.waitForTimeout(900); // pictures and charts
      await keep(await page.screenshot(), `${name}-${ending}`);
    }
    for (const problem of new Set(problems)) console.error(`${ending}: ${problem}`);
    await context.close();
  }
  await browser.close();
  console.log(`written to ${folder}`);
} finally {
  await hub.stop();
}

/** Writes a picture as small as it looks good. @param {Buffer} picture @param {string} name */
async function keep(picture, name) {
  await sharp(picture)
    .webp({ quality: QUALITY, effort: 6 })
    .toFile(join(folder, `${name}.webp`));
}

/**
 * First run on the page itself, also pictured; or the demo's own owner. Returns the session's cookie.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 */
async function signIn(browser, url) {
  const code = hub.claimCode;
  const context = await browser.newContext({ viewport: SIZES.phone });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator("h1").first().waitFor();
  await page.waitForTimeout(600);
  if (only === undefined) await keep(await page.screenshot(), `${code ? "welcome" : "sign-in"}-phone-light`);
  if (code) {
    const answer = await context.request.post(`${url}/api/claim`, {
      data: {
        code,
        name: "Asha Rao",
        email: "asha@example.org",
        password: "a sentence is the best password",
        timeZone: ZONE,
      },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  } else {
    const [, email, password] = /Sign in as (\S+) with the password (.+)/.exec(hub.output()) ?? [];
    const answer = await context.request.post(`${url}/api/session`, { data: { email, password } });
    if (!answer.ok()) throw new Error(await answer.text());
  }
  const [cookie] = await context.cookies();
  if (cookie === undefined) throw new Error("nobody is signed in");
  await context.close();
  return cookie;
}

/**
 * Adds what a real house has and the demo lacks: rules that ran, a limit of spaces, commands. Returns the ids for the
 * pages' paths.
 * @param {string} url
 * @param {{ name: string, value: string }} cookie
 */
async function furnish(url, cookie) {
  const call = callAs(url, { cookie: `${cookie.name}=${cookie.value}` });
  /** @type {{ devices: { id: string, type: string, online: boolean }[] }} */
  let { devices } = await call("GET", "/v1/devices");
  for (let i = 0; i < 120 && !(devices.length > 0 && devices.every(({ online }) => online)); i++) {
    await pause(500); // the devices connect one by one
    ({ devices } = await call("GET", "/v1/devices"));
  }
  const { vehicles } = await call("GET", "/v1/vehicles?days=365");
  const idOf = (/** @type {string} */ type) => devices.find((device) => device.type === type)?.id;
  await call("PATCH", "/api/site", {
    name: "Rao house",
    timeZone: ZONE,
    latitude: 18.52,
    longitude: 73.86,
    capacity: 4,
  });
  await call("PATCH", `/v1/devices/${idOf("smart-plug")}`, { favorite: true });
  const light = { type: "command", deviceId: idOf("light"), command: { power: true } };
  const { automation } = await call("POST", "/v1/automations", {
    name: "Light the drive when we come home",
    trigger: { type: "plate", decision: "allow", direction: "in" },
    conditions: [{ type: "sun", is: "down" }],
    action: {
      type: "sequence",
      actions: [light, { type: "notify", title: "Somebody is home", body: "The drive is lit." }],
    },
  });
  await call("POST", "/v1/automations", {
    name: "Pump off when it rains",
    trigger: { type: "time", at: "06:30", days: [1, 2, 3, 4, 5] },
    conditions: [{ type: "state", deviceId: idOf("sensor") ?? idOf("light"), field: "humidity", op: "gt", value: 80 }],
    action: { type: "notify", title: "Rain", body: "The pump stays off." },
  });
  await call("POST", "/api/persons/invitations", { name: "Ravi", role: "member" });
  await call("POST", "/api/keys", { name: "Wall tablet", env: "live", scopes: ["devices:read", "devices:control"] });
  await call("POST", "/api/webhooks", {
    url: "http://192.168.1.20:3000/hook",
    label: "Node-RED",
    events: ["device.state", "device.online"],
  });
  await call("POST", "/api/bridge/clients", { family: "tasmota", name: "Boiler" });
  await call("POST", "/api/backups", {});
  // A picture of a real plate that opens the gate; the demo's own cars pass too rarely.
  await call("POST", "/v1/plate-rules", { plate: "BR03AD2586", kind: "allow", label: "Asha's scooter" });
  await fetch(`${url}/api/cameras/${idOf("camera")}/burst`, {
    method: "POST",
    headers: { cookie: `${cookie.name}=${cookie.value}`, "content-type": "image/jpeg" },
    body: readFileSync(join(root, "test/fixtures/plates/two-wheeler-BR03AD2586.jpg")),
  });
  await call("POST", `/api/automations/${automation?.id}/run`, {});
  await call("POST", `/v1/devices/${idOf("smart-plug")}/commands`, { power: true });
  await pause(2_500);
  return { plug: idOf("smart-plug"), camera: idOf("camera"), rule: automation?.id, plate: vehicles[0]?.plate };
}
