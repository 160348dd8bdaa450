/**
 * Saved settings that wait for a restart are on trial: the file as the running hub proved it stays beside them until a
 * hub has started with the new ones. A hub that does not start with them gets the proven ones back, because its console
 * would be unreachable for changing them.
 *
 * The settings of the last good start are always kept beside the file: a hub that cannot read its settings still has a
 * gate to open, and uses them.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { readSmallFile } from "../kernel/small-file.ts";
import { writeFileAtomic } from "../kernel/write-file-atomic.ts";

/** A settings file's groups. */
export type SettingsContent = Record<string, Record<string, unknown>>;

const provenFile = (file: string): string => `${file}.proven`;
const refusedFile = (file: string): string => `${file}.refused`;
const lastFile = (file: string): string => `${file}.last`;

/** The usable content of a settings file. */
export interface UsableText {
  /** Null: no file, and the defaults apply. */
  readonly text: string | null;
  /** Why the text is not the file's own: the system's code, a word, or the first mistake; null if it is. */
  readonly unusable: string | null;
}

/**
 * The settings file or, if that is unusable, the settings of the last good start. `mistakeIn` describes what is wrong
 * with a text, null if nothing is. A file that has never been valid is left for the caller to refuse: somebody is still
 * writing it.
 */
export function usableText(file: string, mistakeIn: (text: string) => string | null): UsableText {
  const found = readSmallFile(file, { mayBeEmpty: true });
  if (found.kind === "missing") return { text: null, unusable: null };
  const last = lastText(file, mistakeIn);
  if (found.kind === "unusable") return { text: last, unusable: found.reason };
  const mistake = mistakeIn(found.text);
  return mistake === null || last === null ? { text: found.text, unusable: null } : { text: last, unusable: mistake };
}

/** Keeps what a hub has started with, for a start at which the file cannot be read. */
export async function keepLast(file: string, content: SettingsContent): Promise<void> {
  const text = textFor(content);
  const kept = readSmallFile(lastFile(file));
  if (kept.kind !== "good" || kept.text !== text) await writeFileAtomic(lastFile(file), text, 0o600);
}

/** Moves an unusable settings file out of the way of a new one: a person may still need it. */
export async function moveUnusable(file: string): Promise<void> {
  await rename(file, `${file}.unusable`);
}

/** The text of a settings file with this content. */
export function textFor(content: SettingsContent): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

function lastText(file: string, mistakeIn: (text: string) => string | null): string | null {
  const found = readSmallFile(lastFile(file));
  return found.kind === "good" && mistakeIn(found.text) === null ? found.text : null;
}

/** Keeps what is known to start, before other settings are saved. */
export function keepProven(file: string, proven: SettingsContent): Promise<void> {
  return writeFileAtomic(provenFile(file), textFor(proven), 0o640);
}

/** Notes that the hub has started with this file's settings, or that nothing in it waits for a restart. */
export function settingsProved(file: string): void {
  rmSync(provenFile(file), { force: true, recursive: true });
}

/**
 * Restores the last proven settings for a hub that did not start; returns whether there were any. The refused file is
 * set aside.
 */
export function takeBackSettings(file: string): boolean {
  if (readSmallFile(provenFile(file)).kind !== "good" || !existsSync(file)) return false;
  renameSync(file, refusedFile(file));
  renameSync(provenFile(file), file);
  return true;
}

/** The refused settings; null if nothing was refused, or if their owner has changed something since. */
export function refusedSettings(file: string): SettingsContent | null {
  try {
    const found = readSmallFile(refusedFile(file));
    // a settings file of before, shown as names only
    return found.kind === "good" ? (JSON.parse(found.text) as SettingsContent) : null;
  } catch {
    return null;
  }
}

/** Forgets what was refused: its owner has changed something. */
export function forgetRefused(file: string): void {
  rmSync(refusedFile(file), { force: true, recursive: true });
}
