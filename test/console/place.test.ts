/** Where a house is: what people paste, the cities that the console ships, and the sun that proves the place. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import {
  type City,
  distanceOf,
  findCities,
  isSameClock,
  nearestCity,
  placeIn,
  sunOn,
  zoneAt,
} from "../../src/console/components/place.ts";
import { dayAt } from "../../src/core/kernel/local-time.ts";
import { sunEvent } from "../../src/features/automations/rules/sun.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const file = JSON.parse(await readFile(join(PROJECT_ROOT, "src/console/components/cities.json"), "utf8")) as {
  source: string;
  licence: string;
  zones: string[];
  cities: [string, string, number, number, number][];
};
const cities: City[] = file.cities.map(([name, country, latitude, longitude, zone]) => ({
  ...{ name, country, latitude, longitude },
  timeZone: file.zones[zone] ?? "",
}));
const countries = new Intl.DisplayNames(["en"], { type: "region" });
const find = (text: string, zone = "Asia/Kolkata"): string[] =>
  findCities(cities, text, zone, (code) => countries.of(code) ?? code).map(({ name }) => name);

t.test("a place is understood as people and maps write it", async (t) => {
  const pune = { latitude: 18.52, longitude: 73.85 };
  for (const [text, place] of [
    ["18.52, 73.85", pune],
    [" 18.52 73.85 ", pune],
    ["18.52° N, 73.85° E", pune],
    ["33.9 S, 151.2 E", { latitude: -33.9, longitude: 151.2 }],
    ["-33.9; 151.2", { latitude: -33.9, longitude: 151.2 }],
    ["geo:18.52,73.85?z=12", pune],
    ["https://maps.google.com/?q=18.52,73.85", pune],
    ["https://www.google.com/maps/@18.52,73.85,15z", pune],
    ["https://www.google.com/maps/place/X/@1.0,2.0,15z/data=!4m2!3d18.52!4d73.85", pune],
    ["https://www.openstreetmap.org/#map=15/18.52/73.85", pune],
    ["https://www.openstreetmap.org/?mlat=18.52&mlon=73.85#map=9/1.0/2.0", pune],
    ["https://maps.apple.com/?ll=18.52,73.85&z=9", pune],
    ["91, 10", null],
    ["10, 181", null],
    ["Pune", null],
    ["18.52", null],
    ["https://maps.app.goo.gl/abc", null],
    ["", null],
  ] as const)
    t.strictSame(placeIn(text), place, text);
});

t.test("every shipped city lies on earth, in a zone that browsers know, under a licence that is named", async (t) => {
  t.match(file.source, "GeoNames");
  t.match(file.licence, "CC BY 4.0");
  t.ok(cities.length > 1_000, `${cities.length} cities`);
  for (const { name, latitude, longitude, timeZone } of cities) {
    if (placeIn(`${latitude},${longitude}`) === null) t.fail(`${name} lies nowhere`);
    // a zone's clock is never four hours from the sun
    const hours = offsetOf(timeZone);
    if (Math.abs(hours - longitude / 15) > 4 && Math.abs(Math.abs(hours - longitude / 15) - 24) > 4)
      t.fail(`${name} is not in ${timeZone}`);
  }
});

/** Hours between a zone's clock and UTC in winter of the north. */
function offsetOf(timeZone: string): number {
  const at = Date.UTC(2026, 0, 15, 12);
  const parts = new Intl.DateTimeFormat("en", {
    ...{
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    },
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  return (Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute")) - at) / 3_600_000;
}

t.test(
  "cities are found by the beginning of a name, by the former one, and those of the zone come first",
  async (t) => {
    t.equal(find("pun")[0], "Pune");
    t.equal(find("bangal")[0], "Bengaluru (Bangalore)");
    t.equal(find("allahabad")[0], "Prayagraj (Allahabad)");
    t.equal(find("cologne", "Europe/Berlin")[0], "Cologne (Köln)");
    t.equal(find("koln", "Europe/Berlin")[0], "Cologne (Köln)");
    t.equal(find("london", "America/Toronto")[0], "London");
    t.equal(findCities(cities, "london", "America/Toronto", (code) => code)[0]?.country, "CA");
    t.equal(findCities(cities, "london", "Europe/London", (code) => code)[0]?.country, "GB");
    t.ok(find("switzer", "Europe/Zurich").includes("Zürich"), "by its country");
    t.strictSame(find("xqzzy"), []);
    t.ok(find("").every((name) => cities.some((city) => city.name === name && city.timeZone === "Asia/Kolkata")));
  },
);

t.test("the city of a place is the nearest one", async (t) => {
  const near = nearestCity(cities, { latitude: 18.5204, longitude: 73.8567 });
  t.equal(near?.city.name, "Pune");
  t.ok((near?.km ?? 99) < 3);
  t.equal(nearestCity([], { latitude: 0, longitude: 0 }), null);
  const km = distanceOf({ latitude: 52.52, longitude: 13.41 }, { latitude: 48.14, longitude: 11.58 });
  t.ok(Math.abs(km - 504) < 3, `Berlin is ${km} km from Munich`);
});

t.test("a place keeps the time of its city; far from any, a clock that cannot be right is noticed", async (t) => {
  const now = Date.UTC(2026, 10, 29, 19, 30);
  const pune = { latitude: 18.52, longitude: 73.86 };
  t.equal(zoneAt(cities, pune, "UTC", now), "Asia/Kolkata");
  t.equal(zoneAt([], pune, "UTC", now), null);
  const kerguelen = { latitude: -49.3, longitude: 69.3 };
  t.equal(zoneAt(cities, kerguelen, "Indian/Kerguelen", now), null, "no city is near: any likely clock stands");
  t.not(zoneAt(cities, kerguelen, "UTC", now), null, "its noon is not at seven in the morning");
  const dateLine = { latitude: -24, longitude: -178.1 };
  t.equal(zoneAt(cities, dateLine, "Pacific/Auckland", now), null, "across the date line the clock may show the same");
  t.ok(isSameClock("Europe/Berlin", "Europe/Vienna", now));
  t.ok(isSameClock("Asia/Calcutta", "Asia/Kolkata", now));
  t.notOk(isSameClock("Europe/London", "UTC", now), "in summer they differ");
  t.notOk(isSameClock("America/St_Johns", "America/Halifax", now));
});

t.test("the sun of a place is that of the hub's rules", async (t) => {
  const now = Date.UTC(2026, 10, 29, 19, 30); // after midnight in India
  for (const [place, timeZone] of [
    [{ latitude: 18.52, longitude: 73.85 }, "Asia/Kolkata"],
    [{ latitude: 52.52, longitude: 13.41 }, "Europe/Berlin"],
    [{ latitude: -36.85, longitude: 174.76 }, "Pacific/Auckland"],
    [{ latitude: 78.22, longitude: 15.63 }, "Arctic/Longyearbyen"],
  ] as const) {
    const sun = sunOn(place, timeZone, now);
    for (const event of ["sunrise", "sunset"] as const) {
      const ours = sun[event]?.getTime() ?? null;
      const theirs = sunEvent(event, { ...place, timeZone }, dayAt(timeZone, now));
      if (ours === null || theirs === null) t.equal(ours, theirs, `${timeZone} ${event}`);
      else t.ok(Math.abs(ours - theirs) < 60_000, `${timeZone} ${event}`);
    }
  }
  t.strictSame(sunOn({ latitude: 78.22, longitude: 15.63 }, "Arctic/Longyearbyen", now), {
    sunrise: null,
    sunset: null,
  });
});
