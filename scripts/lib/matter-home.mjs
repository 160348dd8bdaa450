// @ts-check
/** The parent's view of a home that joins a hub over Matter (matter-controller.mjs). Plain Node. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** @typedef {Record<string, Record<string, unknown> | undefined>} States attributes, by cluster */
/**
 * @typedef {{ number: number, name: string | null, reachable: boolean | null, types: number[], states: States }} Seen
 *   an endpoint
 */
/** @typedef {{ endpoint: number, cluster: string, values: Record<string, unknown>, at: number }} Heard */
/**
 * @typedef {{ do: "join", code: string } | { do: "invoke", endpoint: number, cluster: string, command: string, input?:
 *   object } | { do: "write", endpoint: number, cluster: string, values: object } | { do: "subscribe", times: number }
 *   | { do: "sessions", endpoint: number, cluster: string, command: string, times: number } | { do: "flood", endpoint:
 *   number, cluster: string, commands: readonly string[], times: number, input?: object } | { do: "list" | "leave" }}
 *   Order what matter-controller.mjs understands
 */
/** @typedef {Awaited<ReturnType<typeof startHome>>} Home */

const PROGRAM = fileURLToPath(new URL("matter-controller.mjs", import.meta.url));
const READY_MS = 60_000;

/**
 * Starts a home in the network namespace of another process; resolves once it is ready.
 * @param {object} wishes
 * @param {string} wishes.folder its memory: a home that is started again on it is the same one
 * @param {number} wishes.beside the process whose network it is in
 * @param {string} wishes.networkInterface
 * @param {string} [wishes.label] what it calls itself
 */
export async function startHome({ folder, beside, networkInterface, label = "Test home" }) {
  const words = ["-t", String(beside), "-n", process.execPath, PROGRAM, folder, networkInterface];
  const child = spawn("nsenter", words, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, MATTER_LABEL: label },
  });
  /** @type {Heard[]} */
  const heard = [];
  /** @type {Map<number, { resolve: (value: unknown) => void, reject: (error: Error) => void }>} */
  const asked = new Map();
  let last = 0;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("the home does not start")), READY_MS);
    child.once("exit", (code) => reject(new Error(`the home ended with ${code}`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("{")) return console.log(line);
      const message = JSON.parse(line);
      if (message.ready) {
        clearTimeout(late);
        resolve(null);
      }
      if (message.changed) heard.push({ ...message.changed, at: message.at });
      const waiting = asked.get(message.re);
      asked.delete(message.re);
      if (message.error !== undefined) waiting?.reject(new Error(message.error));
      else waiting?.resolve(message.result);
    });
  });
  /** @param {Order} order @param {number} [limitMs] @returns {Promise<unknown>} */
  const ask = (order, limitMs = 15_000) =>
    new Promise((resolve, reject) => {
      last += 1;
      const id = last;
      asked.set(id, { resolve, reject });
      const late = () => asked.delete(id) && reject(new Error(`no answer to ${JSON.stringify(order)}`));
      setTimeout(late, limitMs).unref();
      child.stdin.write(`${JSON.stringify({ id, ...order })}\n`);
    });
  return {
    /** Every change that it received, with the time of receipt. */
    heard,
    ask,
    /** Joins by a code. @param {string} code */
    join: async (code) => /** @type {{ ms: number, endpoints: number }} */ (await ask({ do: "join", code }, 120_000)), // its own program says it
    /** Every endpoint that it sees. */
    list: async () => /** @type {Seen[]} */ (await ask({ do: "list" })),
    stop: async () => {
      child.stdin.end();
      await Promise.race([exited, pause(5_000)]);
      child.kill("SIGKILL");
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
