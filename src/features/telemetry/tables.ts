import type { Database } from "../../core/storage/database.ts";
import { TelemetryBlockTable } from "./tables/telemetry-block.ts";
import { TelemetryDeviceTable } from "./tables/telemetry-device.ts";
import { TelemetryHourTable } from "./tables/telemetry-hour.ts";
import { TelemetryJournalTable } from "./tables/telemetry-journal.ts";

/** The tables of samples. */
export function telemetryTables(database: Database) {
  return {
    devices: new TelemetryDeviceTable(database),
    journal: new TelemetryJournalTable(database),
    blocks: new TelemetryBlockTable(database),
    hours: new TelemetryHourTable(database),
  };
}

/** See {@link telemetryTables}. */
export type TelemetryTables = ReturnType<typeof telemetryTables>;
