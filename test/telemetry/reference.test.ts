import fc from "fast-check";
import { DateTime } from "luxon";
import t from "tap";
import { openDatabase } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos1, startTelemetry } from "./setup.ts";

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** What telemetry must answer, computed the slow and plain way. */
class Reference {
  readonly samples: { at: number; data: Record<string, number> }[] = [];

  add(at: number, data: Record<string, number>): void {
    if (!this.samples.some((sample) => sample.at === at && JSON.stringify(sample.data) === JSON.stringify(data)))
      this.samples.push({ at, data });
  }

  recent(limit: number, since: number): string[] {
    const found = this.samples.filter((sample) => sample.at >= since).sort((a, b) => b.at - a.at);
    return found.slice(0, limit).map((sample) => `${sample.at} ${JSON.stringify(sample.data)}`);
  }

  energy(
    hours: number,
    metric: string,
    zone: string,
    now: number,
  ): { kwh: number; series: { at: number; avg: number; max: number }[] } {
    const from = now - hours * HOUR;
    const byHour = hours <= 48;
    const startOf = (at: number) =>
      byHour ? Math.floor(at / HOUR) * HOUR : DateTime.fromMillis(at, { zone }).startOf("day").toMillis();
    const endOf = (start: number) =>
      byHour ? start + HOUR : DateTime.fromMillis(start, { zone }).plus({ days: 1 }).startOf("day").toMillis();
    const buckets = new Map<number, number[]>();
    for (const { at, data } of this.samples) {
      const value = data[metric];
      if (value === undefined || at < from || at > now) continue;
      buckets.set(startOf(at), [...(buckets.get(startOf(at)) ?? []), value]);
    }
    const series = [...buckets]
      .sort((a, b) => a[0] - b[0])
      .map(([at, values]) => ({
        at,
        avg: values.reduce((a, b) => a + b, 0) / values.length,
        max: Math.max(...values),
      }));
    const wattHours = series.reduce(
      (sum, { at, avg }) => sum + (avg * (Math.min(endOf(at), now) - Math.max(at, from))) / HOUR,
      0,
    );
    return { kwh: Math.round(wattHours) / 1000, series };
  }
}

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      samples: fc.array(
        fc.record({
          agoMinutes: fc.integer({ min: 0, max: 120_000 }),
          w: fc.integer({ min: -50, max: 50 }),
          volt: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 8,
        },
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("now" as const), w: fc.integer({ min: -50, max: 50 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 3_000 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "compact" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);

t.test("telemetry answers as a plain list of samples would, through compactions and restarts", async (t) => {
  const folder = testFolder(t);
  const database = await openDatabase(folder);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { maxLength: 25 }),
      fc.integer({ min: 1, max: 2_160 }),
      fc.constantFrom("UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/New_York"),
      async (actions, hours, zone) => {
        run += 1;
        const device = `device${run}`;
        const clock = new FakeClock(Date.parse("2026-03-08T05:17:00Z"));
        const reference = new Reference();
        let bench = await startTelemetry(database, { clock });
        let messageId = 0;
        try {
          for (const step of actions) {
            if (step.kind === "wait") clock.advance(step.minutes * MINUTE);
            else if (step.kind === "compact") await bench.telemetry.compact();
            else if (step.kind === "restart") {
              await bench.telemetry.stop();
              bench = await startTelemetry(database, { clock });
            } else {
              const sent =
                step.kind === "now"
                  ? [{ at: clock.now(), data: { watts: step.w } }]
                  : step.samples.map(({ agoMinutes, w, volt }) => ({
                      at: clock.now() - agoMinutes * MINUTE,
                      data: volt ? { watts: w, volt: w + 230 } : { watts: w },
                    }));
              messageId += 1;
              await bench.telemetry.ingest(device, sent, qos1(messageId, clock.now()));
              for (const { at, data } of sent) reference.add(at, data as Record<string, number>);
            }
          }
          const now = clock.now();
          const since = now - hours * HOUR;
          const answered = bench.telemetry
            .recent(device, { limit: 30, sinceMs: since })
            .map((sample) => `${sample.at} ${JSON.stringify(sample.data)}`);
          const expected = reference.recent(30, since);
          t.equal(answered.length, expected.length);
          t.same(
            answered.map((line) => line.split(" ")[0]),
            expected.map((line) => line.split(" ")[0]),
          );
          for (const metric of ["watts", "volt"]) {
            const energy = bench.telemetry.energy(device, { hours, metric, timeZone: zone, now });
            const plain = reference.energy(hours, metric, zone, now);
            t.same(
              energy.series.map(({ at, max }) => ({ at, max })),
              plain.series.map(({ at, max }) => ({ at, max })),
            );
            for (const [index, bucket] of energy.series.entries())
              if (Math.abs(bucket.avg - (plain.series[index]?.avg ?? 0)) > 1e-9) t.fail(`avg of bucket ${index}`);
            if (Math.abs(energy.kwh - plain.kwh) > 0.0011) t.fail(`kwh ${energy.kwh} is not ${plain.kwh}`);
          }
          if (!t.passing()) throw new Error("differs from the reference");
        } finally {
          await bench.telemetry.stop();
        }
      },
    ),
    { numRuns: 25 },
  );
  await database.stop();
});
