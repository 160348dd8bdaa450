import { renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { chunksOf, steadyWriter } from "../../core/kernel/steady-file.ts";
import type { Detail } from "../../core/text/keys.ts";
import { type BundleManifest, checkFiles, openBundle } from "./bundle.ts";
import { requestsFolder, requestUpdate, type UpdateState } from "./state.ts";
import { isNewer } from "./version-order.ts";

/** The requirements for an update. */
export interface UpdateBox {
  /** Version that runs. */
  readonly version: string;
  /** Debian's name of the processor. */
  readonly arch: string;
  /** What this host accepts: a program beside others, or a whole system for the idle slot of a card. */
  readonly kind: BundleManifest["kind"];
}

/** The state of the host that {@link stageUpdate} requires. */
export interface UpdateTarget extends UpdateBox {
  readonly dataFolder: string;
  /** Where root's part reports how updates went; empty: no such part. */
  readonly stateFolder: string;
  /** PEM keys whose updates are accepted. */
  readonly keys: () => readonly string[];
}

/** Left free on the disk, because the hub keeps recording meanwhile. */
const SPARE_BYTES = 64 * 1_048_576;

/**
 * Checks a whole bundle and leaves it with a request for root's part. Blocks as long as its medium does.
 * @throws Problem `forbidden` when it is not signed by a trusted key, `conflict` when it is not for this host,
 *   `storage_full` before anything is written, and the errors of {@link openBundle} and {@link checkFiles}
 */
export async function stageUpdate(
  file: string,
  target: UpdateTarget,
  state: Pick<UpdateState, "phase">,
): Promise<BundleManifest> {
  if (target.stateFolder === "") throw new Problem("conflict", { code: "update.unmanaged" });
  if (["waiting", "installing", "trial"].includes(state.phase))
    throw new Problem("conflict", { code: "update.underWay" });
  const bundle = openBundle(file, target.keys());
  const wrong = misfit(bundle.manifest, target);
  if (wrong !== null) throw new Problem("conflict", wrong);
  const folder = requestsFolder(target.dataFolder);
  const draft = join(folder, "bundle.part");
  checkRoom(folder, statSync(file).size);
  try {
    await pipeline(Readable.from(chunksOf(file), { objectMode: false }), steadyWriter(draft));
    await checkFiles({ ...bundle, file: draft });
    renameSync(draft, join(folder, "bundle.tar"));
  } catch (error) {
    throw fileProblem(error, "update") ?? error;
  } finally {
    rmSync(draft, { force: true });
  }
  rmSync(join(folder, "healthy"), { force: true });
  await requestUpdate(target.dataFolder, { kind: "install" });
  return bundle.manifest;
}

function checkRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = bytes + SPARE_BYTES;
  if (bavail * bsize < needed)
    throw new Problem("storage_full", {
      code: "update.noRoom",
      folder,
      megabytes: Math.ceil(needed / 1_048_576),
    });
}

/** Why a bundle is not for this box; null when it is. */
export function misfit({ arch, kind, version }: BundleManifest, box: UpdateBox): Detail | null {
  if (arch !== box.arch) return { code: "conflict.updateArch", arch, own: box.arch };
  if (kind !== box.kind)
    return kind === "slot" ? { code: "conflict.updateForCard" } : { code: "conflict.updateForInstalled" };
  if (version === box.version) return { code: "conflict.updateRuns", version };
  // An old release is signed too, and its faults are known: a client that may upload a file must not be able to bring
  // them back.
  if (!isNewer(version, box.version)) return { code: "conflict.updateOlder", version, own: box.version };
  return null;
}
