/**
 * Updates: signed bundles from a file, a stick or an upload. The hub checks one and leaves it for root's part of the
 * system, which checks it again, installs it beside the running one, starts it, and keeps it once it was healthy for
 * two minutes; otherwise the old one returns with a database that it can read. In: bundles, folders to search. Out:
 * requests, and the state that root's part wrote. Must never know what a version does. Nothing is ever downloaded.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { Problem } from "../../core/kernel/problem.ts";

/** A bundle's description of itself; its bytes are what is signed. */
export interface BundleManifest {
  readonly format: 1;
  readonly product: "gatehouse";
  /** `versions`: a program beside others; `slot`: a whole system for the idle half of a card image. */
  readonly kind: "versions" | "slot";
  readonly version: string;
  /** Debian's name, such as `arm64`. */
  readonly arch: string;
  /** ISO 8601. */
  readonly builtAt: string;
  /** Version of the database that it works with. */
  readonly databaseVersion: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

interface Entry {
  readonly offset: number;
  readonly bytes: number;
}

/** An opened bundle whose signature has been checked, but whose files have not been read yet. */
export interface Bundle {
  readonly file: string;
  readonly manifest: BundleManifest;
  readonly entries: ReadonlyMap<string, Entry>;
}

const BLOCK = 512;
const MOST_ENTRIES = 16;
const MANIFEST_BYTES = 65_536;
const VERSION = /^[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.-]+)?$/;
/** Keys of an administrator. */
const TRUSTED = "/etc/gatehouse/trusted";
const NAME = /^[a-z][a-z0-9.-]{0,60}$/;

/** The keys whose updates are accepted: the release's own, and those that an administrator put into a folder. PEM. */
export function trustedKeys(projectFolder: string): string[] {
  const files = [join(projectFolder, "release.pub")];
  if (existsSync(TRUSTED))
    files.push(
      ...readdirSync(TRUSTED)
        .filter((name) => name.endsWith(".pub"))
        .map((name) => join(TRUSTED, name)),
    );
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
}

/**
 * Opens a bundle and checks its manifest's signature.
 * @throws Problem `wrong_file` when it is not a bundle, `damaged_file` when it is cut off, `newer_file` when it is of a
 * later
 *   form, `unreadable_file`, `not_found`, `forbidden` when no trusted key signed it
 */
export function openBundle(file: string, keys: readonly string[]): Bundle {
  if (!existsSync(file)) throw new Problem("not_found", { code: "file.missing", file });
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch (error) {
    throw fileProblem(error, "update") ?? error;
  }
  try {
    if (!fstatSync(descriptor).isFile()) throw new Problem("unreadable_file", { code: "file.notAFile", file });
    const entries = readEntries(descriptor);
    const text = readEntry(descriptor, entries.get("manifest.json"));
    const signature = Buffer.from(readEntry(descriptor, entries.get("manifest.sig")).toString(), "base64");
    const isTrusted = keys.some((key) => verify(null, text, createPublicKey(key), signature));
    if (!isTrusted)
      throw new Problem(
        "forbidden",
        { code: "forbidden.updateNotSigned" },
        {
          hint: "Take the file from where you got the hub.",
        },
      );
    const manifest = JSON.parse(text.toString()) as BundleManifest; // signed by a trusted key; checked below
    checkManifest(manifest, entries);
    return { file, manifest, entries };
  } catch (error) {
    throw fileProblem(error, "update") ?? notABundle(error);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads every file of a bundle and compares it with the signed manifest.
 * @throws Problem `damaged_file` when one was cut off or changed, `unreadable_file`
 */
export async function checkFiles(bundle: Bundle): Promise<void> {
  for (const { name, sha256 } of bundle.manifest.files) {
    const hash = createHash("sha256");
    try {
      await pipeline(readFrom(bundle, name), hash);
    } catch (error) {
      throw fileProblem(error, "update") ?? error;
    }
    if (hash.digest("hex") !== sha256) throw new Problem("damaged_file", { code: "update.changed", name });
  }
}

/** Copies one file of a bundle out. */
export async function extractFile(bundle: Bundle, name: string, to: string): Promise<void> {
  await pipeline(readFrom(bundle, name), createWriteStream(to, { mode: 0o600 }));
}

/** Debian's name of this machine's processor. */
export function debianArch(nodeArch: string): string {
  return nodeArch === "x64" ? "amd64" : nodeArch;
}

function readFrom({ file, entries }: Bundle, name: string): NodeJS.ReadableStream {
  const entry = entries.get(name);
  if (entry === undefined) throw notABundle();
  return createReadStream(file, { start: entry.offset, end: entry.offset + entry.bytes - 1 });
}

/** The files of a plain tar (POSIX ustar) of few entries. */
function readEntries(descriptor: number): Map<string, Entry> {
  const { size } = fstatSync(descriptor);
  const entries = new Map<string, Entry>();
  const header = Buffer.alloc(BLOCK);
  for (let at = 0; at + BLOCK <= size && entries.size <= MOST_ENTRIES; ) {
    readSync(descriptor, header, 0, BLOCK, at);
    if (header.every((byte) => byte === 0)) break;
    const name = header.toString("latin1", 0, 100).replace(/\0.*$/s, "");
    const bytes = Number.parseInt(header.toString("latin1", 124, 136), 8);
    const isFile = header[156] === 0x30 || header[156] === 0;
    if (!isFile || !NAME.test(name) || !Number.isSafeInteger(bytes) || bytes < 0 || entries.has(name))
      throw notABundle();
    if (at + BLOCK + bytes > size) throw new Problem("damaged_file", { code: "update.cutOff" });
    entries.set(name, { offset: at + BLOCK, bytes });
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
  }
  return entries;
}

function readEntry(descriptor: number, entry: Entry | undefined): Buffer {
  if (entry === undefined || entry.bytes > MANIFEST_BYTES) throw notABundle();
  const content = Buffer.alloc(entry.bytes);
  readSync(descriptor, content, 0, entry.bytes, entry.offset);
  return content;
}

function checkManifest(manifest: BundleManifest, entries: ReadonlyMap<string, Entry>): void {
  const { format, product, kind, version, arch, files } = manifest;
  const isOurs =
    format === 1 &&
    product === "gatehouse" &&
    (kind === "versions" || kind === "slot") &&
    VERSION.test(version) &&
    typeof arch === "string";
  if (!isOurs || !Array.isArray(files)) throw new Problem("newer_file", { code: "update.newerForm" });
  for (const { name, bytes } of files)
    if (entries.get(name)?.bytes !== bytes) throw new Problem("damaged_file", { code: "update.lacks", name });
  const known = new Set(["manifest.json", "manifest.sig", ...files.map(({ name }) => name)]);
  if ([...entries.keys()].some((name) => !known.has(name))) throw notABundle(); // unsigned entries are refused
}

function notABundle(cause?: unknown): Problem {
  return new Problem("wrong_file", { code: "update.wrong" }, { cause });
}
