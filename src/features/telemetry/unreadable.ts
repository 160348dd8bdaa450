import type { Base } from "../../core/base.ts";
import type { TelemetryTables } from "./tables.ts";

/** Sets aside unreadable history, so that everything else continues without it. */
export class Unreadable {
  readonly #base: Base;
  readonly #tables: TelemetryTables;
  #onDropped: (blockId: number) => void = () => {};

  constructor(base: Base, tables: TelemetryTables) {
    this.#base = base;
    this.#tables = tables;
  }

  /** Calls `listener` when a block is no longer in the tables. */
  onDropped(listener: (blockId: number) => void): void {
    this.#onDropped = listener;
  }

  /** Sets aside journal rows that cannot be read, and reports them. */
  journalRows(rows: readonly { readonly id: number; readonly samples: Buffer }[]): void {
    const { database, logger } = this.#base;
    try {
      database.writeNow(() => {
        for (const { id, samples } of rows) {
          database.setAside({
            table: "telemetry_journal",
            key: String(id),
            column: "samples",
            content: samples.toString("base64"),
          });
          this.#tables.journal.remove(id);
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
    this.#base.database
      .write(() => this.block(blockId))
      .catch((error: unknown) =>
        this.#base.logger.error({ block: blockId, err: error }, "a block of samples cannot be read; it is left out"),
      );
  }

  /** Sets aside a block that cannot be read; inside a write job. */
  block(blockId: number): void {
    const { database } = this.#base;
    const content = this.#tables.blocks.content(blockId);
    if (content === null) return; // set aside before
    const [times, samples] = [content.times.toString("base64"), content.samples.toString("base64")];
    database.setAside({
      table: "telemetry_block",
      key: String(blockId),
      column: "samples",
      content: JSON.stringify({ times, samples }),
    });
    this.#tables.blocks.remove(blockId);
    database.committed(() => this.#onDropped(blockId));
  }
}
