// @ts-check
import { createHash } from "node:crypto";

/**
 * @typedef {{ id: number, file: string, sha256: string }} KeptBackup
 * @typedef {{ samples: Set<string>, rooms: Set<string>, backups: Map<number, KeptBackup>, goneBackups: Map<number,
 *   string>, gonePlates: Set<string> }} Ledger
 */

export const sha256 = (/** @type {Buffer} */ bytes) => createHash("sha256").update(bytes).digest("hex");

/** What was acknowledged, and what was acknowledged as deleted. @returns {Ledger} */
export const emptyLedger = () => ({
  samples: new Set(),
  rooms: new Set(),
  backups: new Map(),
  goneBackups: new Map(),
  gonePlates: new Set(),
});
