/**
 * `gatehouse`: the commands of the box, for installers and unattended set-up. Exit codes: 0 done, 1 failed, 2 called
 * wrongly, 78 the configuration is wrong.
 */
import { databaseModuleTrouble } from "../kernel/native-modules.js";
import { Problem } from "../kernel/problem.js";
import { SettingsError } from "../settings/load.js";
import { applyUpdateCommand } from "./apply-update.js";
import { backupCommand, restoreCommand } from "./backup-commands.js";
import { type CliIo, COMMON_HELP, type Command, UsageError } from "./command.js";
import { devicesCommand } from "./devices.js";
import { doctorCommand } from "./doctor.js";
import { estateCommand } from "./estate/command.js";
import { exportCommand } from "./export-command.js";
import { fleetCommand } from "./fleet/command.js";
import { keysCommand } from "./keys.js";
import { listenCommand, triggerCommand } from "./listen.js";
import { openapiCommand } from "./openapi.js";
import { platesCommand } from "./plates.js";
import { provisionCommand } from "./provision-command.js";
import { recogniseCommand } from "./recognise.js";
import { resetOwnerCommand } from "./reset-owner.js";
import { updateCommand } from "./update.js";
import { webhooksCommand } from "./webhooks.js";

/** All commands except `start`, which is the hub itself. */
export const COMMANDS: readonly Command[] = [
  provisionCommand,
  exportCommand,
  keysCommand,
  devicesCommand,
  webhooksCommand,
  listenCommand,
  triggerCommand,
  recogniseCommand,
  platesCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  updateCommand,
  applyUpdateCommand,
  resetOwnerCommand,
  estateCommand,
  openapiCommand,
  fleetCommand,
];

const FAILED = 1;
const USAGE = 2;
/** EX_CONFIG of sysexits.h. */
const CONFIGURATION = 78;

/** Runs one command line (without the program's name) and returns its exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  const [name = "", ...args] = argv;
  if (name === "" || name === "help" || name === "--help" || name === "-h") {
    io.out(overview());
    return name === "" ? USAGE : 0;
  }
  if (name === "--version" || name === "version") {
    io.out(`${io.version}\n`);
    return 0;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    io.err(`There is no command ${JSON.stringify(name)}.\n\n${overview()}`);
    return USAGE;
  }
  if (args.includes("--help") || args.includes("-h")) {
    io.out(`${command.help}\n\nOptions of every command:\n${COMMON_HELP}\n`);
    return 0;
  }
  const trouble = databaseModuleTrouble();
  if (trouble !== null) {
    io.err(`A part of the program is missing or not whole (better-sqlite3: ${trouble}). Install this version again.\n`);
    return 1;
  }
  try {
    return await command.run(args, io);
  } catch (error) {
    return explain(error, { command, io, asJson: args.includes("--json") });
  }
}

/** Says on standard error what went wrong, and returns the exit code for it. */
function explain(
  error: unknown,
  { command, io, asJson }: { readonly command: Command; readonly io: CliIo; readonly asJson: boolean },
): number {
  if (error instanceof UsageError) {
    io.err(`${error.message}\n\n${command.help}\n`);
    return USAGE;
  }
  if (error instanceof SettingsError) {
    io.err(`${error.message}\n`);
    return CONFIGURATION;
  }
  if (error instanceof Problem) {
    const { code, message, details, hint } = error;
    const lines = [
      message,
      ...details.map((detail) => `  ${detail.field}: ${detail.message}`),
      ...(hint === null ? [] : [hint]),
    ];
    io.err(asJson ? `${JSON.stringify({ error: { code, message, details } })}\n` : `${lines.join("\n")}\n`);
    return FAILED;
  }
  io.err(
    `${error instanceof Error ? (isSystemError(error) ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
  );
  return FAILED;
}

/** A file that is missing or unreadable needs no stack trace. */
function isSystemError(error: Error): boolean {
  return "syscall" in error;
}

function overview(): string {
  const entries = [{ name: "start", summary: "run the hub (--demo adds a simulated household)" }, ...COMMANDS];
  const width = Math.max(...entries.map((entry) => entry.name.length));
  return `Usage: gatehouse COMMAND …\n\n${entries.map((entry) => `  ${entry.name.padEnd(width)}  ${entry.summary}`).join("\n")}\n\ngatehouse COMMAND --help says more.\n`;
}
