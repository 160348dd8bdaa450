import type { Logger } from "../kernel/logger.js";
import type { Database } from "../storage/database.js";
import type { TelemetryTables } from "./compaction.js";

interface UnreadableParts {
  readonly database: Database;
  readonly tables: TelemetryTables;
  readonly logger: Logger;
  /** A block is in the tables no more. */
  readonly dropped: (blockId: number) => void;
}

/** Keeps aside what of the history cannot be read, so that all else goes on without it. */
export class Unreadable {
  readonly #parts: UnreadableParts;

  constructor(parts: UnreadableParts) {
    this.#parts = parts;
  }

  /** A row of the journal that cannot be read is one row: it is kept aside, and told. */
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
      ); // the storage is not well, and says so
    }
  }

  /** A block that a reader could not read, outside of a job. */
  blockSoon(blockId: number): void {
    this.#parts.database
      .write(() => this.block(blockId))
      .catch((error: unknown) =>
        this.#parts.logger.error({ block: blockId, err: error }, "a block of samples cannot be read; it is left out"),
      );
  }

  /** A block that cannot be read; inside a write job. */
  block(blockId: number): void {
    const { database, tables, dropped } = this.#parts;
    const content = tables.blocks.content(blockId);
    if (content === null) return; // put aside before
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
