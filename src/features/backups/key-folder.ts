/**
 * The keys by which homes and devices know this hub by Matter: many small files, which travel as one, inside encrypted
 * backups only. Their holder is this hub for those homes and devices.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { expectSmallFile } from "../../core/kernel/small-file.ts";

/** The folder within a data folder. */
export const KEY_FOLDER = "matter";
/** Its name inside a backup. */
export const KEYS = "matter.keys";
/** Stands beside keys that came with a backup until somebody has confirmed that no other host uses them. */
export const RESTORED_MARK = "restored";
const PARTS = ["bridge", "controller"];
/** A file of the library, without its locks and drafts. */
const FILE = /^(?:bridge|controller)\/(?!matter\.(?:pid|lock)$)(?!\.{1,2}$)[\w.-]{1,200}(?<!\.tmp)$/;
/** Two hundred devices take half a megabyte; a backup's files have at most four. */
const MOST_BYTES = 4_000_000;

/** The keys of a data folder as one content; null if there are none, or more than any hub has. */
export function readKeys(dataFolder: string): Buffer | null {
  const files: Record<string, string> = {};
  for (const part of PARTS) {
    const folder = join(dataFolder, KEY_FOLDER, part);
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      if (!FILE.test(`${part}/${name}`)) continue;
      const content = contentOf(join(folder, name));
      if (content !== null) files[`${part}/${name}`] = content;
    }
  }
  const keys = Buffer.from(JSON.stringify(files));
  return Object.keys(files).length === 0 || keys.length > MOST_BYTES ? null : keys;
}

/** The files of {@link readKeys}, by their place in a data folder. @throws Problem `damaged_file` */
export function filesOfKeys(keys: Buffer): { readonly name: string; readonly content: Buffer }[] {
  const files: unknown = JSON.parse(keys.toString());
  if (!isJsonObject(files)) throw damaged();
  const mark = { name: `${KEY_FOLDER}/${RESTORED_MARK}`, content: Buffer.alloc(0) };
  return [
    mark,
    ...Object.entries(files).map(([name, content]) => {
      if (!FILE.test(name) || typeof content !== "string") throw damaged();
      return { name: `${KEY_FOLDER}/${name}`, content: Buffer.from(content, "base64") };
    }),
  ];
}

/**
 * Base64; null for a file that vanished meanwhile: the process writes its next state to a temporary file and renames
 * it.
 */
function contentOf(file: string): string | null {
  try {
    return expectSmallFile(file).toString("base64");
  } catch {
    return null;
  }
}

function damaged(): Problem {
  return new Problem("damaged_file", { code: "backup.keys" });
}
