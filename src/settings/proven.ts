/**
 * Saved settings that wait for a restart are on trial: the file as the running hub proved it stays beside them until a
 * hub has started with the new ones. A hub that does not start with them gets the proven ones back, because nobody
 * could reach its console to change them.
 *
 * Those with which a hub last started are kept beside the file for good: a hub that cannot read its settings still has
 * a gate to open, and uses them.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { writeFileAtomic } from "../kernel/write-file-atomic.js";

/** A settings file's groups. */
export type SettingsContent = Record<string, Record<string, unknown>>;

const provenFile = (file: string): string => `${file}.proven`;
const refusedFile = (file: string): string => `${file}.refused`;
const lastFile = (file: string): string => `${file}.last`;

/** What a hub has of its settings file. */
export interface UsableText {
  /** Null: there is none, and the defaults count. */
  readonly text: string | null;
  /** Why the text is not the file's own, in a word: the system's code, or `JSON`; null if it is. */
  readonly unusable: string | null;
}

/**
 * The settings file, or, where that cannot be read, what the hub last started with. A file that is no JSON is left for
 * the caller to refuse when the hub has never started with another: somebody is writing it.
 */
export function usableText(file: string): UsableText {
  try {
    const text = textOf(file);
    if (text === null || isJson(text)) return { text, unusable: null };
    const last = lastText(file);
    return last === null ? { text, unusable: null } : { text: last, unusable: "JSON" };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return { text: lastText(file), unusable: code };
  }
}

/** Keeps what a hub has started with, for a start at which the file cannot be read. */
export async function keepLast(file: string, content: SettingsContent): Promise<void> {
  const text = textFor(content);
  if (lastText(file) !== text) await writeFileAtomic(lastFile(file), text, 0o600);
}

/** Makes room for a new settings file where one lies that cannot be used: it may still be useful to somebody. */
export async function moveUnusable(file: string): Promise<void> {
  await rename(file, `${file}.unusable`);
}

/** The text of a settings file with this content. */
export function textFor(content: SettingsContent): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Null if there is no such file. @throws Error of the system */
function textOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return null;
  // reading a pipe would wait for somebody to write
  if (found.isFIFO()) throw Object.assign(new Error(`${file} is a pipe`), { code: "ESPIPE" });
  return readFileSync(file, "utf8");
}

function lastText(file: string): string | null {
  try {
    const text = textOf(lastFile(file));
    return text !== null && isJson(text) ? text : null;
  } catch {
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    return text.trim() === "" || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
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
 * Restores the last proven settings for a hub that did not start; returns whether there were any. What was refused is
 * kept aside.
 */
export function takeBackSettings(file: string): boolean {
  if (!existsSync(provenFile(file)) || !existsSync(file)) return false;
  renameSync(file, refusedFile(file));
  renameSync(provenFile(file), file);
  return true;
}

/** What was refused; null if nothing was, or if its owner has changed something since. */
export function refusedSettings(file: string): SettingsContent | null {
  try {
    // a settings file of before, shown as names only
    return JSON.parse(readFileSync(refusedFile(file), "utf8")) as SettingsContent;
  } catch {
    return null;
  }
}

/** Forgets what was refused: its owner has changed something. */
export function forgetRefused(file: string): void {
  rmSync(refusedFile(file), { force: true, recursive: true });
}
