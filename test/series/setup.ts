import type { Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { QuietWrites } from "../../src/core/kernel/quiet-writes.ts";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { type SeriesDevice, SeriesExport, type SeriesExportOptions } from "../../src/features/series/export.ts";
import { SeriesMarks } from "../../src/features/series/marks.ts";
import { type InfluxEdit, SeriesSetup } from "../../src/features/series/setup.ts";
import type { Telemetry } from "../../src/features/telemetry/telemetry.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { startTelemetry } from "../telemetry/setup.ts";

const TARGETS = { allowLoopback: true, ownPorts: () => [], ownAddresses: () => [] };

/** Real telemetry on a real database with its export; the hub around them can be killed and restarted. */
export class SeriesBench {
  readonly devices: SeriesDevice[] = [];
  readonly world = { clockTrusted: true };
  setup!: SeriesSetup;
  marks!: SeriesMarks;
  export!: SeriesExport;
  readonly #database: Database;
  telemetry!: Telemetry;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(t: Test): Promise<SeriesBench> {
    const database = await openDatabase(testFolder(t));
    const bench = new SeriesBench(database);
    const clock = new FakeClock();
    clock.advance(Date.now() - clock.now());
    const { telemetry } = await startTelemetry(database, {
      clock,
      stored: (messages) => bench.marks.arrived(messages),
    });
    bench.telemetry = telemetry;
    await bench.begin();
    t.teardown(async () => {
      await bench.export.stop();
      await telemetry.stop();
      await database.stop();
    });
    return bench;
  }

  /** Begins like a started hub. */
  async begin(more: Partial<SeriesExportOptions> = {}): Promise<void> {
    const database = this.#database;
    this.setup = new SeriesSetup({
      database,
      secrets: new HubKey(Buffer.alloc(32, 7)),
      targets: TARGETS,
      clock: systemClock,
    });
    this.marks = new SeriesMarks(database);
    this.setup.start();
    this.marks.start(this.setup.settings.beginsAt);
    this.export = new SeriesExport({
      database,
      setup: this.setup,
      marks: this.marks,
      devices: () => this.devices,
      telemetry: this.telemetry,
      clockTrusted: () => this.world.clockTrusted,
      targets: TARGETS,
      clock: systemClock,
      quietWrites: new QuietWrites(systemClock),
      logger: silentLogger,
      random: () => 0,
      everyMs: 20,
      samplesPerSecond: 1_000_000,
      ...more,
    });
    await this.export.start();
  }

  /** The hub is killed and restarted: unsaved data is gone. */
  async kill(): Promise<void> {
    this.marks.store = async () => {};
    await this.export.stop();
    await this.begin();
  }

  device(id: string, more: Partial<SeriesDevice> = {}): void {
    this.devices.push({ id, name: id, room: null, type: "sensor", ...more });
  }

  async samples(deviceId: string, samples: readonly { readonly at: number; readonly data: JsonObject }[]) {
    for (let from = 0; from < samples.length; from += 1_000)
      await this.telemetry.ingest(deviceId, samples.slice(from, from + 1_000), {
        messageId: null,
        durable: true,
        duplicate: false,
        at: Date.now(),
      });
  }

  async target(edit: Partial<InfluxEdit> & Pick<InfluxEdit, "url">): Promise<void> {
    const whole = {
      enabled: true,
      version: "1" as const,
      database: "house",
      user: "",
      org: "",
      bucket: "",
      home: "Home",
      begin: "kept" as const,
      ...edit,
    };
    await this.export.change(() => this.setup.putInflux(whole, (beginsAt) => this.marks.beginAnew(beginsAt)));
  }

  /** Retries pending batches at once. */
  async again(): Promise<void> {
    await this.export.change(async () => {});
  }
}
