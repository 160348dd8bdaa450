// @ts-check
/**
 * A helper process of a bench, so that its work is not counted as the hub's: the bench's own file, run with arguments
 * and controlled by messages. Plain Node.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/**
 * Starts it; resolves with its first message, once it is ready.
 * @param {string} file
 * @param {string[]} args
 * @param {string[]} [execArgv] arguments of Node
 * @param {Record<string, string>} [env] besides this process's own
 */
export async function startHelper(file, args, execArgv = process.execArgv, env = {}) {
  const child = fork(file, args, { execArgv, env: { ...process.env, ...env } });
  /** @type {Promise<never>} */
  const ended = new Promise((_, failed) =>
    child.once("exit", (code) => failed(new Error(`${args.slice(0, 2).join(" ")} ended with ${code}`))),
  );
  ended.catch(() => {}); // callers that wait for an answer get the error
  const answer = async () => (await Promise.race([ended, once(child, "message")]))[0];
  return {
    pid: child.pid ?? 0,
    ready: await answer(),
    /** Gives it an order; resolves with its answer. @param {import("node:child_process").Serializable} order */
    ask: (order) => {
      child.send(order);
      return answer();
    },
    end: () => child.kill(),
    /** Lets it exit by itself: it gets `disconnect`. */
    disconnect: async () => {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startHelper>>} Helper */

/** Says something to the process that started this one. @param {unknown} message @param {() => void} [then] */
export function say(message, then = () => {}) {
  process.send?.(message, undefined, undefined, then);
}

/**
 * Processor time that a process has used, all its threads; the kernel counts it in hundredths of a second.
 * @param {number} pid
 */
export function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
