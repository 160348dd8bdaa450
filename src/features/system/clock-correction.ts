import type { Base } from "../../core/base.ts";
import { moveRecordedTimes } from "../../core/storage/tables/recorded-times.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { SeriesFeature } from "../series/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";

/** Shorter errors are left alone: everything that was recorded keeps its order. */
const SMALLEST_MS = 60_000;

/** Moves what was recorded while the time was unknown to its true time, once that is known. */
export function correctRecordedTimes(
  { trust, database, clock, logger }: Base,
  {
    gate,
    telemetry,
    series,
  }: { readonly gate: GateFeature; readonly telemetry: TelemetryFeature; readonly series: SeriesFeature },
): void {
  trust.onCorrection((correction) => {
    if (Math.abs(correction.shiftMs) < SMALLEST_MS) return;
    database
      .write(() => {
        const moved = moveRecordedTimes(database, correction);
        for (const { siteId, plate } of moved.plates) gate.visitMatcher.repair(siteId, [plate], clock.now());
        return moved.times;
      })
      .then(async (times) => times + (await series.whileMoved(correction, () => telemetry.telemetry.move(correction))))
      .then((times) => logger.warn({ ...correction, times }, "records with a wrong time were moved"))
      .catch((error: unknown) =>
        logger.error({ ...correction, err: error }, "records with a wrong time could not be moved"),
      );
  });
}
