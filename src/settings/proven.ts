/**
 * Saved settings that wait for a restart are on trial: the file as the running hub proved it stays beside them until a
 * hub has started with the new ones. A hub that does not start with them gets the proven ones back, because nobody
 * could reach its console to change them.
 */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { writeFileAtomic } from "../kernel/write-file-atomic.js";

/** A settings file's groups. */
export type SettingsContent = Record<string, Record<string, unknown>>;

const provenFile = (file: string): string => `${file}.proven`;
const refusedFile = (file: string): string => `${file}.refused`;

/** Keeps what is known to start, before other settings are saved. */
export function keepProven(file: string, proven: SettingsContent): Promise<void> {
  return writeFileAtomic(provenFile(file), `${JSON.stringify(proven, null, 2)}\n`, 0o640);
}

/** Notes that the hub has started with this file's settings, or that nothing in it waits for a restart. */
export function settingsProved(file: string): void {
  rmSync(provenFile(file), { force: true });
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
  rmSync(refusedFile(file), { force: true });
}
