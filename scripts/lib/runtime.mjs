// @ts-check
/**
 * The Node.js that everything here runs on. The system's own is used if it is new enough (`engines` in package.json)
 * and still gets security updates (src/core/platform/node-releases.json); otherwise the one that releases ship, which
 * npm fetches by its lock file (scripts/runtime) and checks by its hash. This file runs on every Node.js with modules:
 * it uses nothing newer than 14.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone } from "./alone.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "scripts", "runtime");
/** @param {...string} path from the project's folder */
const readJson = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));

/**
 * Returns if this process runs on a supported Node.js. Otherwise the same command runs again on the shipped one, and
 * this process only waits for it: it forwards signals and exits with the same code.
 */
export async function ensureRuntime() {
  const reason = whyNot(process.versions.node, new Date());
  if (reason === null) return;
  const node = fetchRuntime(reason);
  // the shipped one is past its own end of life: there is nothing newer to change to
  if (process.execPath === node) return;
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: "inherit",
    env: { ...process.env, PATH: path },
  });
  handDownSignals(() => child);
  /** @type {{ code: number | null, signal: NodeJS.Signals | null }} */
  const { code, signal } = await new Promise((ended) => child.on("exit", (code, signal) => ended({ code, signal })));
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
}

/**
 * Forwards stop signals to the child. Ctrl-C in a terminal reaches the child directly, and a second one would make the
 * hub exit without finishing pending work.
 * @param {() => import("node:child_process").ChildProcess | null} child called when the signal comes: the child may be
 *   another one by then
 */
export function handDownSignals(child) {
  const inTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      const running = signal !== "SIGINT" || !inTerminal ? child() : null;
      if (running !== null) running.kill(signal);
    });
  }
}

/**
 * The reason why a Node.js is not used.
 * @param {string} version such as "22.4.0"
 * @param {Date} today decides whether it still gets security updates
 * @returns {string | null} the end of a sentence, or null where it is good
 */
export function whyNot(version, today) {
  const floor = readJson("package.json").engines.node.replace(">=", "");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [floorMajor, floorMinor] = floor.split(".").map(Number);
  if (major < floorMajor || (major === floorMajor && minor < floorMinor)) return `older than ${floor}`;
  const end = readJson("src", "core", "platform", "node-releases.json").endOfLife[major];
  return end !== undefined && today.toISOString().slice(0, 10) > end ? `without security updates since ${end}` : null;
}

/**
 * The program of the shipped runtime; npm fetches it if it is missing. Exits with a clear message if that fails.
 * @param {string} reason
 */
function fetchRuntime(reason) {
  const name = `node-${process.platform}-${process.arch}`;
  const wanted = readJson("scripts", "runtime", "package-lock.json").packages[`node_modules/${name}`];
  const place = join(folder, "node_modules", name);
  const node = join(place, "bin", "node");
  const isThere = () =>
    existsSync(join(place, "package.json")) &&
    JSON.parse(readFileSync(join(place, "package.json"), "utf8")).version === wanted.version;
  /** @param {string} why @returns {never} */
  const fail = (why) => {
    console.error(`Gatehouse cannot run on this Node.js: ${process.versions.node} is ${reason}.\n${why}`);
    process.exit(1);
  };
  if (wanted === undefined)
    fail(
      `For ${process.platform} on ${process.arch} none is shipped: install the current LTS version from https://nodejs.org.`,
    );
  const fetch = () => {
    if (isThere()) return;
    console.log(
      `Node.js ${process.versions.node} is ${reason}: fetching ${wanted.version} from npm (once, 45 MB; only Gatehouse uses it) …`,
    );
    spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    // npm skips an optional package that it cannot fetch, without an error.
    if (!isThere())
      fail(
        `npm could not fetch ${name} ${wanted.version}: is its registry within reach (npm ping)? Or install Node.js ${wanted.version} yourself.`,
      );
  };
  if (!isThere()) alone(join(root, ".cache", "preparing"), fetch);
  const trial = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (trial.stdout?.trim() !== `v${wanted.version}`)
    fail(`${node} does not start here (${(trial.stderr ?? trial.error?.message ?? "").trim().split("\n")[0]}).`);
  return node;
}
