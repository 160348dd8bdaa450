import type { ListedRead } from "../storage/tables/plate-read.js";

/**
 * Passes that are decided and not on disk yet, so that the next burst of a camera need not wait for the disk to join
 * them.
 */
export class PendingPasses {
  readonly #byCamera = new Map<string, Map<number, ListedRead>>();

  /** Those of one camera, by read id. */
  of(deviceId: string): ReadonlyMap<number, ListedRead> {
    return this.#byCamera.get(deviceId) ?? NONE;
  }

  /** Those of a plate, at all cameras. */
  ofPlate(plate: string): ListedRead[] {
    return [...this.#byCamera.values()].flatMap((rows) => [...rows.values()].filter((row) => row.plate === plate));
  }

  /** Notes a pass as it will stand on disk; a later burst's note of the same pass replaces it. */
  note(row: ListedRead): void {
    const rows = this.#byCamera.get(row.deviceId) ?? new Map<number, ListedRead>();
    rows.set(row.id, row);
    this.#byCamera.set(row.deviceId, rows);
  }

  /** Forgets what is on disk now, or could not be stored; what a later burst noted stays. */
  forget(rows: readonly ListedRead[]): void {
    for (const row of rows) {
      const standing = this.#byCamera.get(row.deviceId);
      if (standing?.get(row.id) === row) standing.delete(row.id);
      if (standing?.size === 0) this.#byCamera.delete(row.deviceId);
    }
  }
}

const NONE: ReadonlyMap<number, ListedRead> = new Map();
