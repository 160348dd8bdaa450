// @ts-check
/** A hub in a separate process on free ports of the loopback interface, for benches, soaks and trials. Plain Node. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { HUB_ENVIRONMENT, hubMain, NODE_ARGUMENTS } from "./hub-environment.mjs";

/** Far longer than a start takes, so that a busy machine causes no finding. */
const READY_MS = 180_000;
const PASSWORD = "a sentence is the best password";

/**
 * The environment of a hub on its own folder: free ports, nothing announced on the network, no rate limits. `more`
 * takes precedence.
 * @param {string} data
 * @param {Record<string, string>} [more]
 * @returns {Record<string, string>}
 */
export function hubEnvironment(data, more = {}) {
  return {
    ...HUB_ENVIRONMENT,
    PATH: process.env.PATH ?? "",
    // if the caller has one, as npm test does
    ...(process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    GATEHOUSE_DATA: data,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_HTTPS_PORT: "0",
    GATEHOUSE_MQTTS_PORT: "0",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_SNTP: "false",
    GATEHOUSE_RATE_REQUESTS_PER_MINUTE: "0",
    ...more,
  };
}

/**
 * Starts a hub; resolves once it is ready.
 * @param {object} wishes
 * @param {Record<string, string>} wishes.env
 * @param {string} [wishes.build] a build folder, relative to the project or absolute
 * @param {string} [wishes.main] another program than that build's
 * @param {string[]} [wishes.preload] more arguments of Node
 * @param {string[]} [wishes.args] arguments of the hub
 * @param {boolean} [wishes.hearsErrors] what it writes to standard error is part of `output` instead of being shown
 * @throws Error with its output if it exits before, or is not ready in time
 */
export async function startHub({
  env,
  build = "build-hub",
  main = hubMain(build),
  preload = [],
  args = [],
  hearsErrors = false,
}) {
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, ...preload, main, ...args], {
    env,
    stdio: ["ignore", "pipe", hearsErrors ? "pipe" : "inherit"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  /** @type {Promise<number | null>} */
  const exited = new Promise((done) => child.on("exit", done));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const deadline = performance.now() + READY_MS;
  while (!/Console {2,}/.test(output)) {
    if (hasEnded()) throw new Error(`the hub ended with ${child.exitCode ?? child.signalCode}:\n${output}`);
    if (performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`the hub was not ready in ${READY_MS} ms:\n${output}`);
    }
    await pause(5);
  }
  return {
    url: /Gatehouse is ready: (\S+)/.exec(output)?.[1] ?? "",
    /** Empty while TLS is off. */
    httpsUrl: /TLS {3}(https:\/\/[^\s/]+)/.exec(output)?.[1] ?? "",
    mqttPort: Number(/mqtt:\/\/[^\s:]+:(\d+)/.exec(output)?.[1]),
    /** Empty once it is claimed. */
    claimCode: /Claim code: (\S+)/.exec(output)?.[1] ?? "",
    pid: child.pid ?? 0,
    /** Its output so far. */
    output: () => output,
    hasEnded,
    /** Resident memory in MB. */
    memory: () => residentMegabytes(child.pid ?? 0),
    /** Stops it cleanly; resolves with its exit code. */
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
    kill: () => {
      child.kill("SIGKILL");
      return exited;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startHub>>} Hub */

/** Resident memory of a process in MB. @param {number} pid */
export function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Claims a new hub; answers the owner. @param {Pick<Hub, "url" | "claimCode">} hub */
export async function claim({ url, claimCode }) {
  const account = { name: "Asha Rao", email: "asha@example.org", password: PASSWORD };
  const { cookie } = await request(url, "POST", "/api/claim", { body: { code: claimCode, ...account } });
  return { ...account, cookie, call: callAs(url, { cookie }) };
}

/** Signs in; answers the session's cookie. @param {string} url @param {{ email: string, password: string }} account */
export async function signIn(url, { email, password }) {
  return (await request(url, "POST", "/api/session", { body: { email, password } })).cookie;
}

/**
 * Requests with these headers; each resolves with the body. @param {string} url @param {Record<string, string>} headers
 */
export function callAs(url, headers) {
  /** @param {string} method @param {string} path @param {unknown} [body] */
  return async (method, path, body) => (await request(url, method, path, { headers, body })).body;
}

/**
 * @param {string} url
 * @param {string} method
 * @param {string} path
 * @param {{ headers?: Record<string, string>, body?: unknown }} what
 * @throws Error when it is refused
 */
async function request(url, method, path, { headers = {}, body }) {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return { body: text === "" ? {} : JSON.parse(text), cookie: response.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}
