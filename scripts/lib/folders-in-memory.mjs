// @ts-check
import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, rmSync, statfsSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const MEMORY = "/dev/shm";
/** Below this, the folders stay on disk. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Puts the folder of the tests' data folders into memory, if there is enough: they create some thousand databases, and
 * each waits for the disk several times. Tests of the disk itself (slow, full, failing) use their own disks.
 * @param {string} folder
 */
export function layIntoMemory(folder) {
  if (!existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < NEEDED_BYTES) return;
  const place = join(MEMORY, `gatehouse-tests-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`);
  mkdirSync(place, { recursive: true });
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  symlinkSync(place, folder);
}
