/**
 * npm test [-- FILE …]
 *
 * Installs what is missing (node modules; Debian's mosquitto clients, Chromium, ffmpeg, Avahi and systemd-nspawn when run as root),
 * builds, runs the suite with tap and ends with the line `N passed, N failed` from the real counts.
 * FILE: compiled test files (build/test/…), or their sources under test/.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuild, ensureDebian, ensureModules, hashFiles, root } from "./lib/prepare.mjs";

const tap = join(root, "node_modules/tap/dist/esm/run.mjs");

ensureModules();
ensureDebian(["mosquitto-clients", "mosquitto", "chromium", "ffmpeg", "curl", "avahi-daemon", "avahi-utils", "systemd-container"], { optional: true });
ensureBuild({ tests: true });
ensureTapBuild();

const wanted = process.argv.slice(2).map((file) => file.replace(/^test\/(.*)\.ts$/, "build/test/$1.js"));
const child = spawn(process.execPath, [tap, "run", "--reporter=tap", ...wanted], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });

const counts = { pass: 0, fail: 0, skip: 0 };
const failures = [];
let partial = "";
child.stdout.on("data", (chunk) => {
  const lines = (partial + chunk).split("\n");
  partial = lines.pop();
  for (const line of lines) onLine(line);
});
child.on("close", (code) => {
  onLine(partial);
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join("\n")}\n`);
  const failed = counts.fail === 0 && code !== 0 ? 1 : counts.fail;
  console.log(`${counts.pass} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
});

/** TAP 14: top-level lines are files, indented ones their assertions; the closing `# { … }` line at column 0 holds the totals. */
function onLine(line) {
  const totals = /^# \{(.*)\}\s*$/.exec(line);
  if (totals) {
    for (const [, key, value] of totals[1].matchAll(/(pass|fail|skip): (\d+)/g)) counts[key] = Number(value);
    return;
  }
  if (/^(ok|not ok) /.test(line)) console.log(line.replace(/ \{$/, ""));
  if (/^\s*not ok /.test(line) && !line.includes("# TODO")) failures.push(line);
  else if (failures.length > 0 && /^\s+(message|at|diff|found|wanted|error|fileName|lineNumber|stack|code):|^\s+[-+@]/.test(line) && failures.length < 400)
    failures.push(line);
}

/** tap rebuilds itself inside node_modules when the plugin list changes, and that run fails: do it beforehand, once. */
function ensureTapBuild() {
  const stamp = join(root, "node_modules", ".tap-plugins");
  const wantedStamp = hashFiles(["package-lock.json"]);
  if (existsSync(stamp) && spawnSync("cat", [stamp], { encoding: "utf8" }).stdout === wantedStamp) return;
  spawnSync(process.execPath, [tap, "build"], { cwd: root, stdio: "ignore" });
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stamp, wantedStamp);
}
