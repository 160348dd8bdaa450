/**
 * A hub of its own with an owner, and Debian's Chromium signed in: what the measurements of the console start from.
 * HUB_MAIN: another build's main.js.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { hubMain } from "./hub-environment.mjs";

/** Starts hub and browser; `call` speaks to the hub as its owner. */
export async function startStage() {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-console-"));
  const env = {
    ...process.env,
    GATEHOUSE_DATA: data,
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
  };
  const hub = spawn(process.execPath, [process.env.HUB_MAIN ?? hubMain()], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  hub.stdout.on("data", (chunk) => {
    output += chunk;
  });
  for (let i = 0; !/Claim code: /.test(output); i++) {
    if (i > 1_200 || hub.exitCode !== null) throw new Error(`the hub was not ready:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const url = /Gatehouse is ready: (\S+)/.exec(output)[1];
  const mqttPort = Number(/mqtt:\/\/[^\s:]+:(\d+)/.exec(output)[1]);
  const claim = { code: /Claim code: (\S+)/.exec(output)[1], name: "Asha Rao", email: "asha@example.org", password: "a sentence is the best password" };
  const claimed = await fetch(`${url}/api/claim`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(claim) });
  const cookie = claimed.headers.get("set-cookie").split(";")[0];
  const call = async (method, path, body) => {
    const headers = { cookie, ...(body ? { "content-type": "application/json" } : {}) };
    return (await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })).json();
  };
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  const newPage = async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const [name, value] = cookie.split("=");
    await context.addCookies([{ name, value, url }]);
    return context.newPage();
  };
  const stop = async () => {
    await browser.close();
    hub.kill("SIGTERM");
    await new Promise((resolve) => hub.on("exit", resolve));
    rmSync(data, { recursive: true, force: true });
  };
  return { url, mqttPort, browser, call, newPage, stop };
}
