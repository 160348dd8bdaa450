import { DateTime } from "luxon";
import t, { type Test } from "tap";
import { DeviceRegistry } from "../../src/features/devices/registry.ts";
import { HouseholdEnergy } from "../../src/features/energy/energy.ts";
import { powerNow } from "../../src/features/energy/rules/house-energy.ts";
import { countedEnergy, energyMetrics } from "../../src/features/energy/rules/metered-energy.ts";
import { quarterPrices, type TariffPrices } from "../../src/features/energy/rules/tariff.ts";
import { testAccess } from "../support/base.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { ListingOutbox } from "../support/stand-ins.ts";
import { testFolder } from "../support/test-folder.ts";
import { qos1, startTelemetry } from "../telemetry/setup.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ZONE = "Asia/Kolkata";
/** Noon there. */
const NOW = Date.parse("2026-03-04T06:30:00Z");
const MIDNIGHT = Date.parse("2026-03-03T18:30:00Z");

interface Sent {
  readonly at: number;
  readonly data: Record<string, number>;
}

/** Energy of a household with these devices on real parts. */
async function household(t: Test, devices: readonly (readonly [id: string, type: string])[], timeZone = ZONE) {
  const database = await openDatabase(testFolder(t));
  const { siteId } = seedAccount(database);
  const insert = database.raw.prepare(
    "INSERT INTO device (id, site_id, name, type, created_at) VALUES (?, ?, ?, ?, 0)",
  );
  for (const [n, [id, type]] of devices.entries()) insert.run(id, siteId, `Device ${n}`, type);
  const { base, telemetry, clock } = await startTelemetry(database, { clock: new FakeClock(NOW) });
  t.teardown(async () => {
    await telemetry.stop();
    await database.stop();
  });
  let message = 0;
  /** Lengths of the ranges that were read, in ms. */
  const read: number[] = [];
  const quarters = telemetry.quarters.bind(telemetry);
  telemetry.quarters = (id, query) => {
    read.push(query.toMs - query.fromMs);
    return quarters(id, query);
  };
  const { access, feed } = testAccess(base);
  const registry = new DeviceRegistry(base, { feed: feed.feed, outbox: new ListingOutbox(base) });
  await registry.start();
  database.raw.prepare("UPDATE site SET time_zone = ? WHERE id = ?").run(timeZone, siteId);
  const { accounts } = access;
  const energy = new HouseholdEnergy(base, { registry, telemetry, accounts });
  return {
    energy,
    siteId,
    clock,
    telemetry,
    database,
    /** The same, with nothing cached. */
    anew: () => new HouseholdEnergy(base, { registry, telemetry, accounts }),
    read,
    send: async (id: string, samples: readonly Sent[]) => {
      for (let n = 0; n < samples.length; n += 1_000)
        await telemetry.ingest(id, samples.slice(n, n + 1_000), qos1(++message, clock.now()));
    },
    report: (period: "day" | "week" | "month" | "year" = "day", date?: string, only?: string) =>
      energy.report(siteId, { period, date, only }),
  };
}

/** A sample at the end of every five minutes with a power, and the matching counter. */
function metered(fromMs: number, toMs: number, watts: (at: number) => number, start = 100): Sent[] {
  const samples: Sent[] = [];
  let kwh = start;
  for (let at = fromMs; at <= toMs; at += 5 * MINUTE) {
    if (at > fromMs) kwh += (watts(at) * 5) / 60_000;
    samples.push({ at: at - 1, data: { watts: watts(at), kwh: Math.round(kwh * 1e6) / 1e6 } });
  }
  return samples;
}
const rounded = (value: number | null | undefined): number => Math.round((value ?? Number.NaN) * 1_000) / 1_000;

t.test("a meter and the plug behind it are never added up, and the remainder is what no device reports", async (t) => {
  const { send, report, energy, siteId } = await household(t, [
    ["meter", "energy-meter"],
    ["plug", "smart-plug"],
    ["heater", "smart-plug"],
    ["fan", "smart-plug"],
  ]);
  await send(
    "meter",
    metered(MIDNIGHT - HOUR, NOW, () => 1_000),
  );
  await send(
    "plug",
    metered(MIDNIGHT - HOUR, NOW, () => 300),
  );
  await send(
    "heater",
    metered(MIDNIGHT - HOUR, NOW, () => 200),
  );
  await send(
    "fan",
    metered(MIDNIGHT - HOUR, NOW, () => 50),
  );
  const { sums, buckets, devices } = await report();
  t.same([rounded(sums.used), rounded(sums.fromGrid), rounded(sums.untracked)], [12, 12, 5.4]);
  t.equal(buckets.length, 24);
  t.same(
    buckets.slice(0, 13).map(({ used }) => rounded(used)),
    [...Array.from({ length: 12 }, () => 1), 0],
  );
  t.same(
    devices.map(({ id, role, kwh }) => [id, role, rounded(kwh)]),
    [
      ["meter", "grid", 12],
      ["plug", "load", 3.6],
      ["heater", "load", 2.4],
      ["fan", "load", 0.6],
    ],
  );
  // A plug behind a plug: the outer one's reading is not added to it.
  const place = (deviceId: string, behind: string | null) => ({
    deviceId,
    role: "load" as const,
    behind,
    reversed: false,
  });
  await energy.change(siteId, { tariff: null, places: [place("fan", "heater"), place("heater", null)] });
  const nested = await report();
  t.equal(rounded(nested.sums.untracked), 6, "the fan is already in the heater's figure");
  t.equal(rounded(nested.devices.find(({ id }) => id === "heater")?.kwhOwn), 1.8);
  await t.rejects(energy.change(siteId, { tariff: null, places: [place("fan", "heater"), place("heater", "fan")] }), {
    code: /^invalid_body$/,
  });
  await t.rejects(energy.change(siteId, { tariff: null, places: [place("fan", "fan")] }), { code: /^invalid_body$/ });
  await t.rejects(energy.change(siteId, { tariff: null, places: [place("nobody", null)] }), {
    code: /^unknown_device$/,
  });
});

t.test(
  "counters take precedence over two samples 0.2 s apart; a reset, an outlier and a gap are handled",
  async (t) => {
    const { send, report } = await household(t, [
      ["plug", "smart-plug"],
      ["bare", "smart-plug"],
    ]);
    const at = MIDNIGHT + 2 * HOUR;
    await send("plug", [
      { at: MIDNIGHT - HOUR, data: { kwh: 41.2 } },
      { at, data: { watts: 1_800, kwh: 41.205 } },
      { at: at + 200, data: { watts: 0, kwh: 41.21 } },
    ]);
    t.equal(
      rounded((await report("day", undefined, "plug")).sums.used),
      0.007,
      "consumption since midnight of the gap's 0.01 kWh",
    );
    await send("bare", [
      { at, data: { watts: 1_800 } },
      { at: at + 200, data: { watts: 0 } },
    ]);
    t.equal(rounded((await report("day", undefined, "bare")).sums.used), 0);
    const reading = (hours: number, kwh: number): Sent => ({ at: MIDNIGHT + hours * HOUR - 1, data: { kwh } });
    const odd = await household(t, [["meter", "energy-meter"]]);
    await odd.send("meter", [
      reading(-1, 500),
      reading(1, 502),
      reading(2, 0.5),
      reading(3, 1.5),
      reading(4, 4_000_000),
      reading(5, 2),
      reading(6, 2.5),
    ]);
    const day = await odd.report();
    t.equal(
      rounded(day.sums.used),
      3.5,
      "half of 2 (the gap over midnight), 0.5 after the reset, 1, and over the outlier, which counts nothing, 0.5 and 0.5",
    );
    t.ok(day.devices[0]?.estimated);
    const quarters = (max: readonly number[]) => ({
      fromMs: 0,
      count: Float64Array.from(max, () => 1),
      sum: Float64Array.from(max),
      max: Float64Array.from(max),
      wattHours: new Float64Array(max.length).fill(Number.NaN),
      before: null,
    });
    const total = (max: readonly number[]) => rounded(countedEnergy(quarters(max)).kwh.reduce((a, b) => a + b, 0));
    t.equal(total([10, 9.99, 10, 10.02, 10.01, 10.03]), 0.03, "a rounded value is not a reset");
    t.equal(total([10, 0, 0.2]), 0.2);
  },
);

t.test("a day with a clock change has its hours, and every month its days", async (t) => {
  const { send, report, clock, telemetry } = await household(t, [["meter", "energy-meter"]], "Europe/Berlin");
  const start = DateTime.fromISO("2026-03-29", { zone: "Europe/Berlin" });
  clock.advance(start.plus({ days: 3 }).toMillis() - clock.now());
  await send(
    "meter",
    metered(start.minus({ days: 1 }).toMillis(), start.plus({ days: 2 }).toMillis(), () => 600),
  );
  await telemetry.compact();
  const day = await report("day", "2026-03-29");
  t.equal(day.buckets.length, 23);
  t.equal(rounded(day.sums.used), 13.8);
  t.equal(rounded((await report("day", "2026-03-28")).sums.used), 14.4);
  const month = await report("month", "2026-03-15");
  t.equal(month.buckets.length, 31);
  t.same(
    month.buckets.slice(27, 30).map(({ used }) => rounded(used)),
    [14.4, 13.8, 14.4],
  );
  const year = await report("year", "2026-03-15");
  t.same([year.buckets.length, rounded(year.buckets[2]?.used)], [12, 42.6]);
  t.equal((await report("week", "2026-03-29")).date, "2026-03-23", "weeks begin on Monday");
  await t.rejects(report("day", "2026-02-31"), { code: /^invalid_query$/ });
});

t.test("sun, battery and grid make up the house's consumption, and each has its own cost", async (t) => {
  const { send, report, energy, siteId } = await household(t, [
    ["meter", "energy-meter"],
    ["roof", "energy-meter"],
    ["store", "energy-meter"],
  ]);
  t.same((await report()).unplaced, [], "nothing is measured yet");
  const hours = (power: number, from: number, to: number) =>
    metered(MIDNIGHT, NOW, (at) => (at > MIDNIGHT + from * HOUR && at <= MIDNIGHT + to * HOUR ? power : 0)).map(
      ({ at, data }) => ({
        at,
        data: { watts: data.watts ?? 0 },
      }),
    );
  await send(
    "meter",
    metered(MIDNIGHT, NOW, () => 0).map(({ at }) => ({
      at,
      data: { watts: at <= MIDNIGHT + 6 * HOUR ? 1_000 : -500 },
    })),
  );
  await send("roof", hours(2_000, 6, 12));
  await send("store", hours(400, 6, 12));
  t.same((await report()).unplaced, ["meter", "roof", "store"], "with several meters the hub does not guess");
  const place = (deviceId: string, role: "grid" | "solar" | "battery") => ({
    deviceId,
    role,
    behind: null,
    reversed: false,
  });
  const price: TariffPrices = {
    validFrom: null,
    perKwh: 8,
    exportPerKwh: 3,
    periods: [{ days: [], from: "22:00", to: "06:00", perKwh: 5 }],
  };
  await energy.change(siteId, {
    tariff: { currency: "INR", prices: [price] },
    places: [place("meter", "grid"), place("roof", "solar"), place("store", "battery")],
  });
  const { sums, currency } = await report();
  const near = (value: number | null, wanted: number, what: string) =>
    t.ok(Math.abs((value ?? Number.NaN) - wanted) < 0.15, `${what}: ${value}, ${wanted}`);
  near(sums.fromGrid, 6, "from the grid");
  near(sums.toGrid, 3, "to the grid");
  near(sums.solar, 12, "from the sun");
  near(sums.toBattery, 2.4, "into the battery");
  near(sums.used, 6 - 3 + 12 - 2.4, "used");
  t.ok(Math.abs((sums.cost ?? 0) - (6 * 5 - 3 * 3)) < 0.6, `6 kWh at the night price less 3 kWh sold: ${sums.cost}`);
  t.equal(currency, "INR");
});

t.test(
  "prices follow the household's clock: by time, by day, over midnight, over a clock change, from a given day",
  async (t) => {
    const price = async (prices: readonly TariffPrices[], local: string, zone = ZONE): Promise<number> => {
      const at = DateTime.fromISO(local, { zone });
      const fromMs = at.startOf("day").minus({ days: 1 }).toMillis();
      const count = Math.round((at.plus({ days: 1 }).toMillis() - fromMs) / 900_000);
      return (
        (await quarterPrices({ currency: "INR", prices }, { fromMs, count, timeZone: zone }))?.perKwh[
          Math.floor((at.toMillis() - fromMs) / 900_000)
        ] ?? -1
      );
    };
    const base: TariffPrices = {
      validFrom: null,
      perKwh: 8,
      exportPerKwh: 0,
      periods: [
        { days: [1, 2, 3, 4, 5], from: "18:00", to: "22:00", perKwh: 11 },
        { days: [5], from: "23:00", to: "06:00", perKwh: 4 },
      ],
    };
    const later: TariffPrices = { ...base, validFrom: "2026-04-01", perKwh: 9, periods: [] };
    for (const [local, wanted] of [
      ["2026-03-04T17:45", 8],
      ["2026-03-04T18:00", 11],
      ["2026-03-07T19:00", 8],
      ["2026-03-06T23:15", 4],
      ["2026-03-07T05:45", 4],
      ["2026-03-08T05:45", 8],
      ["2026-03-31T23:45", 8],
      ["2026-04-01T00:00", 9],
    ] as const) {
      t.equal(await price([later, base], local), wanted, local);
    }
    const early = [{ ...base, periods: [{ days: [], from: "03:00", to: "04:00", perKwh: 1 }] }];
    t.same(
      await Promise.all(
        ["2026-03-29T03:00", "2026-03-29T04:00", "2026-10-25T03:30", "2026-10-25T01:45"].map((at) =>
          price(early, at, "Europe/Berlin"),
        ),
      ),
      [1, 8, 1, 8],
    );
    t.equal(
      await quarterPrices(
        { currency: "INR", prices: [{ ...base, perKwh: 0, periods: [] }] },
        { fromMs: 0, count: 4, timeZone: ZONE },
      ),
      null,
      "without a price there is no cost",
    );
  },
);

t.test("compared with the previous period, up to the same point", async (t) => {
  const { send, report } = await household(t, [["meter", "energy-meter"]]);
  await send(
    "meter",
    metered(MIDNIGHT - 25 * HOUR, NOW, (at) => (at <= MIDNIGHT ? 500 : 1_000)),
  );
  const { sums, before } = await report();
  t.same([rounded(sums.used), rounded(before.soFar.used), rounded(before.sums.used)], [12, 6, 12]);
  t.equal(before.used.length, 24, "hour by hour, wherever the present moment divides one");
  t.ok(
    before.used.every((kwh) => Math.abs(kwh - 0.5) < 1e-6),
    before.used.join(),
  );
});

t.test("a device's values for its energy, and its current power", async (t) => {
  t.same(energyMetrics(["watts", "voltage", "kwh", "kwhA", "kwhB", "kwhExported", "wattsA"]), {
    imported: ["kwh"],
    exported: ["kwhExported"],
    powers: ["watts"],
  });
  t.same(energyMetrics(["kwh", "kwh2", "kwhTariff1", "watts", "watts2"]), {
    imported: ["kwh", "kwh2"],
    exported: [],
    powers: ["watts", "watts2"],
  });
  t.same(energyMetrics(["wattsA", "wattsB", "wattsC"]).powers, ["wattsA", "wattsB", "wattsC"]);
  const place = (id: string, role: "grid" | "load" | "solar", watts: number | null, behind: string | null = null) => ({
    id,
    role,
    behind,
    reversed: false,
    watts,
  });
  t.equal(powerNow([place("meter", "grid", 462), place("plug", "load", 96)]), 462, "the plug is in the meter's figure");
  t.equal(
    powerNow([place("meter", "grid", null), place("plug", "load", 96), place("lamp", "load", 10, "plug")]),
    96,
    "an offline meter",
  );
  t.equal(powerNow([place("meter", "grid", -1_000), place("roof", "solar", 1_500)]), 500);
  t.equal(powerNow([place("meter", "grid", null)]), null);
});

t.test("a computed year is not read again, and is never out of date", async (t) => {
  const house = await household(t, [
    ["meter", "energy-meter"],
    ["lamp", "smart-plug"],
  ]);
  const { send, report, read, clock, siteId } = house;
  const fresh = (): Promise<unknown> => house.anew().report(siteId, { period: "year" });
  /** The year's figures now, and how many days of history were read for them. */
  const asked = async (): Promise<{ year: Awaited<ReturnType<typeof report>>; days: number }> => {
    read.length = 0;
    const year = await report("year");
    return { year, days: Math.round(read.reduce((sum, length) => sum + length, 0) / (24 * HOUR)) };
  };
  const start = NOW - 12 * HOUR;
  const counter = (hours: number, from = start) =>
    metered(from, from + hours * HOUR, () => 1_000, 100 + (from - start) / HOUR);
  const lamp = (hours: number, from = start) =>
    counter(hours, from).map(({ at, data }) => ({ at, data: { watts: data.watts ?? 0 } }));
  await send("meter", counter(12));
  await send("lamp", lamp(12));
  const first = await asked();
  t.ok(first.days > 600, `${first.days} days read`);
  const second = await asked();
  t.ok(second.days < 10, `${second.days} days read`);
  const same = (found: unknown, wanted: unknown, what: string) => t.same(nearly(found), nearly(wanted), what);
  same(second.year, first.year, "the same answer");

  clock.advance(3 * HOUR);
  await send("lamp", lamp(3, NOW));
  await send("meter", counter(1, NOW + 2 * HOUR).slice(1));
  const later = await asked();
  t.ok(later.days < 10);
  same(later.year, await fresh(), "what came since, with the gap that it ends");
  t.equal(Math.round(later.year.sums.used), 15, JSON.stringify(later.year.sums));

  await send(
    "meter",
    counter(2, start + 2 * HOUR).map(({ at, data }) => ({
      at: at - 24 * HOUR,
      data: { watts: 1, kwh: (data.kwh ?? 0) - 50 },
    })),
  );
  const late = await asked();
  t.ok(late.days > 300, "late samples are reported");
  same(late.year, await fresh(), "as if nothing had been kept");
  await house.telemetry.removeDevice("lamp");
  same((await asked()).year, await fresh(), "and what is removed is gone");
});

/** Numbers to a watt-hour. */
function nearly(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === "number" ? Math.round(part * 1_000) / 1_000 : part)),
  );
}
