import { mkdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * Makes `folder` and its parents below `root`, for this user alone. `root` must exist: a data folder that was moved or
 * unmounted must not be recreated in the same place, where the next start would treat it as a new hub's.
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

/**
 * Makes one folder for this user alone; its parent must exist, as for {@link makeFolderBelow}.
 * @throws Error of the system, ENOENT without its parent
 */
export function makeFolderSync(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
