// @ts-check
/**
 * A provisioned hub in a separate process on free ports of the loopback interface, for benches and soaks. Plain Node.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import mqtt from "mqtt";
import { callAs, hubEnvironment, signIn, startHub } from "./hub-process.mjs";
import { root } from "./prepare.mjs";

/** Node's arguments for a hub whose event loop is measured (`held`); its environment names HELD_FILE. */
export const HELD_LOOP = ["--import", new URL("./held-loop.mjs", import.meta.url).href];

/** @typedef {{ id: string, type: string, name: string, password: string }} BenchDevice */

/**
 * Devices as `gatehouse provision` takes them: `stem-0`, `stem-1` … or, without a count, one whose id is the stem.
 * Their passwords are `password-of-ID`.
 * @param {string} type
 * @param {number | null} [count]
 * @param {string} [stem]
 * @returns {BenchDevice[]}
 */
export function benchDevices(type, count = null, stem = type) {
  const ids = count === null ? [stem] : Array.from({ length: count }, (_, n) => `${stem}-${n}`);
  return ids.map((id) => ({ id, name: id, type, password: `password-of-${id}` }));
}

/**
 * The environment of a bench's hub: no rate limits, quiet. `more` takes precedence.
 * @param {string} data
 * @param {Record<string, string>} [more]
 */
export function benchEnvironment(data, more = {}) {
  return hubEnvironment(data, {
    GATEHOUSE_LOG_LEVEL: "warn",
    GATEHOUSE_METRICS: "true",
    GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0",
    GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0",
    ...more,
  });
}

/**
 * Gives a stopped hub an owner, these devices and one key for everything; returns the key and the owner.
 * @param {string} build
 * @param {Record<string, string>} env
 * @param {BenchDevice[]} devices
 */
export function provision(build, env, devices) {
  const account = { email: "bench@example.org", name: "Bench", password: "a sentence is the best password" };
  const made = spawnSync(process.execPath, [join(root, "scripts/gatehouse.mjs"), "provision", "--json", "-"], {
    input: JSON.stringify({ account, devices, keys: [{ name: "bench", env: "live", scopes: "*" }] }),
    env: { ...env, BUILD_FOLDER: build },
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(made.stderr);
  return { account, key: /"secret":\s*"(gth_live_\w+)"/.exec(made.stdout)?.[1] ?? "" };
}

/**
 * Starts a hub with these devices and one key for everything. `data`: a folder that is kept; otherwise a temporary one.
 * @param {{ build?: string, devices?: BenchDevice[], env?: Record<string, string>, data?: string | null }} wishes
 */
export async function startBenchHub({ build = "build-hub", devices = [], env: more = {}, data: kept = null }) {
  const data = kept ?? mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const env = benchEnvironment(data, more);
  const { account, key } = provision(build, env, devices);
  let hub = await startHub({ build, env });
  const { url, mqttPort: port } = hub;
  let cookie = "";
  return {
    url,
    port,
    key,
    /** Resident memory in MB. */
    memory: () => hub.memory(),
    pid: () => hub.pid,
    /** One call of /v1 with the key; resolves with the body. */
    api: callAs(url, { authorization: `Bearer ${key}` }),
    /**
     * One call of the console's API as the owner. @param {string} method @param {string} path @param {unknown} [body]
     */
    console: async (method, path, body) => {
      if (cookie === "") cookie = await signIn(url, account);
      return callAs(url, { cookie })(method, path, body);
    },
    /** The owner's cookie; empty before the first call of the console's API. */
    cookie: () => cookie,
    /** A device's client. @param {string} id */
    connect: (id) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: id, password: `password-of-${id}`, clientId: id }),
    /** Stops it cleanly and starts it again at the same addresses. */
    restart: async () => {
      await hub.stop();
      hub = await startHub({
        build,
        env: { ...env, GATEHOUSE_HTTP_PORT: new URL(url).port, GATEHOUSE_MQTT_PORT: String(port) },
      });
    },
    stop: async () => {
      const code = await hub.stop();
      if (kept === null) rmSync(data, { recursive: true, force: true });
      return code;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startBenchHub>>} BenchHub */

/** The value that this share of all lies below: 0.5 for the median. @param {number[]} values @param {number} share */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Value of `--name` among the options. @param {string[]} options @param {string} name @param {string} fallback */
export function option(options, name, fallback) {
  const at = options.indexOf(name);
  return (at < 0 ? undefined : options[at + 1]) ?? fallback;
}

/**
 * The measurements of scripts/lib/held-loop.mjs since the last call.
 * @param {{ pid: number }} hub
 * @param {string} file its HELD_FILE
 * @returns {Promise<import("./held-loop.mjs").Held>}
 */
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
