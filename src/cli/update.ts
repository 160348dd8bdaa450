import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Problem } from "../core/kernel/problem.ts";
import { debianArch, trustedKeys } from "../features/updates/bundle.ts";
import { STATE_FOLDER, updateKind } from "../features/updates/place.ts";
import { stageUpdate } from "../features/updates/stage-update.ts";
import { readState, requestUpdate, type UpdateState } from "../features/updates/state.ts";
import { type CliIo, type Command, json, openPlace, readArguments, UsageError } from "./command.ts";

/** `gatehouse update FILE|status|rollback`. */
export const updateCommand: Command = {
  name: "update",
  summary: "install a signed update from a file, go back, or see how the last one went",
  help: `Usage: gatehouse update FILE
       gatehouse update status
       gatehouse update rollback

FILE is checked to the last byte: its signature, that it fits this machine, and every hash. Then it is installed beside the running
version, the hub is restarted, and the new version is kept once it has been healthy for two minutes; otherwise the previous one is restored.
rollback does the same by hand; if the newer version has changed the database, what was recorded since is set aside and not shown. Needs root.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {});
    const [what, ...more] = positionals;
    if (what === undefined || more.length > 0) throw new UsageError("Name the file, or status, or rollback.");
    const { dataFolder } = openPlace(io, values.data);
    const stateFolder =
      io.env.GATEHOUSE_UPDATE_STATE ??
      (existsSync(STATE_FOLDER) || io.projectFolder.startsWith("/opt/gatehouse/") ? STATE_FOLDER : "");
    const state = readState(stateFolder);
    if (what === "status") return tell(io, state, values.json === true);
    if (what === "rollback") {
      if (state.from === null || state.version !== io.version)
        throw new Problem("conflict", "There is no version before this one on the box.");
      await requestUpdate(dataFolder, { kind: "rollback" });
      io.out(`Going back to ${state.from}; see: gatehouse update status\n`);
      return 0;
    }
    const target = {
      version: io.version,
      dataFolder,
      stateFolder,
      arch: debianArch(process.arch),
      kind: updateKind(),
      keys: () => trustedKeys(io.projectFolder),
    };
    const manifest = await stageUpdate(resolve(what), target, state);
    io.out(
      values.json
        ? json(manifest)
        : `Version ${manifest.version} is sound and signed. It is being installed; see: gatehouse update status\n`,
    );
    return 0;
  },
};

function tell(io: CliIo, state: UpdateState, asJson: boolean): number {
  const at = state.at === null ? "" : ` (${new Date(state.at).toISOString()})`;
  io.out(asJson ? json({ running: io.version, ...state }) : `Running: ${io.version}\n${state.text}${at}\n`);
  return 0;
}
