import type { Base } from "../../core/base.ts";
import type { Database } from "../../core/storage/database.ts";
import type { GateTables } from "./tables.ts";

/** Up to which plate read each person has looked at them, on whatever device. */
export class SeenReads {
  readonly #database: Database;
  readonly #tables: Pick<GateTables, "seen">;

  constructor({ database }: Base, tables: GateTables) {
    this.#database = database;
    this.#tables = tables;
  }

  /** Id of the newest read that the person has seen; null for somebody who never looked. */
  upTo(accountId: number): number | null {
    return this.#tables.seen.upTo(accountId);
  }

  /**
   * The person has seen everything up to a read. Future reads never count as seen, whatever `upToId` says, and a mark
   * never moves back.
   */
  async raise(siteId: number, accountId: number, upToId: number): Promise<void> {
    const { seen } = this.#tables;
    const newest = seen.newest(siteId, upToId) ?? 0;
    const before = seen.upTo(accountId);
    if (before !== null && newest <= before) return; // nothing to write
    await this.#database.write(() => seen.raise(accountId, newest));
  }
}
