import { csv } from "../../../core/kernel/csv.ts";
import { offsetAt } from "../../../core/kernel/local-time.ts";
import type { ForwardQuery, TelemetrySample } from "../history.ts";

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
/** Clocks change at a quarter hour of UTC everywhere. */
const QUARTER_MS = 900_000;

/**
 * One device's samples as CSV, oldest first, a line for each value: `time,device,metric,value`. Memory holds one piece,
 * however long the stretch. A piece is empty if none of its samples has the requested value.
 */
export async function* samplesCsv(
  read: (deviceId: string, query: ForwardQuery) => readonly TelemetrySample[],
  { deviceId, metric, fromMs, toMs, timeZone }: CsvQuery,
): AsyncGenerator<string> {
  const time = localTimes(timeZone);
  yield csv([["time", "device", "metric", "value"]]);
  for (let afterMs = fromMs - 1; ; ) {
    const samples = read(deviceId, { afterMs, toMs: toMs - 1, limit: SAMPLES_AT_ONCE });
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

/** Writes instants as the wall clock of a zone shows them, with the offset: `2026-03-01T17:30:00.000+05:30`. */
function localTimes(timeZone: string): (at: number) => string {
  let quarter = Number.NaN;
  let offset = 0;
  let suffix = "";
  return (at) => {
    if (Math.floor(at / QUARTER_MS) !== quarter) {
      quarter = Math.floor(at / QUARTER_MS);
      offset = offsetAt(timeZone, at);
      const minutes = Math.abs(Math.round(offset / 60_000));
      const two = (part: number): string => String(part).padStart(2, "0");
      suffix = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    }
    return new Date(at + offset).toISOString().slice(0, -1) + suffix;
  };
}
