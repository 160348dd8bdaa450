import type { Database } from "../../../core/storage/database.ts";
import { storedJson } from "../../../core/storage/stored-json.ts";
import type { MatterTables } from "../tables/matter.ts";
import type { Guesses, GuessStore } from "./pin.ts";

/** The guesses at the PIN, stored beside it in the database. A failed write is made up for by the next. */
export class StoredGuesses implements GuessStore {
  readonly #database: Database;
  readonly #tables: MatterTables;

  constructor(database: Database, tables: MatterTables) {
    this.#database = database;
    this.#tables = tables;
  }

  read(siteId: number): Readonly<Record<string, Guesses>> {
    return storedJson<Readonly<Record<string, Guesses>>>(this.#tables.guesses(siteId) ?? "{}", {});
  }

  write(siteId: number, guesses: Readonly<Record<string, Guesses>>): void {
    const text = JSON.stringify(guesses);
    this.#database.write(() => this.#tables.setGuesses(siteId, text)).catch(() => {}); // the database reports that itself
  }
}
