/**
 * npm run bench -- start [--build FOLDER] [--rounds N]
 *
 * Time from the start of the process to the first answered request, with a data folder that exists already (fifty
 * devices, a day of telemetry), and the memory then. Baseline in the same run: `node -e 0`.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../lib/prepare.mjs";

export async function run(options) {
  const build = option(options, "--build", "build");
  const rounds = Number(option(options, "--rounds", "5"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-start-"));
  try {
    await startOnce(build, data, provision());
    const bare = [];
    const hub = [];
    let memory = 0;
    for (let round = 0; round < rounds; round++) {
      const before = performance.now();
      spawnSync(process.execPath, ["-e", "0"]);
      bare.push(performance.now() - before);
      const started = await startOnce(build, data);
      hub.push(started.ms);
      memory = started.residentMegabytes;
    }
    const [bareMs, hubMs] = [median(bare), median(hub)];
    console.log("| what | median ms | ratio |\n| --- | --- | --- |");
    console.log(`| node -e 0 | ${bareMs.toFixed(0)} | 1 |`);
    console.log(`| hub, process start to first answer | ${hubMs.toFixed(0)} | ${(hubMs / bareMs).toFixed(1)} |`);
    console.log(`\nResident memory after the start, recogniser not loaded: ${memory.toFixed(0)} MB`);
    return { bareMs, hubMs, residentMegabytes: memory };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** An owner and fifty devices, as a provisioning file gives them. */
function provision() {
  return {
    account: { email: "bench@example.org", name: "Bench", password: "a sentence is the best password" },
    devices: Array.from({ length: 50 }, (_, n) => ({ id: `plug-${n}`, name: `Plug ${n}`, type: "smart-plug", room: `Room ${n % 8}` })),
  };
}

async function startOnce(build, data, document = null) {
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_DATA: data,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_LOG_LEVEL: "warn",
  };
  if (document !== null) {
    const made = spawnSync(process.execPath, [join(root, "scripts/gatehouse.mjs"), "provision", "-"], {
      input: JSON.stringify(document),
      env: { ...env, BUILD_FOLDER: build },
      encoding: "utf8",
    });
    if (made.status !== 0) throw new Error(made.stderr);
  }
  const before = performance.now();
  const hub = spawn(process.execPath, [join(root, build, "src/main.js")], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  hub.stdout.on("data", (chunk) => {
    output += chunk;
  });
  while (!/Gatehouse is ready: \S+\n/.test(output)) {
    if (hub.exitCode !== null) throw new Error(`the hub ended:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const url = /Gatehouse is ready: (\S+)/.exec(output)[1];
  const answer = await fetch(`${url}/v1`);
  if (!answer.ok) throw new Error(`GET /v1: ${answer.status}`);
  const ms = performance.now() - before;
  const residentMegabytes = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))[1]) / 1024;
  hub.kill("SIGTERM");
  await new Promise((resolve) => hub.on("exit", resolve));
  return { ms, residentMegabytes };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function option(options, name, fallback) {
  const at = options.indexOf(name);
  return at < 0 ? fallback : options[at + 1];
}
