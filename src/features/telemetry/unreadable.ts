import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import type { TelemetryTables } from "./compaction.ts";

/** Sets aside unreadable history, so that everything else continues without it. */
export class Unreadable {
  readonly #parts: ConstructorParameters<typeof Unreadable>[0];

  constructor(parts: {
    readonly database: Database;
    readonly tables: TelemetryTables;
    readonly logger: Logger;
    /** Called when a block is no longer in the tables. */
    readonly dropped: (blockId: number) => void;
  }) {
    this.#parts = parts;
  }

  /** Sets aside journal rows that cannot be read, and reports them. */
  journalRows(rows: readonly { readonly id: number; readonly samples: Buffer }[]): void {
    const { database, tables, logger } = this.#parts;
    try {
      database.writeNow(() => {
        for (const { id, samples } of rows) {
          database.setAside({
            table: "telemetry_journal",
            key: String(id),
            column: "samples",
            content: samples.toString("base64"),
          });
          tables.journal.remove(id);
        }
      });
    } catch (error) {
      logger.error(
        { rows: rows.map(({ id }) => id), err: error },
        "rows of the telemetry journal cannot be read; they are left out",
      ); // the storage is in trouble and reports that itself
    }
  }

  /** Sets aside a block that a reader could not read, outside of a job. */
  blockSoon(blockId: number): void {
    this.#parts.database
      .write(() => this.block(blockId))
      .catch((error: unknown) =>
        this.#parts.logger.error({ block: blockId, err: error }, "a block of samples cannot be read; it is left out"),
      );
  }

  /** Sets aside a block that cannot be read; inside a write job. */
  block(blockId: number): void {
    const { database, tables, dropped } = this.#parts;
    const content = tables.blocks.content(blockId);
    if (content === null) return; // set aside before
    const [times, samples] = [content.times.toString("base64"), content.samples.toString("base64")];
    database.setAside({
      table: "telemetry_block",
      key: String(blockId),
      column: "samples",
      content: JSON.stringify({ times, samples }),
    });
    tables.blocks.remove(blockId);
    database.committed(() => dropped(blockId));
  }
}
