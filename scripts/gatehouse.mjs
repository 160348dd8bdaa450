#!/usr/bin/env node
// @ts-check
// gatehouse COMMAND …: the hub's command line (gatehouse --help). Needs a build (npm start or npm run build).
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const projectFolder = join(dirname(realpathSync(fileURLToPath(import.meta.url))), "..");
// A release has its bundle in build/, a folder of sources in build-hub/, where npm start makes it.
const bundle = existsSync(join(projectFolder, "build-hub")) ? "build-hub" : "build";
const build = join(projectFolder, process.env.BUILD_FOLDER ?? bundle, "src");
const [, , name, ...args] = process.argv;

// A release brings the one Node.js that starts this; in a folder of sources it may be the system's, and an old one.
const runtime = join(projectFolder, "scripts/lib/runtime.mjs");
if (existsSync(runtime)) await (await import(runtime)).ensureRuntime();

if (!existsSync(join(build, "cli/cli.js"))) {
  console.error("Gatehouse is not built yet: run 'npm start' or 'npm run build' in its folder first.");
  process.exit(1);
}

// Installed by install.sh or a card image: the data is in its fixed place and belongs to the hub's user.
if (projectFolder.startsWith("/opt/gatehouse/")) {
  process.env.GATEHOUSE_DATA ??= "/var/lib/gatehouse";
  const box = "/etc/gatehouse/gatehouse.env";
  if (existsSync(box)) process.loadEnvFile(box); // as the unit does; the shell's variables take precedence
}
becomeOwner(process.env.GATEHOUSE_DATA);

if (name === "start") {
  process.argv.splice(2, 1);
  await import(join(build, "main.js"));
} else {
  /** @type {(() => void) | null} */
  let stop = null;
  process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
    if (stop === null) process.exit(error.code === "EPIPE" ? 0 : 1); // the reader closed the pipe
    stop();
  });
  const { runCli } = await import(join(build, "cli/cli.js")).catch((/** @type {Error} */ error) => {
    console.error(
      `A part of the program is missing or not whole (${error.message.split("\n")[0]}). Install this version again.`,
    );
    process.exit(78);
  });
  const { version } = JSON.parse(readFileSync(join(projectFolder, "package.json"), "utf8"));
  process.exitCode = await runCli(name === undefined ? [] : [name, ...args], {
    env: process.env,
    out: (/** @type {string} */ chunk) => process.stdout.write(chunk),
    print: (/** @type {string} */ chunk) =>
      new Promise((/** @type {(value?: undefined) => void} */ resolve, reject) => {
        process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
    err: (/** @type {string} */ chunk) => process.stderr.write(chunk),
    readInput: () => text(process.stdin),
    projectFolder,
    version,
    whenUnread: (/** @type {() => void} */ callback) => {
      stop = callback;
    },
    leave: () => process.kill(process.pid, "SIGKILL"),
  });
}

/**
 * Files that root left in the data folder could not be opened by the hub. Commands that read or write files elsewhere,
 * or start a unit, stay root.
 * @param {string | undefined} dataFolder
 */
function becomeOwner(dataFolder) {
  if (process.getuid?.() !== 0 || dataFolder === undefined || !existsSync(dataFolder)) return;
  if (["backup", "restore", "update", "apply-update", "doctor", "estate"].includes(name ?? "")) return;
  const { uid, gid } = statSync(dataFolder);
  if (uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
