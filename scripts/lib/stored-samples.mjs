// @ts-check
/** The samples in a hub's database as its own code reads them: what trials compare with what was acknowledged. */

/** What unpacks rows of samples. @returns {Promise<Formats>} */
export async function sampleFormats() {
  const { unpackJournal } = await import("../../src/features/telemetry/journal-format.ts");
  const { unpackBlock } = await import("../../src/features/telemetry/block-format.ts");
  return { unpackJournal, unpackBlock };
}

/**
 * @typedef {Pick<typeof import("../../src/features/telemetry/journal-format.ts"), "unpackJournal"> & Pick<typeof
 *   import("../../src/features/telemetry/block-format.ts"), "unpackBlock">} Formats
 */

/**
 * Every sample, with its device.
 * @param {import("better-sqlite3").Database} database
 * @param {Formats} formats
 * @param {(deviceId: string, data: Record<string, unknown>) => void} take
 * @param {(error: unknown) => void} [unreadable] hears of each row that cannot be unpacked; without it the first one is
 *   thrown
 */
export function eachStoredSample(database, formats, take, unreadable) {
  /** @type {{ ref: number, deviceId: string }[]} */
  const devices = all(database, "SELECT ref, device_id AS deviceId FROM telemetry_device");
  const names = new Map(devices.map(({ ref, deviceId }) => [ref, deviceId]));
  /** @param {number} ref @param {string} text */
  const add = (ref, text) => take(names.get(ref) ?? "", JSON.parse(text));
  /** @type {{ samples: Buffer }[]} */
  const journal = all(database, "SELECT samples FROM telemetry_journal");
  /** @type {{ device: number, times: Buffer, samples: Buffer }[]} */
  const blocks = all(database, "SELECT device, times, samples FROM telemetry_block");
  /** @param {() => void} read */
  const row = (read) => {
    try {
      read();
    } catch (error) {
      if (unreadable === undefined) throw error;
      unreadable(error);
    }
  };
  for (const { samples } of journal)
    row(() => {
      for (const entry of formats.unpackJournal(samples))
        if (entry.kind === "message") for (const { text } of entry.samples) add(entry.ref, text);
    });
  for (const block of blocks)
    row(() => {
      for (const { text } of formats.unpackBlock(block)) add(block.device, text);
    });
}

/**
 * All rows of a query, typed by its caller.
 * @template Row
 * @param {import("better-sqlite3").Database} database
 * @param {string} sql
 * @returns {Row[]}
 */
export function all(database, sql) {
  return /** @type {Row[]} */ (database.prepare(sql).all());
}
