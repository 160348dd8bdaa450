import type { Base } from "../../core/base.ts";
import { type Feature, job, type MetricSource, type PlacedService } from "../../core/feature.ts";
import type { HealthCheck } from "../../core/health/health.ts";
import { makeRoom } from "../../core/jobs/make-room.ts";
import { FULL_WRITES, patienceMs, WriteBudget } from "../../core/jobs/write-budget.ts";
import { MINUTE_MS } from "../../core/kernel/clock.ts";
import { underVoltage } from "../../core/platform/board.ts";
import { cardCondition, cardOf, deviceBytesWritten } from "../../core/platform/card.ts";
import { bytesWritten, diskSpace } from "../../core/platform/disk.ts";
import type { BackupsFeature } from "../backups/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { cardErrorsCheck } from "./health/card-errors.ts";
import { cardWearCheck } from "./health/card-wear.ts";
import { diskSpaceCheck } from "./health/disk-space.ts";
import { powerCheck } from "./health/power.ts";
import { runtimeCheck } from "./health/runtime.ts";
import { storageCheck } from "./health/storage.ts";
import { roomClasses } from "./jobs/room-classes.ts";
import { wearRoutes } from "./routes/console-wear.ts";

const MEGABYTE = 1_048_576;
const LOOK_MS = 5 * MINUTE_MS;

/** The features that fill the disk. */
interface Siblings {
  readonly gate: GateFeature;
  readonly telemetry: TelemetryFeature;
  readonly backups: BackupsFeature;
}

/** The card: writes to it, its condition, and freeing room before it is full. */
export class CardFeature implements Feature {
  readonly services: readonly PlacedService[];
  readonly console;
  readonly jobs;
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];

  constructor(base: Base, siblings: Siblings) {
    const { database, dataFolder, clock, settings } = base;
    const card = cardOf(dataFolder);
    const budget = new WriteBudget({
      database,
      counters: {
        process: bytesWritten,
        pictures: grown(() => siblings.gate.retention.imageBytes()),
        backups: () => siblings.backups.written,
        device: () => (card === null ? null : deviceBytesWritten(card)),
      },
      clock,
    });
    const today = (): number => budget.today().reduce((sum, { bytes }) => sum + bytes, 0);
    const budgetBytes = (): number => settings().box.dailyWriteMegabytes * 1_000_000;
    const lifetimeYears = (): number | null => budget.lifetimeYears(card?.bytes ?? null);
    const estimate = (): string => inWords(lifetimeYears(), card?.bytes ?? null);
    const keepBudget = async (): Promise<void> => {
      await budget.tick();
      database.patienceMs = patienceMs(today(), budgetBytes(), clock.now());
    };
    const service = {
      name: "write-budget",
      start: () => budget.tick(),
      stop: async () => budget.tick().then(() => budget.flush()),
    };
    this.services = [{ service, start: "serve", stop: "intake" }];
    this.console = wearRoutes(() => ({
      device: card?.device ?? null,
      today: budget.today(),
      days: budget.days(),
      budgetBytes: budgetBytes(),
      lifetimeYears: lifetimeYears(),
      estimate: estimate(),
    }));
    this.jobs = [
      job("count-writes", LOOK_MS, keepBudget, false),
      job("make-room", LOOK_MS, () => room(base, siblings)),
    ];
    this.checks = [
      storageCheck(database),
      diskSpaceCheck(() => diskSpace(dataFolder)),
      cardErrorsCheck(() => (card === null ? null : cardCondition(card))),
      cardWearCheck(() => ({
        todayBytes: today(),
        budgetBytes: budgetBytes(),
        estimate: estimate(),
        lifetimeYears: lifetimeYears(),
      })),
      powerCheck(() => underVoltage()),
      runtimeCheck(process.versions.node, () => clock.now()),
    ];
    this.metrics = [
      ...(["database", "pictures", "backups"] as const).map((cause) => ({
        name: `written_today_${cause}_bytes`,
        help: "Bytes that the hub wrote today (UTC), by cause.",
        read: () => budget.today().find((row) => row.cause === cause)?.bytes ?? 0,
      })),
      {
        name: "device_written_bytes",
        help: "Bytes written to the device below the data folder since the machine started.",
        read: () => (card === null ? null : deviceBytesWritten(card)),
      },
      {
        name: "card_lifetime_years",
        help: "Estimate of how long the card lasts at this pace.",
        read: lifetimeYears,
      },
      {
        name: "disk_free_bytes",
        help: "Free bytes of the data folder's file system.",
        read: () => diskSpace(dataFolder).freeBytes,
      },
      {
        name: "disk_size_bytes",
        help: "Size of the data folder's file system.",
        read: () => diskSpace(dataFolder).totalBytes,
      },
      { name: "written_bytes", help: "Bytes written to storage since start.", kind: "counter", read: bytesWritten },
      {
        name: "storage_commits",
        help: "Group commits since start.",
        kind: "counter",
        read: () => database.figures.commits,
      },
      {
        name: "storage_jobs",
        help: "Write jobs since start.",
        kind: "counter",
        read: () => database.figures.jobs,
      },
      {
        name: "storage_waiting_jobs",
        help: "Write jobs that wait for a commit.",
        read: () => database.figures.waiting,
      },
    ];
  }
}

/**
 * Frees space in the data folder, the least valuable first. Frames that wait to be read are acknowledged and never
 * deleted: new ones are refused instead.
 */
export async function room(
  base: Base,
  { gate, telemetry: { telemetry }, backups: { backups } }: Siblings,
): Promise<void> {
  const { dataFolder, settings, logger, database, reserve } = base;
  const freeBytes = (): number => diskSpace(dataFolder).freeBytes;
  await makeRoom({
    freeBytes,
    wantedBytes: settings().storage.minFreeMegabytes * MEGABYTE,
    classes: roomClasses({ dataFolder, freeBytes, backups, pictures: gate.retention, telemetry, database }),
    logger,
  });
  reserve.keep();
}

/** A sum that may shrink, as a counter that only grows. */
function grown(sum: () => number): () => number {
  let before: number | null = null;
  let total = 0;
  return () => {
    const now = sum();
    total += before === null ? 0 : Math.max(0, now - before);
    before = now;
    return total;
  };
}

function inWords(years: number | null, cardBytes: number | null): string {
  if (cardBytes === null) return "The device below the data folder is not known, so its life cannot be estimated.";
  if (years === null) return "How long the card may last is estimated after the first whole day.";
  const long =
    years > 50
      ? "more than 50 years"
      : years >= 2
        ? `about ${Math.round(years)} years`
        : `about ${Math.max(1, Math.round(years * 12))} months`;
  return `An estimate: at this pace a card of ${Math.round(cardBytes / 1e9)} GB lasts ${long}, if it bears ${FULL_WRITES} full writes; the cheapest bear less.`;
}
