/**
 * A provisioned hub in a process of its own on free ports of the loopback interface, for benches and soaks. Plain Node.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt from "mqtt";
import { HUB_ENVIRONMENT, hubMain, NODE_ARGUMENTS } from "./hub-environment.mjs";
import { root } from "./prepare.mjs";

/** Devices as `gatehouse provision` takes them; their passwords are `password-of-ID`. */
export function benchDevices(list) {
  return list.map(([id, type]) => ({ id, name: id, type, password: `password-of-${id}` }));
}

/** The environment of a hub on its own folder: free ports, no limits to calls. `more` comes last. */
export function benchEnvironment(data, more = {}) {
  return {
    PATH: process.env.PATH,
    GATEHOUSE_DATA: data,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_LOG_LEVEL: "warn",
    GATEHOUSE_METRICS: "true",
    ...HUB_ENVIRONMENT,
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0",
    ...more,
  };
}

/** Gives a hub that does not run an owner, these devices and one key for everything; answers the key and the owner. */
export function provision(build, env, devices) {
  const account = { email: "bench@example.org", name: "Bench", password: "a sentence is the best password" };
  const made = spawnSync(process.execPath, [join(root, "scripts/gatehouse.mjs"), "provision", "--json", "-"], {
    input: JSON.stringify({ account, devices, keys: [{ name: "bench", env: "live", scopes: "*" }] }),
    env: { ...env, BUILD_FOLDER: build },
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(made.stderr);
  return { account, key: /"secret":\s*"(gth_live_\w+)"/.exec(made.stdout)[1] };
}

/** Starts the process; resolves once it says that it is ready. `stop` ends it orderly and resolves with its exit code. `preload`: more arguments of Node. */
export async function launch(build, env, preload = []) {
  const hub = spawn(process.execPath, [...NODE_ARGUMENTS, ...preload, hubMain(build)], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((done) => hub.on("exit", done));
  let output = "";
  await new Promise((ready, failed) => {
    hub.stdout.on("data", (chunk) => {
      output += chunk;
      if (/Console /.test(output)) ready();
    });
    void exited.then((code) => failed(new Error(`the hub ended with ${code}\n${output}`)));
  });
  return {
    url: /ready: (\S+)/.exec(output)[1],
    port: Number(/mqtt:\/\/[^:]+:(\d+)/.exec(output)[1]),
    pid: hub.pid,
    stop: () => {
      hub.kill("SIGTERM");
      return exited;
    },
  };
}

/** Resident memory of a process in MB. */
export function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

/** Starts a hub with these devices and one key for everything. `data`: a folder that is kept; without it one of its own. */
export async function startBenchHub({ build = "build", devices = [], env: more = {}, data: kept = null }) {
  const data = kept ?? mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const env = benchEnvironment(data, more);
  const { account, key } = provision(build, env, devices);
  let hub = await launch(build, env);
  const { url, port } = hub;
  let cookie = "";
  return {
    url,
    port,
    key,
    /** Resident memory in MB. */
    memory: () => residentMegabytes(hub.pid),
    pid: () => hub.pid,
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
        const { email, password } = account;
        const session = await call("POST", "/api/session", { email, password });
        cookie = session.headers.getSetCookie()[0].split(";")[0];
      }
      const answer = await call(method, path, body);
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer.json();
    },
    /** The owner's cookie; empty before the first call of the console's API. */
    cookie: () => cookie,
    connect: (id) => mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: id, password: `password-of-${id}`, clientId: id }),
    /** Ends it orderly and starts it again at the same addresses. */
    restart: async () => {
      await hub.stop();
      hub = await launch(build, { ...env, GATEHOUSE_HTTP_PORT: new URL(url).port, GATEHOUSE_MQTT_PORT: String(port) });
    },
    stop: async () => {
      const code = await hub.stop();
      if (kept === null) rmSync(data, { recursive: true, force: true });
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

/** What scripts/lib/held-loop.mjs saw since it was asked last. */
export async function held(hub, file) {
  rmSync(file, { force: true });
  process.kill(hub.pid, "SIGUSR2");
  for (;;) {
    await pause(5);
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    if (text.endsWith("}")) return JSON.parse(text);
  }
}
