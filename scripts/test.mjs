// @ts-check
/**
 * npm test [-- [--changed] [--times] [--again] FILE …]
 *
 * Installs missing packages (node modules; Debian's mosquitto clients, Chromium, ffmpeg, Avahi and systemd-nspawn when
 * run as root), bundles the hub and the console if their sources have changed, runs the test files from their sources,
 * most of them sharing a process (lib/test-order.mjs), two or more processes at a time, and ends with the line `N
 * passed, N failed` from the real counts. FILE: test files, or folders of them (test/attacks); all without one.
 *
 * --changed: the files that import, directly or by way of others, what git says has changed (lib/importers.mjs).
 * --times: at the end, lists the files by processor seconds, children included, which shows on a busy machine too where
 * the suite's time goes.
 * --again: up to three failed files run once more, each alone; their last run counts, and those
 * that pass now are reported as unsteady.
 *
 * tap's own runner is left out: for coverage and mocks, which nothing here uses, it hooks every module that a test
 * loads, and that is as much work as the tests themselves.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join, relative, resolve } from "node:path";
import { layIntoMemory } from "./lib/folders-in-memory.mjs";
import { changedFiles, importersOf } from "./lib/importers.mjs";
import { COMPILE_CACHE, ensureDebian, prepare, root } from "./lib/prepare.mjs";
import { inOrder } from "./lib/test-order.mjs";

/**
 * Files at once. The environment can fix the number; otherwise more are started while the processor idles, because many
 * files mostly wait.
 */
const FIXED_JOBS = process.env.GATEHOUSE_TEST_JOBS;
const JOBS = Number(FIXED_JOBS ?? 2);
const MOST_JOBS = FIXED_JOBS === undefined ? 5 * availableParallelism() : JOBS;
/** If the processor was idle for this share of the interval, another file is started. */
const IDLE_SHARE = 0.1;
const LOOK_MS = 500;
/** A file loads its modules in the first second; only then does its load show. */
const SHOWS_AFTER_MS = 1_000;
const TIMEOUT_S = Number(process.env.TAP_TIMEOUT ?? 300);
/** Grace period for a file that does not end after its own timeout. */
const KILL_AFTER_MS = (TIMEOUT_S + 30) * 1000;
const FOLDER = "test";
/** More failures than this are not flakiness. */
const MOST_AGAIN = 3;
/** Loaded into each file's process. */
const BESIDE = ["--import", join(root, "scripts/lib/count-processor.mjs")];
const SEVERAL = join(root, "scripts/lib/several-tests.mjs");
/** Files per process: what they leave in memory and in their folders goes with the process. */
const MOST_TOGETHER = 40;
/**
 * Files per process started while the processor idles. Fewer, because the idle time may be short; but each further
 * process, with the first start of a hub in it, costs about a second of processor time.
 */
const MOST_BESIDE = 20;

await prepare({ tests: true });
ensureDebian(
  [
    "mosquitto-clients",
    "mosquitto",
    "chromium",
    "ffmpeg",
    "curl",
    "avahi-daemon",
    "avahi-utils",
    "systemd-container",
    "libnss3-tools",
    "openssl",
    "nats-server",
    "influxdb",
    "prometheus",
  ],
  {
    optional: true,
  },
);
// by itself: not every system has it, and Chromium does as well
ensureDebian(["chromium-headless-shell"], { optional: true });

layIntoMemory(join(root, ".tap", "fixtures"));

/** @typedef {{ passed: number, failed: number, wrong: string[] }} Result `wrong`: lines that say what failed */
/** @returns {Result} */
const newResult = () => ({ passed: 0, failed: 0, wrong: [] });

const SHOWN_TIMES = 40;
const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith("--")).flatMap(named);
const files = words.includes("--changed") ? affected() : wanted.length > 0 ? wanted : testFiles();
const totals = { passed: 0, failed: 0 };
/** Failures by file. */
/** @type {Map<string, Result>} */
const failures = new Map();
/** @type {{ file: string, seconds: number, processor: number }[]} */
const times = [];
const started = performance.now();
const waiting = inOrder(files, FOLDER);
/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.on(signal, () => stop(signal));

/** @type {Promise<boolean>[]} */
const more = [];
const looking = beginMoreWhileIdle();
await Promise.all(Array.from({ length: JOBS }, work));
clearInterval(looking);
await Promise.all(more);
showFailures();
if (words.includes("--again") && failures.size <= MOST_AGAIN) await runAgain();
if (words.includes("--times")) showTimes();
console.log(`# ${files.length} files in ${Math.round((performance.now() - started) / 1000)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);

/** The test files that an argument names. @param {string} name @returns {string[]} */
function named(name) {
  const path = relative(root, resolve(name));
  const found = testFiles().filter((file) => file === path || file.startsWith(`${path}/`));
  if (found.length > 0) return found;
  console.error(`There is no test in ${name}.`);
  process.exit(1);
}

/** The test files that a change may affect. No test imports pages, but these show them in a browser. */
function affected() {
  const changed = changedFiles();
  const concerned = importersOf(changed);
  const hasPages = changed.some((file) => /^src\/(?:.*\/)?console\//.test(file));
  const chosen = testFiles().filter((file) => concerned.has(file) || (hasPages && file.startsWith("test/console/")));
  console.log(`# ${changed.length} files changed; ${chosen.length} test files import them`);
  return chosen;
}

function testFiles() {
  return readdirSync(join(root, FOLDER), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .sort()
    .map((file) => join(FOLDER, file));
}

async function work() {
  while (await runNext(MOST_TOGETHER));
}

/**
 * Runs what comes next in a process; files that share it, up to so many. Whether there was any. @param {number} most
 */
async function runNext(most) {
  const alone = waiting.alone.shift();
  if (alone !== undefined) {
    await runFiles(alone);
    return true;
  }
  const queue = waiting.sharing.find((files) => files.length > 0);
  const file = queue?.shift();
  if (file === undefined) return false;
  let left = most;
  await runFiles(file, () => (--left > 0 ? queue?.shift() : undefined));
  return true;
}

/** Waiting tests leave the processor to others. */
function beginMoreWhileIdle() {
  let before = cpus();
  let begunAt = 0;
  return setInterval(() => {
    if (performance.now() - begunAt < SHOWS_AFTER_MS) {
      before = cpus();
      return;
    }
    const now = cpus();
    /** @param {(times: import("node:os").CpuInfo["times"]) => number} which */
    const spent = (which) =>
      now.reduce((sum, { times }, n) => sum + which(times) - which(before[n]?.times ?? times), 0);
    const idle =
      spent((times) => times.idle) / spent((times) => times.user + times.nice + times.sys + times.irq + times.idle);
    before = now;
    if (idle < IDLE_SHARE || children.size >= MOST_JOBS) return;
    begunAt = performance.now();
    more.push(runNext(MOST_BESIDE));
  }, LOOK_MS);
}

/**
 * Runs a file as the program that it is; or, with `next`, in a process that it shares with those that this gives.
 * @param {string} file
 * @param {(() => string | undefined) | null} next
 */
async function runFiles(file, next = null) {
  /** @type {string[]} */
  const begunHere = [];
  // tap would remove a test's folder before the hub in it has stopped, and fail where the hub writes meanwhile: it goes
  // when the program has ended.
  const env = {
    ...process.env,
    TAP_TIMEOUT: String(TIMEOUT_S),
    TAP_SAVE_FIXTURE: "1",
    GATEHOUSE_TEST_RUN: `run-${process.pid}`,
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
  const child = spawn(process.execPath, [...BESIDE, next === null ? file : SEVERAL], {
    cwd: root,
    env,
    stdio: [next === null ? "ignore" : "pipe", "pipe", "inherit", "pipe"],
  });
  let total = "";
  child.stdio[3]?.on("data", (chunk) => (total += chunk));
  children.add(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
  let begun = performance.now();
  let result = newResult();
  let counted = 0; // seconds of the processor
  let hasFailed = false;
  /** The last of several files has reported everything; the process is about to end. */
  let isOver = false;
  const begins = (/** @type {string} */ one) => {
    removeFolders(one); // of a run that was stopped
    begunHere.push(one);
    file = one;
    begun = performance.now();
    child.stdin?.write(`${one}\n`);
  };
  const ends = (/** @type {number} */ processor) => {
    tell(file, result, { seconds: (performance.now() - begun) / 1000, processor });
    hasFailed ||= result.failed > 0;
    counted += processor;
    result = newResult();
  };
  child.stdin?.on("error", () => {}); // the process has ended, which is handled below
  begins(file);
  let partial = "";
  child.stdout?.on("data", (chunk) => {
    const lines = (partial + chunk).split("\n");
    partial = lines.pop() ?? "";
    for (const line of lines) {
      if (!isOver) readLine(line, result);
      const processor = /^# of the processor: ([\d.]+)/.exec(line)?.[1];
      if (processor === undefined) continue;
      timer.refresh();
      const following = next?.();
      isOver = following === undefined;
      if (following === undefined) child.stdin?.end();
      else {
        ends(Number(processor));
        begins(following);
      }
    }
  });
  const [code, signal] = await new Promise((ended) => child.on("close", (...how) => ended(how)));
  clearTimeout(timer);
  children.delete(child);
  for (const one of begunHere) removeFolders(one);
  if (!isOver) readLine(partial, result);
  const isExplained = result.failed > 0 || (isOver && hasFailed);
  if (!isExplained && (code !== 0 || (next !== null && !isOver))) {
    result.failed = 1;
    result.wrong.push(`    it ended with ${signal ?? `exit ${code}`}`);
  }
  ends(Number(total) - counted);
}

/**
 * Counts a file's results and prints them.
 * @param {string} file
 * @param {Result} result
 * @param {{ seconds: number, processor: number }} time
 */
function tell(file, result, { seconds, processor }) {
  totals.passed += result.passed;
  totals.failed += result.failed;
  const isOk = result.failed === 0;
  if (!isOk) failures.set(file, result);
  times.push({ file: relative(FOLDER, file), seconds, processor });
  console.log(`${isOk ? "ok" : "not ok"} ${relative(FOLDER, file)} # ${result.passed} passed, ${seconds.toFixed(1)} s`);
}

function showFailures() {
  if (failures.size === 0) return;
  console.log(`\nFailed:\n${[...failures].flatMap(([file, { wrong }]) => [file, ...wrong]).join("\n")}\n`);
}

async function runAgain() {
  for (const [file, { passed, failed }] of [...failures]) {
    failures.delete(file);
    totals.passed -= passed;
    totals.failed -= failed;
    await runFiles(file);
    if (!failures.has(file))
      console.log(`# unsteady: ${relative(FOLDER, file)} failed beside other files and passed alone`);
  }
  showFailures();
}

function showTimes() {
  const line = (/** @type {(typeof times)[number]} */ { file, seconds, processor }) =>
    `${processor.toFixed(1).padStart(8)} ${seconds.toFixed(1).padStart(8)}  ${file}`;
  const sum = (/** @type {"seconds" | "processor"} */ which) => times.reduce((total, time) => total + time[which], 0);
  console.log("\nprocessor       s");
  for (const time of times.sort((a, b) => b.processor - a.processor).slice(0, SHOWN_TIMES)) console.log(line(time));
  console.log(line({ file: "all files", seconds: sum("seconds"), processor: sum("processor") }));
}

/** What a test file left in its folders, which tap names after it. @param {string} file */
function removeFolders(file) {
  const place = join(root, ".tap", "fixtures");
  if (!existsSync(place)) return;
  const start = file.replace(/[^a-zA-Z0-9._-]+/g, "-");
  for (const name of readdirSync(place))
    if (name.startsWith(start)) rmSync(join(place, name), { recursive: true, force: true });
}

/**
 * TAP 14: the closing `# { … }` line at column 0 holds the file's totals; what stands below a `not ok` says why.
 * @param {string} line
 * @param {Result} result
 */
function readLine(line, result) {
  const totals = /^# \{(.*)\}\s*$/.exec(line);
  if (totals !== null) {
    for (const [, key, value] of (totals[1] ?? "").matchAll(/(pass|fail): (\d+)/g))
      result[key === "pass" ? "passed" : "failed"] = Number(value);
    return;
  }
  if (/^\s*not ok /.test(line) && !line.includes("# TODO")) result.wrong.push(line);
  else if (
    result.wrong.length > 0 &&
    /^\s+(message|at|diff|found|wanted|error|fileName|lineNumber|stack|code):|^\s+[-+@]/.test(line) &&
    result.wrong.length < 100
  )
    result.wrong.push(line);
}

/** A signal to the suite also stops its files. @param {NodeJS.Signals} signal */
function stop(signal) {
  for (const child of children) child.kill(signal);
  process.exit(1);
}
