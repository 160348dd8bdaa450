import { readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { smallFileText } from "../../core/kernel/small-file.ts";

/**
 * The two files in which matter.js' storage notes its owner
 * (https://github.com/matter-js/matter.js/tree/main/packages/nodejs, `lock-utils`).
 */
const OWNER = "matter.pid";
const LOCK = "matter.lock";
/** A process whose hub was killed ends within two seconds. */
const MOST_WAIT_MS = 3_000;
const LOOK_MS = 50;

/**
 * Removes the locks that an earlier Matter process of this hub has left in the folders below `folder`. The library
 * treats any process with the same pid as the owner: after a power cut, when another process has the pid, and while a
 * killed one is a zombie, it would never open its storage again. Only one such process runs per data folder, so a live
 * one is waited for: it is about to end.
 * @param program name of the file that a Matter process runs
 */
export async function removeStaleLocks(folder: string, program: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const place of [
    folder,
    ...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name)),
  ]) {
    const owner = Number.parseInt(smallFileText(join(place, OWNER)) ?? "", 10);
    for (let waited = 0; waited < MOST_WAIT_MS && (await runs(owner, program)); waited += LOOK_MS) await wait(LOOK_MS);
    await rm(join(place, OWNER), { force: true });
    await rm(join(place, LOCK), { force: true });
  }
}

async function runs(pid: number, program: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid === process.pid) return false;
  const words = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
  return words.some((word) => basename(word) === program);
}
