/**
 * What is done once, a little after the start: the engine's compiled code is kept for the next start, what earlier
 * programs left of it is removed, and the garbage of the start is given back.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { flushCompileCache, getCompileCacheDir } from "node:module";
import { basename, dirname, join } from "node:path";
import { optimiseSooner } from "../kernel/compiler.js";

/** Clients that lost the hub are back by then, and the code that they use is compiled. */
const DELAY_MS = 5_000;

/**
 * Does it after a delay that keeps no process alive. What runs from now on is optimised sooner than what the start ran.
 * @param builtAt when this program was built, Unix milliseconds
 */
export function tidyAfterStart(builtAt: number): void {
  optimiseSooner(true);
  setTimeout(() => {
    const folder = getCompileCacheDir();
    if (folder !== undefined) {
      optimiseSooner(false); // what is kept counts only under the options of the start
      flushCompileCache(); // Node itself would do it at the exit, and a hub mostly ends by a power cut
      optimiseSooner(true);
      void removeOldCode(folder, builtAt).catch(() => undefined); // a cache: what stays takes room and nothing else
    }
  }, DELAY_MS).unref();
}

/**
 * Gives the garbage of the start back, before anybody is told that the hub is ready: it holds everything for some 40
 * ms, on a Pi for a fifth of a second. Node has the function where it is started with --expose-gc; without it the heap
 * stays as large as the start made it.
 */
export function collectStart(): void {
  void globalThis.gc?.({ type: "major", flavor: "last-resort" });
}

/**
 * Removes compiled code of programs that are gone: entries older than this program, and folders of other versions of
 * Node.
 * @param folder the cache of this version of Node, one of its kind beside others
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
