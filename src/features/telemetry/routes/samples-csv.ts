import { csv } from "../../../core/kernel/csv.ts";
import { localTimes } from "../../../core/kernel/local-time.ts";
import type { Telemetry } from "../telemetry.ts";

/** Which samples become lines; times in epoch ms. */
export interface CsvQuery {
  readonly deviceId: string;
  /** Only this value of each sample; undefined: all. */
  readonly metric: string | undefined;
  /** The first instant that counts, and the first that does not. */
  readonly fromMs: number;
  readonly toMs: number;
  /** IANA name: in whose wall time the lines are written, with its offset from UTC. */
  readonly timeZone: string;
}

/** Samples read at once: a piece of some ten kilobytes, made in about a millisecond. */
const SAMPLES_AT_ONCE = 500;

/**
 * One device's samples as CSV, oldest first, a line for each value: `time,device,metric,value`. Memory holds one piece,
 * however long the stretch. A piece is empty if none of its samples has the requested value.
 */
export async function* samplesCsv(
  telemetry: Telemetry,
  { deviceId, metric, fromMs, toMs, timeZone }: CsvQuery,
): AsyncGenerator<string> {
  const time = localTimes(timeZone);
  yield csv([["time", "device", "metric", "value"]]);
  for (let afterMs = fromMs - 1; ; ) {
    const samples = telemetry.oldestFirst(deviceId, { afterMs, toMs: toMs - 1, limit: SAMPLES_AT_ONCE });
    const last = samples.at(-1);
    if (last === undefined) return;
    const lines = samples.flatMap(({ at, data }) =>
      Object.entries(data)
        .filter(([name]) => metric === undefined || name === metric)
        .map(([name, value]) => [time(at), deviceId, name, cellOf(value)]),
    );
    yield csv(lines); // also an empty one: others have their turn before the next samples are read
    afterMs = last.at;
  }
}

function cellOf(value: unknown): string | number | boolean | null {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}
