/**
 * A provisioned hub in a process of its own on free ports of the loopback interface, for benches and soaks. Plain Node.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt from "mqtt";
import { root } from "./prepare.mjs";

/** Devices as `gatehouse provision` takes them; their passwords are `password-of-ID`. */
export function benchDevices(list) {
  return list.map(([id, type]) => ({ id, name: id, type, password: `password-of-${id}` }));
}

/** Starts a hub with these devices and one key for everything. */
export async function startBenchHub({ build = "build", devices, env: more = {} }) {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_DATA: data,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_LOG_LEVEL: "warn",
    GATEHOUSE_METRICS: "true",
    MALLOC_ARENA_MAX: "2",
    MALLOC_MMAP_THRESHOLD_: "131072",
    MALLOC_TRIM_THRESHOLD_: "131072",
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0",
    ...more,
  };
  const document = {
    account: { email: "bench@example.org", name: "Bench", password: "a sentence is the best password" },
    devices,
    keys: [{ name: "bench", env: "live", scopes: "*" }],
  };
  const made = spawnSync(process.execPath, [join(root, "scripts/gatehouse.mjs"), "provision", "--json", "-"], {
    input: JSON.stringify(document),
    env: { ...env, BUILD_FOLDER: build },
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(made.stderr);
  const key = /"secret":\s*"(gth_live_\w+)"/.exec(made.stdout)[1];
  const hub = spawn(process.execPath, [join(root, build, "src/main.js")], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  hub.stdout.on("data", (chunk) => {
    output += chunk;
  });
  while (!/Console /.test(output)) {
    if (hub.exitCode !== null) throw new Error(`the hub ended with ${hub.exitCode}\n${output}`);
    await pause(20);
  }
  const url = /ready: (\S+)/.exec(output)[1];
  const port = Number(/mqtt:\/\/[^:]+:(\d+)/.exec(output)[1]);
  const exited = new Promise((resolve) => hub.on("exit", resolve));
  let cookie = "";
  return {
    url,
    port,
    key,
    /** Resident memory in MB. */
    memory: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${hub.pid}/status`, "utf8"))[1]) / 1024,
    /** One call of /v1 with the key; resolves with the body. */
    api: async (method, path, body) => {
      const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
      const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    /** One call of the console's API as the owner. */
    console: async (method, path, body) => {
      const call = async (verb, where, content) =>
        fetch(url + where, {
          method: verb,
          headers: { "content-type": "application/json", ...(cookie === "" ? {} : { cookie }) },
          ...(content === undefined ? {} : { body: JSON.stringify(content) }),
        });
      if (cookie === "") {
        const { email, password } = document.account;
        const session = await call("POST", "/api/session", { email, password });
        cookie = session.headers.getSetCookie()[0].split(";")[0];
      }
      const answer = await call(method, path, body);
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    connect: (id) => mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: id, password: `password-of-${id}`, clientId: id }),
    stop: async () => {
      hub.kill("SIGTERM");
      const code = await exited;
      rmSync(data, { recursive: true, force: true });
      return code;
    },
  };
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The share of `values` that lies below: 0.5 for the median. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Value of `--name` among the options. */
export function option(options, name, fallback) {
  const at = options.indexOf(name);
  return at < 0 ? fallback : options[at + 1];
}
