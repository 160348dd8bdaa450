import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { Problem } from "../kernel/problem.ts";

/**
 * `ok`; `full`: the disk is full; `unwritable`: it refuses writes for another reason (read-only, failing); `gone`: the
 * files were moved or deleted under the hub; `damaged`: SQLite found the file corrupt. In all but `ok`, writes are
 * refused.
 */
export type StorageState = "ok" | "full" | "unwritable" | "gone" | "damaged";

/** Less than SQLite needs to grow its files by a step. */
const NO_ROOM_BYTES = 1_048_576;
const FILE_SYSTEM_CODES = /^(EROFS|EACCES|EPERM|EIO|ENOTDIR|ENOENT|EISDIR|ENXIO|EMFILE|ENFILE)$/;

/** Whether SQLite threw it because of the file, the disk or a damaged page, not because of a statement or its values. */
export function isOfFile(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error));
}

/** What an error reveals about the database's file; null if nothing (a constraint, a problem of the caller). */
export function stateAfter(error: unknown, file: string): Exclude<StorageState, "ok" | "gone"> | null {
  const code = codeOf(error);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return "damaged";
  if (code === "SQLITE_FULL" || code === "ENOSPC") return "full";
  // a full disk looks like this too when SQLite maps its index into memory
  if (code.startsWith("SQLITE_IOERR")) return hasRoom(file) ? "unwritable" : "full";
  if (/^SQLITE_(READONLY|CANTOPEN)/.test(code)) return "unwritable";
  return null;
}

/** The same for an error while the file is being opened, which may be the file system's own. */
export function stateAtOpen(error: unknown, file: string): ReturnType<typeof stateAfter> {
  return stateAfter(error, file) ?? (FILE_SYSTEM_CODES.test(codeOf(error)) ? "unwritable" : null);
}

/** The error for a writer whose group was committed but not confirmed by the disk: it may not survive. */
export function unconfirmed(cause: unknown): Problem {
  return new Problem(
    "unavailable",
    { code: "unavailable.notConfirmed" },
    {
      cause,
      hint: "Look at System, Health.",
      headers: { "Retry-After": "5" },
    },
  );
}

/** The error for a writer while too many others wait. */
export function writesWait(): Problem {
  return new Problem("unavailable", { code: "unavailable.writesWait" }, { headers: { "Retry-After": "1" } });
}

/** The error for a writer while `state` lasts; null while it is `ok`. */
export function refusalOf(state: StorageState, cause?: unknown): Problem | null {
  switch (state) {
    case "ok":
      return null;
    case "full":
      return new Problem("storage_full", "The hub's storage is full; nothing was changed.", {
        cause,
        hint: "Free space on the data partition.",
        headers: { "Retry-After": "5" },
      });
    case "unwritable":
      return new Problem(
        "unavailable",
        { code: "unavailable.diskRefuses" },
        {
          cause,
          hint: "Look at System, Health.",
          headers: { "Retry-After": "5" },
        },
      );
    case "gone":
      return new Problem(
        "unavailable",
        { code: "unavailable.dataFolderGone" },
        {
          cause,
          hint: "Put it back, or restore a backup.",
        },
      );
    case "damaged":
      return new Problem(
        "unavailable",
        { code: "unavailable.databaseDamaged" },
        {
          cause,
          hint: "Restore a backup; see 'gatehouse doctor'.",
        },
      );
  }
}

/** SQLite's or the system's code of an error; empty without one. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function hasRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize >= NO_ROOM_BYTES;
  } catch {
    return true;
  }
}
