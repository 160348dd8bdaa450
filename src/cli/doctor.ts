import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { checkedJson, readSmallFile } from "../core/kernel/small-file.ts";
import { controlSocketFile } from "../core/platform/control-socket-file.ts";
import { diskSpace } from "../core/platform/disk.ts";
import { keyTroubles } from "../core/platform/hub-key.ts";
import { SettingsError } from "../core/settings/load.ts";
import { findBadRows, namesOf, rowsSetAside } from "../core/storage/bad-rows.ts";
import { readMigrations } from "../core/storage/migrate.ts";
import { damageOf } from "../core/storage/open-file.ts";
import { schemaTrouble } from "../core/storage/schema.ts";
import { healthEnglish } from "../core/text/english.ts";
import { OwnershipMark } from "../features/access/ownership-mark.ts";
import { DETECTOR_FILE, NoModels, READER_FILE, readModels } from "../features/recognition/models.ts";
import { runtimeCheck } from "../features/system/health/runtime.ts";
import { type CliIo, type Command, json, modelsFolder, openPlace, readArguments, UsageError } from "./command.ts";
import { hubRuns } from "./control-socket.ts";
import { NETWORK_CHECKS } from "./doctor-network.ts";
import { repair } from "./doctor-repair.ts";
import { bad, type Check, type Finding, ok, type Patient, warning } from "./findings.ts";

const MARKS = { ok: "ok  ", warning: "!   ", failed: "FAIL" } as const;
const MEGABYTE = 1_048_576;
const SMALL_FILES = [
  "authority.copy",
  "clock.json",
  "gatehouse.json.last",
  "owned",
  "restore-ready/plan.json",
  "tls/beginning.json",
];
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
      const newest = readMigrations(join(io.projectFolder, "src/core/storage/migrations")).length;
      if (version > newest)
        return bad(
          "database",
          `Written by a newer Gatehouse (version ${version}; this one knows ${newest}): install that one again.`,
        );
      const migrations = readMigrations(join(io.projectFolder, "src/core/storage/migrations"));
      const mendable = schemaTrouble(raw, migrations);
      if (mendable !== null)
        return bad("database", `A few bits are flipped (${mendable}): the next start, or doctor --repair, mends that.`);
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

/** The small files that the start reads, by the start's own readers. */
const files: Check = async ({ dataFolder, settings }) => {
  const found: string[] = keyTroubles(dataFolder).map(({ file, reason }) => `${file} (${reason})`);
  if (settings.tls.mode !== "off" && settings.tls.mode !== "files") {
    const { authorityTrouble } = await import("../core/platform/authority-files.ts");
    const why = await authorityTrouble(join(dataFolder, "tls"));
    if (why !== null) found.push(`tls/authority (${why})`);
  }
  for (const name of SMALL_FILES) {
    const file = readSmallFile(join(dataFolder, name));
    if (file.kind === "unusable") found.push(`${name} (${file.reason})`);
    else if (file.kind === "good" && name.endsWith("plan.json") && checkedJson("plan.json", file.text) === null)
      found.push(`${name} (content)`);
    else if (file.kind === "good" && name === "clock.json" && checkedJson(name, file.text) === null)
      found.push(`${name} (content)`);
  }
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
  const { authorityKind } = await import("../core/platform/certificates.ts"); // and its ASN.1 library
  try {
    return settings.tls.mode !== "files" && authorityKind(readFileSync(file, "utf8")) === "boundless"
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
  ...NETWORK_CHECKS,
  encryption,
  models,
  consoleFiles,
  clock,
];
