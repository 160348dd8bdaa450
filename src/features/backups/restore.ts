/**
 * Going back to a backup. It is checked and laid out in a folder of its own while the hub runs; the switch is made at
 * the next start, before anything is opened, file by file from a list that survives a power cut at any point: the next
 * start continues where the last one was cut off. The replaced files are set aside.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isoTime } from "../../core/kernel/clock.ts";
import { FileTroubles } from "../../core/kernel/file-troubles.ts";
import { checkedJson, jsonWithCheck, moveAside, readSmallFile, smallFileText } from "../../core/kernel/small-file.ts";
import { syncFolder, writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import { type BackupManifest, COMPANIONS } from "./backup-file.ts";
import { KEY_FOLDER } from "./key-folder.ts";
import { syncFile, syncFolderNow } from "./pack.ts";
import type { DoWork } from "./thread.ts";

const DRAFT = "restore-draft";
const READY = "restore-ready";
const PLAN = "plan.json";
const ASIDE = "before-restore-";
/** Folders of earlier states that are kept. */
const KEPT_ASIDE = 2;
/** Names the folder with the previous content, until a hub has started from the restored files. */
export const RESTORED = "restored";
const SETTINGS = "gatehouse.json";
const DATABASE_FILES = ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"];

/** Files that the hub keeps a copy of, with that copy. */
const OWN_COPIES: Readonly<Record<string, string>> = {
  "hub.key": "hub.key.copy",
  "tls/authority.crt": "authority.copy",
};

interface Plan {
  readonly aside: string;
  readonly manifest: BackupManifest;
}

/**
 * Checks a backup and lays it out for the next start; nothing that is in use is touched.
 * @throws Problem `wrong_file`, `damaged_file`, `newer_file`, `unreadable_file`, `wrong_passphrase`, `storage_full`:
 *   see `unpack` in pack.ts
 */
export async function stageRestore({
  file,
  dataFolder,
  passphrase,
  migrationsFolder,
  nowMs,
  doWork,
}: {
  readonly file: string;
  readonly dataFolder: string;
  readonly passphrase: string | null;
  readonly migrationsFolder: string;
  readonly nowMs: number;
  readonly doWork: DoWork;
}): Promise<BackupManifest> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const draft = join(dataFolder, DRAFT);
  try {
    const { manifest } = await doWork({ kind: "unpack", file, folder: draft, passphrase, migrationsFolder });
    const plan: Plan = { aside: `${ASIDE}${isoTime(nowMs).replace(/[:.]/g, "-")}`, manifest };
    await writeFileAtomic(join(draft, PLAN), jsonWithCheck(PLAN, plan));
    rmSync(join(dataFolder, READY), { recursive: true, force: true });
    renameSync(draft, join(dataFolder, READY)); // from here on the next start switches
    await syncFolder(dataFolder);
    return manifest;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A plan that {@link stageRestore} wrote; null for anything else. */
function planOf(value: Record<string, unknown> | null): Plan | null {
  const { aside, manifest } = value ?? {};
  const isName = typeof aside === "string" && aside.startsWith(ASIDE) && !/[/\\]/.test(aside);
  return isName && typeof manifest === "object" && manifest !== null
    ? { aside, manifest: manifest as BackupManifest } // of a backup that was checked
    : null;
}

/** The result of a switch. */
export interface SwitchedRestore {
  readonly manifest: BackupManifest;
  /** Folder with the previous content; null if there was none. */
  readonly aside: string | null;
}

/**
 * Makes the switch that {@link stageRestore} prepared, or finishes an interrupted one; null when there is none. Only
 * while no hub uses the folder.
 */
export function applyRestore(dataFolder: string, troubles = new FileTroubles()): SwitchedRestore | null {
  const ready = join(dataFolder, READY);
  const found = readSmallFile(join(ready, PLAN));
  if (found.kind === "missing") return null;
  const checked = found.kind === "good" ? checkedJson(PLAN, found.text) : null;
  const plan = planOf(checked);
  if (plan === null) {
    // The restored content may be anything. If the switch was cut off half-way, the hub starts without its database,
    // reports it, and finds the old one in the folder beside.
    const reason = found.kind === "good" ? "content" : found.reason;
    troubles.note({ file: `${READY}/${PLAN}`, reason, instead: "without" });
    rmSync(`${ready}.unusable`, { recursive: true, force: true });
    moveAside(ready);
    return null;
  }
  const aside = join(dataFolder, plan.aside);
  // Revocations since the backup are enforced by the hub that starts next (../access/revocations.ts).
  writeFileSync(join(dataFolder, RESTORED), `${plan.aside}\n`, { mode: 0o600 });
  syncFile(join(dataFolder, RESTORED));
  switchKeys(dataFolder, ready, aside);
  // The new file of each name is in `ready` until it is in place: only then may the old one be moved.
  if (existsSync(join(ready, "gatehouse.db")))
    for (const name of DATABASE_FILES) moveIfThere(join(dataFolder, name), join(aside, name));
  for (const name of COMPANIONS) {
    if (existsSync(join(ready, name))) {
      moveIfThere(join(dataFolder, name), join(aside, name));
      if (name === SETTINGS) keepOwnSettings(dataFolder, aside);
      const copy = OWN_COPIES[name];
      if (copy !== undefined) moveIfThere(join(dataFolder, copy), join(aside, copy)); // of the one that goes
    }
    moveIfThere(join(ready, name), join(dataFolder, name));
  }
  moveIfThere(join(ready, "gatehouse.db"), join(dataFolder, "gatehouse.db"));
  syncFolderNow(dataFolder);
  rmSync(ready, { recursive: true, force: true });
  forgetOldOnes(dataFolder);
  return { manifest: plan.manifest, aside: existsSync(aside) ? aside : null };
}

/**
 * The settings of a backup are on trial like those that a person saves (../settings/proven.ts): they may name files or
 * networks that only the other host has, and a hub that does not start with them returns to its own.
 */
function keepOwnSettings(dataFolder: string, aside: string): void {
  const [own, proven] = [join(aside, SETTINGS), join(dataFolder, `${SETTINGS}.proven`)];
  if (existsSync(own)) copyFileSync(own, proven);
  else writeFileSync(proven, "{}\n", { mode: 0o600 });
  syncFile(proven);
}

/**
 * The keys of a backup replace another hub's. This hub's own keys, if present, are newer than those of its backup and
 * stay.
 */
function switchKeys(dataFolder: string, ready: string, aside: string): void {
  const [own, brought] = [join(dataFolder, KEY_FOLDER), join(ready, KEY_FOLDER)];
  if (!existsSync(brought)) return;
  if (existsSync(own) && sameContent(join(dataFolder, "hub.key"), join(ready, "hub.key"))) {
    rmSync(brought, { recursive: true, force: true });
    return;
  }
  moveIfThere(own, join(aside, KEY_FOLDER));
  moveIfThere(brought, own);
}

function sameContent(one: string, other: string): boolean {
  // the first line is the key; an earlier version wrote no second one
  const key = (file: string): string | undefined => smallFileText(file)?.split("\n")[0];
  return existsSync(one) && existsSync(other) && key(one) === key(other);
}

function moveIfThere(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  renameSync(from, to);
  syncFolderNow(dirname(to));
}

function forgetOldOnes(dataFolder: string): void {
  const old = readdirSync(dataFolder)
    .filter((name) => name.startsWith(ASIDE))
    .sort()
    .slice(0, -KEPT_ASIDE);
  for (const name of old) rmSync(join(dataFolder, name), { recursive: true, force: true });
}
