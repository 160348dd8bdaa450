// @ts-check
/**
 * What `npm start`, `npm test` and `npm run bench` share: node modules, Debian packages and the build are brought up to
 * date if, and only if, their sources have changed. Plain Node, no dependency.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone } from "./alone.mjs";
import { BUNDLE } from "./hub-environment.mjs";
import { changedSince } from "./made-from.mjs";
import { ensureRuntime } from "./runtime.mjs";

/** The code cache of `npm start`. */
export const COMPILE_CACHE = fileURLToPath(new URL("../../.cache/compiled", import.meta.url));
/** Says which process installs or builds. */
const PREPARING = fileURLToPath(new URL("../../.cache/preparing", import.meta.url));
const CONSOLE = join("dist", "console");
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/**
 * Everything that the hub, or its tests, need to run: a supported Node.js, the node modules, the build. `isBuilt`: the
 * caller provides the build, and this process only changes to a supported Node.js. Every script calls this first.
 */
export async function prepare({ tests = false, isBuilt = false } = {}) {
  await ensureRuntime();
  if (isBuilt || (areModulesCurrent({ tests }) && isBuildCurrent())) return;
  alone(PREPARING, () => {
    ensureModules({ tests });
    ensureBuild();
  });
}

/** For the hub run from its sources: node modules, no build. */
export async function prepareModules() {
  await ensureRuntime();
  if (!areModulesCurrent({ tests: false })) alone(PREPARING, () => ensureModules({ tests: false }));
}

/** For a development tool (a linter): all node modules, no build. */
export async function prepareTools() {
  await ensureRuntime();
  if (!areModulesCurrent({ tests: true })) alone(PREPARING, () => ensureModules({ tests: true }));
}

/**
 * Runs a command with its output shown; if it fails, exits with a clear message.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnSyncOptions} [options]
 */
function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (result.status === 0) return;
  const why = result.error ? result.error.message : `exit ${result.status ?? result.signal}`;
  console.error(`\n${command} ${args.join(" ")} failed (${why}).`);
  process.exit(1);
}

/**
 * Node modules by the lock file: those that the hub and its build need, and with `tests` also those that
 * test/package.json names, which are most of them. The tests' modules are added to the existing ones; they are removed
 * when the lock file changes and only the hub is started. No package runs an install script: better-sqlite3, sharp and
 * onnxruntime-node include their compiled parts. The one exception is compiled here, by name.
 * @param {{ tests: boolean }} what
 */
function ensureModules({ tests }) {
  if (areModulesCurrent({ tests })) return;
  const { stamp, hubs, all } = modulesStamp();
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const quiet = { stdio: ["ignore", "ignore", "inherit"] };
  if (tests && isCurrent(stamp, hubs)) {
    console.log("Installing what tests and tools need (once) …");
    run("npm", ["install", "--no-save", "--workspaces", "--include-workspace-root", ...options], quiet);
  } else {
    console.log("Installing node modules (once) …");
    run("npm", ["ci", ...(tests ? [] : ["--workspaces=false"]), ...options], quiet);
    compileNotifySocket();
  }
  removeOtherMachines();
  rmSync(stamp, { force: true });
  writeFileSync(stamp, tests ? all : hubs);
}

/** Where it is noted which node modules there are: those of the hub, or all. */
function modulesStamp() {
  const hubs = `${hashFiles(["package-lock.json"])} ${process.versions.modules} ${process.arch}`;
  return { stamp: join(root, "node_modules", ".gatehouse-lock"), hubs, all: `${hubs} with tests` };
}

/** @param {{ tests: boolean }} what */
function areModulesCurrent({ tests }) {
  const { stamp, hubs, all } = modulesStamp();
  return isCurrent(stamp, all) || (!tests && isCurrent(stamp, hubs));
}

/**
 * onnxruntime-node includes its library for every system and processor, 290 MB in all: only this machine's is kept.
 */
function removeOtherMachines() {
  const libraries = join(root, "node_modules", "onnxruntime-node", "bin");
  for (const napi of readdirSync(libraries)) {
    for (const platform of readdirSync(join(libraries, napi))) {
      for (const arch of readdirSync(join(libraries, napi, platform))) {
        const isOurs = platform === process.platform && arch === process.arch;
        if (!isOurs) rmSync(join(libraries, napi, platform, arch), { recursive: true, force: true });
      }
    }
  }
}

/**
 * unix-dgram notifies systemd and is compiled for the running Node.js; a hub that systemd did not start does not need
 * it.
 */
function compileNotifySocket() {
  const home = dirname(dirname(process.execPath));
  const hasHeaders = existsSync(join(home, "include", "node", "node_version.h")); // otherwise node-gyp looks for them itself
  const env = { ...process.env, ...(hasHeaders ? { npm_config_nodedir: home } : {}) };
  const compiled = spawnSync("npm", ["rebuild", "unix-dgram", "--ignore-scripts=false", "--loglevel=error"], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  if (compiled.status !== 0)
    console.error(
      "unix-dgram could not be compiled (g++, make and python3 do it). Only a hub that systemd starts needs it, and its tests.",
    );
}

function isBuildCurrent() {
  return [BUNDLE, CONSOLE].every((folder) => changedSince(join(root, folder)) === null);
}

/**
 * Builds what has changed since the last build: the hub's bundle, which `npm start`, releases and tests of a
 * whole process run, and the console. Nothing else is built: tests and scripts run from their sources.
 */
function ensureBuild() {
  if (changedSince(join(root, BUNDLE)) !== null) {
    console.log("Building …");
    rmSync(COMPILE_CACHE, { recursive: true, force: true }); // of the previous build
    run(process.execPath, [join("scripts", "lib", "bundle-hub.mjs"), BUNDLE]);
  }
  if (changedSince(join(root, CONSOLE)) === null) return;
  console.log("Building the console …");
  run(process.execPath, [
    join("node_modules", "vite", "bin", "vite.js"),
    "build",
    "--config",
    "src/console/vite.config.ts",
    "--logLevel",
    "warn",
  ]);
}

/**
 * Installs Debian packages that are missing when this is root; otherwise prints the exact command and continues
 * (`optional`) or exits.
 * @param {string[]} packages
 */
export function ensureDebian(packages, { optional = false } = {}) {
  const missing = packages.filter(
    (name) =>
      spawnSync("dpkg-query", ["-s", name], { encoding: "utf8" }).stdout?.includes("Status: install ok installed") !==
      true,
  );
  if (missing.length === 0) return;
  const command = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log(`Installing Debian packages: ${missing.join(" ")} …`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    if (spawnSync("sh", ["-c", command], { stdio: ["ignore", "ignore", "inherit"], env }).status === 0) return;
  }
  console.error(`Missing Debian packages. Install them with:\n  sudo sh -c '${command}'`);
  if (!optional) process.exit(1);
}

/** Hash of the contents of small files. @param {string[]} files */
function hashFiles(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** @param {string} file @param {string} wanted */
function isCurrent(file, wanted) {
  return existsSync(file) && readFileSync(file, "utf8") === wanted;
}
