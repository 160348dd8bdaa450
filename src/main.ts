/** Process entry: settings, logger, the hub, signals, exit codes. The only file of the hub that touches `process`. */
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { applyRestore } from "./backups/restore.js";
import { announcement } from "./composition/announcement.js";
import { takeUpSettings } from "./composition/box-service.js";
import { isListening, isPlainHttpClosed } from "./composition/network-view.js";
import { openTls } from "./composition/tls.js";
import { Hub } from "./hub.js";
import { systemClock } from "./kernel/clock.js";
import { settleCompiler, settleHeap } from "./kernel/compiler.js";
import { Problem } from "./kernel/problem.js";
import { restrictToOwnerWithin } from "./kernel/restrict-to-owner.js";
import { collectStart, tidyAfterStart } from "./platform/after-start.js";
import { applyFactoryReset } from "./platform/factory-reset.js";
import { createLogger, openLogOutput } from "./platform/log.js";
import { LogRing } from "./platform/log-ring.js";
import { SystemdNotifier } from "./platform/systemd.js";
import { SettingsError } from "./settings/load.js";
import { openSettings, type SettingsStore, takeBack } from "./settings/store.js";

/** EX_CONFIG of sysexits.h. */
const EXIT_CONFIG = 78;
/** EX_TEMPFAIL of sysexits.h: whoever started the hub starts it again. */
const EXIT_RESTART = 75;
const PROJECT_FOLDER = join(import.meta.dirname, "..", "..");

function words(): string[] {
  return process.argv.slice(2).flatMap((word) => (word === "--demo" ? ["--demo.enabled=true"] : [word]));
}

function readSettings(): SettingsStore {
  return openSettings({ env: process.env, argv: words() });
}

async function main(): Promise<void> {
  settleCompiler(process.execArgv);
  settleHeap();
  process.umask(0o077); // whatever is made from here on is the hub's alone, also by libraries
  let settings = readSettings();
  const dataFolder = resolve(settings.current.storage.folder);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const isReset = applyFactoryReset(dataFolder); // before anything of the folder is opened
  const restored = applyRestore(dataFolder);
  if (isReset || restored !== null) settings = readSettings();
  const { log } = settings.current;
  const output = openLogOutput();
  const format = log.format === "auto" ? (output.isTerminal ? "text" : "json") : log.format;
  const kept = new LogRing();
  const open = restrictToOwnerWithin(dataFolder, 2);
  const logger = createLogger({
    level: log.level,
    format,
    write: output.write,
    keep: (json) => kept.take(json),
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
  const tls = await openTls(settings.current, dataFolder, Math.max(systemClock.now(), builtAt));
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
  const hub = await Hub.open({
    settings,
    tls,
    log: kept,
    clock: systemClock,
    logger,
    projectFolder: PROJECT_FOLDER,
    dataFolder,
    version,
    builtAt,
    ...restart,
  });
  await hub.start();
  if (process.env.HUB_COLLECTS_START !== undefined) collectStart();
  // Before anything changes them, and without making anybody wait for the disk.
  void settings.proved().catch((error: unknown) => {
    logger.info({ err: error }, "the settings could not be kept for a start at which their file cannot be read");
  });
  await takeUpSettings(hub, settings, logger);
  let stopping = false;
  const stop = async (signal: string, exitCode = 0): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    systemd.stopping();
    logger.info({ signal }, "stopping");
    const late = await hub.stop();
    output.flush();
    process.exit(late.length === 0 ? exitCode : 1);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal));
  // Whoever reads that it is ready may stop it at once.
  output.write(announcement(hub, settings.current, isPlainHttpClosed(settings.current, tls)));
  systemd.ready("serving", () => isListening(hub.broker));
  tidyAfterStart(builtAt);
}

main().catch((error: unknown) => {
  const isNewer = error instanceof Problem && error.code === "database_newer";
  const isConfiguration = error instanceof SettingsError || isNewer;
  const hint = error instanceof Problem && error.hint !== null ? `\n${error.hint}` : "";
  if (isConfiguration) process.stderr.write(`${error.message}${hint}\n`);
  else if (error instanceof Problem)
    process.stderr.write(`Gatehouse could not start: ${error.message}${hint}\n`); // it is said in words for a person
  else if (error instanceof Error && "syscall" in error)
    process.stderr.write(`Gatehouse could not start: ${error.message}\n`); // the system names the file and what is wrong
  else process.stderr.write(`Gatehouse could not start: ${error instanceof Error ? error.stack : String(error)}\n`);
  if (!isNewer && tookBack()) {
    process.stderr.write(
      "The settings that were saved last are taken back: the next start is with those from before.\n",
    );
    process.exit(EXIT_RESTART);
  }
  process.exit(isConfiguration ? EXIT_CONFIG : 1);
});

/** Without the settings file, which may be what is wrong. */
function tookBack(): boolean {
  try {
    return takeBack({ env: process.env, argv: words() });
  } catch {
    return false; // the environment itself is wrong
  }
}
