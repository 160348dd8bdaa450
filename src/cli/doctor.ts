import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { keyTroubles, opensProof, readHubKey } from "../access/hub-key.js";
import { OwnershipMark } from "../access/ownership-mark.js";
import { keptFileTroubles } from "../composition/kept-files.js";
import { KEY_PROOF } from "../composition/key-proof.js";
import { copyFileOf } from "../composition/tls.js";
import { modulesCheck } from "../health/modules.js";
import { runtimeCheck } from "../health/runtime.js";
import { expectSmallFile } from "../kernel/small-file.js";
import { controlSocketFile } from "../platform/control-socket-file.js";
import { diskSpace } from "../platform/disk.js";
import { DETECTOR_FILE, NoModels, READER_FILE, readModels } from "../recognition/models.js";
import { SettingsError } from "../settings/load.js";
import { findBadRows, namesOf, rowsSetAside } from "../storage/bad-rows.js";
import { localLocks } from "../storage/folder-lock.js";
import { readMigrations } from "../storage/migrate.js";
import { damageOf } from "../storage/open-file.js";
import { readHubValue } from "../storage/peek.js";
import { schemaTrouble } from "../storage/schema.js";
import { healthEnglish } from "../text/english.js";
import { type CliIo, type Command, json, modelsFolder, openPlace, readArguments, UsageError } from "./command.js";
import { hubRuns } from "./control-socket.js";
import { NETWORK_CHECKS } from "./doctor-network.js";
import { repair } from "./doctor-repair.js";
import { bad, type Check, type Finding, ok, type Patient, warning } from "./findings.js";

const MARKS = { ok: "ok  ", warning: "!   ", failed: "FAIL" } as const;
const MEGABYTE = 1_048_576;
/** No correct clock shows an earlier time than the files of this version. */
const CLOCK_TOLERANCE_MS = 86_400_000;

/** `gatehouse doctor`. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "check everything and say what to do",
  help: `Usage: gatehouse doctor [--repair] [--accept-key] [--new-authority]

Checks the configuration, the data folder, the disk, the database, the network (addresses, IPv6, ports, mDNS, firewall),
the models, the console, the clock and whether the running Node.js still gets security updates. The database and the hub's own files are checked as a start checks them. Changes nothing, unless asked to. Exit code 1 when
something fails.

On a stopped hub:
  --repair          put back what has a copy (hub.key, the certificate authority), set aside what cannot be read, mend the database
                    where that is possible; where it is not, name the newest backup
  --accept-key      the present hub.key counts from now on: what was sealed with the one before has to be entered anew
  --new-authority   the next start makes a new certificate authority, which every phone and device has to trust anew`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      repair: { type: "boolean" },
      "accept-key": { type: "boolean" },
      "new-authority": { type: "boolean" },
    });
    if (positionals.length > 0) throw new UsageError("doctor takes no arguments but its options.");
    if (values.repair || values["accept-key"] || values["new-authority"]) {
      const lines = await repair(io, values.data, {
        acceptsKey: values["accept-key"] === true,
        newAuthority: values["new-authority"] === true,
      });
      io.err(lines.map((line) => `${line}\n`).join(""));
    }
    const findings = await examine(io, values.data);
    const failed = findings.some((finding) => finding.level === "failed");
    const width = Math.max(...findings.map((finding) => finding.code.length));
    const lines = findings.map((finding) => `${MARKS[finding.level]} ${finding.code.padEnd(width)}  ${finding.text}`);
    io.out(values.json ? json({ ok: !failed, checks: findings }) : `${lines.join("\n")}\n`);
    return failed ? 1 : 0;
  },
};

async function examine(io: CliIo, data: string | undefined): Promise<Finding[]> {
  let place: ReturnType<typeof openPlace>;
  try {
    place = openPlace(io, data);
  } catch (error) {
    if (error instanceof SettingsError) return [bad("configuration", error.message)];
    throw error;
  }
  const { settings, dataFolder } = place;
  const running = await hubRuns(controlSocketFile(dataFolder));
  const patient: Patient = { io, settings: settings.current, dataFolder, models: modelsFolder(io, settings), running };
  const findings: Finding[] = [
    ok("configuration", `Well formed. Settings file: ${existsSync(settings.file) ? settings.file : "none"}.`),
  ];
  for (const check of CHECKS) findings.push(await check(patient));
  return findings;
}

const hub: Check = ({ running }) => ok("hub", running ? "Runs." : "Does not run.");

/** Never below the oldest that Gatehouse runs on: scripts/gatehouse.mjs would not have come this far. */
const node: Check = () => {
  const { level, words } = runtimeCheck(process.versions.node, Date.now).check();
  const text = healthEnglish(words);
  return level === "ok" ? ok("node", text) : warning("node", text);
};

const folder: Check = ({ dataFolder }) => {
  if (!existsSync(dataFolder))
    return warning("data-folder", `${dataFolder} is not there yet; the first start makes it.`);
  try {
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return bad("data-folder", `${dataFolder} cannot be written by this user: give it to the hub's user (chown).`);
  }
  const option = localLocks(dataFolder);
  if (option !== null)
    return bad(
      "data-folder",
      `Its share keeps no locks (${option}), so two hubs could work on it: mount it with locks.`,
    );
  const isOpen = (statSync(dataFolder).mode & 0o005) !== 0; // what lies in a closed folder cannot be reached
  if (isOpen)
    return warning("data-folder", `Everybody on this machine can look into ${dataFolder}: chmod o-rx ${dataFolder}.`);
  return ok("data-folder", `${dataFolder} can be written.`);
};

const disk: Check = ({ dataFolder, settings }) => {
  const { freeBytes } = diskSpace(existsSync(dataFolder) ? dataFolder : ".");
  const free = Math.round(freeBytes / MEGABYTE);
  const { minFreeMegabytes } = settings.storage;
  return free >= minFreeMegabytes
    ? ok("disk", `${free} MB are free.`)
    : bad(
        "disk",
        `Only ${free} MB are free, ${minFreeMegabytes} are wanted: free some, or keep less (see docs/settings.md, telemetry and plates).`,
      );
};

const database: Check = ({ dataFolder, io }) => {
  const file = join(dataFolder, "gatehouse.db");
  const isEmpty = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0;
  if (isEmpty && new OwnershipMark(dataFolder).isSet)
    return bad("database", "It is lost, and this hub had an owner: bring a backup back with 'gatehouse restore FILE'.");
  if (!existsSync(file)) return warning("database", "There is none yet; the first start makes it.");
  try {
    const raw = new SqliteDatabase(file, { readonly: true });
    try {
      const version = raw.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
      const migrations = readMigrations(join(io.projectFolder, "src/storage/migrations"));
      const newest = migrations.length;
      const mendable = schemaTrouble(raw, migrations); // first, as at a start: the version itself may be flipped
      if (mendable !== null)
        return bad("database", `A few bits are flipped (${mendable}): the next start, or doctor --repair, mends that.`);
      if (version > newest)
        return bad(
          "database",
          `Written by a newer Gatehouse (version ${version}; this one knows ${newest}): install that one again.`,
        );
      const damage = damageOf(raw);
      if (damage !== null) return bad("database", `Damaged (${damage}): stop the hub and restore a backup.`);
      const unread = findBadRows(raw);
      if (unread.length > 0)
        return bad(
          "database",
          `Cannot be read, and the next start sets it aside: ${namesOf(unread)}. Restore a backup to have it back.`,
        );
      const aside = version === newest ? rowsSetAside(raw, Date.now()) : [];
      if (aside.length > 0)
        return warning(
          "database",
          `Was set aside, since it could not be read: ${namesOf(aside)}. Look what the hub does without.`,
        );
      return ok("database", `Sound, version ${version} of ${newest}.`);
    } finally {
      raw.close();
    }
  } catch (error) {
    return bad(
      "database",
      `Cannot be read (${error instanceof Error ? error.message : String(error)}): stop the hub and restore a backup.`,
    );
  }
};

/** Whether the key is not the one with which the database's secrets were sealed. */
function isKeyForeign(dataFolder: string): boolean {
  const proof = readHubValue(join(dataFolder, "gatehouse.db"), KEY_PROOF);
  const key = readHubKey(dataFolder);
  return proof !== null && key !== null && !opensProof(key, proof);
}

/** The compiled parts of the program that a start looks for; without the database's, no command comes this far. */
const modules: Check = () => {
  const { level, words } = modulesCheck().check();
  const text = healthEnglish(words);
  return level === "ok" ? ok("modules", text) : bad("modules", text);
};

/** The small files that the start reads, by the start's own readers. */
const files: Check = async ({ dataFolder, settings }) => {
  const found: string[] = [...keyTroubles(dataFolder), ...keptFileTroubles(dataFolder)].map(
    ({ file, reason }) => `${file} (${reason})`,
  );
  if (settings.tls.mode !== "off" && settings.tls.mode !== "files") {
    const { authorityTrouble } = await import("../platform/authority-files.js");
    const why = await authorityTrouble(join(dataFolder, "tls"), copyFileOf(dataFolder));
    if (why !== null) found.push(`tls/authority (${why})`);
  }
  if (found.length === 0 && isKeyForeign(dataFolder)) return bad("files", healthEnglish({ code: "files.key" }));
  return found.length === 0
    ? ok("files", "The hub's own files can be used.")
    : bad("files", `Cannot be used: ${found.join(", ")}. Stop the hub and run 'gatehouse doctor --repair'.`);
};

const models: Check = async ({ models: folderOfModels, settings }) => {
  if (!settings.recognition.enabled) return ok("models", "Reading plates is switched off.");
  try {
    await readModels(folderOfModels);
    return ok("models", `${DETECTOR_FILE} and ${READER_FILE} are in ${folderOfModels}.`);
  } catch (error) {
    const why = error instanceof NoModels || error instanceof Error ? error.message : String(error);
    return warning("models", `Plates are not read: ${why}. Put both files into ${folderOfModels}.`);
  }
};

const encryption: Check = async ({ settings, dataFolder }) => {
  const file = join(dataFolder, "tls", "authority.crt");
  if (settings.tls.mode === "off" || !existsSync(file)) return ok("encryption", `tls.mode is ${settings.tls.mode}.`);
  const { authorityKind } = await import("../platform/certificates.js"); // and its ASN.1 library
  try {
    return settings.tls.mode !== "files" && authorityKind(expectSmallFile(file).toString("utf8")) === "boundless"
      ? warning(
          "encryption",
          "The hub's authority was made by an earlier version and could vouch for any website: renew it (System, Network), then trust it again.",
        )
      : ok("encryption", `tls.mode is ${settings.tls.mode}.`);
  } catch {
    return warning("encryption", `${file} cannot be used: see "files".`);
  }
};

const consoleFiles: Check = ({ io }) => {
  const built = existsSync(join(io.projectFolder, "dist/console/index.html"));
  return built ? ok("console", "Built.") : warning("console", "Not built; npm start builds it.");
};

const clock: Check = ({ io }) => {
  const built = statSync(join(io.projectFolder, "package.json")).mtimeMs;
  if (Date.now() + CLOCK_TOLERANCE_MS < built)
    return bad(
      "clock",
      `The clock shows ${new Date().toISOString()}, which cannot be: set it, or connect a time server.`,
    );
  return ok("clock", `${new Date().toISOString()}, time zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`);
};

const CHECKS: readonly Check[] = [
  hub,
  node,
  folder,
  disk,
  database,
  files,
  modules,
  ...NETWORK_CHECKS,
  encryption,
  models,
  consoleFiles,
  clock,
];
