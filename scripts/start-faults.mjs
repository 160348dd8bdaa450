#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/start-faults.mjs [--only files|pages|schema|process] [--flips N] [--every N] [--seed S]
 *   [--part K/N] [--match TEXT] [--build FOLDER] [--household FOLDER] [--json]
 *
 * Starts a hub on a household's data folder with one fault, for every fault: each file missing, empty, truncated, with
 * one bit flipped, a folder, a pipe, without permission or a link to itself; each page of the database damaged and
 * zeroed; bits of the schema table and of the header flipped; a module missing or truncated, another hub's key, a
 * second hub, a port in use, few open files, early timers. The hub was stopped cleanly before, as by an update. Allowed
 * outcomes: it serves and everything is as before; it serves and names the fault; it exits with one sentence and code
 * 78. Not allowed: `exit loop` (it exits with a code that restarts it, and exits again), `hang` (not ready after
 * --limit milliseconds of processor time, or three times that in elapsed time, without the time in which a busy machine
 * did not let it run), `silent` (the owner does not get in, or the certificate is another authority's, and nothing
 * reports it). `--every N`: only each N-th page, or flip of the database. `--part 2/9`: the second ninth.
 * `--household`: the data folder of an existing one, whose owner has the password below. Root, for files without
 * permission; otherwise those are skipped. Faults of the database only need the part of a start that reads it: they take
 * place in processes that start one hub after the other, and every 25th of them, as well as each with an outcome that
 * is not allowed, is repeated with a separate process, whose outcome counts. An outcome of the two that differs is
 * reported.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "node:tls";
import { parseArgs } from "node:util";
import { prepare, root } from "./lib/prepare.mjs";
import { ownTime, processorMs } from "./lib/processor-time.mjs";

const text = /** @type {const} */ ({ type: "string" });
const { values } = parseArgs({
  options: {
    only: text,
    flips: { type: "string", default: "20" },
    every: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    limit: { type: "string", default: "10000" },
    part: { type: "string", default: "1/1" },
    match: text,
    build: text,
    household: text,
    json: { type: "boolean", default: false },
  },
});
await prepare({ tests: true, isBuilt: values.build !== undefined });
const build = join(root, values.build ?? "build-hub");
const { HubHere, Starter } = await import("./lib/faults/hub-here.mjs");
const { HubProcess } = await import("./lib/faults/hub.mjs");
const { copyProgram } = await import("./lib/faults/copied-program.mjs");
const { Household } = await import("./lib/faults/household.mjs");
const { startReceivers } = await import("./lib/faults/receiver.mjs");
const { seeded } = await import("./lib/faults/random.mjs");

const OWNER = { email: "asha@example.org", password: "correct horse battery staple" };
const NOBODY = 65_534;
const WORKERS = 2;
/** Each n-th fault that can do without a separate process is also tried with one. */
const ALSO_ALONE = 25;
/** Far longer than an answer takes, so that a busy machine causes no finding. */
const ANSWER_MS = 90_000;
/** src/core/platform/kept-program.ts keeps the compiled code five seconds after the start: later ones are shorter. */
const KEEPS_MS = 8_000;
const isRoot = process.getuid?.() === 0;
const limitMs = Number(values.limit);
/** A waiting hub uses no processor time: this many times --limit of elapsed time is a hang too. */
const WAITS = 3;
const random = seeded(Number(values.seed)).next;
const [part = 1, parts = 1] = values.part.split("/").map(Number);

/**
 * @typedef {{ group: string, file: string, harm: string, apply: (folder: string) => void, isOfDatabase?: boolean,
 *   isForeign?: boolean, build?: string, env?: Record<string, string>, imports?: string[], prefix?: string[], isSecond?:
 *   boolean, mayTryAgain?: boolean }} Case `isOfDatabase`: the fault is in the database's file; `isSecond`: a hub has the folder; `mayTryAgain`: an end with a sentence and exit code 1
 */
/** @typedef {InstanceType<typeof HubProcess> | InstanceType<typeof HubHere>} AnyHub */
/**
 * `readyMs`: processor time until a separate process served. @typedef {{ outcome: string, detail: string, readyMs: number | null }}
 * Outcome
 */

const scratch = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-start-"));
chmodSync(scratch, 0o755);
const receivers = await startReceivers();
const house = new Household({ scratch, build, root, receivers });
if (values.household === undefined) await house.furnish();
const template = values.household ?? house.template;
const authority = readFileSync(join(template, "tls/authority.crt"), "utf8");
const keyHash = hashOf(join(template, "hub.key"));
/** What an undamaged household reports, by the kind of hub. @type {Map<unknown, Set<string>>} */
const usualNames = new Map();
let triedHere = 0;
const starters = Array.from({ length: WORKERS }, () => new Starter());
for (const starter of [null, ...starters.slice(0, 1)]) {
  const usual = await run({ group: "none", file: "", harm: "none", apply: () => {} }, { starter, isUsual: true });
  if (usual.outcome !== "serves") throw new Error(`the household as it is: ${usual.outcome}: ${usual.detail}`);
}

const cases = [
  ...(values.only === undefined || values.only === "files" ? fileCases() : []),
  ...(values.only === undefined || values.only === "pages" ? pageCases() : []),
  ...(values.only === undefined || values.only === "schema" ? schemaCases() : []),
  ...(values.only === undefined || values.only === "process" ? await processCases() : []),
]
  .filter(({ file, harm }) => values.match === undefined || `${file} ${harm}`.includes(values.match))
  .filter((_, n) => n % parts === part - 1);
/** @type {{ one: Case, outcome: Outcome }[]} */
const results = [];
const queue = [...cases];
process.on("SIGTERM", () => queue.splice(0)); // reports the results so far
await Promise.all(
  starters.map(async (starter) => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const outcome = one.isOfDatabase === true ? await runHere(one, starter) : await run(one);
      results.push({ one, outcome });
      if (isWrong(outcome)) console.log(`${one.file} ${one.harm}: ${outcome.outcome}: ${outcome.detail}`);
      if (results.length % 50 === 0) console.error(`${results.length} of ${cases.length}`);
    }
  }),
);
process.removeAllListeners("SIGTERM");
for (const starter of starters) starter.end();
report();
await receivers.close?.();
rmSync(scratch, { recursive: true, force: true });
process.exit(results.some(({ outcome }) => isWrong(outcome)) ? 1 : 0);

/** @param {Outcome} outcome */
function isWrong({ outcome }) {
  return !["serves", "serves, says", "ends, says"].includes(outcome);
}

/** @returns {Case[]} */
function fileCases() {
  const files = readdirSync(template, { recursive: true, encoding: "utf8" })
    .filter((name) => lstatSync(join(template, name)).isFile())
    .filter(
      (name) => !/^(plates|backups)\/.*\d.*\d/.test(name) || name === oneOf("plates") || name === oneOf("backups"),
    );
  const folders = readdirSync(template).filter((name) => lstatSync(join(template, name)).isDirectory());
  const further = [
    ...["gatehouse.json", "gatehouse.json.last", "gatehouse.json.proven", "gatehouse.json.refused", "factory-reset"],
    ...["claim-code", "restore-ready/plan.json", "restore-draft/plan.json", "requests/update", "estate.json"],
    ...["gatehouse.db-wal", "gatehouse.db-shm", "gatehouse.db-journal", "control.sock", "tls/server.crt.new"],
  ].filter((name) => !files.includes(name));
  return [
    ...[...files, ...further].flatMap((name) => kindsOf(name, files.includes(name))),
    ...folders.flatMap((name) => folderKinds(name)),
  ];
}

/** One of many alike will do. @param {string} folder */
function oneOf(folder) {
  if (!existsSync(join(template, folder))) return "";
  const first = readdirSync(join(template, folder), { recursive: true, encoding: "utf8" }).find((name) =>
    lstatSync(join(template, folder, name)).isFile(),
  );
  return join(folder, first ?? "");
}

/** @param {string} name @param {boolean} exists @returns {Case[]} */
function kindsOf(name, exists) {
  const group = name.replace(/\d{3,}.*/, "…");
  /** @param {string} harm @param {(file: string) => void} apply @param {boolean} [isForeign] @returns {Case} */
  const kind = (harm, apply, isForeign = false) => ({
    group,
    file: name,
    harm,
    isForeign,
    apply: (folder) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      apply(join(folder, name));
    },
  });
  /** @param {(file: string) => void} make */
  const instead = (make) => (/** @type {string} */ file) => {
    rmSync(file, { recursive: true, force: true });
    make(file);
  };
  const size = exists ? statSync(join(template, name)).size : 0;
  return [
    ...(exists
      ? [kind("missing", (file) => rmSync(file)), kind("cut", (file) => truncateSync(file, Math.floor(size / 2)))]
      : []),
    kind(
      "empty",
      instead((file) => writeFileSync(file, "")),
    ),
    kind(
      "garbage",
      instead((file) => writeFileSync(file, "\u0001{ not ours")),
    ),
    kind(
      "folder",
      instead((file) => mkdirSync(file)),
    ),
    kind(
      "pipe",
      instead((file) => execFileSync("mkfifo", [file])),
    ),
    kind(
      "link to itself",
      instead((file) => symlinkSync(file, file)),
    ),
    ...(isRoot ? [kind("no permission", exists ? () => {} : (file) => writeFileSync(file, "x"), true)] : []),
    ...(size === 0
      ? []
      : Array.from({ length: Number(values.flips) }, () => {
          const bit = Math.floor(random() * size * 8);
          return kind(`flip ${bit}`, (file) => flip(file, bit));
        })),
  ];
}

/** @param {string} name @returns {Case[]} */
function folderKinds(name) {
  /** @param {string} harm @param {(path: string) => void} make @returns {Case} */
  const kind = (harm, make) => ({
    group: `${name}/`,
    file: `${name}/`,
    harm,
    apply: (folder) => {
      rmSync(join(folder, name), { recursive: true, force: true });
      make(join(folder, name));
    },
  });
  return [
    kind("missing", () => {}),
    kind("a file", (path) => writeFileSync(path, "")),
    kind("pipe", (path) => execFileSync("mkfifo", [path])),
    kind("link to itself", (path) => symlinkSync(path, path)),
  ];
}

/** @returns {Case[]} */
function pageCases() {
  const file = join(template, "gatehouse.db");
  const pageBytes = readFileSync(file).readUInt16BE(16);
  const pages = statSync(file).size / pageBytes;
  return Array.from({ length: Math.ceil(pages / Number(values.every)) }, (_, n) => n * Number(values.every)).flatMap(
    (page) => [
      {
        group: "pages zeroed",
        isOfDatabase: true,
        file: `page ${page + 1}`,
        harm: "zeroed",
        apply: (/** @type {string} */ folder) =>
          overwrite(join(folder, "gatehouse.db"), page * pageBytes, Buffer.alloc(pageBytes)),
      },
      {
        group: "pages harmed",
        isOfDatabase: true,
        file: `page ${page + 1}`,
        harm: "harmed",
        // in the cell area, not in the page header, which SQLite checks at once
        apply: (/** @type {string} */ folder) =>
          overwrite(
            join(folder, "gatehouse.db"),
            page * pageBytes + 1_200,
            createHash("shake256", { outputLength: 1_800 }).update(String(page)).digest(),
          ),
      },
    ],
  );
}

/** @returns {Case[]} */
function schemaCases() {
  const file = join(template, "gatehouse.db");
  const bytes = readFileSync(file);
  const pageBytes = bytes.readUInt16BE(16);
  const words = ["CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE"];
  const inSchema = Array.from({ length: bytes.length / pageBytes }, (_, n) => n).filter((n) =>
    words.some((word) => bytes.subarray(n * pageBytes, (n + 1) * pageBytes).includes(word)),
  );
  const flips = Array.from({ length: 500 }, (_, n) => {
    const inHeader = n % 5 === 0;
    const page = inHeader ? 0 : (inSchema[Math.floor(random() * inSchema.length)] ?? 0);
    const bit = page * pageBytes * 8 + Math.floor(random() * (inHeader ? 100 : pageBytes) * 8);
    const group = inHeader ? "header flips" : "schema flips";
    return { group, isOfDatabase: true, file: "gatehouse.db", harm: `flip ${bit}`, bit };
  });
  const versions = [0, 1, 7, 20, 29, 62, 255, 4_000_000].map((version) => ({
    group: "user_version",
    isOfDatabase: true,
    file: "gatehouse.db",
    harm: `user_version ${version}`,
    apply: (/** @type {string} */ folder) => {
      const header = Buffer.alloc(4);
      header.writeUInt32BE(version);
      overwrite(join(folder, "gatehouse.db"), 60, header);
    },
  }));
  return [
    ...flips
      .filter((_, n) => n % Number(values.every) === 0)
      .map(({ bit, ...one }) => ({
        ...one,
        apply: (/** @type {string} */ folder) => flip(join(folder, "gatehouse.db"), bit),
      })),
    ...versions,
  ];
}

/** What is around the data folder. @returns {Promise<Case[]>} */
async function processCases() {
  /** @param {string} file @param {string} harm @param {Partial<Case>} more @returns {Case} */
  const one = (file, harm, more) => ({ group: file, file, harm, apply: () => {}, ...more });
  /** @param {string} harm @param {(modules: string) => void} change */
  const lacking = (harm, change) => {
    const { build: copy, modules } = copyProgram({ root, build, folder: join(scratch, harm.replaceAll(" ", "-")) });
    change(modules);
    return one("native module", harm, { build: copy });
  };
  /** @param {string} name @returns {(modules: string) => void} */
  const cut = (name) => (modules) => {
    const own = realpathSync(join(modules, name));
    rmSync(join(modules, name));
    cpSync(own, join(modules, name), { recursive: true });
    for (const file of readdirSync(join(modules, name), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".node"))
        truncateSync(join(modules, name, file), Math.floor(statSync(join(modules, name, file)).size / 2));
  };
  const names = ["better-sqlite3", "sharp", "onnxruntime-node", "unix-dgram"];
  const other = new HubProcess({ build, folder: join(scratch, "other"), env: { GATEHOUSE_TLS: "own" } });
  await other.ready();
  await other.stop();
  const taken = createServer().listen(0, "127.0.0.1").unref();
  await once(taken, "listening");
  const address = taken.address();
  const early = join(scratch, "early-timers.mjs");
  writeFileSync(
    early,
    "const { setTimeout: own } = globalThis;\nglobalThis.setTimeout = Object.assign((task, ms = 0, ...rest) => own(task, Math.max(0, ms - 1), ...rest), own);\n",
  );
  const env = { GATEHOUSE_RECOGNITION: "true" };
  return [
    ...names.map((name) => ({ ...lacking(`${name} is missing`, (modules) => rmSync(join(modules, name))), env })),
    ...names
      .filter((name) => name !== "sharp")
      .map((name) => ({ ...lacking(`${name} is cut`, cut(name)), env: { ...env, NOTIFY_SOCKET: "/nowhere" } })),
    ...["hub.key", "hub.key.copy", "authority.copy", "tls/authority.key", "tls/authority.crt"].map((name) =>
      one("another hub's", name, {
        apply: (folder) => cpSync(join(scratch, "other", name), join(folder, name)),
      }),
    ),
    one("two hubs", "a second one", { isSecond: true }),
    one("limits", "26 open files", { prefix: ["sh", "-c", 'ulimit -n 26; exec "$@"', "sh"], mayTryAgain: true }),
    one("limits", "a port that is taken", {
      env: { GATEHOUSE_HTTP_PORT: String(typeof address === "object" ? address?.port : 0) },
      mayTryAgain: true,
    }),
    one("timers", "a millisecond early", { imports: [early] }),
  ];
}

/** @param {string} file @param {number} bit */
function flip(file, bit) {
  const bytes = readFileSync(file);
  bytes.writeUInt8((bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
  writeFileSync(file, bytes);
}

/** @param {string} file @param {number} at @param {Buffer} with_ */
function overwrite(file, at, with_) {
  const bytes = readFileSync(file);
  with_.copy(bytes, at);
  writeFileSync(file, bytes);
}

/**
 * With a separate process too where that may matter; see the head of the file.
 * @param {Case} one @param {InstanceType<typeof Starter>} starter
 */
async function runHere(one, starter) {
  const here = await run(one, { starter });
  triedHere += 1;
  if (!isWrong(here) && triedHere % ALSO_ALONE !== 0) return here;
  const alone = await run(one);
  if (alone.outcome === here.outcome) return alone;
  return {
    ...alone,
    outcome: isWrong(alone) ? alone.outcome : "differs",
    detail: `${alone.outcome}: ${alone.detail}; here ${here.outcome}: ${here.detail}`,
  };
}

/**
 * @param {Case} one
 * @param {{ starter?: InstanceType<typeof Starter> | null, isUsual?: boolean }} [how] `starter`: instead of a separate
 *   process; `isUsual`: without a fault, so that what it reports is no outcome of one
 * @returns {Promise<Outcome>}
 */
async function run(one, { starter = null, isUsual = false } = {}) {
  const folder = mkdtempSync(join(scratch, "case-"));
  cpSync(template, folder, { recursive: true, preserveTimestamps: true });
  one.apply(folder);
  /** @type {string[]} */
  let prefix = one.prefix ?? [];
  if (one.isForeign === true) {
    giveAll(folder, NOBODY);
    const file = join(folder, one.file);
    chownSync(file, 0, 0);
    chmodSync(file, 0o600);
    prefix = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...prefix];
  }
  const env = { GATEHOUSE_TLS: "own", GATEHOUSE_PLAIN_HTTP: "open", ...one.env };
  const begin = () =>
    starter !== null
      ? new HubHere(starter, { folder, env })
      : new HubProcess({
          build: one.build ?? build,
          folder,
          imports: one.imports ?? [],
          env: { NODE_COMPILE_CACHE: join(scratch, "compiled"), ...env },
          prefix,
        });
  const first = one.isSecond === true ? begin() : null;
  if (first !== null) await readyWithin(first);
  let hub = begin();
  try {
    let isReady = await readyWithin(hub);
    const readyMs = isReady && starter === null ? processorMs(hub.pid) : null;
    if (!isReady && hub.runs) return { outcome: "hang", detail: last(hub.stdout), readyMs };
    if (!isReady) {
      const [code, stderr] = [hub.exitCode, hub.stderr.trim()];
      if (code === 78 || (code === 1 && one.mayTryAgain === true && stderr !== ""))
        return { outcome: hasStack(stderr) ? "stack" : "ends, says", detail: stderr, readyMs };
      hub = begin();
      isReady = await readyWithin(hub);
      return {
        outcome: isReady ? "second start" : hub.runs ? "hang" : "exit loop",
        detail: `${code}: ${stderr}`,
        readyMs,
      };
    }
    const problems = await reported(hub, isUsual);
    const changes = await changed(hub, folder);
    if (isUsual && starter === null) await pause(KEEPS_MS);
    if (problems.length > 0) return { outcome: "serves, says", detail: [...problems, ...changes].join("; "), readyMs };
    return { outcome: changes.length === 0 ? "serves" : "silent", detail: changes.join("; "), readyMs };
  } catch (error) {
    return { outcome: "error", detail: String(error), readyMs: null };
  } finally {
    if (hub.runs) await hub.kill();
    if (first?.runs) await first.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {AnyHub} hub */
async function readyWithin(hub) {
  const elapsed = ownTime(hub.pid);
  const processorBefore = processorMs(hub.pid);
  while (!/mqtts?:\/\//.test(hub.stdout) || !/Console/.test(hub.stdout)) {
    if (!hub.runs || processorMs(hub.pid) - processorBefore > limitMs) return false;
    if (elapsed() > WAITS * limitMs) return false;
    await pause(25);
  }
  return hub.ready();
}

/**
 * The problems in health or the log, beyond those of the undamaged household.
 * @param {AnyHub} hub
 * @param {boolean} isUsual
 */
async function reported(hub, isUsual) {
  const { body } = await hub.call("GET", "/healthz", { timeoutMs: ANSWER_MS });
  const checks = body.checks
    .filter((/** @type {{ level: string }} */ { level }) => level !== "ok")
    .map((/** @type {{ code: string, text: string }} */ { code, text }) => `${code}: ${text}`);
  const log = hub.stdout
    .split("\n")
    .filter((/** @type {string} */ line) => /^\{"level":[456]0/.test(line))
    .map((/** @type {string} */ line) => JSON.parse(line).msg);
  const all = [...new Set([...checks, ...log])];
  const name = (/** @type {string} */ one) => one.split(":")[0] ?? "";
  if (isUsual) {
    usualNames.set(hub.constructor, new Set(all.map(name)));
    return [];
  }
  return all.filter((one) => !usualNames.get(hub.constructor)?.has(name(one)));
}

/**
 * The differences from before, whether or not anything reports them.
 * @param {AnyHub} hub
 * @param {string} folder
 */
async function changed(hub, folder) {
  const found = [];
  const { status } = await hub.call("POST", "/api/session", { body: OWNER, timeoutMs: ANSWER_MS });
  if (status >= 300) found.push(`the owner does not get in (${status})`);
  const port = Number(/https:\/\/[^\s:]+:(\d+)/.exec(hub.stdout)?.[1]);
  const isOwn = await new Promise((done) => {
    if (!(port > 0)) return done("there is no https");
    const socket = connect({ host: "127.0.0.1", port, ca: authority }, () => {
      socket.destroy();
      done(null);
    });
    socket.on("error", (error) => done(`https: ${error.message}`));
  });
  if (isOwn !== null) found.push(isOwn);
  if (hashOf(join(folder, "hub.key")) !== keyHash) found.push("hub.key is another one");
  return found;
}

/** Of the key itself, however its file is written. @param {string} file */
function hashOf(file) {
  try {
    return Buffer.from(readFileSync(file, "utf8").trim(), "base64").toString("hex");
  } catch {
    return null;
  }
}

/** @param {string} output */
function last(output) {
  return output.trim().split("\n").slice(-2).join(" ").slice(0, 300);
}

/** @param {string} text */
function hasStack(text) {
  return /\n\s+at /.test(text);
}

/** @param {string} path @param {number} id */
function giveAll(path, id) {
  execFileSync("chown", ["-hR", `${id}:${id}`, path]);
}

function report() {
  const outcomes = [...new Set(results.map(({ outcome }) => outcome.outcome))].sort();
  /** @param {(one: Case) => string} rowOf */
  const table = (rowOf) => {
    const rows = [...new Set(results.map(({ one }) => rowOf(one)))];
    console.log(`\n| | ${outcomes.join(" | ")} |\n| --- |${outcomes.map(() => " ---: |").join("")}`);
    for (const row of rows) {
      const of = results.filter(({ one }) => rowOf(one) === row);
      const counts = outcomes.map((name) => of.filter(({ outcome }) => outcome.outcome === name).length);
      console.log(`| ${row} | ${counts.join(" | ")} |`);
    }
  };
  table(({ group }) => group);
  table(({ harm }) => harm.replace(/ \d+$/, ""));
  const times = results.flatMap(({ outcome }) => outcome.readyMs ?? []).sort((a, b) => a - b);
  console.log(
    `\n${results.length} starts; ready after ${times[times.length >> 1]} ms of processor time in the middle, ${times.at(-1)} ms at most`,
  );
  if (values.json)
    console.log(JSON.stringify(results.map(({ one, outcome }) => ({ file: one.file, harm: one.harm, ...outcome }))));
}
