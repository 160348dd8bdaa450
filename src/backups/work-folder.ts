import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolderBelow } from "../kernel/folder-below.js";

/** Makes the folder in which backups are worked on anew, without what a power cut left in it. Answers its path. */
export async function emptyWorkFolder(dataFolder: string): Promise<string> {
  const work = join(dataFolder, "backup-work");
  await rm(work, { recursive: true, force: true });
  await makeFolderBelow(dataFolder, work);
  return work;
}
