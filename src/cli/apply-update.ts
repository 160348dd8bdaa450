import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { systemClock } from "../core/kernel/clock.ts";
import { type ApplyOptions, applyUpdate, resumeAtBoot } from "../features/updates/apply.ts";
import { debianArch, trustedKeys } from "../features/updates/bundle.ts";
import { SLOT_TOOL, STATE_FOLDER, updateKind } from "../features/updates/place.ts";
import { slotStrategy, versionsStrategy } from "../features/updates/strategies.ts";
import { type CliIo, type Command, openPlace, readArguments } from "./command.ts";

/** `gatehouse apply-update`: root's half of an update, started by gatehouse-update.service. */
export const applyUpdateCommand: Command = {
  name: "apply-update",
  summary: "root's part of an update; started by the system's own units",
  help: `Usage: gatehouse apply-update [--boot]

Takes the update that the hub has put ready, checks it again, installs it, watches it, and keeps it or rolls back. --boot: continues after
a restart of the whole box. Started by gatehouse-update.service; you never have to call it.`,
  async run(args, io) {
    const { values } = readArguments(args, { boot: { type: "boolean" } });
    const { dataFolder } = openPlace(io, values.data ?? io.env.GATEHOUSE_DATA ?? "/var/lib/gatehouse");
    const options = realOptions(io, dataFolder);
    if (values.boot) {
      resumeAtBoot(options);
      return 0;
    }
    const { phase } = await applyUpdate(options);
    return phase === "failed" ? 1 : 0;
  },
};

function realOptions(io: CliIo, dataFolder: string): ApplyOptions {
  const stateFolder = io.env.GATEHOUSE_UPDATE_STATE ?? STATE_FOLDER;
  const work = join(stateFolder, "incoming");
  const run = (command: string, args: readonly string[]): string =>
    execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const strategy =
    updateKind() === "slot"
      ? slotStrategy({ tool: SLOT_TOOL, work, version: io.version, run })
      : versionsStrategy({
          program: dirname(dirname(io.projectFolder)),
          units: "/etc/systemd/system",
          dataFolder,
          work,
          clock: systemClock,
          run,
        });
  return {
    stateFolder,
    dataFolder,
    work,
    arch: debianArch(process.arch),
    keys: () => trustedKeys(io.projectFolder),
    strategy,
    run,
    say: (line) => io.out(`${line}\n`),
    clock: systemClock,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
