import type { AgedHistory } from "../../src/core/kernel/aged-history.ts";

/** Removes everything that is too old, ignoring the daily quota; returns how many were removed. */
export async function removeAllDue(history: AgedHistory): Promise<number> {
  return history.remove(await history.due(history.keepDays()));
}
