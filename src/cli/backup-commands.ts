import { chownSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Problem } from "../core/kernel/problem.ts";
import { controlSocketFile } from "../core/platform/control-socket-file.ts";
import { type BackupManifest, COMPANIONS } from "../features/backups/backup-file.ts";
import { KEY_FOLDER } from "../features/backups/key-folder.ts";
import { applyRestore, RESTORED, stageRestore } from "../features/backups/restore.ts";
import { workInThread } from "../features/backups/thread.ts";
import { type Command, json, openPlace, readArguments, UsageError, withFolder, withHub } from "./command.ts";
import { hubRuns } from "./control-socket.ts";

/** `gatehouse backup FILE`. */
export const backupCommand: Command = {
  name: "backup",
  summary: "write a backup to one file, also while the hub runs",
  help: `Usage: gatehouse backup FILE

Writes the database, the settings, the hub's key and its certificate authority to FILE, and checks it. With a passphrase (set in the
console) the file is encrypted in the age format; without one it contains every secret of the hub in clear: keep it safe.
Pictures of number plates are not in it.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name the file to write.");
    const target = resolve(file);
    const manifest = (await withHub(io, values.data, (hub) =>
      hub.call("POST", "/api/box/backup", { file: target }),
    )) as BackupManifest; // features/provision/api/console-box.ts
    io.out(values.json ? json({ file: target, ...manifest }) : `Backup written and checked: ${target}\n`);
    return 0;
  },
};

/** `gatehouse restore FILE`. */
export const restoreCommand: Command = {
  name: "restore",
  summary: "put a backup into the data folder of a stopped hub",
  help: `Usage: gatehouse restore FILE [--passphrase-stdin]

Checks the backup, moves what is in the data folder into a folder beside it, and puts the backup in place. The hub must be
stopped. A backup of a newer Gatehouse is refused. --passphrase-stdin: the first line of standard input is the passphrase of an encrypted one.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, { "passphrase-stdin": { type: "boolean" } });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name the backup.");
    const { dataFolder } = openPlace(io, values.data);
    if (await hubRuns(controlSocketFile(dataFolder)))
      throw new Problem("conflict", "The hub runs; stop it first, or restore in the console.");
    const line = values["passphrase-stdin"] ? ((await io.readInput()).split(/\r?\n/)[0] ?? "") : "";
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    const migrationsFolder = join(io.projectFolder, "src/core/storage/migrations");
    const passphrase = line === "" ? null : line;
    const { manifest, aside } = await withFolder(dataFolder, "gatehouse restore", async () => {
      const manifest = await stageRestore({
        file: resolve(file),
        dataFolder,
        passphrase,
        migrationsFolder,
        nowMs: Date.now(),
        doWork: workInThread,
      });
      const aside = applyRestore(dataFolder)?.aside ?? null;
      giveToOwner(dataFolder);
      return { manifest, aside };
    });
    io.out(
      values.json
        ? json({ ...manifest, dataFolder, aside })
        : `Restored the backup of ${manifest.at}.${aside === null ? "" : `\nWhat was there is in ${aside}.`}\n`,
    );
    return 0;
  },
};

/** Gives what root put into the hub user's folder to that user. */
function giveToOwner(dataFolder: string): void {
  const { uid, gid } = statSync(dataFolder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  const keys = join(dataFolder, KEY_FOLDER);
  const below = existsSync(keys) ? readdirSync(keys, { recursive: true, encoding: "utf8" }) : [];
  for (const name of [
    "gatehouse.db",
    RESTORED,
    "tls",
    ...COMPANIONS,
    KEY_FOLDER,
    ...below.map((one) => join(KEY_FOLDER, one)),
  ])
    if (existsSync(join(dataFolder, name))) chownSync(join(dataFolder, name), uid, gid);
}
