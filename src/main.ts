/** Process entry: settings, logger, the hub, signals, exit codes. The only file of the hub that touches `process`. */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "./core/kernel/clock.ts";
import { settleCompiler, settleHeap } from "./core/kernel/compiler.ts";
import { FileTroubles } from "./core/kernel/file-troubles.ts";
import { brokenModules } from "./core/kernel/native-modules.ts";
import { Problem } from "./core/kernel/problem.ts";
import { restrictToOwnerWithin } from "./core/kernel/restrict-to-owner.ts";
import { collectStart, tidyAfterStart } from "./core/platform/after-start.ts";
import { endProcess } from "./core/platform/end-process.ts";
import { applyFactoryReset } from "./core/platform/factory-reset.ts";
import { createLogger } from "./core/platform/log.ts";
import { type LogOutput, openLogOutput } from "./core/platform/log-output.ts";
import { LogRing } from "./core/platform/log-ring.ts";
import { SystemdNotifier } from "./core/platform/systemd.ts";
import { isPlainHttpClosed, openTls } from "./core/platform/tls.ts";
import { asksForHelp, startHelp } from "./core/settings/help.ts";
import type { Settings } from "./core/settings/schema.ts";
import { openSettings, type SettingsStore, takeBack } from "./core/settings/store.ts";
import { keptFileTroubles, setKeptFilesAside } from "./core/start/kept-files.ts";
import { startFromAny } from "./core/start/start-attempts.ts";
import { EXIT_FAILED, EXIT_RESTART, startFailure } from "./core/start/start-failure.ts";
import { FolderLock, FolderTaken } from "./core/storage/folder-lock.ts";
import { uncaught } from "./core/storage/uncaught.ts";
import { applyRestore, type SwitchedRestore } from "./features/backups/restore.ts";
import { takeUpSettings } from "./features/provision/feature.ts";
import { addressOf, announcement } from "./features/system/announcement.ts";
import { Hub } from "./hub.ts";

/** How long a process that works on the folder may take to end, as a command or the hub before this one. */
const FOLDER_PATIENCE_MS = 8_000;
/** Longer than all stages of the stop together, shorter than systemd's TimeoutStopSec. */
const STOP_LIMIT_MS = 23_000;
/**
 * How long a service manager waits for the end of a failed start that may be tried again: what keeps a hub from
 * starting is seldom over a second later, and each try writes to the card.
 */
const FAILED_PAUSE_MS = 20_000;
/** Of sources it is the folder above this file's; of a bundle (build/src/program.cjs) the one above that. */
const PROJECT_FOLDER = [join(import.meta.dirname, ".."), join(import.meta.dirname, "../..")].find((folder) =>
  existsSync(join(folder, "package.json")),
) as string;

function words(): string[] {
  return process.argv.slice(2).flatMap((word) => (word === "--demo" ? ["--demo.enabled=true"] : [word]));
}

function readSettings(): SettingsStore {
  return openSettings({ env: process.env, argv: words() });
}

/** What the end of a failed start has to know. */
const start: { settings: Settings | null; output: LogOutput | null } = { settings: null, output: null };

async function main(): Promise<void> {
  if (asksForHelp(process.argv.slice(2))) return console.log(startHelp());
  settleCompiler(process.execArgv);
  settleHeap();
  process.umask(0o077); // whatever is made from here on is the hub's alone, also by libraries
  let settings = readSettings();
  start.settings = settings.current;
  const dataFolder = resolve(settings.current.storage.folder);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = await FolderLock.take({
    dataFolder,
    pid: process.pid,
    what: "hub",
    nowMs: systemClock.now(),
    patienceMs: FOLDER_PATIENCE_MS,
  });
  const troubles = new FileTroubles();
  for (const trouble of keptFileTroubles(dataFolder)) troubles.note(trouble); // before any of them is changed
  setKeptFilesAside(dataFolder);
  const isReset = applyFactoryReset(dataFolder); // before anything of the folder is opened
  const restored = restoreIfPossible(dataFolder, troubles);
  if (isReset || restored !== null) settings = readSettings();
  const { log } = settings.current;
  const output = openLogOutput();
  start.output = output;
  const format = log.format === "auto" ? (output.isTerminal ? "text" : "json") : log.format;
  const kept = new LogRing();
  const open = restrictToOwnerWithin(dataFolder, 2);
  const logger = createLogger({
    level: log.level,
    format,
    write: output.write,
    kept,
    mono: systemClock.mono,
  });
  // our own file
  const { version } = JSON.parse(readFileSync(join(PROJECT_FOLDER, "package.json"), "utf8")) as { version: string };
  const builtAt = statSync(import.meta.filename).mtimeMs;
  const systemd = new SystemdNotifier({
    notifySocket: process.env.NOTIFY_SOCKET,
    watchdogMicroseconds: process.env.WATCHDOG_USEC,
    clock: systemClock,
    logger,
  });
  // nobody has judged the machine's clock yet; none that is right shows a time before the build
  const tls = await openTls(
    settings.current,
    dataFolder,
    { nowMs: Math.max(systemClock.now(), builtAt), builtAt },
    troubles,
  );
  if (!lock.isHeld)
    logger.warn({ dataFolder }, "the data folder takes no writes, so this hub cannot keep others out of it");
  const broken = brokenModules();
  if (broken.length > 0)
    logger.error({ modules: broken }, "parts of the program are missing: install this version again");
  if (open.length > 0) logger.warn({ open: open.slice(0, 10) }, "others can read these, and it cannot be changed");
  if (settings.unusable !== null)
    logger.warn(
      { file: settings.file, reason: settings.unusable },
      "the settings file cannot be read: those with which the hub last started are used, or the defaults",
    );
  if (isReset) logger.warn({}, "everything was deleted, as its owner asked");
  if (restored !== null)
    logger.warn({ backupOf: restored.manifest.at, aside: restored.aside }, "switched to a restored backup");
  // systemd, or npm start
  const isSupervised = process.env.NOTIFY_SOCKET !== undefined || process.env.SUPERVISED_BY !== undefined;
  const restart = isSupervised ? { restart: () => void stop("restart", EXIT_RESTART) } : {};
  const hub = await startFromAny(
    (source, because) =>
      Hub.open({
        settings,
        tls,
        log: kept,
        clock: systemClock,
        logger,
        projectFolder: PROJECT_FOLDER,
        dataFolder,
        version,
        builtAt,
        source,
        because,
        troubles,
        prepares: process.env.HUB_PREPARES !== "nothing", // tests start hundreds of hubs, most of them for a second
        ...restart,
      }),
    logger,
  );
  const end = (code: number): never => endProcess(process, code, hub.recognition.recogniser.threadsLeft > 0);
  const survived = uncaught(logger);
  process.on("unhandledRejection", survived);
  process.on("uncaughtException", (error) => {
    try {
      survived(error);
    } catch {
      process.stderr.write(`${error.stack ?? error.message}\n`);
      end(EXIT_FAILED);
    }
  });
  if (process.env.HUB_COLLECTS_START !== undefined) collectStart();
  // Before anything changes them, and without making anybody wait for the disk.
  void settings.proved().catch((error: unknown) => {
    logger.info({ err: error }, "the settings could not be kept for a start at which their file cannot be read");
  });
  await takeUpSettings({ database: hub.base.database, access: hub.access }, settings, logger);
  let stopping = false;
  const stop = async (signal: string, exitCode = 0): Promise<void> => {
    if (stopping) end(1);
    stopping = true;
    setTimeout(() => end(1), STOP_LIMIT_MS);
    let code = 1;
    try {
      systemd.stopping();
      logger.info({ signal }, "stopping");
      const late = await hub.stop();
      if (late.length === 0) code = exitCode;
      lock.release();
      await output.flush();
    } finally {
      end(code);
    }
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
  // A supervisor that reads that it is ready may stop it at once.
  lock.reachedAt(addressOf(hub, settings.current, isPlainHttpClosed(settings.current, tls)));
  output.write(announcement(hub, settings.current, isPlainHttpClosed(settings.current, tls)));
  systemd.ready("serving", () => hub.mqtt.isListening);
  tidyAfterStart(builtAt);
}

main().catch(async (error: unknown) => {
  const { text, exitCode } = startFailure(error, start.settings);
  process.stderr.write(`${text}\n`);
  await start.output?.flush();
  const isNewer = error instanceof Problem && error.code === "database_newer";
  if (!isNewer && !(error instanceof FolderTaken) && tookBack()) {
    process.stderr.write(
      "The settings that were saved last are taken back: the next start is with those from before.\n",
    );
    process.exit(EXIT_RESTART);
  }
  if (exitCode === EXIT_FAILED && process.env.NOTIFY_SOCKET !== undefined)
    await new Promise((done) => setTimeout(done, FAILED_PAUSE_MS));
  process.exit(exitCode);
});

/** A restore that the disk does not let through is tried again at the next start. */
function restoreIfPossible(dataFolder: string, troubles: FileTroubles): SwitchedRestore | null {
  try {
    return applyRestore(dataFolder, troubles);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    troubles.note({ file: "restore-ready", reason, instead: "without" });
    return null;
  }
}

/** Without the settings file, which may be what is wrong. */
function tookBack(): boolean {
  try {
    return takeBack({ env: process.env, argv: words() });
  } catch {
    return false; // the environment itself is wrong
  }
}
