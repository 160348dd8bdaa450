import { join, resolve } from "node:path";
import { Problem } from "../kernel/problem.js";
import { type BackupManifest, readManifest, restoreBackup } from "./backup.js";
import { type Command, json, openPlace, readArguments, UsageError, withHub } from "./command.js";
import { controlSocketFile, hubRuns } from "./control-socket.js";

/** `gatehouse backup FILE`. */
export const backupCommand: Command = {
  name: "backup",
  summary: "write a backup to one file, also while the hub runs",
  help: `Usage: gatehouse backup FILE

Writes database, settings and the hub's key to FILE, and checks it. The file holds every secret of the hub: keep it safe.
Pictures of number plates are not in it.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name the file to write.");
    const target = resolve(file);
    const manifest = (await withHub(io, values.data, (hub) => hub.call("POST", "/api/box/backup", { file: target }))) as BackupManifest; // contract/routes/console-box.ts
    io.out(values.json ? json({ file: target, ...manifest }) : `Backup written and checked: ${target}\n`);
    return 0;
  },
};

/** `gatehouse restore FILE`. */
export const restoreCommand: Command = {
  name: "restore",
  summary: "put a backup into the data folder of a stopped hub",
  help: `Usage: gatehouse restore FILE

Checks the backup, moves what is in the data folder into a folder beside it, and puts the backup in place. The hub must be
stopped. A backup of a newer Gatehouse is refused.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new UsageError("Name the backup.");
    const { dataFolder } = openPlace(io, values.data);
    if (await hubRuns(controlSocketFile(dataFolder))) throw new Problem("conflict", "The hub runs; stop it first.");
    const backup = resolve(file);
    const manifest = readManifest(backup, join(io.projectFolder, "src/storage/migrations"));
    const aside = restoreBackup({ file: backup, dataFolder, nowMs: Date.now() });
    io.out(
      values.json
        ? json({ ...manifest, dataFolder, aside })
        : `Restored the backup of ${manifest.at}.${aside === null ? "" : `\nWhat was there is in ${aside}.`}\n`,
    );
    return 0;
  },
};
