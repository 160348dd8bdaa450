import { readdirSync, statfsSync, statSync } from "node:fs";
import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { askThread } from "../../core/kernel/thread.ts";
import { BACKUP_PREFIX } from "./backup-name.ts";

/** A folder of this name on a stick is the hub's: on file systems with owners its user can write nowhere else. */
export const OWN_FOLDER = "gatehouse";

/** The folder for backups on the hub's own disk. */
export const localFolderOf = (dataFolder: string): string => join(dataFolder, "backups");

/** A file that may be a backup. */
export interface FoundFile {
  readonly name: string;
  readonly bytes: number;
}

/** The findings about a folder. */
export interface FolderProbe {
  readonly freeBytes: number;
  /** The files in it that may be backups. */
  readonly files: readonly FoundFile[];
  /** Whether it has a folder {@link OWN_FOLDER}. */
  readonly hasOwn: boolean;
}

/** Probes a folder that may be on a stick or a share, where it may take forever. Null: the folder does not exist. */
export type ProbeFolder = (folder: string, signal: AbortSignal) => Promise<FolderProbe | null>;

/**
 * Probes a folder now. Blocks for as long as its medium does: belongs into a thread.
 * @throws Error of the system when it cannot be read
 */
export function probeFolder(folder: string): FolderProbe | null {
  if (!isFolder(folder)) return null;
  const { bavail, bsize } = statfsSync(folder);
  return { freeBytes: bavail * bsize, files: backupsIn(folder), hasOwn: isFolder(join(folder, OWN_FOLDER)) };
}

/**
 * {@link probeFolder} in a thread of its own: one that hangs takes none of the few threads that serve all other files
 * of the process.
 */
export const probeFolderInThread: ProbeFolder = (folder, signal) =>
  askThread(new URL("./look-worker.ts", import.meta.url), folder, signal);

/**
 * {@link probeFolderInThread}, except for `own`, the hub's own folder: that is needed anyway, and a thread is a hundred
 * times the work of a probe. One probe at a time: if a share is mounted there and hangs, it occupies only one of the
 * threads that serve all other files.
 */
export function probeBeside(own: string): ProbeFolder {
  let last: Promise<unknown> = Promise.resolve();
  return (folder, signal) => {
    if (folder !== own) return probeFolderInThread(folder, signal);
    const probe = last.then(() => probeOwn(folder));
    last = probe.catch(() => {}); // its caller receives the error
    return probe;
  };
}

/** In a folder that may be entered but not listed. */
const NONE: readonly string[] = [];

/** {@link probeFolder}, meanwhile others are served. */
async function probeOwn(folder: string): Promise<FolderProbe | null> {
  const names = await readdir(folder).catch((error: unknown) => (isMissing(error) ? null : NONE));
  if (names === null) return null;
  const { bavail, bsize } = await statfs(folder);
  const files: FoundFile[] = [];
  for (const name of names.filter(mayBeBackup)) {
    const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 })); // removed meanwhile
    files.push({ name, bytes: size });
  }
  return { freeBytes: bavail * bsize, files, hasOwn: names.includes(OWN_FOLDER) };
}

const mayBeBackup = (name: string): boolean => name.startsWith(BACKUP_PREFIX);

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function backupsIn(folder: string): FoundFile[] {
  try {
    const names = readdirSync(folder).filter(mayBeBackup);
    return names.map((name) => ({ name, bytes: statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0 }));
  } catch {
    return []; // one that may be entered but not listed
  }
}
