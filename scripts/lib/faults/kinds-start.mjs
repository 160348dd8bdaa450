// @ts-check
/** Faults at a start: files of another kind or content, a damaged database after a clean stop, a second hub. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { hubMain, NODE_ARGUMENTS } from "../hub-environment.mjs";
import { hubEnvironment } from "../hub-process.mjs";
import { ownTime } from "../processor-time.mjs";
import { copyProgram } from "./copied-program.mjs";
import { HubProcess } from "./hub.mjs";

/** @typedef {import("./household.mjs").Household} Household */
/** @typedef {import("./random.mjs").Random} Random */

const PAGE = 4_096;
const SMALL = [
  "hub.key",
  "hub.key.copy",
  "clock.json",
  "gatehouse.json",
  "gatehouse.json.last",
  "owned",
  "revoked.json",
  "restore-ready/plan.json",
  "tls/authority.key",
  "tls/authority.crt",
  "tls/server.key",
  "tls/server.crt",
];
/** A start without output for this long counts as hung. */
const SAYS_MS = 60_000;
const ENDS_MS = 20_000;

/** @type {Readonly<Record<string, (file: string, random: Random) => void>>} */
const WAYS = {
  missing: (file) => rmSync(file, { force: true, recursive: true }),
  empty: (file) => writeFileSync(file, ""),
  cut: (file, random) => truncateSync(file, random.int(0, Math.max(0, readFileSync(file).length - 1))),
  flip: (file, random) => {
    const bytes = readFileSync(file);
    const at = random.int(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
    writeFileSync(file, bytes);
  },
  garbage: (file, random) => writeFileSync(file, Buffer.from(Array.from({ length: 60 }, () => random.int(0, 255)))),
  folder: (file) => {
    rmSync(file, { force: true });
    mkdirSync(file);
  },
  fifo: (file) => {
    rmSync(file, { force: true });
    execFileSync("mkfifo", [file]);
  },
  loop: (file) => {
    rmSync(file, { force: true });
    symlinkSync(file, file);
  },
  "no rights": (file) => chmodSync(file, 0),
};

/**
 * A hub that serves, or says why not: its exit code stops a loop of restarts, and its words are a sentence. @param
 * {Household} house
 */
async function servesOrSays(house) {
  const runs = await house.start();
  const took = house.hub.startMs;
  if (took > SAYS_MS) house.find("start-hangs", `nothing for ${Math.round(took)} ms`);
  if (runs) {
    await house.signIn().catch(() => {});
    const { body } = await house.hub.call("GET", "/healthz").catch(() => ({ body: { checks: [] } }));
    if (body.checks?.some((/** @type {{ level: string }} */ { level }) => level !== "ok")) house.wasReported = true;
    return;
  }
  house.wasReported = true;
  house.isEnded = true;
  const { exitCode, stderr } = house.hub;
  const words = stderr.trim();
  if (words === "" || exitCode === null || exitCode === 1)
    house.find("start-failed", `exit ${exitCode}: ${words.slice(0, 300) || "no word"}`);
}

/** @type {import("./kinds.mjs").Fault[]} */
export const startFaults = [
  {
    name: "small-file",
    async run(house, random) {
      const name = random.of(SMALL);
      const file = join(house.folder, name);
      const way = random.of(Object.keys(WAYS));
      mkdirSync(dirname(file), { recursive: true });
      if (!existsSync(file)) writeFileSync(file, name.endsWith(".json") ? "{}" : "-");
      house.env = { GATEHOUSE_TLS: "own", GATEHOUSE_PLAIN_HTTP: "open" };
      WAYS[way]?.(file, random);
      house.mayLackSecrets = name.startsWith("hub.key");
      await servesOrSays(house);
      return `${name}: ${way}`;
    },
  },
  {
    name: "stopped-database",
    async run(house, random) {
      const file = join(house.folder, "gatehouse.db");
      const pages = readFileSync(file).length / PAGE;
      const page = random.next() < 0.3 ? random.int(0, 9) : random.int(0, pages - 1);
      const way = random.of(["flip", "torn", "zeros"]);
      const handle = openSync(file, "r+");
      const at = page * PAGE + (way === "zeros" ? 0 : random.int(way === "flip" && page === 0 ? 0 : 8, PAGE - 600));
      const bytes =
        way === "flip"
          ? Buffer.from([(readFileSync(file)[at] ?? 0) ^ (1 << random.int(0, 7))])
          : Buffer.alloc(way === "zeros" ? PAGE : 512, way === "zeros" ? 0 : 0x5a);
      writeSync(handle, bytes, 0, bytes.length, at);
      closeSync(handle);
      // The stop was clean and nothing indicates a change: damage that only a full check detects may appear later.
      house.mayLoseSamples();
      await servesOrSays(house);
      return `${way} in page ${page} of ${pages}, after a clean stop`;
    },
  },
  {
    name: "two-hubs",
    async run(house) {
      await house.start();
      await house.signIn();
      await house.devices.connect();
      house.busy(40);
      const second = new HubProcess({ build: house.options.build, folder: house.folder, env: {} });
      house.processes.push(second);
      const runs = await second.ready();
      if (runs) house.find("two-owners", "a second hub serves from the same folder");
      else if (second.stderr.trim() === "" || second.exitCode === 1)
        house.find("start-failed", `the second hub: exit ${second.exitCode}: ${second.stderr.slice(0, 200)}`);
      if (second.runs) await second.kill();
      await pause(500);
      await house.calm();
      return `a second hub on the same folder ended with ${second.exitCode}`;
    },
  },
  {
    name: "stdout-full",
    async run(house, random) {
      const free = createServer().listen(0, "127.0.0.1");
      await once(free, "listening");
      const address = free.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      await new Promise((done) => free.close(done));
      const full = openSync("/dev/full", "w");
      const format = random.of(["json", "text"]);
      const child = spawn(process.execPath, [...NODE_ARGUMENTS, hubMain(house.options.build)], {
        env: hubEnvironment(house.folder, {
          GATEHOUSE_HTTP_PORT: String(port),
          GATEHOUSE_LOG_FORMAT: format,
          GATEHOUSE_RECOGNITION: "false",
        }),
        stdio: ["ignore", full, "ignore"],
      });
      closeSync(full);
      const ended = once(child, "exit");
      const elapsed = ownTime(child.pid ?? 0);
      let serves = false;
      while (!serves && child.exitCode === null && elapsed() < SAYS_MS) {
        serves = await fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        await pause(100);
      }
      if (!serves) house.find("start-failed", `it does not serve where its log takes nothing: exit ${child.exitCode}`);
      child.kill("SIGTERM");
      const late = await Promise.race([ended.then(() => false), pause(ENDS_MS, true, { ref: false })]);
      if (late) {
        house.find("never-ends", `still there ${ENDS_MS} ms after SIGTERM, log to a full disk`);
        child.kill("SIGKILL");
        await ended;
      }
      await house.start();
      return `stdout on a full disk, log as ${format}`;
    },
  },
  {
    name: "copy-differs",
    async run(house, random) {
      const name = random.of(["hub.key", "hub.key.copy", "authority.copy", "tls/authority.key"]);
      house.env = { GATEHOUSE_TLS: "own", GATEHOUSE_PLAIN_HTTP: "open" };
      // of another hub, whole and with its own check value
      const other = new HubProcess({ build: house.options.build, folder: `${house.folder}-other`, env: house.env });
      house.processes.push(other);
      await other.ready();
      await other.stop();
      const own = readFileSync(join(house.folder, "hub.key"), "utf8");
      const isThere = existsSync(join(house.folder, name));
      if (isThere) copyFileSync(join(`${house.folder}-other`, name), join(house.folder, name));
      rmSync(`${house.folder}-other`, { recursive: true, force: true });
      await servesOrSays(house);
      if (readFileSync(join(house.folder, "hub.key"), "utf8") !== own)
        house.find("key-lost", `the key that opens this hub's secrets is gone after ${name} was another hub's`);
      return `${name} of another hub${isThere ? "" : " (there was none)"}`;
    },
  },
  {
    name: "native-module-missing",
    async run(house, random) {
      const name = random.of(["sharp", "onnxruntime-node", "unix-dgram", "better-sqlite3"]);
      const folder = `${house.folder}-program`;
      const { build, modules } = copyProgram({ root: house.options.root, build: house.options.build, folder });
      rmSync(join(modules, name));
      house.build = build;
      house.env = { GATEHOUSE_RECOGNITION: "true" };
      const runs = await house.start();
      if (name === "better-sqlite3") {
        const { exitCode, stderr } = house.hub;
        if (runs || exitCode !== 78 || !stderr.includes("Install this version again"))
          house.find("start-failed", `without the database's module: exit ${exitCode}: ${stderr.slice(0, 200)}`);
        house.build = house.options.build;
        await house.start();
      } else {
        const { body } = await house.hub.call("GET", "/healthz");
        const check = body.checks.find((/** @type {{ code: string }} */ { code }) => code === "modules");
        if (!check?.text.includes(name))
          house.find("health-lies", `${name} is missing, and health says ${check?.text}`);
      }
      await house.signIn();
      await house.devices.connect();
      house.busy(20);
      await pause(1_000);
      await house.calm();
      await house.hub.stop();
      house.build = house.options.build;
      await house.start();
      rmSync(folder, { recursive: true, force: true });
      return `${name} is missing`;
    },
  },
  {
    name: "early-timers",
    async run(house) {
      const file = join(house.folder, "..", "early-timers.mjs");
      writeFileSync(
        file,
        "const { setTimeout: own } = globalThis;\nglobalThis.setTimeout = Object.assign((task, ms = 0, ...rest) => own(task, Math.max(0, ms - 1), ...rest), own);\n",
      );
      house.imports = [file];
      await house.start();
      await house.signIn();
      await house.devices.connect();
      house.busy();
      await pause(2_500);
      await house.calm();
      return "every timer of the process is a millisecond early";
    },
  },
];
