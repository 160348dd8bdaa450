import { once } from "node:events";
import sharp from "sharp";
import t from "tap";
import { analyse } from "../../src/core/plates/analyse.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { CarPictures } from "../../src/features/sandbox/car-pictures.ts";
import { METER_KWH } from "../../src/features/sandbox/daily-shapes.ts";
import {
  earlierReadings,
  lastRun,
  pastFeed,
  pastPasses,
  pastSamples,
  withLastArrival,
  withStranger,
} from "../../src/features/sandbox/history.ts";
import { STRANGER, VEHICLES } from "../../src/features/sandbox/household.ts";
import { drawCar } from "../../src/features/sandbox/plate-picture.ts";

const DAY = 86_400_000;
const to = Date.parse("2026-03-14T12:00:00Z");
const past = { from: to - 14 * DAY, to, timeZone: "Asia/Kolkata", random: () => 0.5 };

t.test("samples are evenly spaced inside the range and have the shape of days", async (t) => {
  const samples = pastSamples(past, 600_000);
  t.same([...samples.keys()].sort(), ["fan", "meter", "plug", "sensor", "switch", "thermostat"]);
  for (const list of samples.values()) {
    t.equal(list.length, 14 * 144);
    t.ok(
      list.every(
        ({ at }, index) => at >= past.from && at < to && (index === 0 || at - (list[index - 1]?.at ?? 0) === 600_000),
      ),
    );
  }
  const meter = samples.get("meter") ?? [];
  const mean = (from: number, until: number): number => {
    const values = meter
      .filter(({ at }) => (at / 3_600_000 + 5.5) % 24 >= from && (at / 3_600_000 + 5.5) % 24 < until)
      .map(({ data }) => Number(data.watts));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  t.ok(mean(19, 22) > 3 * mean(1, 5), "evenings in local time draw more than nights");
  t.ok(
    meter.every(({ data }, index) => index === 0 || Number(data.kwh) >= Number(meter[index - 1]?.data.kwh)),
    "the counter only grows",
  );
  t.equal(meter.at(-1)?.data.kwh, METER_KWH, "the living meter continues from there");
  t.notOk(
    pastSamples({ ...past, isBetween: true }, 600_000)
      .get("meter")
      ?.some(({ data }) => "kwh" in data),
    "between two lives nothing is counted",
  );
});

t.test(
  "the house's meter counts more than the devices behind it, and there is a month before to compare with",
  async (t) => {
    const samples = pastSamples(past, 600_000);
    const since = to - 75 * DAY;
    const earlier = earlierReadings(past, samples, since, 3_600_000);
    const devices = [...earlier.keys()].filter((key) => key !== "meter");
    t.ok(devices.length >= 4, `${devices} are metered`);
    const used = (key: string, list: ReturnType<typeof pastSamples>): number =>
      Number(list.get(key)?.at(-1)?.data.kwh) - Number(list.get(key)?.[0]?.data.kwh);
    for (const list of [samples, earlier]) {
      const tracked = devices.reduce((sum, key) => sum + used(key, list), 0);
      t.ok(tracked > 0.25 * used("meter", list) && tracked < 0.75 * used("meter", list), `${tracked} kWh have a name`);
    }
    for (const [key, readings] of earlier) {
      t.ok(
        readings.every(
          ({ at, data }, index) =>
            at >= since && at < past.from && Number(data.kwh) >= Number(readings[index - 1]?.data.kwh ?? 0),
        ),
        `${key} only grows, before the samples`,
      );
      t.ok(Number(readings.at(-1)?.data.kwh) <= Number(samples.get(key)?.[0]?.data.kwh), `${key} goes on from there`);
    }
  },
);

t.test("cars come before they go, in order, at their local hours", async (t) => {
  const passes = pastPasses(past);
  t.ok(passes.length > 60, `${passes.length} passes`);
  t.ok(passes.every(({ at }, index) => at >= past.from && at < to && at >= (passes[index - 1]?.at ?? 0)));
  const milk = passes.filter(({ plate }) => plate === "MH14CD7788");
  for (const { at, direction } of milk) {
    const hour = (at / 3_600_000 + 5.5) % 24;
    t.ok(hour > 6.3 && hour < 7.2, `${direction} at ${hour}`);
  }
  const family = passes.filter(({ plate }) => plate === "MH12AB1234");
  for (const { at, direction } of family) {
    const hour = (at / 3_600_000 + 5.5) % 24;
    t.ok(
      direction === "out" ? hour > 8 && hour < 9.5 : hour > 18 && hour < 19,
      `the family car leaves in the morning: ${direction} at ${hour}`,
    );
  }
  const denied = passes.filter(({ plate }) => plate === "DL8CAF5031");
  t.ok(denied.length > 0 && denied.every(({ direction }) => direction === "in"));
});

t.test("the past ends with a car of the household that comes home", async (t) => {
  const passes = withLastArrival(pastPasses(past), to);
  const last = passes.at(-1);
  t.hasStrict(last, { direction: "in", at: to - 12 * 60_000 });
  t.equal(VEHICLES.find(({ plate }) => plate === last?.plate)?.rule?.kind, "allow");
  const before = passes.filter(({ plate }) => plate === last?.plate).at(-2);
  t.equal(before?.direction, "out", "it was not at home already");
  const night = [{ plate: "MH12AB1234", direction: "in", at: to - 60_000 } as const];
  t.same(withLastArrival(night, to).length, 1, "what came after it is left out");
});

t.test("within its last hour a car that is on no list stands at the gate, alone", async (t) => {
  const passes = withStranger(withLastArrival(pastPasses(past), to), to);
  const index = passes.findLastIndex(({ plate }) => plate === STRANGER);
  const at = passes[index]?.at ?? 0;
  t.ok(to - at < 60 * 60_000 && to - at >= 40 * 60_000, `${(to - at) / 60_000} min before its end`);
  const crowd = Array.from(
    { length: 9 },
    (_, n) => ({ plate: "MH12AB1234", direction: "in", at: to - n * 5 * 60_000 }) as const,
  );
  const placed = withStranger(crowd, to).find(({ plate }) => plate === STRANGER);
  t.ok(crowd.every((pass) => Math.abs(pass.at - (placed?.at ?? to)) >= 3 * 60_000));
});

t.test("the analyser keeps every plate of the household unchanged", async (t) => {
  for (const { plate } of VEHICLES) t.hasStrict(analyse(plate, Countries.all), { plate, status: "recognised" }, plate);
});

t.test("the feed has the past in order", async (t) => {
  const items = pastFeed({ ...past, random: () => 0.1 }, "Asha", (key) => `demo-${key}`, String);
  t.ok(items.every(({ at }, index) => at >= past.from && at < to && at >= (items[index - 1]?.at ?? 0)));
  t.ok(items.some(({ kind, deviceId }) => kind === "device.offline" && deviceId === "demo-fan"));
  for (const [name, code] of [
    ["Good night", "scene.run"],
    ["Lamp in the evening", "automation.fired"],
  ] as const) {
    const last = items.findLast(({ text }) => text.code === code && "name" in text && text.name === name);
    t.equal(lastRun(past, name), last?.at, `${name} says that it last ran when the feed says so`);
  }
  t.equal(lastRun(past, "Away"), null);
});

t.test("a drawn car is a JPEG of camera size, different for each plate, darker at night", async (t) => {
  const [day, other, night] = await Promise.all([
    drawCar("MH12AB1234", false),
    drawCar("MH12AB1235", false),
    drawCar("MH12AB1234", true),
  ]);
  t.match(await sharp(day).metadata(), { format: "jpeg", width: 1280, height: 720 });
  t.ok(day.length < 100_000);
  t.notOk(day.equals(other));
  const brightness = async (picture: Buffer): Promise<number> => (await sharp(picture).stats()).channels[0]?.mean ?? 0;
  t.ok((await brightness(day)) > 2 * (await brightness(night)));
});

t.test("cars that look the same are drawn once, those drawn ahead not again, and a stop ends drawing", async (t) => {
  const drawn: string[][] = [];
  const pictures = new CarPictures(async (cars, signal) => {
    drawn.push(cars.map(({ plate, isNight }) => `${plate} ${isNight ? "night" : "day"}`));
    if (cars.some(({ plate }) => plate === "SLOW")) await once(signal, "abort");
    signal.throwIfAborted();
    return cars.map(({ plate }) => Buffer.from(plate));
  });
  const car = (plate: string, isNight = false) => ({ plate, isNight });
  t.same((await pictures.of([car("A"), car("B"), car("A"), car("A", true)])).map(String), ["A", "B", "A", "A"]);
  t.same(drawn.splice(0), [["A day", "B day", "A night"]]);
  pictures.drawAhead();
  t.same(drawn.splice(0), [["", ...VEHICLES.map(({ plate }) => plate)].map((plate) => `${plate} day`)]);
  t.same((await pictures.of([car(STRANGER), car(STRANGER, true)])).map(String), [STRANGER, STRANGER]);
  t.same(drawn.splice(0), [[`${STRANGER} night`]]);
  const slow = pictures.of([car("SLOW")]);
  pictures.stop();
  await t.rejects(slow);
  t.same((await pictures.of([car(STRANGER)])).map(String), [STRANGER], "they can be drawn again");
});
