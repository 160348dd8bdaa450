import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../kernel/write-file-atomic.js";

const MARK = "factory-reset";
/** What the box had before its first owner: a claim code on its card. */
const KEPT: ReadonlySet<string> = new Set([MARK, "claim-code"]);

/** Marks on disk that the next start begins with an empty folder. Nothing in use is touched. */
export function stageFactoryReset(dataFolder: string): Promise<void> {
  return writeFileAtomic(join(dataFolder, MARK), "Everything in this folder is deleted when the hub starts.\n");
}

/**
 * Deletes everything in the folder if {@link stageFactoryReset} asked for it; returns whether it did. The mark goes
 * last: if a start is cut off, the next one continues. Only while no hub works on the folder.
 */
export function applyFactoryReset(dataFolder: string): boolean {
  if (!existsSync(join(dataFolder, MARK))) return false;
  for (const name of readdirSync(dataFolder))
    if (!KEPT.has(name)) rmSync(join(dataFolder, name), { recursive: true, force: true });
  rmSync(join(dataFolder, MARK));
  return true;
}
