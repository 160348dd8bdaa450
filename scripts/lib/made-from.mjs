// @ts-check
/**
 * The sources of a bundle: its builder lists every file that it has read, and users of the bundle compare the files
 * with the list. A new file is detected too, because another one must have started to import it. Packages are not
 * listed; the lock file, which determines them, is.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ size: number, mtimeMs: number, sha256: string }} State */

const root = fileURLToPath(new URL("../..", import.meta.url));
const LIST = ".made-from.json";
const ALWAYS = ["package-lock.json"];

/**
 * Lists the sources of the bundle in `folder`.
 * @param {string} folder
 * @param {Iterable<string>} ids absolute names; files outside the project are left out
 */
export function writeMadeFrom(folder, ids) {
  const files = new Set(ALWAYS);
  for (const id of ids) {
    const file = relative(root, id.replace(/\?.*$/, ""));
    if (!/^\.\.|\0|^$|(?:^|\/)node_modules\//.test(file) && existsSync(join(root, file))) files.add(file);
  }
  write(folder, Object.fromEntries([...files].sort().map((file) => [file, stateOf(file)])));
}

/**
 * The first file that has changed since the bundle in `folder` was built, or the list itself; null if the bundle is up
 * to date.
 * @param {string} folder
 * @returns {string | null}
 */
export function changedSince(folder) {
  const list = join(folder, LIST);
  if (!existsSync(list)) return list;
  /** @type {Record<string, State>} */
  const files = JSON.parse(readFileSync(list, "utf8"));
  let isTouched = false;
  for (const [file, was] of Object.entries(files)) {
    const now = statSync(join(root, file), { throwIfNoEntry: false });
    if (now === undefined || now.size !== was.size) return file;
    if (now.mtimeMs === was.mtimeMs) continue;
    // only touched, as by switching branches and back
    const state = stateOf(file);
    if (state.sha256 !== was.sha256) return file;
    files[file] = state;
    isTouched = true;
  }
  if (isTouched) write(folder, files);
  return null;
}

/** @param {string} file @returns {State} */
function stateOf(file) {
  const { size, mtimeMs } = statSync(join(root, file));
  return {
    size,
    mtimeMs,
    sha256: createHash("sha256")
      .update(readFileSync(join(root, file)))
      .digest("hex"),
  };
}

/** @param {string} folder @param {Record<string, State>} files */
function write(folder, files) {
  writeFileSync(join(folder, LIST), `${JSON.stringify(files, null, 1)}\n`);
}
