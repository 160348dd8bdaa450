import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { EXIT_CONFIG, EXIT_FAILED, EXIT_RESTART } from "../../src/core/start/start-failure.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const folder = join(PROJECT_ROOT, "systemd");
const missing = spawnSync("systemd-analyze", ["--version"]).error !== undefined && "systemd-analyze is not installed";
const units = readdirSync(folder).filter((name) => /\.(service|path|timer)$/.test(name));

/** The units with programs that exist here, since the tool looks for them. */
function prepared(work: string): string[] {
  mkdirSync(work, { recursive: true });
  return units.map((name) => {
    const text = readFileSync(join(folder, name), "utf8")
      .replaceAll("/opt/gatehouse/current/bin/node", process.execPath)
      .replaceAll("/opt/gatehouse/current/systemd", folder);
    const file = join(work, name);
    writeFileSync(file, text);
    return file;
  });
}

t.test("systemd reads every unit without a warning", { skip: missing }, async (t) => {
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", ...prepared(join(testFolder(t), "units"))], {
    encoding: "utf8",
  });
  t.equal(status, 0, stderr);
  const ours = stderr.split("\n").filter((line) => /gatehouse/.test(line));
  t.same(ours, [], "unknown keys are only warned about");
});

t.test("the hub's exposure is at most 2.0", { skip: missing }, async (t) => {
  const file = prepared(join(testFolder(t), "units")).find((name) => name.endsWith("/gatehouse.service")) ?? "";
  const { status, stdout, stderr } = spawnSync(
    "systemd-analyze",
    ["security", "--offline=true", "--threshold=20", "--no-pager", file],
    { encoding: "utf8" },
  );
  t.equal(status, 0, stderr + stdout.split("\n").slice(-3).join("\n"));
});

t.test("what the process needs is not taken away", async (t) => {
  const unit = readFileSync(join(folder, "gatehouse.service"), "utf8");
  t.notMatch(unit, /^MemoryDenyWriteExecute=yes/m, "the engine compiles while it runs");
  t.notMatch(unit, /^ProcSubset=pid/m, "the inference library reads /proc/cpuinfo");
  t.match(unit, /^Environment=ORT_DISABLE_TELEMETRY=1$/m);
  t.match(unit, /^IPAddressDeny=any$/m);
  t.match(unit, /^Type=notify$/m);
  t.match(unit, /^WatchdogSec=/m);
});

t.test("systemd's stop timeout exceeds the sum of the hub's stages", async (t) => {
  const unit = readFileSync(join(folder, "gatehouse.service"), "utf8");
  const allowed = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * 1_000;
  const [, list = ""] =
    /STOP_STAGES = \{([^}]*)\}/.exec(readFileSync(join(PROJECT_ROOT, "src/core/feature.ts"), "utf8")) ?? [];
  const stages = [...list.matchAll(/\w+: ([\d_]+)/g)].map(([, ms = ""]) => Number(ms.replaceAll("_", "")));
  t.ok(stages.length >= 4, `${stages.length} stages`);
  const together = stages.reduce((sum, ms) => sum + ms, 0);
  t.ok(together <= allowed - 1_000, `${together} of ${allowed} ms`);
});

t.test("a start that needs a person is not repeated, and every other one is", async (t) => {
  const unit = readFileSync(join(folder, "gatehouse.service"), "utf8");
  const [service = ""] = unit.split("[Service]").slice(1);
  const value = (key: string): string | undefined => new RegExp(`^${key}=(.*)$`, "m").exec(service)?.[1];
  t.equal(value("RestartPreventExitStatus"), String(EXIT_CONFIG));
  const entry = readFileSync(join(PROJECT_ROOT, "src/core/platform/kept-program.ts"), "utf8");
  t.match(entry, `const EXIT_CONFIG = ${EXIT_CONFIG};`, "so does a damaged program");
  t.equal(value("Restart"), "always");
  for (const code of [0, EXIT_FAILED, EXIT_RESTART]) t.not(value("RestartPreventExitStatus"), String(code));
  t.match(unit, /^\[Unit\][^[]*^StartLimitIntervalSec=0$/m, "failures are unlimited; the key is the unit's");
  t.notMatch(service, /^RestartSteps=|^RestartMaxDelaySec=/m, "systemd 252 has neither, and later ones never reset");
  const pause = Number(
    /FAILED_PAUSE_MS = ([\d_]+)/.exec(readFileSync(join(PROJECT_ROOT, "src/main.ts"), "utf8"))?.[1]?.replace("_", ""),
  );
  t.ok(pause >= 20_000, `a start that fails waits ${pause} ms: it writes to the card`);
  t.match(service, /^TimeoutStartSec=15min$/m, "which is not a time to be killed for");
});

t.test("the unit starts the process as npm start and the benches do", async (t) => {
  const shared: unknown = await import(pathToFileURL(join(PROJECT_ROOT, "scripts/lib/hub-environment.mjs")).href);
  const { HUB_ENVIRONMENT, NODE_ARGUMENTS } = shared as {
    HUB_ENVIRONMENT: Record<string, string>;
    NODE_ARGUMENTS: string[];
  }; // our own file
  const unit = readFileSync(join(folder, "gatehouse.service"), "utf8");
  const assignments = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, words = ""]) => words.split(" "));
  for (const [name, value] of Object.entries(HUB_ENVIRONMENT)) t.ok(assignments.includes(`${name}=${value}`), name);
  t.match(unit, `/bin/node ${NODE_ARGUMENTS.join(" ")} /opt/`);
  const tag = (...words: string[]): string =>
    spawnSync(process.execPath, [...words, "-p", "v8.cachedDataVersionTag()"], { encoding: "utf8" }).stdout;
  t.match(tag(), /^\d+\n$/);
  t.equal(tag(...NODE_ARGUMENTS), tag(), "under these options too, Node's shipped code cache counts");
});

t.test("the helpers are shell that parses", async (t) => {
  for (const name of readdirSync(join(folder, "libexec"))) {
    const { status, stderr } = spawnSync("sh", ["-n", join(folder, "libexec", name)], { encoding: "utf8" });
    t.equal(status, 0, `${name} ${stderr}`);
  }
});
