/**
 * What the commands of `gatehouse` share: how they are described and called, how their arguments are read, and how they
 * reach a hub. Knows nothing of `process`: everything comes in through {@link CliIo}.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { systemClock } from "../core/kernel/clock.ts";
import { Problem } from "../core/kernel/problem.ts";
import { controlSocketFile } from "../core/platform/control-socket-file.ts";
import { createLogger } from "../core/platform/log.ts";
import { openSettings, type SettingsStore } from "../core/settings/store.ts";
import { FolderLock } from "../core/storage/folder-lock.ts";
import type { ScryptCost } from "../features/access/password.ts";
import { type HubCalls, hubRuns, socketCalls } from "./control-socket.ts";

/** How long another command may take to end. */
const FOLDER_PATIENCE_MS = 2_000;

/** What a command uses of the outside world. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  /**
   * Like `out`, but resolves when the text has left the process; if absent, `out` will do.
   * @throws Error when nobody took it
   */
  readonly print?: (text: string) => Promise<void>;
  readonly err: (text: string) => void;
  /** All of standard input. */
  readonly readInput: () => Promise<string>;
  /** Root of the installed project. */
  readonly projectFolder: string;
  readonly version: string;
  /** For tests: what hashing a password costs in a hub that does not run. */
  readonly passwordCost?: ScryptCost;
  /** `stop` is called when nobody reads the output any more. A command that does not use this is ended at once. */
  readonly whenUnread?: (stop: () => void) => void;
  /** Ends the process like a kill, at once: for threads that do not end. */
  readonly leave?: () => void;
}

/** One command. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The text of `--help` without its first line. */
  readonly help: string;
  /**
   * Does the work; resolves with the exit code: 0 done, 1 failed.
   * @throws UsageError for wrong arguments (exit 2), Problem (exit 1)
   */
  run(args: readonly string[], io: CliIo): Promise<number>;
}

/** The command was called wrongly. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Options that every command takes. */
export const COMMON_OPTIONS = {
  json: { type: "boolean" },
  data: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const satisfies ParseArgsConfig["options"];

/** The help text of {@link COMMON_OPTIONS}. */
export const COMMON_HELP = `  --json          print JSON
  --data FOLDER   the data folder (GATEHOUSE_DATA, else ./data)
  -h, --help      this text`;

/** Reads arguments. @throws UsageError for unknown options and missing values */
export function readArguments<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...COMMON_OPTIONS, ...options },
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The settings and folders that a command works on. @throws SettingsError */
export function openPlace(
  io: CliIo,
  data: string | undefined,
): { readonly settings: SettingsStore; readonly dataFolder: string } {
  const settings = openSettings({ env: io.env, argv: data === undefined ? [] : [`--storage.folder=${data}`] });
  return { settings, dataFolder: resolve(settings.current.storage.folder) };
}

/** The folder of the models. */
export function modelsFolder(io: CliIo, settings: SettingsStore): string {
  return resolve(io.projectFolder, settings.current.recognition.modelsFolder);
}

/**
 * Calls `work` with access to the hub: the running one over its control socket, else its database. `makes`: the command
 * may create a hub where there is none; for every other one a folder without a hub is the caller's mistake. @throws
 * Problem `not_found`
 */
export async function withHub<Result>(
  io: CliIo,
  data: string | undefined,
  work: (hub: HubCalls) => Promise<Result>,
  makes: "makes" | "needs" = "needs",
): Promise<Result> {
  const place = openPlace(io, data);
  const socketFile = controlSocketFile(place.dataFolder);
  if (await hubRuns(socketFile)) return work(socketCalls(socketFile));
  if (makes === "needs") expectHub(place.dataFolder);
  mkdirSync(place.dataFolder, { recursive: true, mode: 0o700 });
  return withFolder(place.dataFolder, "a gatehouse command", () => offline(io, place, work));
}

/**
 * Does `work` while no hub and no other command works on the folder, which exists; `what`: the command's name.
 * @throws Problem `conflict` that says who has the folder
 */
export async function withFolder<Result>(
  dataFolder: string,
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = await FolderLock.take({
    dataFolder,
    pid: process.pid,
    what,
    nowMs: Date.now(),
    patienceMs: FOLDER_PATIENCE_MS,
  });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function offline<Result>(
  io: CliIo,
  place: ReturnType<typeof openPlace>,
  work: (hub: HubCalls) => Promise<Result>,
): Promise<Result> {
  const { openOfflineHub } = await import("./offline-hub.ts"); // most of the program: not loaded for a running hub
  const logger = createLogger({ level: "error", format: "text", write: io.err, mono: systemClock.mono });
  const { projectFolder, version, passwordCost } = io;
  const cost = passwordCost === undefined ? {} : { passwordCost };
  const hub = await openOfflineHub({ ...place, ...cost, projectFolder, version, logger });
  try {
    return await work(hub);
  } finally {
    await hub.close();
  }
}

/** @throws Problem `not_found` if the folder contains no hub */
export function expectHub(dataFolder: string): void {
  if (existsSync(join(dataFolder, "gatehouse.db"))) return;
  throw new Problem(
    "not_found",
    existsSync(dataFolder) ? `There is no hub in ${dataFolder}.` : `There is no folder ${dataFolder}.`,
    {
      hint: "Name the hub's data folder with --data or GATEHOUSE_DATA. 'gatehouse provision' and 'gatehouse start' make a new hub.",
    },
  );
}

/** Rows as text in columns, under their headings. */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[headings, ...rows].map(line).join("\n")}\n`;
}

/** A value as indented JSON with its line end. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
