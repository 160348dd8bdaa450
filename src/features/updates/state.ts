import { chownSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolderSync } from "../../core/kernel/folder-below.ts";
import { smallFileText } from "../../core/kernel/small-file.ts";
import { writeFileAtomic } from "../../core/kernel/write-file-atomic.ts";
import { withEnglish } from "../../core/text/english.ts";
import type { Recorded } from "../../core/text/render.ts";

/** The progress of an update. */
export type UpdatePhase = "none" | "waiting" | "installing" | "trial" | "committed" | "rolled-back" | "failed";

/** What root's part of the system reports about the latest update. */
export interface UpdateState {
  readonly phase: UpdatePhase;
  /** The version that it is about. */
  readonly version: string | null;
  /** The version before. */
  readonly from: string | null;
  /** Epoch milliseconds of the last change of phase. */
  readonly at: number | null;
  /** In English. */
  readonly text: string;
  /** {@link text} as a code with values; absent in what an earlier version wrote. */
  readonly words?: Recorded;
  /** Starts of the whole box during the trial. */
  readonly boots: number;
}

/** Before any update. */
export const NO_UPDATE: UpdateState = {
  phase: "none",
  version: null,
  from: null,
  at: null,
  ...withEnglish({ code: "update.none" }),
  boots: 0,
};

/** Names of the files through which the hub and the updater that runs as root communicate. */
export const STATE_FILE = "state.json";
/** Beside the state while an update is under way; a unit's condition looks for it. */
export const UPDATE_MARKER = "trial";
/** In the data folder: the hub's requests. */
export const REQUESTS = "requests";

/** The hub's request to root's part. */
export type UpdateRequest = { readonly kind: "install" } | { readonly kind: "rollback" };

/** Reads the state; {@link NO_UPDATE} without one. */
export function readState(folder: string): UpdateState {
  try {
    // written by writeState
    return { ...NO_UPDATE, ...(JSON.parse(smallFileText(join(folder, STATE_FILE)) ?? "{}") as Partial<UpdateState>) };
  } catch {
    return NO_UPDATE;
  }
}

/** Reads a small JSON file; null when it is missing or torn. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(smallFileText(file) ?? "null");
  } catch {
    return null;
  }
}

/** Leaves a request for root's part. The folder belongs to the hub, even if root asks on the command line. */
export function requestUpdate(dataFolder: string, request: UpdateRequest): Promise<void> {
  return writeFileAtomic(join(requestsFolder(dataFolder), "update"), JSON.stringify(request));
}

/** The folder of requests, made when it is missing. */
export function requestsFolder(dataFolder: string): string {
  const folder = join(dataFolder, REQUESTS);
  makeFolderSync(folder);
  const { uid, gid } = statSync(dataFolder);
  if (process.getuid?.() === 0) chownSync(folder, uid, gid);
  return folder;
}
