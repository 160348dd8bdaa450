import { lchownSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadHubKey } from "../access/hub-key.js";
import { OwnershipMark } from "../access/ownership-mark.js";
import { timeOf } from "../backups/backup-name.js";
import { localFolderOf } from "../backups/folder-probe.js";
import { applyRestore } from "../backups/restore.js";
import { setKeptFilesAside } from "../composition/kept-files.js";
import { acceptKey, KEY_PROOF } from "../composition/key-proof.js";
import { buildDatabase } from "../composition/storage-parts.js";
import { copyFileOf, openTls } from "../composition/tls.js";
import { systemClock } from "../kernel/clock.js";
import { FileTroubles } from "../kernel/file-troubles.js";
import { createLogger } from "../platform/log.js";
import { readHubValue } from "../storage/peek.js";
import { type CliIo, expectHub, openPlace, withFolder } from "./command.js";

/** What a person decided on. */
interface Decisions {
  readonly acceptsKey: boolean;
  readonly newAuthority: boolean;
}

/**
 * Does on a stopped hub what its next start would do about its files and its database, with every check, and what only a
 * person may decide. Returns what was done, a sentence each.
 * @throws Problem `conflict` while something works on the folder, `not_found` without a hub
 */
export async function repair(io: CliIo, data: string | undefined, decisions: Decisions): Promise<string[]> {
  const { settings, dataFolder } = openPlace(io, data);
  expectHub(dataFolder);
  return withFolder(dataFolder, "gatehouse doctor --repair", async () => {
    const lines: string[] = [];
    const troubles = new FileTroubles();
    const mark = new OwnershipMark(dataFolder);
    for (const file of setKeptFilesAside(dataFolder)) lines.push(`${file}: set aside as ${file}.unusable.`);
    if (applyRestore(dataFolder, troubles) !== null) lines.push("The restore that was prepared is done.");
    const key = loadHubKey(dataFolder, {
      proof: () => readHubValue(join(dataFolder, "gatehouse.db"), KEY_PROOF),
      isExpected: () => mark.isSet,
      troubles,
    });
    if (decisions.newAuthority) {
      const { retireAuthority } = await import("../platform/certificates.js");
      retireAuthority(join(dataFolder, "tls"), copyFileOf(dataFolder));
      lines.push("The authority was set aside: the next start makes another, which has to be trusted anew.");
    } else await openTls(settings.current, dataFolder, { nowMs: Date.now() }, troubles);
    const database = buildDatabase({
      dataFolder,
      migrationsFolder: join(io.projectFolder, "src/storage/migrations"),
      commitIntervalMs: settings.current.storage.commitIntervalMs,
      mark,
      onDamage: () => {},
      clock: systemClock,
      logger: createLogger({ level: "warn", format: "text", write: io.err, mono: systemClock.mono }),
      source: "checked",
      because: "",
    });
    await database.start();
    try {
      if (database.state === "ok") {
        if (decisions.acceptsKey) {
          await database.write(() => acceptKey(database, key));
          lines.push("The present hub.key counts from now on.");
        }
        database.served();
        lines.push("The database is sound.");
      } else lines.push(`The database cannot be repaired (${database.stateReason}). ${newestBackup(dataFolder)}`);
    } finally {
      await database.stop();
      giveToOwner(dataFolder);
    }
    for (const { file, reason, instead } of troubles.all) lines.push(`${file} (${reason}): ${DONE[instead]}`);
    return lines;
  });
}

/** What root has written in the folder of the hub's user is that user's. */
function giveToOwner(dataFolder: string): void {
  const { uid, gid } = statSync(dataFolder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  for (const folder of [dataFolder, join(dataFolder, "tls")])
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (lstatSync(path).uid === 0) lchownSync(path, uid, gid);
    }
}

const DONE = {
  copy: "its copy took its place.",
  anew: "a new one was made; the old one, where there was one, is kept beside it.",
  without: "it cannot be put back; bring a backup back, or see --new-authority.",
} as const;

function newestBackup(dataFolder: string): string {
  const folder = localFolderOf(dataFolder);
  try {
    const [newest] = readdirSync(folder)
      .flatMap((name) => {
        const at = timeOf(name);
        return at === null ? [] : [{ name, at }];
      })
      .sort((a, b) => (a.at < b.at ? 1 : -1));
    if (newest !== undefined) return `Restore the newest backup: gatehouse restore ${join(folder, newest.name)}`;
  } catch {
    // There is no such folder.
  }
  return "There is no backup on this disk; bring one from elsewhere back with 'gatehouse restore FILE'.";
}
