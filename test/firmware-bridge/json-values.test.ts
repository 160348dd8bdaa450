import fc from "fast-check";
import t from "tap";
import { switching } from "../../firmware-bridge/channels.ts";
import {
  hexOfRgb,
  hueSaturationOfRgb,
  reciprocalMegakelvin,
  rgbOfHex,
  rgbOfHueSaturation,
  rgbOfXy,
  xyOfRgb,
} from "../../firmware-bridge/colours.ts";
import {
  booleanOf,
  camelCase,
  deviceKey,
  hardwareAddress,
  jsonOf,
  member,
  numberOf,
  payloadText,
  rescale,
  textOf,
} from "../../firmware-bridge/json-values.ts";
import { inUnit, quantity } from "../../firmware-bridge/units.ts";

t.test("numbers are read from numbers and texts; anything else is null", async (t) => {
  const cases: [unknown, number | null][] = [
    [21.5, 21.5],
    ["21.50", 21.5],
    [" -3e2 ", -300],
    ["NaN", null],
    ["unknown", null],
    ["unavailable", null],
    ["", null],
    ["0x10", null],
    ["Infinity", null],
    ["1e302", null],
    [1e302, null],
    [Number.NaN, null],
    [null, null],
    [true, null],
  ];
  for (const [value, expected] of cases) t.equal(numberOf(value), expected, JSON.stringify(value));
});

t.test("booleans have several spellings", async (t) => {
  for (const value of [true, "ON", "true", 1, "1", " yes "]) t.equal(booleanOf(value), true);
  for (const value of [false, "off", "FALSE", 0, "0"]) t.equal(booleanOf(value), false);
  for (const value of [2, "maybe", null, {}, []]) t.equal(booleanOf(value), null);
});

t.test("JSON that nests too deeply is not built", async (t) => {
  t.same(jsonOf('{"a":[1,"]["]}'), { a: [1, "]["] });
  t.equal(jsonOf(`${"[".repeat(13)}${"]".repeat(13)}`), undefined);
  t.equal(jsonOf("[".repeat(500_000)), undefined);
  t.equal(jsonOf("{"), undefined);
  t.equal(payloadText(new Uint8Array(65_537)), null);
});

t.test("no prototype is reached by a name", async (t) => {
  t.equal(member({}, "constructor"), undefined);
  t.equal(member([], "map"), undefined);
  t.equal(member("text", "length"), undefined);
  t.equal(camelCase("__proto__"), "proto");
  t.equal(camelCase("constructor"), null);
});

t.test("names become keys with only the characters of an id", async (t) => {
  t.equal(camelCase("device_temperature"), "deviceTemperature");
  t.equal(camelCase("PM2.5 level"), "pm25Level");
  t.equal(camelCase("…"), null);
  t.equal(deviceKey("0x00158D0001"), "0x00158d0001");
  t.not(deviceKey("a/b"), deviceKey("a b"), "two names, two keys");
  fc.assert(fc.property(fc.string({ minLength: 1 }), (name) => /^[a-z0-9_-]{1,48}$/.test(deviceKey(name) ?? "")));
  t.equal(hardwareAddress("84:FC:E6:12:34:56"), "84fce6123456");
  t.equal(hardwareAddress("0x00158d00018255DF"), "00158d00018255df");
  t.equal(hardwareAddress("kitchen"), null);
  t.equal(textOf("a\u0000b\u001b[31m"), "ab[31m");
});

t.test("units become the hub's", async (t) => {
  t.same(quantity(68, "°F"), { value: 20, unit: "°C" });
  t.same(quantity(1.25, "kWh"), { value: 1250, unit: "Wh" });
  t.same(quantity(2.4, "kW"), { value: 2400, unit: "W" });
  t.same(quantity(14.5, "psi"), { value: 999.739809, unit: "hPa" });
  t.same(quantity(3, "bananas"), { value: 3, unit: "bananas" });
  t.same(quantity(3, null), { value: 3, unit: "" });
  t.equal(inUnit(20, "°F"), 68);
});

t.test("colours survive a round trip", async (t) => {
  t.same(rgbOfHex("#f00"), [255, 0, 0]);
  t.equal(rgbOfHex("red"), null);
  t.equal(hexOfRgb([255, 128, 0]), "#ff8000");
  t.same(hueSaturationOfRgb([255, 0, 0]), { hue: 0, saturation: 100 });
  t.same(rgbOfHueSaturation(120, 100), [0, 255, 0]);
  t.same(xyOfRgb([255, 0, 0]), { x: 0.64, y: 0.33 });
  t.equal(reciprocalMegakelvin(370), 2703);
  t.equal(reciprocalMegakelvin(0), null);
  t.equal(rescale(127, 254, 100), 50);
  t.equal(rescale(1, 254, 100), 1, "a lamp that is on is not at 0 %");
  t.same([rescale(0, 254, 100), rescale(-5, 254, 100), rescale(300, 254, 100), rescale(100, 0, 100)], [0, 0, 100, 0]);
  t.same([rescale(0.5, 1, 100), rescale(255, 255, 254), rescale(5, -1, 100)], [50, 254, 0]);
  const part = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(part, part, part, (red, green, blue) => {
      const most = Math.max(red, green, blue, 1);
      // three in, three out
      const full = [red, green, blue].map((value) => Math.round((value / most) * 255)) as [number, number, number];
      if (red + green + blue === 0) return true;
      const { x, y } = xyOfRgb(full);
      return rgbOfXy(x, y).every((value, index) => Math.abs(value - (full[index] ?? 0)) <= 6);
    }),
  );
});

t.test("a command's switching is found in all the contract's shapes", async (t) => {
  const outputs = (command: Record<string, unknown>, count: number) => {
    const result = switching(command, count);
    return "unsupported" in result ? result.unsupported : [...result.outputs];
  };
  t.same(outputs({ power: true, brightness: 40 }, 1), [[1, true]]);
  t.same(outputs({ ch: 2, on: true }, 2), [[2, true]]);
  t.same(outputs({ relays: [true, false, true, false] }, 2), [
    [1, true],
    [2, false],
  ]);
  t.same(outputs({ power2: false }, 2), [[2, false]]);
  t.same(outputs({ power: false }, 2), [
    [1, false],
    [2, false],
  ]);
  t.equal(outputs({ ch: 3, on: true }, 2), "the device has no channel 3");
  t.equal(outputs({ ch: "x", on: true }, 2), "the device has no channel NaN");
  t.equal(outputs({ power: "maybe" }, 1), "power takes true or false");
  t.same(switching({ ch: 1, on: true, brightness: 5 }, 1), {
    outputs: new Map([[1, true]]),
    channel: 1,
    rest: { brightness: 5 },
  });
});
