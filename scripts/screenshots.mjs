/**
 * node scripts/screenshots.mjs [FOLDER]
 *
 * Starts a hub with its demo household on free ports, opens every page of the console in Debian's Chromium at phone and
 * desktop width, light and dark, and writes PNG files to FOLDER (docs/screenshots unless given).
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { root } from "./lib/prepare.mjs";

const folder = process.argv[2] ?? join(root, "docs/screenshots");
const main = process.env.HUB_MAIN ?? join(root, "build/src/main.js");
const PAGES = {
  home: "/",
  device: "/devices/:plug",
  gate: "/gate",
  vehicles: "/gate/vehicles",
  vehicle: "/gate/vehicles/:plate",
  rules: "/gate/rules",
  cameras: "/gate/cameras",
  camera: "/gate/cameras/:camera",
  automations: "/automations",
  automation: "/automations/:rule",
  "automation-new": "/automations/new",
  scenes: "/scenes",
  activity: "/activity",
  developer: "/developer",
  system: "/system",
  devices: "/system/devices",
  rooms: "/system/rooms",
  more: "/more",
};
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "gatehouse-shots-"));
const hub = spawn(process.execPath, [main, "--demo"], {
  env: { ...process.env, GATEHOUSE_DATA: data, GATEHOUSE_HTTP_PORT: "0", GATEHOUSE_MQTT_PORT: "0", GATEHOUSE_HOST: "127.0.0.1", GATEHOUSE_MDNS: "false" },
  stdio: ["ignore", "pipe", "inherit"],
});
let output = "";
hub.stdout.on("data", (chunk) => {
  output += chunk;
});
try {
  await until(() => /Gatehouse is ready/.test(output) && /Console /.test(output));
  const url = /Gatehouse is ready: (\S+)/.exec(output)[1];
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const cookie = await signIn(browser, url);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  const ids = await findIds(url, cookie);
  for (const [sizeName, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 1 });
      await context.addCookies([cookie]);
      const page = await context.newPage();
      const problems = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      page.on("requestfailed", (request) => !request.url().includes("/api/stream") && problems.push(`failed: ${request.url()}`));
      for (const [name, path] of Object.entries(PAGES)) {
        const target = path.replace(/:(\w+)/, (_, name) => ids[name]);
        if (target.includes("undefined")) continue;
        await page.goto(url + target, { waitUntil: "load" });
        await page.waitForTimeout(500);
        await page.screenshot({ path: join(folder, `${name}-${sizeName}-${colorScheme}.png`), fullPage: sizeName === "desktop" });
      }
      for (const problem of new Set(problems)) console.error(`${sizeName} ${colorScheme}: ${problem}`);
      await context.close();
    }
  }
  await browser.close();
  console.log(`written to ${folder}`);
} finally {
  hub.kill("SIGTERM");
  await new Promise((resolve) => hub.on("exit", resolve));
  rmSync(data, { recursive: true, force: true });
}

/** First run on the page itself, also pictured; or the demo's own owner. Returns the session's cookie. */
async function signIn(browser, url) {
  const code = /Claim code: (\S+)/.exec(output)?.[1];
  const context = await browser.newContext({ viewport: SIZES.phone });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, `${code ? "welcome" : "sign-in"}-phone-light.png`) });
  if (code) {
    const answer = await context.request.post(`${url}/api/claim`, {
      data: { code, name: "Asha Rao", email: "asha@example.org", password: "a sentence is the best password" },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  } else {
    const [, email, password] = /Sign in as (\S+) with the password (.+)/.exec(output) ?? [];
    const answer = await context.request.post(`${url}/api/session`, { data: { email, password } });
    if (!answer.ok()) throw new Error(await answer.text());
  }
  const [cookie] = await context.cookies();
  await context.close();
  return cookie;
}

async function findIds(url, cookie) {
  const headers = { cookie: `${cookie.name}=${cookie.value}` };
  const { devices } = await (await fetch(`${url}/v1/devices`, { headers })).json();
  const { vehicles } = await (await fetch(`${url}/v1/vehicles?days=365`, { headers })).json();
  const { automations } = await (await fetch(`${url}/v1/automations`, { headers })).json();
  const camera = devices.find((device) => device.type === "camera")?.id;
  return { camera, rule: automations[0]?.id, plug: (devices.find((device) => device.type === "smart-plug") ?? devices[0])?.id, plate: vehicles[0]?.plate };
}

async function until(condition) {
  for (let i = 0; i < 600; i++) {
    if (condition()) return;
    if (hub.exitCode !== null) throw new Error(`the hub ended:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the hub was not ready:\n${output}`);
}
