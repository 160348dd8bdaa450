/**
 * One way to read the small files that the hub keeps in its data folder (keys, marks, plans, the kept clock). Anything
 * may lie at such a path, at every start: a reader never waits, never throws, and reports why a file is unusable.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";

/** What {@link readSmallFile} found. */
export type SmallFile =
  | { readonly kind: "good"; readonly bytes: Buffer; readonly text: string }
  | { readonly kind: "missing" }
  | {
      readonly kind: "unusable";
      /** The system's code (`EACCES`, `ELOOP`), or one word: `folder`, `pipe`, `device`, `large`, `empty`, `content`. */
      readonly reason: string;
    };

/** Far more than any of these files holds: a larger one is not ours. */
const MOST_BYTES = 1_048_576;
const CHECK_CHARACTERS = 16;
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a file of at most 1 MiB whole. It checks the file's kind before reading, and opens without blocking: a pipe, a
 * folder, a device or a link to itself is unusable, and so is an empty file unless `mayBeEmpty`.
 */
export function readSmallFile(file: string, { mayBeEmpty = false } = {}): SmallFile {
  let descriptor: number;
  try {
    descriptor = openSync(file, WITHOUT_WAITING);
  } catch (error) {
    const reason = codeOf(error);
    // ENXIO: the error of open(2) for a socket
    return reason === "ENOENT"
      ? { kind: "missing" }
      : { kind: "unusable", reason: reason === "ENXIO" ? "device" : reason };
  }
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) return { kind: "unusable", reason: kindOf(found) };
    if (found.size > MOST_BYTES) return { kind: "unusable", reason: "large" };
    const bytes = Buffer.alloc(found.size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (count === 0) break;
      length += count;
    }
    if (length === 0 && !mayBeEmpty) return { kind: "unusable", reason: "empty" };
    const content = bytes.subarray(0, length);
    return { kind: "good", bytes: content, text: content.toString("utf8") };
  } catch (error) {
    return { kind: "unusable", reason: codeOf(error) };
  } finally {
    closeSync(descriptor);
  }
}

/** The text of such a file; null if it is missing or unusable: for files that the hub can do without. */
export function smallFileText(file: string): string | null {
  const found = readSmallFile(file);
  return found.kind === "good" ? found.text : null;
}

/**
 * The content of such a file, which must exist.
 * @throws Error with the system's code, or the reason of {@link SmallFile}, as `code`, and the file as `path`
 */
export function expectSmallFile(file: string): Buffer {
  const found = readSmallFile(file, { mayBeEmpty: true });
  if (found.kind === "good") return found.bytes;
  throw unusable(file, found.kind === "missing" ? "ENOENT" : found.reason);
}

/**
 * The content of a file of the hub's own that may be large (a picture), without holding up the thread. Like the others
 * it never waits for a pipe: one would keep one of the few threads that serve all files of the process.
 * @throws Error as {@link expectSmallFile}
 */
export async function readWholeFile(file: string): Promise<Buffer> {
  const handle = await open(file, WITHOUT_WAITING);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw unusable(file, kindOf(found));
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Opens a file of any size for reading piece by piece; never waits for a pipe. The caller closes it.
 * @throws Error as {@link expectSmallFile}
 */
export function openWholeFile(file: string): number {
  const descriptor = openSync(file, WITHOUT_WAITING);
  const found = fstatSync(descriptor);
  if (found.isFile()) return descriptor;
  closeSync(descriptor);
  throw unusable(file, kindOf(found));
}

function unusable(file: string, code: string): Error {
  return Object.assign(new Error(`${file} cannot be used (${code})`), { code, path: file, syscall: "open" });
}

function kindOf(found: Stats): string {
  return found.isDirectory() ? "folder" : found.isFIFO() ? "pipe" : "device";
}

/** The value that proves `content` unchanged; `purpose` keeps one file's content from passing for another's. */
export function checkValue(purpose: string, content: string | Buffer): string {
  return createHash("sha256").update(`${purpose}\0`).update(content).digest("hex").slice(0, CHECK_CHARACTERS);
}

/** An object as JSON with its check value in the member `check`; {@link checkedJson} reads it. */
export function jsonWithCheck(purpose: string, value: object): string {
  return JSON.stringify({ ...value, check: checkValue(purpose, JSON.stringify(value)) });
}

/**
 * Reads what {@link jsonWithCheck} wrote. Text without a check value, as earlier versions wrote it, is accepted; null
 * where it is not a JSON object, or was changed.
 */
export function checkedJson(purpose: string, text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    const { check, ...rest } = value as Record<string, unknown>; // an object, as asked above
    return check === undefined || check === checkValue(purpose, JSON.stringify(rest)) ? rest : null;
  } catch {
    return null;
  }
}

/** Moves what cannot be used to `FILE.unusable`, where it may still be useful to a person; false if it stays. */
export function moveAside(file: string): boolean {
  try {
    renameSync(file, `${file}.unusable`);
    return true;
  } catch {
    return false; // a disk that takes no writes, or a folder there that holds something
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
