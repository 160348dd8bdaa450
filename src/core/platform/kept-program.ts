/**
 * Runs the hub's bundle with code that the engine compiled in an earlier run. Node's own cache (NODE_COMPILE_CACHE)
 * stores a module as it is before it runs, but a start calls two thousand functions that are compiled only then: a
 * quarter of its work. Must never know what the program does; only the bundle's main.js uses it.
 */
import { closeSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import Module, { createRequire, getCompileCacheDir } from "node:module";
import { basename, dirname, join } from "node:path";
import { debuglog } from "node:util";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";
import { underStartOptions } from "../kernel/compiler.ts";
import { databaseModuleTrouble } from "../kernel/native-modules.ts";
import { openWholeFile } from "../kernel/small-file.ts";

/** A little after the start, when it delays nobody any more. */
const KEEP_AFTER_MS = 5_000;
/** Before the code: a mark of its source, and a checksum. */
const HEAD_BYTES = 8;
const debug = debuglog("kept-program");

/** EX_CONFIG of sysexits.h: another start would end the same way, and the unit does not try one. */
const EXIT_CONFIG = 78;

/**
 * {@link runKept} for the hub: where the program or a module that it cannot do without is missing or not whole, one
 * sentence and an end that no service manager repeats.
 */
export function runHub(file: string, process: NodeJS.Process): void {
  try {
    const trouble = databaseModuleTrouble();
    if (trouble !== null) throw new Error(`better-sqlite3: ${trouble}`);
    runKept(file, process);
  } catch (error) {
    const [why = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    process.stderr.write(
      `Gatehouse could not start: a part of the program is missing or not whole (${why}). Install this version again.\n`,
    );
    process.exit(EXIT_CONFIG);
  }
}

/**
 * Runs the CommonJS program in `file`. Without NODE_COMPILE_CACHE nothing is cached; with source maps, Node itself has
 * to load the program, because it reads maps only of its own modules.
 * @param node how Node was started
 */
export function runKept(file: string, node: Pick<NodeJS.Process, "execArgv" | "sourceMapsEnabled">): void {
  const folder = getCompileCacheDir();
  const require = createRequire(file);
  if (folder === undefined || node.sourceMapsEnabled) {
    require(file);
    return;
  }
  const keptFile = join(folder, `${basename(file)}.code`);
  const source = readFileSync(file, "latin1"); // the bundle is ASCII
  const mark = crc32(source);
  const cachedData = readKept(keptFile, mark);
  const script = new Script(Module.wrap(source), {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === null ? {} : { cachedData }),
  });
  const isAccepted = cachedData !== null && script.cachedDataRejected === false;
  debug("code %s", isAccepted ? "accepted" : "compiled");
  const module = new Module(file);
  module.filename = file;
  require.cache[file] = module; // parts of the bundle that are loaded later ask for it
  // the function that Module.wrap makes of a program
  const run = script.runInThisContext() as (...names: unknown[]) => void;
  run.call(module.exports, module.exports, require, module, file, dirname(file));
  if (isAccepted) return;
  const keep = (): void => {
    const code = underStartOptions(node.execArgv, () => script.createCachedData());
    // a cache: without it the next start is only slower
    writeKept(keptFile, mark, code).catch(() => undefined);
  };
  setTimeout(keep, KEEP_AFTER_MS).unref();
}

/** The engine checks neither that the code is complete nor that it belongs to this program. */
function readKept(file: string, mark: number): Buffer | null {
  try {
    const descriptor = openWholeFile(file);
    const kept = readFileSync(descriptor);
    closeSync(descriptor);
    const code = kept.subarray(HEAD_BYTES);
    return kept.readUInt32LE(0) === mark && kept.readUInt32LE(4) === crc32(code) ? code : null;
  } catch {
    return null; // missing or truncated
  }
}

async function writeKept(file: string, mark: number, code: Buffer): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(mark, 0);
  head.writeUInt32LE(crc32(code), 4);
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, [head, code], { mode: 0o600 });
  await rename(draft, file);
}
