/**
 * The parts of the composition root: each file here builds one area of the hub from what it is given and joins it with
 * plain functions. Only hub.ts imports this folder. Nothing here decides anything; rules belong in the features.
 */

import type { TelemetrySettings } from "../features/telemetry/telemetry.ts";
import type { Facts } from "./api/facts.ts";
import type { Bus } from "./kernel/bus.ts";
import type { Clock } from "./kernel/clock.ts";
import type { Logger } from "./kernel/logger.ts";
import type { QuietWrites } from "./kernel/quiet-writes.ts";
import { Countries } from "./plates/countries.ts";
import type { Settings } from "./settings/schema.ts";
import type { Database } from "./storage/database.ts";
import type { Reserve } from "./storage/reserve.ts";

/** What every area of the hub is built on. */
export interface Base {
  /** The values in force; read at the moment of use if a setting needs no restart. */
  readonly settings: () => Settings;
  readonly database: Database;
  /** For jobs that free room on a full disk. */
  readonly reserve: Reserve;
  readonly bus: Bus<Facts>;
  readonly clock: Clock;
  readonly quietWrites: QuietWrites;
  readonly logger: Logger;
  /** The data folder, absolute. */
  readonly dataFolder: string;
  /** Root of the installed project, absolute. */
  readonly projectFolder: string;
}

/** A number of days in milliseconds. */
export function days(count: number): number {
  return count * 86_400_000;
}

/** How long and how much history is kept, in telemetry's terms; read when it is used, since it needs no restart. */
export function telemetrySettings({ settings }: Pick<Base, "settings">): TelemetrySettings {
  return {
    get rawDays() {
      return settings().telemetry.rawDays;
    },
    get hourlyDays() {
      return settings().telemetry.hourlyDays;
    },
    get maxBytes() {
      return settings().telemetry.maxMegabytes * 1_048_576;
    },
    reportGapMs: settings().webhooks.telemetryGapMs,
  };
}

/** The countries whose plates the household sees besides India's, as chosen when the hub started. */
export function chosenCountries({ settings }: Pick<Base, "settings">): Countries {
  return new Countries(settings().recognition.countries);
}
