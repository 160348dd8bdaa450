import type { Test } from "tap";
import type { Facts } from "../../src/core/api/facts.ts";
import type { Base } from "../../src/core/base.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { blockRow, packBlock } from "../../src/features/telemetry/block-format.ts";
import type { Sample } from "../../src/features/telemetry/sample.ts";
import { telemetryTables } from "../../src/features/telemetry/tables.ts";
import { type StoredMessage, Telemetry } from "../../src/features/telemetry/telemetry.ts";
import type { WebhookReport } from "../../src/features/webhooks/events.ts";
import { type TestSettings, testBase } from "../support/base.ts";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { EveryDevice, ListingOutbox } from "../support/stand-ins.ts";
import { testFolder } from "../support/test-folder.ts";

/** What telemetry hands to the outbox. */
export type Reported = WebhookReport & {
  readonly data: {
    readonly at: string;
    readonly data: unknown;
    readonly samples: readonly { readonly at: string; readonly data: unknown }[];
  };
};

/** Telemetry on a database, with everything around it visible. */
export interface TelemetryBench {
  readonly base: Base;
  readonly telemetry: Telemetry;
  readonly clock: FakeClock;
  readonly facts: Facts["device.telemetry"][];
  readonly reports: Reported[];
  /** Devices that do not exist. */
  readonly missing: Set<string>;
  /** The events that some webhook takes. */
  readonly taken: ListingOutbox["taken"];
  readonly trust: ReturnType<typeof testBase>["trust"];
}

/** What a test may set differently. */
export interface StartOptions {
  clock?: FakeClock;
  telemetry?: TestSettings["telemetry"];
  pace?: ConstructorParameters<typeof Telemetry>[2];
  /** Whether a webhook takes telemetry. */
  reported?: boolean;
  stored?: (messages: readonly StoredMessage[]) => void;
}

/** Starts telemetry on `database`; the caller stops it. */
export async function startTelemetry(database: Database, options: StartOptions = {}): Promise<TelemetryBench> {
  const clock = options.clock ?? new FakeClock();
  const base = testBase(database, clock, { telemetry: options.telemetry ?? {} });
  const facts: Facts["device.telemetry"][] = [];
  const missing = new Set<string>();
  base.bus.on("device.telemetry", "test", (fact) => facts.push(fact));
  const registry = new EveryDevice(base, (deviceId) => (missing.has(deviceId) ? null : 1));
  const outbox = new ListingOutbox(base);
  if (options.reported === true) outbox.taken.add("device.telemetry");
  const telemetry = new Telemetry(base, { registry, outbox }, options.pace);
  if (options.stored !== undefined) telemetry.onStored(options.stored);
  await telemetry.start();
  const reports = outbox.reports as Reported[]; // what telemetry reports
  return { base, telemetry, clock, facts, reports, missing, taken: outbox.taken, trust: base.trust };
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
  const tables = telemetryTables(database);
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
