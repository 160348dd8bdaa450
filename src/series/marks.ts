import type { Database } from "../storage/database.js";
import { SeriesTable } from "../storage/tables/series.js";

/**
 * How far each device's samples are in the other database: all up to its mark, none counted on after it. The telemetry
 * itself is what waits, so that an outage takes no room and no writing.
 *
 * A sample that comes late, with a time before the mark, takes the mark back: in the very transaction that stores it
 * where the stored mark is concerned. A mark goes on in memory first and is stored now and then: after a kill, what came
 * in between is sent once more, which changes nothing in a database that knows a point by its series and time.
 */
export class SeriesMarks {
  readonly #database: Database;
  readonly #sql: SeriesTable;
  readonly #stored = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  /** The earliest sample that came of a device since reading it for the present batch began. */
  readonly #late = new Map<string, number>();
  readonly #waiting = new Set<string>();
  #begin = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = new SeriesTable(database);
  }

  /** Reads the stored marks; devices without one begin after `beginsAt`. */
  start(beginsAt: number): void {
    this.#begin = beginsAt;
    for (const { deviceId, sentTo } of this.#sql.marks()) {
      this.#stored.set(deviceId, sentTo);
      this.#sent.set(deviceId, sentTo);
    }
  }

  /** Devices that may have samples after their mark. */
  get waiting(): ReadonlySet<string> {
    return this.#waiting;
  }

  /** All samples of the device up to this time (epoch ms) are there. */
  of(deviceId: string): number {
    return this.#sent.get(deviceId) ?? this.#begin;
  }

  /** Inside the write job that stores samples. */
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

  /** From now on what comes of the device counts as late for the batch that it is read for. */
  reading(deviceId: string): void {
    this.#late.delete(deviceId);
  }

  /** The device may have samples after its mark. */
  look(deviceId: string): void {
    this.#waiting.add(deviceId);
  }

  /** There are none after what was read just now, in this very turn. */
  exhausted(deviceId: string): void {
    this.#waiting.delete(deviceId);
  }

  /** Everything up to `upTo` that was read is there. */
  sent(deviceId: string, upTo: number): void {
    const late = this.#late.get(deviceId) ?? Number.POSITIVE_INFINITY;
    this.#sent.set(deviceId, Math.min(upTo, late - 1));
    if (late <= upTo) this.#waiting.add(deviceId);
  }

  /** Stores where the marks are, and forgets devices that are gone. @throws when the disk refuses */
  async store(isKnown: (deviceId: string) => boolean): Promise<void> {
    const isChanged = [...this.#sent].some(([deviceId, sentTo]) => this.#stored.get(deviceId) !== sentTo);
    if (!isChanged && [...this.#stored.keys()].every(isKnown)) return;
    await this.#database.write(() => {
      for (const deviceId of [...this.#sent.keys()]) {
        if (isKnown(deviceId)) continue;
        this.#sent.delete(deviceId);
        this.#sql.removeMark(deviceId);
      }
      // as they are now: a late sample may have taken one back since this job was asked for
      const marks = [...this.#sent].filter(([deviceId, sentTo]) => this.#stored.get(deviceId) !== sentTo);
      for (const [deviceId, sentTo] of marks) this.#sql.putMark({ deviceId, sentTo });
      this.#database.committed(() => {
        for (const [deviceId, sentTo] of marks) this.#stored.set(deviceId, sentTo);
        for (const deviceId of [...this.#stored.keys()]) if (!isKnown(deviceId)) this.#stored.delete(deviceId);
      });
    });
  }

  /** Inside a write job: all devices begin anew after `beginsAt`. */
  beginAnew(beginsAt: number): void {
    this.#sql.removeMarks();
    this.#database.committed(() => {
      this.#stored.clear();
      this.#sent.clear();
      this.#begin = beginsAt;
    });
  }

  /** Inside a write job: these devices go on after `at`; what they measured before that stays here. */
  skipTo(at: number, deviceIds: readonly string[]): void {
    for (const deviceId of deviceIds) this.#sql.putMark({ deviceId, sentTo: at });
    this.#database.committed(() => {
      for (const deviceId of deviceIds) {
        this.#stored.set(deviceId, at);
        this.#sent.set(deviceId, at);
      }
    });
  }

  /** Inside a write job: what was recorded from `at` on may have another time than before. */
  goBackTo(at: number): void {
    const ahead = [...this.#sent].filter(([, sentTo]) => sentTo >= at).map(([deviceId]) => deviceId);
    this.skipTo(at - 1, ahead);
    this.#database.committed(() => {
      for (const deviceId of ahead) this.#waiting.add(deviceId);
    });
  }
}
