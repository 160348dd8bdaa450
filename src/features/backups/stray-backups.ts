import { join } from "node:path";
import type { Database } from "../../core/storage/database.ts";
import { isEncrypted, timeOf } from "./backup-name.ts";
import type { DestinationProbe } from "./destination-probe.ts";
import type { Destination } from "./destinations.ts";
import type { BackupRow, BackupTable } from "./tables/backup.ts";

const FIRST_ID = 2 ** 40;

/** Adds backups at a destination that have no row. */
export class StrayBackups {
  readonly #parts: ConstructorParameters<typeof StrayBackups>[0];
  /** Backups that were found while their rows could not be written, by an id that no row has. */
  readonly #unlisted = new Map<number, BackupRow>();
  #nextId = FIRST_ID;

  constructor(parts: {
    readonly database: Database;
    readonly table: BackupTable;
    readonly probe: DestinationProbe;
  }) {
    this.#parts = parts;
  }

  /** Those without a row. */
  unlisted(): Iterable<BackupRow> {
    return this.#unlisted.values();
  }

  get(id: number): BackupRow | undefined {
    return this.#unlisted.get(id);
  }

  /** Whether it was one. */
  delete(id: number): boolean {
    return this.#unlisted.delete(id);
  }

  /**
   * Adds backups at a destination that have no row: a restore went back behind them, or their deletion was cut off.
   * They have no digest here, and rotation never removes them.
   */
  async takeUp(destinations: readonly Destination[], isRunning: () => boolean): Promise<void> {
    const { database, table, probe } = this.#parts;
    const known = new Set(table.list().map(({ file }) => file));
    const found: Omit<BackupRow, "id">[] = [];
    for (const { name: destination, path, ready } of destinations) {
      if (!ready || path === null) continue;
      for (const { name, bytes } of await probe.filesIn(path)) {
        const at = timeOf(name);
        const file = join(path, name);
        if (at === null || known.has(file)) continue;
        const encrypted = isEncrypted(name) ? 1 : 0;
        found.push({
          at,
          reason: "person",
          destination,
          file,
          bytes,
          sha256: null,
          encrypted,
          version: "",
          problem: null,
          words: null,
        });
      }
    }
    if (found.length === 0) this.#unlisted.clear();
    if (found.length === 0 || isRunning()) return; // one that is being written has its row in a moment
    const stored = await database.writeIfPossible(() => {
      for (const row of found) table.insert(row);
      return true;
    });
    const listed = new Map([...this.#unlisted.values()].map(({ file, id }) => [file, id]));
    this.#unlisted.clear();
    if (stored !== null) return;
    // The storage takes nothing, and a backup may be what puts that right. Each keeps its id for as long as the hub
    // runs.
    for (const row of found) {
      const id = listed.get(row.file) ?? this.#nextId++;
      this.#unlisted.set(id, { ...row, id });
    }
  }
}
