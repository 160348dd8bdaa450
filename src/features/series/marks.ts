import type { Database } from "../../core/storage/database.ts";
import { SeriesTable } from "./tables/series.ts";

/**
 * The progress of each device's samples in the other database: all up to its mark are there, later ones may not be. The
 * telemetry itself is the queue, so an outage takes no room and no writes.
 *
 * A late sample, with a time before the mark, moves the mark back; if that concerns the stored mark, in the very
 * transaction that stores the sample. A mark advances in memory first and is stored now and then: after a kill, samples
 * in between are sent again, which changes nothing in a database that identifies a point by its series and time.
 */
export class SeriesMarks {
  readonly #database: Database;
  readonly #sql: SeriesTable;
  readonly #stored = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  /** The earliest late sample of each device since the current batch was begun. */
  readonly #late = new Map<string, number>();
  readonly #waiting = new Set<string>();
  #begin = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = new SeriesTable(database);
  }

  /** Reads the stored marks; devices without one start after `beginsAt`. */
  start(beginsAt: number): void {
    this.#begin = beginsAt;
    for (const { deviceId, sentTo } of this.#sql.marks()) {
      this.#stored.set(deviceId, sentTo);
      this.#sent.set(deviceId, sentTo);
    }
  }

  /** Devices that may have samples after their marks. */
  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /** All of the device's samples up to this time (epoch ms) have been delivered. */
  of(deviceId: string): number {
    return this.#sent.get(deviceId) ?? this.#begin;
  }

  /** Call inside the write job that stores samples. */
  arrived(messages: readonly { readonly deviceId: string; readonly samples: readonly { readonly at: number }[] }[]) {
    messages.forEach(({ deviceId, samples }) => {
      let earliest = samples[0]?.at ?? Number.POSITIVE_INFINITY;
      for (let n = 1; n < samples.length; n++) earliest = Math.min(earliest, samples[n]?.at ?? earliest);
      this.#waiting.add(deviceId);
      if (earliest <= this.of(deviceId)) this.#sent.set(deviceId, earliest - 1);
      if (earliest < (this.#late.get(deviceId) ?? Number.POSITIVE_INFINITY)) this.#late.set(deviceId, earliest);
      if (earliest > (this.#stored.get(deviceId) ?? this.#begin)) return;
      this.#sql.putMark({ deviceId, sentTo: earliest - 1 });
      this.#database.committed(() => this.#stored.set(deviceId, earliest - 1));
    });
  }

  /** From now on, samples of the device count as late for the batch that is being read. */
  reading(deviceId: string): void {
    this.#late.delete(deviceId);
  }

  /** Notes that the device may have samples after its mark. */
  look(deviceId: string): void {
    this.#waiting.add(deviceId);
  }

  /** Notes that no samples follow those read just now, in this very turn. */
  exhausted(deviceId: string): void {
    this.#waiting.delete(deviceId);
  }

  /** Notes that everything read up to `upTo` has been delivered. */
  sent(deviceId: string, upTo: number): void {
    const late = this.#late.get(deviceId) ?? Number.POSITIVE_INFINITY;
    this.#sent.set(deviceId, Math.min(upTo, late - 1));
    if (late <= upTo) this.#waiting.add(deviceId);
  }

  /** Stores the marks and forgets removed devices. @throws when the disk refuses */
  async store(isKnown: (deviceId: string) => boolean): Promise<void> {
    const isChanged = [...this.#sent].some(([deviceId, sentTo]) => this.#stored.get(deviceId) !== sentTo);
    if (!isChanged && [...this.#stored.keys()].every(isKnown)) return;
    await this.#database.write(() => {
      for (const deviceId of [...this.#sent.keys()]) {
        if (isKnown(deviceId)) continue;
        this.#sent.delete(deviceId);
        this.#sql.removeMark(deviceId);
      }
      // the current ones: a late sample may have moved one back since this job was queued
      const marks = [...this.#sent].filter(([deviceId, sentTo]) => this.#stored.get(deviceId) !== sentTo);
      for (const [deviceId, sentTo] of marks) this.#sql.putMark({ deviceId, sentTo });
      this.#database.committed(() => {
        for (const [deviceId, sentTo] of marks) this.#stored.set(deviceId, sentTo);
        for (const deviceId of [...this.#stored.keys()]) if (!isKnown(deviceId)) this.#stored.delete(deviceId);
      });
    });
  }

  /** Inside a write job: all devices start over after `beginsAt`. */
  beginAnew(beginsAt: number): void {
    this.#sql.removeMarks();
    this.#database.committed(() => {
      this.#stored.clear();
      this.#sent.clear();
      this.#begin = beginsAt;
    });
  }

  /** Inside a write job: these devices continue after `at`; earlier samples stay here. */
  skipTo(at: number, deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) this.#sql.putMark({ deviceId, sentTo: at });
    this.#database.committed(() => {
      for (const deviceId of deviceIds) {
        this.#stored.set(deviceId, at);
        this.#sent.set(deviceId, at);
      }
    });
  }

  /** Inside a write job: samples recorded from `at` on may now have another time. */
  goBackTo(at: number): void {
    const ahead = [...this.#sent].filter(([, sentTo]) => sentTo >= at).map(([deviceId]) => deviceId);
    this.skipTo(at - 1, ahead);
    this.#database.committed(() => {
      for (const deviceId of ahead) this.#waiting.add(deviceId);
    });
  }
}
