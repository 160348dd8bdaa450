import { Problem } from "./problem.ts";

/** What a file is, for the sentence about it. */
export type FileSubject = "backup" | "copy" | "file" | "picture" | "update";

/** Errors of the system, and of SQLite, for a medium without room. */
const NO_ROOM = /^(ENOSPC|EDQUOT|SQLITE_FULL)$/;
/** SQLite's codes for a file whose pages contradict each other. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
/** SQLite's codes for a file that the system does not let it read; every other system error counts as one of these. */
const UNREADABLE = /^SQLITE_(IOERR|CANTOPEN|PERM|READONLY|AUTH)/;

/**
 * What went wrong with a file, distinguished by what a person can do about it: `storage_full`, `damaged_file`, or
 * `unreadable_file`. Null for an error unrelated to the medium, which the caller interprets. A Problem is returned as
 * it is.
 */
export function fileProblem(error: unknown, what: FileSubject): Problem | null {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  const { code } = error;
  if (NO_ROOM.test(code)) return new Problem("storage_full", { code: "file.noRoom", what }, { cause: error });
  if (DAMAGED.test(code)) return new Problem("damaged_file", { code: "file.damaged", what }, { cause: error });
  const isOfSystem = "syscall" in error || UNREADABLE.test(code);
  if (isOfSystem)
    return new Problem("unreadable_file", { code: "file.unreadable", what, error: code }, { cause: error });
  return null;
}
