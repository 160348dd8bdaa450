import { mkdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * Makes `folder` and what leads to it below `root`, for this user alone. `root` has to be there: a data folder that was moved or unmounted must
 * not begin anew at the same place, where the next start would take it for a new hub's.
 * @throws Error of the system, ENOENT without `root`
 */
export async function makeFolderBelow(root: string, folder: string): Promise<void> {
  let level = root;
  for (const name of relative(root, folder).split(sep)) {
    level = join(level, name);
    await mkdir(level, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}
