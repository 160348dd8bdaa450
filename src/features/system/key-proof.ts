import { type HubKey, keyProof, opensProof } from "../../core/platform/hub-key.ts";
import type { Database } from "../../core/storage/database.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";

/** Name of the proof in the table `hub`. */
export const KEY_PROOF = "key_proof";

/**
 * Whether the hub's key is another one than that with which the database's secrets were sealed. A database without a
 * proof gets one: from then on a changed key is noticed.
 */
export function settleKey(database: Database, key: HubKey): boolean {
  const table = new HubTable(database);
  const proof = table.get(KEY_PROOF);
  if (proof !== null) return !opensProof(key, proof);
  database.write(() => table.set(KEY_PROOF, keyProof(key))).catch(() => {}); // the next start makes up for it
  return false;
}

/** A person accepts the present key: data sealed with the previous one stays locked. Call it inside a job. */
export function acceptKey(database: Database, key: HubKey): void {
  new HubTable(database).set(KEY_PROOF, keyProof(key));
}
