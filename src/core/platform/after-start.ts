/**
 * One-time work a little after the start: the engine's compiled code is stored for the next start, leftovers of earlier
 * programs are removed, and the memory used by the start is released.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { flushCompileCache, getCompileCacheDir } from "node:module";
import { basename, dirname, join } from "node:path";
import { garbageCollector, optimiseSooner } from "../kernel/compiler.ts";

/** By then, clients that lost the hub are back, and the code that they use is compiled. */
const DELAY_MS = 5_000;

/**
 * Does it after a delay that keeps no process alive. Code running from now on is optimised sooner than the code of the
 * start.
 * @param builtAt when this program was built, Unix milliseconds
 */
export function tidyAfterStart(builtAt: number): void {
  optimiseSooner(true);
  setTimeout(() => {
    const folder = getCompileCacheDir();
    if (folder !== undefined) {
      flushCompileCache(); // Node itself would do it at the exit, and a hub mostly ends by a power cut
      void removeOldCode(folder, builtAt).catch(() => undefined); // a cache: leftovers only take room
    }
  }, DELAY_MS).unref();
}

/**
 * Gives back the memory used by the start, before readiness is announced: the collection blocks everything for about 40
 * ms, on a Pi for a fifth of a second.
 */
export function collectStart(): void {
  garbageCollector()({ type: "major", flavor: "last-resort" });
}

/**
 * Removes compiled code of removed programs: entries older than this program, and folders of other versions of Node.
 * @param folder the cache of this version of Node, beside those of others
 * @param builtAt Unix milliseconds
 */
export async function removeOldCode(folder: string, builtAt: number): Promise<void> {
  for (const name of await readdir(dirname(folder)))
    if (name !== basename(folder) && /^v\d+\./.test(name))
      await rm(join(dirname(folder), name), { recursive: true, force: true });
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).mtimeMs < builtAt) await rm(file, { force: true });
  }
}
