/**
 * Values that a set-up document has created and that nobody has confirmed reading, sealed with the hub's key: the text
 * of a key exists nowhere else, and the power may fail between the commit and the printer. Also the settings of a
 * document until they are in their file. Writing methods belong inside a write job.
 */

import { Problem } from "../../core/kernel/problem.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { Database } from "../../core/storage/database.ts";
import { BackupTable } from "../backups/tables/backup.ts";

const RESULTS = "provisioned";
const SETTINGS = "provisioned settings";

/** See the head of the file. */
export class UnprintedResults {
  readonly #table: BackupTable;
  readonly #key: HubKey;

  constructor(database: Database, key: HubKey) {
    this.#table = new BackupTable(database);
    this.#key = key;
  }

  /** Results of earlier documents, oldest first; none if the hub's key cannot open them. */
  read(): readonly object[] {
    return (this.#open(RESULTS) ?? []) as readonly object[]; // written by add()
  }

  add(result: object): void {
    this.#seal(RESULTS, [...this.read(), result]);
  }

  clear(): void {
    this.#table.setSecret(RESULTS, null);
  }

  settings(): Readonly<Record<string, unknown>> {
    return (this.#open(SETTINGS) ?? {}) as Record<string, unknown>; // written by noteSettings()
  }

  noteSettings(settings: Readonly<Record<string, unknown>> | null): void {
    if (settings === null) this.#table.setSecret(SETTINGS, null);
    else this.#seal(SETTINGS, { ...this.settings(), ...settings });
  }

  #seal(name: string, value: unknown): void {
    this.#table.setSecret(name, this.#key.seal(Buffer.from(JSON.stringify(value)), name));
  }

  #open(name: string): unknown {
    const sealed = this.#table.secret(name);
    if (sealed === null) return null;
    try {
      return JSON.parse(this.#key.open(sealed, name).toString());
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}
