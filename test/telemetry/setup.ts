import type { Test } from "tap";
import type { Facts } from "../../src/core/api/facts.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { QuietWrites } from "../../src/core/kernel/quiet-writes.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { blockRow, packBlock } from "../../src/features/telemetry/block-format.ts";
import type { TelemetryReport } from "../../src/features/telemetry/reports.ts";
import type { Sample } from "../../src/features/telemetry/sample.ts";
import { TelemetryBlockTable } from "../../src/features/telemetry/tables/telemetry-block.ts";
import { TelemetryDeviceTable } from "../../src/features/telemetry/tables/telemetry-device.ts";
import { TelemetryHourTable } from "../../src/features/telemetry/tables/telemetry-hour.ts";
import { TelemetryJournalTable } from "../../src/features/telemetry/tables/telemetry-journal.ts";
import { type StoredMessage, Telemetry, type TelemetrySettings } from "../../src/features/telemetry/telemetry.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

/** Telemetry on a database, with everything around it visible. */
export interface TelemetryBench {
  readonly telemetry: Telemetry;
  readonly clock: FakeClock;
  readonly facts: Facts["device.telemetry"][];
  readonly reports: TelemetryReport[];
  /** Devices that do not exist. */
  readonly missing: Set<string>;
  readonly world: { webhooks: boolean; clockTrusted: boolean };
}

/** Starts telemetry on `database`; the caller stops it. */
export async function startTelemetry(
  database: Database,
  options: {
    clock?: FakeClock;
    settings?: Partial<TelemetrySettings>;
    webhooks?: boolean;
    stored?: (messages: readonly StoredMessage[]) => void;
  } = {},
): Promise<TelemetryBench> {
  const clock = options.clock ?? new FakeClock();
  const bus = new Bus<Facts>(silentLogger);
  const facts: Facts["device.telemetry"][] = [];
  const reports: TelemetryReport[] = [];
  const missing = new Set<string>();
  const world = { webhooks: options.webhooks ?? false, clockTrusted: true };
  bus.on("device.telemetry", "test", (fact) => facts.push(fact));
  const telemetry = new Telemetry({
    database,
    bus,
    clock,
    quietWrites: new QuietWrites(clock),
    logger: silentLogger,
    settings: { rawDays: 35, hourlyDays: 1_095, maxBytes: 1_000_000_000, reportGapMs: 1_000, ...options.settings },
    siteOf: (deviceId) => (missing.has(deviceId) ? null : 1),
    clockTrusted: () => world.clockTrusted,
    webhooks: { wanted: () => world.webhooks, enqueue: (report) => reports.push(report) },
    ...(options.stored === undefined ? {} : { stored: options.stored }),
  });
  await telemetry.start();
  return { telemetry, clock, facts, reports, missing, world };
}

/** A receipt of a QoS 1 message. */
export function qos1(
  messageId: number,
  at: number,
  more: { duplicate?: boolean; connection?: { mayRepeat: boolean } } = {},
) {
  return {
    messageId,
    duplicate: more.duplicate ?? false,
    at,
    ...(more.connection ? { connection: more.connection } : {}),
  };
}

/** A receipt of a QoS 0 message. */
export function qos0(at: number) {
  return { messageId: null, duplicate: false, at };
}

/** The tables of telemetry in a database of their own. */
export async function tablesOf(t: Test) {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const tables = {
    devices: new TelemetryDeviceTable(database),
    journal: new TelemetryJournalTable(database),
    blocks: new TelemetryBlockTable(database),
    hours: new TelemetryHourTable(database),
  };
  const ref = await database.write(() => tables.devices.refOf("plug"));
  const put = async (...runs: (readonly Sample[])[]): Promise<void> => {
    const packed = await Promise.all(runs.map(packBlock));
    await database.write(() => {
      for (const block of packed) tables.blocks.insert(blockRow(ref, block));
    });
  };
  const spans = () =>
    tables.blocks.overlapping(ref, 0, Number.MAX_SAFE_INTEGER).map(({ fromAt, toAt, count }) => [fromAt, toAt, count]);
  return { database, tables, ref, put, spans };
}
