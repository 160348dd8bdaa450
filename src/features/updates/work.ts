import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { askThread } from "../../core/kernel/thread.ts";
import { errorText } from "../../core/text/described-error.ts";
import { withEnglish } from "../../core/text/english.ts";
import type { FoundUpdate } from "./api/console-updates.ts";
import { openBundle } from "./bundle.ts";
import { misfit, stageUpdate, type UpdateBox } from "./stage-update.ts";
import type { UpdatePhase } from "./state.ts";

/** The host, with the PEM keys whose updates it takes. */
type KeyedBox = UpdateBox & { readonly keys: readonly string[] };

/** What touches sticks and shares; each is a plain message to a thread. */
export type UpdateOrder =
  | { readonly kind: "look"; readonly folder: string; readonly box: KeyedBox }
  | {
      readonly kind: "stage";
      readonly file: string;
      readonly box: KeyedBox;
      readonly dataFolder: string;
      readonly stateFolder: string;
      readonly phase: UpdatePhase;
    };

/** What each order answers. */
export interface UpdateResults {
  readonly look: readonly FoundUpdate[];
  readonly stage: null;
}

/** How orders are carried out. An aborted signal gives the order up. */
export type DoUpdateWork = <Order extends UpdateOrder>(
  order: Order,
  signal?: AbortSignal,
) => Promise<UpdateResults[Order["kind"]]>;

/** Maximum files of one folder that are examined. */
const MOST_FILES = 20;

/**
 * Does one order. Blocks for as long as the medium does: belongs into a thread. @throws Problem as {@link stageUpdate}
 */
export async function doUpdateWork<Order extends UpdateOrder>(order: Order): Promise<UpdateResults[Order["kind"]]> {
  const result: UpdateResults[UpdateOrder["kind"]] =
    order.kind === "look" ? updatesIn(order.folder, order.box) : await takeFrom(order);
  return result as UpdateResults[Order["kind"]]; // the result of this very kind
}

/** Carries out one order in a thread of its own. */
export const updateWorkInThread: DoUpdateWork = (order, signal) =>
  askThread(new URL("./update-worker.ts", import.meta.url), order, signal);

async function takeFrom({
  file,
  box,
  dataFolder,
  stateFolder,
  phase,
}: Extract<UpdateOrder, { kind: "stage" }>): Promise<null> {
  await stageUpdate(file, { ...box, dataFolder, stateFolder, keys: () => box.keys }, { phase });
  return null;
}

function updatesIn(folder: string, box: KeyedBox): FoundUpdate[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^gatehouse-.*\.tar$/.test(name))
      .slice(0, MOST_FILES)
      .map((name) => updateIn(join(folder, name), box));
  } catch {
    return []; // pulled out a moment ago
  }
}

function updateIn(file: string, box: KeyedBox): FoundUpdate {
  const { size: bytes, mtimeMs } = statSync(file);
  try {
    const { manifest } = openBundle(file, box.keys);
    const wrong = misfit(manifest, box);
    const { version, builtAt } = manifest;
    return {
      file,
      version,
      bytes,
      builtAt,
      fits: wrong === null,
      ...withEnglish(wrong ?? { code: "update.fits", version }),
    };
  } catch (error) {
    return { file, version: "", bytes, builtAt: new Date(mtimeMs).toISOString(), fits: false, ...errorText(error) };
  }
}
