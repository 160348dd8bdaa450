// @ts-check
/** A hub in a separate process whose data folder, environment and end scripts/faults.mjs controls. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { hubMain, NODE_ARGUMENTS } from "../hub-environment.mjs";
import { hubEnvironment } from "../hub-process.mjs";
import { ownTime } from "../processor-time.mjs";

/** Far longer than a start takes, so that a busy machine causes no finding. */
const READY_MS = 180_000;
const ANSWER_MS = 60_000;
/** A hub that has not stopped by then does not; without the time in which a busy machine did not let it run. */
const STOP_MS = 20_000;
/** Most of the processor time of a sign-in would go into the hash, and no fault concerns it. */
export const CHEAP_PASSWORDS = [
  "--require",
  fileURLToPath(new URL("../../../test/support/cheap-passwords.cjs", import.meta.url)),
];
/**
 * The exit codes of a hub (src/main.ts): 0 stopped, 1 could not start, 75 restart requested, 78 wrong configuration.
 */
const EXIT_CODES = [0, 1, 75, 78];

/**
 * @typedef {{ code: string, level: string, text: string }} Check
 * @typedef {Awaited<ReturnType<HubProcess["call"]>>} Answer
 */

/** One process. */
export class HubProcess {
  #child;
  #ended;
  #wasKilled = false;
  stdout = "";
  stderr = "";
  /** How long its start took, ms, without the time in which a busy machine did not let it run. */
  startMs = 0;
  httpPort = 0;
  mqttPort = 0;
  /** @type {string | null} */
  claimCode = null;

  /**
   * @param {{ build: string, folder: string, env: Record<string, string>, imports?: string[], prefix?: string[], host?:
   *   string }} options `prefix`: what the command begins with; `host`: where it is to be reached
   */
  constructor({ build, folder, env, imports = [], prefix = [], host = "127.0.0.1" }) {
    const words = imports.flatMap((file) => ["--import", file]);
    this.host = host;
    const [first = process.execPath, ...rest] = [...prefix, process.execPath];
    this.#child = spawn(first, [...rest, ...NODE_ARGUMENTS, ...CHEAP_PASSWORDS, ...words, hubMain(build)], {
      env: hubEnvironment(folder, {
        GATEHOUSE_LOG_FORMAT: "json",
        GATEHOUSE_RECOGNITION: "false",
        GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
        ...env,
      }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout.on("data", (chunk) => (this.stdout += chunk));
    this.#child.stderr.on("data", (chunk) => (this.stderr += chunk));
    this.#ended = once(this.#child, "close");
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  /** Whether it runs. */
  get runs() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Its unexpected end; null while it runs, if it was killed, or if the code is one of {@link EXIT_CODES}. */
  get oddEnd() {
    if (this.runs || this.#wasKilled) return null;
    const { exitCode, signalCode } = this.#child;
    return exitCode !== null && EXIT_CODES.includes(exitCode)
      ? null
      : `it ended with ${signalCode ?? `exit ${exitCode}`}`;
  }

  get exitCode() {
    return this.#child.exitCode;
  }

  /** Waits until it serves; false if it exited before. */
  async ready() {
    const deadline = performance.now() + READY_MS;
    const elapsed = ownTime(this.pid);
    while (!/mqtts?:\/\//.test(this.stdout) || !/Console/.test(this.stdout)) {
      if (!this.runs) return false;
      this.startMs = elapsed();
      if (performance.now() > deadline) {
        await this.kill();
        this.stderr += "\n(it was not ready in time)";
        return false;
      }
      await pause(15);
    }
    this.httpPort = Number(/Gatehouse is ready: https?:\/\/[^\s:]+:(\d+)/.exec(this.stdout)?.[1]);
    this.mqttPort = Number(/mqtt:\/\/[^\s:]+:(\d+)/.exec(this.stdout)?.[1]);
    this.claimCode = /Claim code: (\S+)/.exec(this.stdout)?.[1] ?? null;
    return true;
  }

  /** SIGKILL. */
  async kill() {
    this.#wasKilled = true;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** SIGTERM; the exit code, or null if it had to be killed. */
  async stop() {
    const elapsed = ownTime(this.pid);
    this.#child.kill("SIGTERM");
    for (let isOver = false; !isOver; ) {
      isOver = await Promise.race([this.#ended.then(() => true), pause(100, false, { ref: false })]);
      if (isOver || elapsed() < STOP_MS) continue;
      await this.kill();
      return null;
    }
    return this.exitCode;
  }

  /** @param {string} method @param {string} path @param {Parameters<typeof callHub>[2]} [more] */
  call(method, path, more) {
    return callHub(`http://${this.host}:${this.httpPort}${path}`, method, more);
  }

  /** What the hub says of its storage; null when it does not answer. @returns {Promise<Check | null>} */
  async storage() {
    try {
      const { body } = await this.call("GET", "/healthz");
      return body.checks?.find((/** @type {Check} */ check) => check.code === "storage") ?? null;
    } catch {
      return null;
    }
  }

  /** Its latest warnings and errors in the log: the reason for its end. */
  get lastWords() {
    const lines = this.stdout.split("\n").filter((line) => /"level":"?(warn|error|fatal|40|50|60)/.test(line));
    return lines
      .slice(-3)
      .map((line) => line.slice(0, 200))
      .join(" | ");
  }

  /** The first lines of a stack trace visible to a person: on standard error, or between the lines of the log. */
  stackTrace() {
    const seen = `${this.stderr}\n${this.stdout
      .split("\n")
      .filter((line) => !line.startsWith("{"))
      .join("\n")}`; // prettier-ignore
    const lines = seen.split("\n");
    const at = lines.findIndex((line) => /^\s+at .+[:)]/.test(line) && /\d+:\d+|node:/.test(line));
    return at === -1
      ? null
      : lines
          .slice(Math.max(0, at - 2), at + 2)
          .join(" | ")
          .slice(0, 400); // prettier-ignore
  }
}

/**
 * One request to a hub.
 * @param {string} url
 * @param {string} method
 * @param {{ body?: unknown, cookie?: string, timeoutMs?: number }} [more]
 */
export async function callHub(url, method, { body, cookie = "", timeoutMs = ANSWER_MS } = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(cookie === "" ? {} : { cookie }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      connection: "close",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  const set = response.headers.getSetCookie()[0]?.split(";")[0];
  return {
    status: response.status,
    bytes,
    body: {
      ...(isJson && bytes.length > 0 ? JSON.parse(String(bytes)) : {}),
      ...(set === undefined ? {} : { cookie: set }),
    },
  };
}
