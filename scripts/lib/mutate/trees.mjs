// @ts-check
/** Project folders in memory with their own sources, in which single test files run. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUNDLE } from "../hub-environment.mjs";
import { root } from "../prepare.mjs";

const COPIED = ["src", "firmware-bridge", "test"];
const LEFT_OUT = [...COPIED, BUNDLE, "scripts", ".tap", ".cache", ".git"];
/** Replaces the bundle's programs: processes of tests also run the changed sources. */
const IN_PLACE_OF_BUNDLE = {
  "main.js": "../../src/main.ts",
  "cli/cli.js": "../../../src/cli/cli.ts",
  "matter-process.js": "../../src/features/matter/matter-process.ts",
};
/** @type {Set<() => void>} */
const underWay = new Set();
process.on("exit", () => {
  for (const end of underWay) end();
});

/** The folder of the trees and of the tests' leftovers. */
export const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/**
 * A project folder at `place`, with a copy of the sources and links to everything else.
 * @param {string} place
 */
export function makeTree(place) {
  mkdirSync(join(place, "tmp"), { recursive: true });
  for (const folder of COPIED) cpSync(join(root, folder), join(place, folder), { recursive: true });
  mkdirSync(join(place, BUNDLE, "src/cli"), { recursive: true });
  for (const [file, source] of Object.entries(IN_PLACE_OF_BUNDLE))
    writeFileSync(join(place, BUNDLE, "src", file), `export * from ${JSON.stringify(source)};\n`);
  // commands find the project by their own location
  cpSync(join(root, "scripts"), join(place, "scripts"), {
    recursive: true,
    filter: (path) => !path.endsWith("scripts/runtime/node_modules"),
  });
  if (existsSync(join(root, "scripts/runtime/node_modules")))
    symlinkSync(join(root, "scripts/runtime/node_modules"), join(place, "scripts/runtime/node_modules"));
  for (const entry of readdirSync(root))
    if (!LEFT_OUT.includes(entry)) symlinkSync(join(root, entry), join(place, entry));
  return place;
}

/** Nothing of one run reaches the next: homes that a changed hub has furnished, above all. @param {string} tree */
export function tidy(tree) {
  for (const name of [".tap", ".cache", "tmp"]) {
    try {
      rmSync(join(tree, name), { recursive: true, force: true });
    } catch {
      // the disk of a killed test is still mounted there; the next one uses other names
    }
  }
  mkdirSync(join(tree, "tmp"), { recursive: true });
}

/**
 * Runs one test file as scripts/test.mjs does: tap would remove a test's folder before the hub in it has stopped, and
 * fail if the hub writes meanwhile, with or without a change. "hung": it exceeded `limitMs` and was killed.
 * @param {string} tree @param {string} test @param {number} limitMs @param {Record<string, string>} [env]
 * @returns {Promise<{ end: "passed" | "failed" | "hung", seconds: number }>}
 */
export async function runTest(tree, test, limitMs, env = {}) {
  const begun = performance.now();
  const seconds = String(Math.max(1, Math.ceil(limitMs / 1000)));
  const child = spawn(process.execPath, [test], {
    cwd: tree,
    env: {
      ...process.env,
      TAP_TIMEOUT: seconds,
      TAP_BAIL: "1",
      TAP_SAVE_FIXTURE: "1",
      TMPDIR: join(tree, "tmp"),
      ...env,
    },
    stdio: "ignore",
    detached: true,
  });
  let isOver = false;
  const end = () => {
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL"); // with the processes that a failed test has left
    } catch {
      // nothing is left
    }
  };
  underWay.add(end);
  const timer = setTimeout(
    () => {
      isOver = true;
      end();
    },
    Math.max(0, limitMs),
  );
  const code = await new Promise((ended) => child.on("close", ended));
  clearTimeout(timer);
  end();
  underWay.delete(end);
  return { end: isOver ? "hung" : code === 0 ? "passed" : "failed", seconds: (performance.now() - begun) / 1000 };
}
