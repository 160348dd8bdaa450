import type { AgedHistory } from "../../src/core/kernel/aged-history.ts";

/** Removes everything that is too old, whatever the share of a day; answers how many went. */
export async function removeAllDue(history: AgedHistory): Promise<number> {
  return history.remove(await history.due(history.keepDays()));
}
