import t from "tap";
import { dayAt } from "../../../src/core/kernel/local-time.ts";
import { isSunUp, sunEvent, sunPlace } from "../../../src/features/automations/rules/sun.ts";

const DELHI = { timeZone: "Asia/Kolkata", latitude: 28.61, longitude: 77.21 };
const TROMSO = { timeZone: "Europe/Oslo", latitude: 69.65, longitude: 18.96 };
const AUCKLAND = { timeZone: "Pacific/Auckland", latitude: -36.85, longitude: 174.76 };
const MINUTE = 60_000;
const at = (text: string): number => Date.parse(text);

t.test("a place needs both of its coordinates", async (t) => {
  t.equal(sunPlace({ timeZone: "UTC", latitude: null, longitude: null }), null);
  t.equal(sunPlace({ timeZone: "UTC", latitude: 1, longitude: null }), null);
  t.equal(sunPlace({ timeZone: "UTC", latitude: null, longitude: 1 }), null);
  t.same(sunPlace({ timeZone: "UTC", latitude: 0, longitude: 0 }), { timeZone: "UTC", latitude: 0, longitude: 0 });
});

t.test("sunrise and sunset are those of the local day", async (t) => {
  for (const place of [DELHI, AUCKLAND]) {
    const day = dayAt(place.timeZone, at("2026-03-20T12:00:00Z"));
    const [rise, set] = [sunEvent("sunrise", place, day) ?? 0, sunEvent("sunset", place, day) ?? 0];
    t.equal(dayAt(place.timeZone, rise), day);
    t.equal(dayAt(place.timeZone, set), day);
    t.ok(Math.abs(set - rise - 12 * 60 * MINUTE) < 15 * MINUTE, "half a day at the equinox");
    const next = sunEvent("sunrise", place, day + 1) ?? 0;
    t.ok(Math.abs(next - rise - 24 * 60 * MINUTE) < 5 * MINUTE);
  }
  // timeanddate.com: New Delhi, 21 June 2026, 05:23 and 19:21
  const june = dayAt(DELHI.timeZone, at("2026-06-21T06:00:00Z"));
  t.ok(Math.abs((sunEvent("sunrise", DELHI, june) ?? 0) - at("2026-06-20T23:53:30Z")) < 3 * MINUTE);
  t.ok(Math.abs((sunEvent("sunset", DELHI, june) ?? 0) - at("2026-06-21T13:51:30Z")) < 3 * MINUTE);
});

t.test("in polar day and night there is neither, and the sun is up or down all the time", async (t) => {
  for (const [day, isUp] of [
    ["2026-06-21", true],
    ["2026-12-21", false],
  ] as const) {
    const number = dayAt(TROMSO.timeZone, at(`${day}T12:00:00Z`));
    t.equal(sunEvent("sunrise", TROMSO, number), null);
    t.equal(sunEvent("sunset", TROMSO, number), null);
    for (const hour of ["00", "06", "11", "12", "18", "23"])
      t.equal(isSunUp(TROMSO, at(`${day}T${hour}:30:00Z`)), isUp, `${day} ${hour}`);
  }
});

t.test("the sun is up from the instant of its rise to that of its set", async (t) => {
  for (const place of [DELHI, AUCKLAND]) {
    const day = dayAt(place.timeZone, at("2026-03-20T12:00:00Z"));
    const [rise, set] = [sunEvent("sunrise", place, day) ?? 0, sunEvent("sunset", place, day) ?? 0];
    t.same(
      [rise - 2, rise + 2, (rise + set) / 2, set - 2, set + 2, set + 60 * MINUTE].map((time) => isSunUp(place, time)),
      [false, true, true, true, false, false],
      place.timeZone,
    );
  }
});
