import { closeSync, existsSync, lstatSync, openSync, readFileSync, readSync } from "node:fs";

/** Where SQLite's header keeps user_version, by which migrations are counted (https://www.sqlite.org/fileformat2.html §1.3). */
const USER_VERSION_AT = 60;
const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * The version of a closed database, without opening it: after a crash it may be in the journal (`-wal`) only, in the
 * latest committed copy of the first page (https://www.sqlite.org/fileformat2.html §4). 0 for a file that is not a
 * database. Only reads bytes: the file is untrusted.
 */
export function userVersion(file: string): number {
  return inJournal(`${file}-wal`) ?? inHeader(file);
}

function inHeader(file: string): number {
  if (!isPlainFile(file)) return 0;
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, "r");
  try {
    return readSync(descriptor, header, 0, 100, 0) === 100 ? header.readUInt32BE(USER_VERSION_AT) : 0;
  } finally {
    closeSync(descriptor);
  }
}

/** Of the journal's present generation: frames of an earlier one carry another salt. */
function inJournal(file: string): number | null {
  if (!isPlainFile(file)) return null;
  const bytes = readFileSync(file);
  if (bytes.length < WAL_HEADER) return null;
  const pageBytes = bytes.readUInt32BE(8);
  const salt = bytes.subarray(16, 24);
  if (pageBytes < 512 || pageBytes > 65_536) return null;
  let latest: number | null = null;
  let committed: number | null = null;
  for (let at = WAL_HEADER; at + FRAME_HEADER + pageBytes <= bytes.length; at += FRAME_HEADER + pageBytes) {
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) break;
    if (bytes.readUInt32BE(at) === 1) latest = bytes.readUInt32BE(at + FRAME_HEADER + USER_VERSION_AT);
    if (bytes.readUInt32BE(at + 4) !== 0) committed = latest;
  }
  return committed;
}

function isPlainFile(file: string): boolean {
  return existsSync(file) && lstatSync(file).isFile();
}
