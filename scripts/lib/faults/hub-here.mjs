// @ts-check
/** A hub like hub.mjs's, in a process that starts many of them, one after the other (starter.mjs). */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { hubEnvironment } from "../hub-process.mjs";
import { CHEAP_PASSWORDS, callHub } from "./hub.mjs";

const PROGRAM = fileURLToPath(new URL("./starter.mjs", import.meta.url));
/** A process starts this many hubs; what they may leave behind does not add up. */
const HUBS = 100;
const STOP_MS = 30_000;

/** The process of one worker, replaced when it has ended or has started {@link HUBS} hubs. */
export class Starter {
  /** @type {import("node:child_process").ChildProcess | null} */
  #child = null;
  #left = 0;
  /** The end of that process. @type {Promise<(number | null)[]>} */
  ended = new Promise(() => {});

  /** A process without a hub. */
  process() {
    if (this.#child === null || this.#left === 0 || this.#child.exitCode !== null || this.#child.signalCode !== null) {
      this.end();
      this.#child = fork(PROGRAM, {
        execArgv: CHEAP_PASSWORDS,
        stdio: ["ignore", "ignore", "pipe", "ipc"],
      });
      this.#left = HUBS;
      this.ended = once(this.#child, "exit").then(([code]) => [code]);
    }
    this.#left -= 1;
    return this.#child;
  }

  end() {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }
}

/** One hub; see {@link import("./hub.mjs").HubProcess}, whose members it has as far as a start needs them. */
export class HubHere {
  #child;
  #ended;
  /** @type {(() => void) | null} */
  #stopped = null;
  #isOver = false;
  stdout = "";
  stderr = "";
  /** @type {number | null} */
  exitCode = null;

  /** @param {Starter} starter @param {{ folder: string, env: Record<string, string> }} options */
  constructor(starter, { folder, env }) {
    const child = starter.process();
    this.#child = child;
    const heard = (/** @type {Buffer} */ chunk) => {
      this.stderr += chunk;
    };
    const message = (
      /** @type {{ out?: string, failed?: { exitCode: number, text: string }, isStopped?: boolean }} */ {
        out,
        failed,
        isStopped,
      },
    ) => {
      if (out !== undefined) this.stdout += out;
      if (isStopped) this.#stopped?.();
      if (failed === undefined) return;
      this.#isOver = true;
      this.exitCode = failed.exitCode;
      this.stderr += failed.text;
    };
    child.stderr?.on("data", heard);
    child.on("message", message);
    this.#ended = starter.ended.then(([code]) => {
      this.exitCode ??= code ?? null;
      this.#isOver = true;
    });
    this.release = () => {
      child.stderr?.off("data", heard);
      child.off("message", message);
    };
    child.send({
      env: hubEnvironment(folder, {
        GATEHOUSE_RECOGNITION: "false",
        GATEHOUSE_WEBHOOKS_ALLOW_LOOPBACK: "true",
        ...env,
      }),
    });
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  get runs() {
    return !this.#isOver;
  }

  /** Resolves at once: the caller has seen that it is ready. */
  async ready() {
    return this.runs;
  }

  get httpPort() {
    return Number(/Gatehouse is ready: https?:\/\/[^\s:]+:(\d+)/.exec(this.stdout)?.[1]);
  }

  /** @param {string} method @param {string} path @param {Parameters<typeof callHub>[2]} [more] */
  call(method, path, more) {
    return callHub(`http://127.0.0.1:${this.httpPort}${path}`, method, more);
  }

  /** Stops the hub, or its process if it does not stop. */
  async kill() {
    const late = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
    const stopped = /** @type {Promise<void>} */ (
      new Promise((done) => {
        this.#stopped = done;
      })
    );
    this.#child.send("stop");
    await Promise.race([stopped, this.#ended]);
    clearTimeout(late);
    this.#isOver = true;
    this.release();
  }
}
