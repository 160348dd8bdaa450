import type { Logger } from "../../core/kernel/logger.ts";
import { moveRecordedTimes } from "../../core/storage/tables/recorded-times.ts";
import type { HubParts } from "./parts.ts";

/** Shorter errors are left alone: everything that was recorded keeps its order. */
const SMALLEST_MS = 60_000;

/** Moves what was recorded while the time was unknown to its true time, once that is known. */
export function correctRecordedTimes(
  {
    trust,
    database,
    plates,
    telemetry,
    series,
    clock,
  }: Pick<HubParts, "trust" | "database" | "plates" | "telemetry" | "series" | "clock">,
  logger: Logger,
): void {
  trust.onCorrection((correction) => {
    if (Math.abs(correction.shiftMs) < SMALLEST_MS) return;
    database
      .write(() => {
        const moved = moveRecordedTimes(database, correction);
        for (const { siteId, plate } of moved.plates) plates.visitMatcher.repair(siteId, [plate], clock.now());
        return moved.times;
      })
      .then(async (times) => times + (await series.whileMoved(correction, () => telemetry.move(correction))))
      .then((times) => logger.warn({ ...correction, times }, "what was recorded at a wrong time was moved"))
      .catch((error: unknown) =>
        logger.error({ ...correction, err: error }, "what was recorded at a wrong time stays there"),
      );
  });
}
