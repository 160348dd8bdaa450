import type { Base } from "../../core/base.ts";
import type { HealthCheck } from "../../core/health/health.ts";
import type { Job } from "../../core/jobs/jobs.ts";
import { makeRoom } from "../../core/jobs/make-room.ts";
import { FULL_WRITES, patienceMs, WriteBudget } from "../../core/jobs/write-budget.ts";
import type { Service } from "../../core/kernel/service.ts";
import { underVoltage } from "../../core/platform/board.ts";
import { cardCondition, cardOf, deviceBytesWritten } from "../../core/platform/card.ts";
import { bytesWritten, diskSpace } from "../../core/platform/disk.ts";
import type { Backups } from "../backups/backups.ts";
import type { UpdateManagement } from "../updates/routes/console-updates.ts";
import { cardErrorsCheck } from "./health/card-errors.ts";
import { cardWearCheck } from "./health/card-wear.ts";
import { powerCheck } from "./health/power.ts";
import { runtimeCheck } from "./health/runtime.ts";
import { roomClasses } from "./jobs/room-classes.ts";
import type { MetricSource } from "./metrics.ts";
import type { HubParts } from "./parts.ts";

/** What the hub knows about its card. */
export interface CardParts {
  readonly wear: UpdateManagement["wear"];
  readonly service: Service;
  readonly jobs: readonly Job[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
}

const MINUTE = 60_000;
const MEGABYTE = 1_048_576;

/**
 * Builds the accounts of what is written, the checks of card and power supply, and the eviction before the disk is
 * full.
 */
export function buildCard(
  base: Base,
  hub: Pick<HubParts, "plates" | "telemetry">,
  backups: { readonly backups: Backups; readonly bytes: () => number },
): CardParts {
  const { database, dataFolder, clock, settings } = base;
  const card = cardOf(dataFolder);
  const pictures = grown(() => hub.plates.retention.imageBytes());
  const budget = new WriteBudget({
    database,
    counters: {
      process: bytesWritten,
      pictures,
      backups: backups.bytes,
      device: () => (card === null ? null : deviceBytesWritten(card)),
    },
    clock,
  });
  const today = (): number => budget.today().reduce((sum, { bytes }) => sum + bytes, 0);
  const budgetBytes = (): number => settings().box.dailyWriteMegabytes * 1_000_000;
  const estimate = (): string => inWords(budget.lifetimeYears(card?.bytes ?? null), card?.bytes ?? null);
  const keepBudget = async (): Promise<void> => {
    await budget.tick();
    database.patienceMs = patienceMs(today(), budgetBytes(), clock.now());
  };
  const wear: CardParts["wear"] = () => ({
    device: card?.device ?? null,
    today: budget.today(),
    days: budget.days(),
    budgetBytes: budgetBytes(),
    lifetimeYears: budget.lifetimeYears(card?.bytes ?? null),
    estimate: estimate(),
  });
  const metrics: MetricSource[] = (["database", "pictures", "backups"] as const).map((cause) => ({
    name: `written_today_${cause}_bytes`,
    help: "Bytes that the hub wrote today (UTC), by cause.",
    read: () => budget.today().find((row) => row.cause === cause)?.bytes ?? 0,
  }));
  return {
    wear,
    service: {
      name: "write-budget",
      start: () => budget.tick(),
      stop: async () => budget.tick().then(() => budget.flush()),
    },
    jobs: [
      { name: "count-writes", periodMs: 5 * MINUTE, atStart: false, run: () => keepBudget() },
      { name: "make-room", periodMs: 5 * MINUTE, atStart: true, run: () => room(base, hub, backups.backups) },
    ],
    checks: [
      cardErrorsCheck(() => (card === null ? null : cardCondition(card))),
      cardWearCheck(() => ({
        todayBytes: today(),
        budgetBytes: budgetBytes(),
        estimate: estimate(),
        lifetimeYears: budget.lifetimeYears(card?.bytes ?? null),
      })),
      powerCheck(() => underVoltage()),
      runtimeCheck(process.versions.node, () => clock.now()),
    ],
    metrics: [
      ...metrics,
      {
        name: "device_written_bytes",
        help: "Bytes written to the device below the data folder since the machine started.",
        read: () => (card === null ? null : deviceBytesWritten(card)),
      },
      {
        name: "card_lifetime_years",
        help: "Estimate of how long the card lasts at this pace.",
        read: () => budget.lifetimeYears(card?.bytes ?? null),
      },
    ],
  };
}

/**
 * Frees space in the data folder, the least valuable first. Frames that wait to be read are acknowledged and never
 * deleted: new ones are refused instead.
 */
export async function room(
  base: Base,
  { plates, telemetry }: Pick<HubParts, "plates" | "telemetry">,
  backups: Pick<Backups, "evictOldest">,
): Promise<void> {
  const { dataFolder, settings, logger, database, reserve } = base;
  const freeBytes = (): number => diskSpace(dataFolder).freeBytes;
  await makeRoom({
    freeBytes,
    wantedBytes: settings().storage.minFreeMegabytes * MEGABYTE,
    classes: roomClasses({ dataFolder, freeBytes, backups, pictures: plates.retention, telemetry, database }),
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
