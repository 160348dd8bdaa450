// @ts-check
/**
 * node scripts/judges.mjs [--build FOLDER] [--keep FILE]
 *
 * External tools check the API's description against a running hub: two linters (Redocly's strict recommendations,
 * Spectral's rules for OpenAPI), and three generators of clients. The generated clients are compiled with `strict` and
 * `exactOptionalPropertyTypes` and driven against the hub: openapi-fetch's calls all operations, the other two some.
 * Prints each tool's findings; exits 1 if there are any. `--keep`: writes the description there.
 *
 * The tools are a separate package (scripts/judges, 190 MB), which the first run installs. Specmatic needs Java and is
 * run by hand (docs/judges.md).
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "rolldown";
import { callAs, hubEnvironment, startHub } from "./lib/hub-process.mjs";
import { prepare, root } from "./lib/prepare.mjs";

const { values } = parseArgs({
  options: { build: { type: "string", default: "build-hub" }, keep: { type: "string" } },
});
await prepare({ isBuilt: values.build !== "build-hub" });
const HOME = join(root, "scripts/judges");
const GENERATED = join(HOME, "generated");
const READY_MS = 30_000;
const POLL_MS = 500;

const folder = mkdtempSync(join(tmpdir(), "gatehouse-judges-"));
/** @type {string[]} */
const found = [];
/** @typedef {Awaited<ReturnType<typeof startHousehold>>} Household */
/** @type {Household | undefined} */
let hub;
try {
  install();
  hub = await startHousehold(join(folder, "hub"));
  const file = join(folder, "openapi.json");
  const text = await (await fetch(`${hub.url}/v1/openapi.json`)).text();
  writeFileSync(file, text);
  if (values.keep !== undefined) writeFileSync(values.keep, text);
  judge("Redocly, recommended-strict", lintRedocly(file));
  judge("Spectral, spectral:oas", lintSpectral(file));
  generate(file);
  judge("compiled, strict and exactOptionalPropertyTypes", compile());
  for (const { name, calls, error } of await drive(hub))
    judge(`${name}, ${calls} calls`, error === null ? [] : [error]);
} finally {
  await hub?.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(found.length === 0 ? 0 : 1);

/** @param {string} name @param {string[]} problems */
function judge(name, problems) {
  console.log(`${name}: ${problems.length === 0 ? "nothing found" : `${problems.length} found`}`);
  for (const problem of problems) console.log(`  ${problem}`);
  found.push(...problems);
}

function install() {
  if (existsSync(join(HOME, "node_modules/.package-lock.json"))) return;
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: HOME,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("the judges cannot be installed");
}

/** Runs a judge's program; they tell their makers nothing. @param {string} program @param {string[]} args */
function run(program, args) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CI: "1",
    REDOCLY_TELEMETRY: "off",
    DO_NOT_TRACK: "1",
    NO_UPDATE_NOTIFIER: "1",
  };
  return spawnSync(process.execPath, [join(HOME, "node_modules", program), ...args], {
    cwd: HOME,
    encoding: "utf8",
    env,
    maxBuffer: 64e6,
  });
}

/** @param {string} file @returns {string[]} */
function lintRedocly(file) {
  const { stdout, stderr } = run("@redocly/cli/bin/cli.js", [
    "lint",
    file,
    "--config",
    "redocly.yaml",
    "--format",
    "json",
  ]);
  const start = stdout.indexOf("{");
  if (start < 0) return [`it did not run: ${stderr}`];
  /** @type {{ problems: { severity: string, ruleId: string, message: string, location?: { pointer: string }[] }[] }} */
  const { problems } = JSON.parse(stdout.slice(start));
  return problems.map(
    ({ severity, ruleId, message, location }) => `${severity} ${ruleId} at ${location?.[0]?.pointer}: ${message}`,
  );
}

/** @param {string} file @returns {string[]} */
function lintSpectral(file) {
  const { stdout, stderr } = run("@stoplight/spectral-cli/dist/index.js", [
    "lint",
    "--ruleset",
    "spectral.yaml",
    "--fail-severity",
    "hint",
    "--format",
    "json",
    "--quiet",
    file,
  ]);
  const list = /^\[[\s\S]*\]/.exec(stdout)?.[0];
  if (list === undefined) return [`it did not run: ${stderr}`];
  /** @type {{ code: string, path: string[], message: string }[]} */
  const problems = JSON.parse(list);
  return problems.map(({ code, path, message }) => `${code} at /${path.join("/")}: ${message}`);
}

/** @param {string} file */
function generate(file) {
  rmSync(GENERATED, { recursive: true, force: true });
  /** @type {[program: string, args: string[]][]} */
  const makers = [
    ["openapi-typescript/bin/cli.js", [file, "-o", join(GENERATED, "openapi-typescript.d.ts")]],
    ["@hey-api/openapi-ts/bin/run.js", ["-i", file, "-o", join(GENERATED, "hey-api"), "-c", "@hey-api/client-fetch"]],
    ["orval/dist/bin/orval.mjs", ["--input", file, "--output", join(GENERATED, "orval.ts"), "--client", "fetch"]],
  ];
  for (const [program, args] of makers) {
    const { status, stdout, stderr } = run(program, args);
    if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`);
  }
  // The run-time files that hey-api copies into every project do not compile with exactOptionalPropertyTypes, for any
  // description.
  for (const place of ["client", "core"])
    for (const name of readdirSync(join(GENERATED, "hey-api", place))) {
      const copied = join(GENERATED, "hey-api", place, name);
      writeFileSync(copied, `// @ts-nocheck\n${readFileSync(copied, "utf8")}`);
    }
}

function compile() {
  const { status, stdout } = run("typescript/bin/tsc", ["-p", "."]);
  return status === 0 ? [] : stdout.trim().split("\n");
}

/** @param {Household} household @returns {Promise<{ name: string, calls: number, error: string | null }[]>} */
async function drive({ url, key, plug }) {
  const file = join(folder, "drive.mjs");
  await build({
    input: join(HOME, "drive/main.ts"),
    platform: "node",
    output: { file, format: "esm" },
    logLevel: "silent",
  });
  const { stdout, stderr } = spawnSync(process.execPath, [file], {
    encoding: "utf8",
    env: { URL: url, KEY: key, PLUG: plug },
    timeout: 60_000,
  });
  const [line] = stdout.split("\n");
  return line ? JSON.parse(line) : [{ name: "the clients", calls: 0, error: stderr }];
}

/** A hub with an owner and a key for its simulated household, which has every kind of thing. @param {string} data */
async function startHousehold(data) {
  const document = {
    account: { email: "owner@example.org", password: "what the judges need not know" },
    keys: [{ name: "Judges", env: "test", scopes: "all" }],
  };
  const made = spawnSync(process.execPath, [join(root, "scripts/gatehouse.mjs"), "provision", "-", "--data", data], {
    input: JSON.stringify(document),
    encoding: "utf8",
    env: { PATH: process.env.PATH, BUILD_FOLDER: values.build },
  });
  if (made.status !== 0) throw new Error(made.stderr);
  /** @type {string} */
  const key = JSON.parse(made.stdout).keys[0].secret;
  const hub = await startHub({ build: values.build, env: hubEnvironment(data, { GATEHOUSE_RECOGNITION: "false" }) });
  const ask = callAs(hub.url, { authorization: `Bearer ${key}` });
  const until = performance.now() + READY_MS;
  for (;;) {
    /** @type {{ devices: { id: string, type: string }[] }} */
    const { devices } = await ask("GET", "/v1/devices");
    const plug = devices.find(({ type }) => type === "smart-plug");
    /** @type {{ plates: { hasImage: boolean }[] }} */
    const { plates } = await ask("GET", "/v1/plates?limit=5");
    if (plug !== undefined && plates.some(({ hasImage }) => hasImage)) return { ...hub, key, plug: plug.id };
    if (performance.now() > until) throw new Error("the simulated household is not there");
    await pause(POLL_MS);
  }
}
