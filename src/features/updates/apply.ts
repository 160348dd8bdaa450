import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/kernel/clock.ts";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { writeFileAtomicSync } from "../../core/kernel/write-file-atomic.ts";
import { reasonEnglish, reasonOf } from "../../core/text/described-error.ts";
import { withEnglish } from "../../core/text/english.ts";
import type { Detail } from "../../core/text/keys.ts";
import { checkFiles, openBundle } from "./bundle.ts";
import { misfit } from "./stage-update.ts";
import {
  NO_UPDATE,
  REQUESTS,
  readJson,
  readState,
  STATE_FILE,
  UPDATE_MARKER,
  type UpdateRequest,
  type UpdateState,
} from "./state.ts";
import type { InstallStrategy, RunCommand } from "./strategies.ts";

/** What the updater that runs as root works with. */
export interface ApplyOptions {
  readonly stateFolder: string;
  readonly dataFolder: string;
  /** Only root can write to it. */
  readonly work: string;
  readonly arch: string;
  readonly keys: () => readonly string[];
  readonly strategy: InstallStrategy;
  readonly run: RunCommand;
  readonly say: (line: string) => void;
  readonly clock: Pick<Clock, "now" | "mono">;
  /** Waits; in tests time just passes. */
  readonly wait: (ms: number) => Promise<void>;
}

const POLL_MS = 2_000;
/** The longest check and migration of a database, and the two minutes. */
const TRIAL_MS = 15 * 60_000;
const MOST_CRASHES = 3;
const MOST_BOOTS = 3;

/**
 * Takes the hub's request, if there is one, and completes an update that is under way. Never throws: what went wrong is
 * in the state.
 */
export async function applyUpdate(options: ApplyOptions): Promise<UpdateState> {
  const requestFile = join(options.dataFolder, REQUESTS, "update");
  const request = readJson(requestFile) as UpdateRequest | null; // any other content is ignored
  rmSync(requestFile, { force: true });
  try {
    if (request?.kind === "install") await install(options);
    else if (request?.kind === "rollback") personGoesBack(options);
    else if (readState(options.stateFolder).phase === "trial") await watch(options);
  } catch (error) {
    const { version, from } = readState(options.stateFolder);
    const problem = fileProblem(error, "update") ?? error;
    note(options, {
      phase: "failed",
      version,
      from,
      ...withEnglish({ code: "update.failed", why: reasonOf(problem) }),
    });
  }
  return readState(options.stateFolder);
}

/**
 * At a boot in the middle of an update: counts it, gives up after three, or resumes the watch. Must be quick: the hub
 * waits.
 */
export function resumeAtBoot(options: ApplyOptions): void {
  const { stateFolder, strategy, run } = options;
  const state = readState(stateFolder);
  if (state.phase === "installing") {
    rmSync(options.work, { recursive: true, force: true });
    note(options, { ...state, phase: "failed", ...withEnglish({ code: "update.tryAgain" }) });
  } else if (state.phase !== "trial") {
    rmSync(join(stateFolder, UPDATE_MARKER), { force: true });
  } else if (strategy.current() !== state.version) {
    const isSlot = strategy.kind === "slot";
    note(options, {
      ...state,
      phase: isSlot ? "rolled-back" : "failed",
      ...withEnglish({ code: isSlot ? "update.notProven" : "update.neverStarted" }),
    });
  } else if (strategy.kind === "versions" && state.boots + 1 >= MOST_BOOTS) {
    back(options, state, { code: "update.threeStarts" });
  } else {
    writeState(options, { ...state, boots: state.boots + 1 });
    run("systemctl", ["start", "--no-block", "gatehouse-update.service"]);
  }
}

async function install(options: ApplyOptions): Promise<void> {
  const { dataFolder, work, strategy, stateFolder, keys, arch, say } = options;
  const from = strategy.current();
  mkdirSync(stateFolder, { recursive: true });
  writeFileAtomicSync(join(stateFolder, UPDATE_MARKER), "", 0o644);
  note(options, { phase: "installing", version: null, from, ...withEnglish({ code: "update.checking" }) });
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    // Moved out of the hub's reach first, then checked: a file in the hub's folder could change in between.
    const bundleFile = join(work, "bundle.tar");
    const given = join(dataFolder, REQUESTS, "bundle.tar");
    // a link would have root read anything
    if (!lstatSync(given).isFile()) throw new Problem("conflict", { code: "conflict.updateNone" });
    copyFileSync(given, bundleFile, constants.COPYFILE_FICLONE);
    rmSync(given, { force: true });
    const bundle = openBundle(bundleFile, keys());
    const wrong = misfit(bundle.manifest, { arch, kind: strategy.kind, version: from });
    if (wrong !== null) throw new Problem("conflict", wrong);
    await checkFiles(bundle);
    const { version } = bundle.manifest;
    say(`Installing ${version} beside ${from}.`);
    await strategy.place(bundle);
    rmSync(join(dataFolder, REQUESTS, "healthy"), { force: true });
    note(options, { phase: "trial", version, from, ...withEnglish({ code: "update.trial", version }) });
    if (strategy.tryIt(version).reboots) return;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  await watch(options);
}

/** Watches until the hub reports that it has proved itself, crashes too often, gives up, or the time is over. */
async function watch(options: ApplyOptions): Promise<void> {
  const { clock, wait, strategy, dataFolder, run, stateFolder } = options;
  const state = readState(stateFolder);
  const { version } = state;
  if (version === null) return;
  const begun = clock.mono();
  while (clock.mono() - begun < TRIAL_MS) {
    // written by the hub; only its version is read
    const healthy = readJson(join(dataFolder, REQUESTS, "healthy")) as { version?: unknown } | null;
    if (healthy?.version === version) return keep(options, state, version);
    if ((readJson(join(dataFolder, REQUESTS, "update")) as UpdateRequest | null)?.kind === "rollback") {
      rmSync(join(dataFolder, REQUESTS, "update"), { force: true });
      return back(options, state, { code: "update.personWanted" });
    }
    if (strategy.kind === "versions") {
      const { active, result, restarts } = serviceState(run);
      if (active === "failed") return back(options, state, { code: "update.notStarting", result });
      if (restarts >= MOST_CRASHES) return back(options, state, { code: "update.crashed", n: restarts });
    }
    await wait(POLL_MS);
  }
  back(options, state, { code: "update.notHealthy" });
}

function keep(options: ApplyOptions, state: UpdateState, version: string): void {
  options.strategy.commit(version);
  note(options, { ...state, phase: "committed", ...withEnglish({ code: "update.committed", version }) });
}

function back(options: ApplyOptions, state: UpdateState, why: Detail): void {
  const { strategy, say } = options;
  const { from, version } = state;
  if (from === null) throw new Problem("conflict", { code: "conflict.noVersionBefore" });
  say(`Going back from ${version} to ${from}: ${reasonEnglish(why)}.`);
  const lost = strategy.goBack(from);
  const data = lost ?? ({ code: "update.nothingLost" } as const);
  note(options, {
    ...state,
    phase: "rolled-back",
    ...withEnglish({ code: "update.rolledBack", version: version ?? "", why, from, data }),
  });
}

function personGoesBack(options: ApplyOptions): void {
  const state = readState(options.stateFolder);
  if (state.from === null || (state.phase !== "committed" && state.phase !== "trial"))
    throw new Problem("conflict", { code: "conflict.noVersionBefore" });
  if (options.strategy.current() !== state.version)
    throw new Problem("conflict", { code: "conflict.otherVersionRuns" });
  back(options, state, { code: "update.personWanted" });
}

function serviceState(run: RunCommand): { active: string; result: string; restarts: number } {
  const text = run("systemctl", ["show", "gatehouse.service", "-p", "ActiveState,Result,NRestarts"]);
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1] ?? "";
  return { active: value("ActiveState"), result: value("Result"), restarts: Number(value("NRestarts") || 0) };
}

/** A change of phase: writes and prints it, and sets or removes the marker of an update under way. */
function note(options: ApplyOptions, change: Omit<UpdateState, "at" | "boots"> & { readonly boots?: number }): void {
  const { clock, say, stateFolder } = options;
  writeState(options, { ...NO_UPDATE, ...change, boots: 0, at: clock.now() });
  const isUnderWay = change.phase === "installing" || change.phase === "trial";
  if (!isUnderWay && existsSync(join(stateFolder, UPDATE_MARKER)))
    rmSync(join(stateFolder, UPDATE_MARKER), { force: true });
  say(change.text);
}

function writeState({ stateFolder }: ApplyOptions, state: UpdateState): void {
  writeFileAtomicSync(join(stateFolder, STATE_FILE), `${JSON.stringify(state)}\n`, 0o644);
}
