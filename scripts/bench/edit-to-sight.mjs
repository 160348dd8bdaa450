// @ts-check
/**
 * npm run bench -- edit-to-sight [--rounds N]
 *
 * The time under `npm run dev` from saving a file until its effect is visible: a CSS rule and a Hindi text in a
 * browser, a text and a handler of the hub in its response, a plate rule in a running hub and in its test. Edits files
 * of the working tree and restores them. The limit is two seconds each.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { option } from "../lib/bench-hub.mjs";
import { freePort } from "../lib/free-port.mjs";
import { root } from "../lib/prepare.mjs";

/** Debian's. */
const CHROMIUM = "/usr/bin/chromium";
const LIMIT_MS = 30_000;
const WANTED_SECONDS = 2;

/** @param {string[]} [options] */
export async function run(options = []) {
  const rounds = Number(option(options, "--rounds", "3"));
  const { chromium } = await import("playwright-core");
  const data = mkdtempSync(join(tmpdir(), "gatehouse-dev-"));
  const [http, mqtt] = [await freePort(), await freePort()];
  const dev = spawn(process.execPath, [join(root, "scripts/dev.mjs")], {
    cwd: root,
    env: {
      ...process.env,
      GATEHOUSE_DATA: data,
      GATEHOUSE_HTTP_PORT: String(http),
      GATEHOUSE_MQTT_PORT: String(mqtt),
      GATEHOUSE_RECOGNITION: "false",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  dev.stdout.on("data", (chunk) => (output += chunk));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  /** @type {Record<string, Record<string, string>>} */
  const table = {};
  let isSlow = false;
  try {
    await until(() => /Console {3}http/.test(output) && /Claim code/.test(output), "npm run dev");
    const url = /^Console {3}(http\S+)/m.exec(output)?.[1] ?? "";
    const page = await browser.newPage();
    await page.addInitScript("localStorage.setItem('gatehouse.language', 'hi')");
    await page.goto(url);
    await page.locator("button").first().waitFor();
    const health = async () => (await fetch(`http://127.0.0.1:${http}/healthz`)).text();
    const shown = (/** @type {string} */ text) =>
      /** @type {Promise<boolean>} */ (page.evaluate(`document.body.innerText.includes(${JSON.stringify(text)})`));
    const label = (await page.locator("button").first().innerText()).trim();
    const sights = [
      {
        name: "a CSS rule",
        file: "src/console/theme.css",
        edit: (/** @type {string} */ text, /** @type {string} */ mark) => `${text}\nbody { --seen: ${mark}; }\n`,
        sees: (/** @type {string} */ mark) =>
          page.evaluate(
            `getComputedStyle(document.body).getPropertyValue("--seen").trim() === ${JSON.stringify(mark)}`,
          ),
      },
      {
        name: "a Hindi text of the console",
        file: "src/features/access/console/texts.ts",
        edit: (/** @type {string} */ text, /** @type {string} */ mark) =>
          text.replaceAll(JSON.stringify(label), JSON.stringify(`${label} ${mark}`)),
        sees: shown,
      },
      {
        name: "a text of the hub",
        file: "src/features/system/texts.ts",
        edit: (/** @type {string} */ text, /** @type {string} */ mark) =>
          text.replace("The database can be written.", `The database can be written ${mark}.`),
        sees: async (/** @type {string} */ mark) => (await health()).includes(mark),
      },
      {
        name: "a handler",
        file: "src/features/system/metrics.ts",
        edit: (/** @type {string} */ text) => `${text}\n`,
        sees: restarted(health),
      },
      {
        name: "a rule of plates, in the hub",
        file: "src/core/plates/vote.ts",
        edit: (/** @type {string} */ text) => `${text}\n`,
        sees: restarted(health),
      },
      {
        name: "a rule of plates, in its test",
        file: "src/core/plates/vote.ts",
        edit: (/** @type {string} */ text) => `${text}\n`,
        sees: async () => {
          execFileSync(process.execPath, [join(root, "test/plates/vote.test.ts")], { stdio: "ignore" });
          return true;
        },
      },
    ];
    for (const { name, file, edit, sees } of sights) {
      const seconds = [];
      for (let round = 0; round < rounds; round++) {
        seconds.push(await secondsUntil(file, edit, sees));
        await pause(3_000); // restored, and restarted again
        await until(() => health().then(Boolean, () => false), "the hub after it was put back");
      }
      seconds.sort((a, b) => a - b);
      const median = seconds[Math.floor(seconds.length / 2)] ?? Number.NaN;
      isSlow ||= median > WANTED_SECONDS;
      table[name] = { median: `${median.toFixed(2)} s`, most: `${(seconds.at(-1) ?? Number.NaN).toFixed(2)} s` };
    }
  } finally {
    await browser.close();
    dev.kill("SIGTERM");
    await new Promise((ended) => dev.once("exit", ended));
    rmSync(data, { recursive: true, force: true });
  }
  console.table(table);
  if (isSlow) throw new Error(`one of them takes longer than ${WANTED_SECONDS} s`);
}

/**
 * @param {string} file
 * @param {(text: string, mark: string) => string} edit
 * @param {(mark: string) => Promise<boolean>} sees
 */
async function secondsUntil(file, edit, sees) {
  const path = join(root, file);
  const before = readFileSync(path, "utf8");
  const mark = `seen${Date.now().toString(36)}`;
  const after = edit(before, mark);
  if (after === before) throw new Error(`nothing to edit in ${file}`);
  try {
    const begun = performance.now();
    writeFileSync(path, after);
    await until(() => sees(mark).catch(() => false), `the edit of ${file}`);
    return (performance.now() - begun) / 1_000;
  } finally {
    writeFileSync(path, before);
  }
}

/** Seen when the hub has been away and answers again. @param {() => Promise<string>} health */
function restarted(health) {
  let wasAway = false;
  let at = "";
  return async (/** @type {string} */ mark) => {
    if (mark !== at) wasAway = false;
    at = mark;
    try {
      await health();
      return wasAway;
    } catch {
      wasAway = true;
      return false;
    }
  };
}

/** @param {() => boolean | Promise<boolean>} met @param {string} what */
async function until(met, what) {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await met())) {
    if (performance.now() > deadline) throw new Error(`${what}: not seen in ${LIMIT_MS / 1_000} s`);
    await pause(20);
  }
}
