// @ts-check
/**
 * Work that only one process at a time may do in this folder, such as installing its packages. Runs on every Node.js
 * with modules, as `runtime.mjs` does.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** How long a process waits before it looks again whether the other one is done, in milliseconds. */
const LOOK_AGAIN_MS = 250;

/**
 * Does `work` once no other process does work under the same `lock`; says once that it waits. The lock of a process
 * that has ended without giving it back counts for nothing.
 * @template Result
 * @param {string} lock name of the file that says who is at work
 * @param {() => Result} work
 * @returns {Result}
 */
export function alone(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, identityOf(process.pid) ?? "");
  let isSaid = false;
  while (!isTaken(mine, lock)) {
    const holder = textOf(lock);
    const pid = Number(holder?.split(" ")[0]);
    if (holder !== null && identityOf(pid) !== holder) setAside(lock, holder);
    else {
      if (!isSaid) console.log(`Another command prepares Gatehouse in this folder (process ${pid}): waiting for it …`);
      isSaid = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
  }
  rmSync(mine, { force: true });
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Whether the lock is this process's now: a link is made whole or not at all. @param {string} mine @param {string} lock */
function isTaken(mine, lock) {
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    return false;
  }
}

/** Takes a lock out of the way whose process has ended; one that another process has taken since is put back. @param {string} lock @param {string} ended */
function setAside(lock, ended) {
  const aside = `${lock}.old.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (textOf(aside) !== ended) linkSync(aside, lock);
  } catch {
    // another process was faster
  }
  rmSync(aside, { force: true });
}

/**
 * A process, and on Linux when it began: numbers are used again. Null: it has ended.
 * @param {number} pid
 */
function identityOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EPERM") return null;
  }
  const began =
    textOf(`/proc/${pid}/stat`)
      ?.replace(/^.*\) /s, "")
      .split(" ")[19] ?? "";
  return `${pid} ${began}`;
}

/** @param {string} file @returns {string | null} */
function textOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
