/**
 * What `npm start`, `npm test` and `npm run bench` share: node modules, Debian packages and the build are
 * brought up to date when, and only when, what they are made from has changed. Plain Node, no dependency.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");

/** Runs a command with its output shown; ends this process with a clear line when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options });
  if (result.status === 0) return;
  const why = result.error ? result.error.message : `exit ${result.status ?? result.signal}`;
  console.error(`\n${command} ${args.join(" ")} failed (${why}).`);
  process.exit(1);
}

/** `npm ci` when node_modules does not match the lock file. */
export function ensureModules() {
  const stamp = join(root, "node_modules", ".gatehouse-lock");
  const wanted = `${hashFiles(["package-lock.json"])} ${process.version} ${process.arch}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return false;
  console.log("Installing node modules (once; better-sqlite3 may be compiled, which takes a minute or two) …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(stamp, wanted);
  return true;
}

/** Compiles TypeScript and, where it exists, the console, when a source has changed since the last build. */
export function ensureBuild({ tests = false } = {}) {
  const server = sourceStamp(tests ? ["src", "firmware-bridge", "test"] : ["src", "firmware-bridge"]);
  const serverStamp = join(root, "build", tests ? ".stamp-tests" : ".stamp");
  if (!isCurrent(serverStamp, server)) {
    console.log("Building …");
    run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", tests ? "tsconfig.json" : "tsconfig.build.json"]);
    writeStamp(serverStamp, server);
  }
  if (!existsSync(join(root, "src/console/vite.config.ts"))) return;
  const pages = sourceStamp(["src/console", "src/contract"]);
  const pagesStamp = join(root, "dist", "console", ".stamp");
  if (isCurrent(pagesStamp, pages)) return;
  console.log("Building the console …");
  run(process.execPath, [join("node_modules", "vite", "bin", "vite.js"), "build", "--config", "src/console/vite.config.ts", "--logLevel", "warn"]);
  writeStamp(pagesStamp, pages);
}

/** Installs Debian packages that are missing when this is root; otherwise says the exact command and goes on (`optional`) or ends. */
export function ensureDebian(packages, { optional = false } = {}) {
  const missing = packages.filter(
    (name) => spawnSync("dpkg-query", ["-s", name], { encoding: "utf8" }).stdout?.includes("Status: install ok installed") !== true,
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

/** Hash of the contents of small files. */
function hashFiles(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function sourceStamp(folders) {
  const hash = createHash("sha256").update(hashFiles(["tsconfig.json", "package-lock.json"]));
  for (const folder of folders.filter((name) => existsSync(join(root, name)))) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath ?? entry.path, entry.name);
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path}:${size}:${mtimeMs};`);
    }
  }
  return hash.digest("hex");
}

function isCurrent(file, wanted) {
  return existsSync(file) && readFileSync(file, "utf8") === wanted;
}

function writeStamp(file, value) {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, value);
}
