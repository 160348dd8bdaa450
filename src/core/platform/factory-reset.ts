import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readSmallFile } from "../kernel/small-file.ts";
import { writeFileAtomic } from "../kernel/write-file-atomic.ts";

const MARK = "factory-reset";
const ORDER = "Everything in this folder is deleted when the hub starts.\n";
/** What the host had before its first owner: a claim code on its card. */
const KEPT: ReadonlySet<string> = new Set([MARK, "claim-code"]);

/** Marks on disk that the next start begins with an empty folder. Nothing in use is touched. */
export function stageFactoryReset(dataFolder: string): Promise<void> {
  return writeFileAtomic(join(dataFolder, MARK), ORDER);
}

/**
 * Deletes everything in the folder if {@link stageFactoryReset} asked for it; returns whether it did. The mark goes
 * last: if a start is cut off, the next one continues. A mark without the order's exact text is ignored: a household is
 * not deleted because of a file that somebody else, or a failing disk, left there. Only while no hub uses the folder.
 */
export function applyFactoryReset(dataFolder: string): boolean {
  const mark = readSmallFile(join(dataFolder, MARK));
  if (mark.kind !== "good" || mark.text !== ORDER) return false;
  for (const name of readdirSync(dataFolder))
    if (!KEPT.has(name)) rmSync(join(dataFolder, name), { recursive: true, force: true });
  rmSync(join(dataFolder, MARK));
  return true;
}
