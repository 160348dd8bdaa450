import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { FileTrouble } from "../kernel/file-troubles.ts";
import { checkedJson, moveAside, readSmallFile } from "../kernel/small-file.ts";

/** A small file that the hub can do without. */
interface KeptFile {
  readonly file: string;
  /** Whether it carries a check value, under its own name. */
  readonly isChecked: boolean;
  readonly instead: FileTrouble["instead"];
  /** Whether its absence means the same as a file that cannot be used, so that it may be moved out of the way. */
  readonly mayGo: boolean;
}

/** The files that a start reads, except the key and the authority, whose readers restore them. */
const KEPT: readonly KeptFile[] = [
  { file: "authority.copy", isChecked: true, instead: "anew", mayGo: false },
  { file: "claim-code", isChecked: false, instead: "without", mayGo: true },
  { file: "clock.json", isChecked: true, instead: "without", mayGo: true },
  { file: "gatehouse.json.last", isChecked: false, instead: "anew", mayGo: true },
  { file: "owned", isChecked: false, instead: "without", mayGo: false },
  { file: "restored", isChecked: false, instead: "without", mayGo: false },
  { file: "restore-ready/plan.json", isChecked: true, instead: "without", mayGo: false },
  { file: "revoked.json", isChecked: true, instead: "anew", mayGo: true },
  { file: "tls/beginning.json", isChecked: false, instead: "without", mayGo: false },
];

/**
 * Moves the files found by {@link keptFileTroubles} to `FILE.unusable` if that changes nothing else; returns the names.
 */
export function setKeptFilesAside(dataFolder: string): string[] {
  const found = keptFileTroubles(dataFolder).map(({ file }) => file);
  return KEPT.filter(({ file, mayGo }) => mayGo && found.includes(file))
    .map(({ file }) => file)
    .filter((file) => moveAside(join(dataFolder, file)));
}

/**
 * Unusable files that the hub can do without. A start asks before it changes any, and `gatehouse doctor` asks the same.
 */
export function keptFileTroubles(dataFolder: string): FileTrouble[] {
  return KEPT.flatMap(({ file, isChecked, instead }) => {
    const reason = reasonOf(join(dataFolder, file), isChecked ? (file.split("/").at(-1) ?? file) : null);
    return reason === null ? [] : [{ file, reason, instead }];
  });
}

function reasonOf(file: string, purpose: string | null): string | null {
  const found = readSmallFile(file, { mayBeEmpty: purpose === null });
  if (found.kind === "unusable") return found.reason;
  if (found.kind === "missing") return isDangling(file) ? "link" : null;
  return purpose === null || checkedJson(purpose, found.text) !== null ? null : "content";
}

/** A dangling link reads as missing, and nothing can be created in its place. */
function isDangling(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // part of the path is not a folder: its own reader reports it
  }
}
