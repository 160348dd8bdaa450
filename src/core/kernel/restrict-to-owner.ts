import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes all other users' rights from a file or folder that may have been created with wider ones. Links are left
 * alone: their targets belong to somebody else. Returns false if that is not possible, as for a file of another user or
 * a medium without rights.
 */
export function restrictToOwner(path: string): boolean {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined || entry.isSymbolicLink() || (entry.mode & 0o077) === 0) return true;
    chmodSync(path, entry.mode & 0o700);
    return (lstatSync(path).mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/**
 * {@link restrictToOwner} for a folder and everything in it, `depth` levels deep. Returns the paths that stayed open to
 * others.
 */
export function restrictToOwnerWithin(folder: string, depth: number): string[] {
  const open = restrictToOwner(folder) ? [] : [folder];
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 1) open.push(...restrictToOwnerWithin(path, depth - 1));
    else if (!restrictToOwner(path)) open.push(path);
  }
  return open;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
