import { mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { makeFolderBelow } from "../../core/kernel/folder-below.ts";

/** Linux' file system in memory, and its mark in `statfs`. */
const IN_MEMORY = { folder: "/dev/shm", type: 0x01021994 };
const REHEARSAL = "gatehouse-rehearsal-";
/** Left over by a power cut or a kill, and not of another hub that rehearses now. */
const OLD_MS = 86_400_000;
/** The same amount stays free for the hub and all other programs. */
const MEMORY_FACTOR = 2;

/** Recreates the working folder for backups, without leftovers of a power cut. Returns its path. */
export async function emptyWorkFolder(dataFolder: string): Promise<string> {
  const work = join(dataFolder, "backup-work");
  await rm(work, { recursive: true, force: true });
  await makeFolderBelow(dataFolder, work);
  return work;
}

/**
 * A folder in which a database of this size is unpacked and thrown away: in memory if there is plenty, to spare the
 * card, else below `dataFolder`. The caller removes `root`.
 */
export async function rehearsalFolder(
  dataFolder: string,
  bytes: number,
  available: () => number,
): Promise<{ readonly root: string; readonly folder: string }> {
  const onDisk = join(dataFolder, "rehearsal");
  try {
    const { type, bavail, bsize } = await statfs(IN_MEMORY.folder);
    await removeOld();
    if (type !== IN_MEMORY.type || Math.min(bavail * bsize, available()) < MEMORY_FACTOR * bytes)
      return { root: onDisk, folder: onDisk };
    const root = await mkdtemp(join(IN_MEMORY.folder, REHEARSAL)); // private to this user
    return { root, folder: join(root, "data") };
  } catch {
    return { root: onDisk, folder: onDisk };
  }
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(IN_MEMORY.folder)) {
    const folder = join(IN_MEMORY.folder, name);
    const { mtimeMs, uid } = await stat(folder);
    if (name.startsWith(REHEARSAL) && uid === userInfo().uid && Date.now() - mtimeMs > OLD_MS)
      await rm(folder, { recursive: true, force: true });
  }
}
