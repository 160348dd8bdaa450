/** Units, colours, device classes and forms of topics, each compared with its own source. */
import t from "tap";
import {
  hexOfRgb,
  hueSaturationOfRgb,
  rgbOfHex,
  rgbOfHueSaturation,
  rgbOfXy,
  xyOfRgb,
} from "../../firmware-bridge/colours.ts";
import { CredentialContext } from "../../firmware-bridge/credential-context.ts";
import { mostOften, nodeBase, nodeTopic, synthetic } from "../../firmware-bridge/esphome/node-topics.ts";
import { homeassistant } from "../../firmware-bridge/homeassistant/homeassistant.ts";
import { Members } from "../../firmware-bridge/members.ts";
import { commonUnit, inUnit, quantity } from "../../firmware-bridge/units.ts";

t.test("a thousand of every unit, in the hub's", async (t) => {
  const thousand: Record<string, Record<string, number>> = {
    "°C": {
      "°C": 1000,
      "℃": 1000,
      C: 1000,
      degC: 1000,
      celsius: 1000,
      "°F": 537.777778,
      "℉": 537.777778,
      F: 537.777778,
      K: 726.85,
    },
    W: { W: 1000, kW: 1e6, mW: 1, MW: 1e9, GW: 1e12, TW: 1e15, "BTU/h": 293.07107 },
    Wh: {
      ...{ Wh: 1000, kWh: 1e6, mWh: 1, MWh: 1e9, GWh: 1e12, TWh: 1e15, J: 0.277778, kJ: 277.777778, Ws: 0.277778 },
      ...{ MJ: 277_777.777778, GJ: 277_777_777.777778, cal: 1.162222, kcal: 1162.222222 },
    },
    V: { V: 1000, mV: 1, µV: 0.001, kV: 1e6, MV: 1e9 },
    A: { A: 1000, mA: 1, µA: 0.001, kA: 1e6 },
    VA: { VA: 1000, mVA: 1, kVA: 1e6, MVA: 1e9 },
    var: { var: 1000, VAR: 1000, VAr: 1000, mvar: 1, kvar: 1e6, kVAr: 1e6 },
    Hz: { Hz: 1000, kHz: 1e6, MHz: 1e9, GHz: 1e12 },
    hPa: {
      ...{ hPa: 1000, mbar: 1000, Pa: 10, kPa: 10_000, MPa: 1e7, bar: 1e6, cbar: 10_000 },
      ...{ psi: 68_947.573, inHg: 33_863.886, mmHg: 1333.224, "inH₂O": 2490.89 },
    },
    lx: { lx: 1000, lux: 1000, klx: 1e6, klux: 1e6 },
    ppm: { ppm: 1000, ppb: 1 },
    "µg/m³": { "µg/m³": 1000, "μg/m³": 1000, "ug/m3": 1000, "µg/m3": 1000, "mg/m³": 1e6, "mg/m3": 1e6 },
    "m³": { "m³": 1000, m3: 1000, L: 1, l: 1, mL: 0.001, "ft³": 28.316847, CCF: 2831.6847, gal: 3.785412 },
    m: { m: 1000, cm: 10, mm: 1, km: 1e6, in: 25.4, ft: 304.8, yd: 914.4, mi: 1_609_344 },
    kg: { kg: 1000, g: 1, mg: 0.001, lb: 453.59237, oz: 28.349523 },
    "m/s": { "m/s": 1000, "km/h": 277.777778, kmh: 277.777778, mph: 447.04, "ft/s": 304.8, kn: 514.444 },
  };
  for (const [unit, spellings] of Object.entries(thousand))
    for (const [spelling, value] of Object.entries(spellings)) {
      t.same(quantity(1000, ` ${spelling} `), { value, unit }, spelling);
      t.equal(commonUnit(spelling), unit);
      const back = inUnit(quantity(1e6, spelling).value, spelling);
      t.ok(Math.abs(back - 1e6) < 500, `${spelling}: a million comes back as ${back}`);
    }
  t.equal(inUnit(1 / 3, "m"), 0.333333, "six digits");
  t.equal(inUnit(7, "furlong"), 7);
  t.equal(inUnit(7, null), 7);
});

t.test("colours by their names in CSS", async (t) => {
  const named: [hex: string, rgb: [number, number, number], hue: number, saturation: number][] = [
    ["#ff0000", [255, 0, 0], 0, 100],
    ["#ffa500", [255, 165, 0], 39, 100],
    ["#ffff00", [255, 255, 0], 60, 100],
    ["#00ff00", [0, 255, 0], 120, 100],
    ["#00ffff", [0, 255, 255], 180, 100],
    ["#0000ff", [0, 0, 255], 240, 100],
    ["#ff00ff", [255, 0, 255], 300, 100],
    ["#ff69b4", [255, 105, 180], 330, 59],
    ["#ffffff", [255, 255, 255], 0, 0],
  ];
  for (const [hex, rgb, hue, saturation] of named) {
    t.same(rgbOfHex(hex), rgb);
    t.same(rgbOfHex(` ${hex.slice(1).toUpperCase()} `), rgb);
    t.equal(hexOfRgb(rgb), hex);
    t.same(hueSaturationOfRgb(rgb), { hue, saturation }, hex);
    const full = rgbOfHueSaturation(hue, saturation);
    t.ok(
      full.every((part, index) => Math.abs(part - (rgb[index] ?? 0)) <= 2),
      `${hex}: ${full}`,
    );
    for (const turn of [-720, -360, 360])
      t.same(rgbOfHueSaturation(hue + turn, saturation), full, `${hex}, ${turn}° further`);
  }
  t.same(rgbOfHex("abc"), [170, 187, 204]);
  t.equal(rgbOfHex("#abcd"), null);
  t.equal(rgbOfHex(0xff0000), null);
  t.equal(hexOfRgb([-1, 256, 15.4]), "#00ff0f");
  t.same(rgbOfHueSaturation(0, 101), [255, 0, 0]);
  t.same(rgbOfHueSaturation(0, -1), [255, 255, 255]);
  t.same(hueSaturationOfRgb([0, 0, 0]), { hue: 0, saturation: 0 });
  // the primaries and the white of sRGB
  for (const [rgb, x, y] of [
    [[255, 0, 0], 0.64, 0.33],
    [[0, 255, 0], 0.3, 0.6],
    [[0, 0, 255], 0.15, 0.06],
    [[255, 255, 255], 0.3127, 0.329],
  ] as const) {
    t.same(xyOfRgb(rgb), { x, y });
    t.ok(
      rgbOfXy(x, y).every((part, index) => Math.abs(part - (rgb[index] ?? 0)) <= 1),
      `${rgbOfXy(x, y)}`,
    );
  }
  t.same(xyOfRgb([0, 0, 0]), { x: 0.3127, y: 0.329 });
});

/** The message of a sensor of Home Assistant's discovery, in the hub's terms. */
function heard(component: string, deviceClass: string, content: string): string {
  const adapter = homeassistant.open({ prefix: null });
  const config = {
    name: "Own",
    device_class: deviceClass,
    state_topic: "s",
    unique_id: "u",
    device: { identifiers: "d" },
  };
  const message = (topic: string, payload: string) =>
    adapter.message({ topic, payload: Buffer.from(payload), retained: false, at: 0 });
  message(`homeassistant/${component}/one/config`, JSON.stringify(config));
  return message("s", content)
    .flatMap((effect) =>
      effect.do === "state"
        ? Object.entries(effect.patch)
        : effect.do === "telemetry"
          ? Object.entries(effect.data)
          : [],
    )
    .map(([word, value]) => `${word} ${value}`)
    .join();
}

t.test("every device class of Home Assistant has the hub's term", async (t) => {
  const sensors: Record<string, string> = {
    ...{ temperature: "temperature", humidity: "humidity", pressure: "pressure", atmospheric_pressure: "pressure" },
    ...{ illuminance: "illuminance", power: "watts", voltage: "voltage", current: "amps", power_factor: "powerFactor" },
    ...{ frequency: "frequency", apparent_power: "voltAmps", reactive_power: "vars", battery: "battery" },
    ...{
      signal_strength: "rssi",
      carbon_dioxide: "co2",
      carbon_monoxide: "co",
      pm1: "pm1",
      pm25: "pm25",
      pm10: "pm10",
    },
    ...{ volatile_organic_compounds: "voc", volatile_organic_compounds_parts: "voc", aqi: "aqi", gas: "gasVolume" },
    ...{ water: "waterVolume", moisture: "moisture", distance: "distance", wind_speed: "windSpeed", ozone: "ozone" },
    ...{ sound_pressure: "sound", nitrogen_dioxide: "no2", irradiance: "irradiance", ph: "ph", weight: "weight" },
    another: "own",
  };
  for (const [deviceClass, word] of Object.entries(sensors))
    t.match(heard("sensor", deviceClass, "1"), new RegExp(`^${word} 1$`), deviceClass);
  const binary: Record<string, string> = {
    ...{ motion: "motion", moving: "moving", occupancy: "occupancy", presence: "occupancy", moisture: "leak" },
    ...{ smoke: "smoke", gas: "gas", carbon_monoxide: "carbonMonoxide", vibration: "vibration", tamper: "tamper" },
    ...{ problem: "problem", battery: "batteryLow", battery_charging: "charging", connectivity: "connected" },
    ...{ plug: "plugged", power: "powered", running: "running", safety: "unsafe", sound: "sound", heat: "heat" },
    ...{ light: "lightDetected", cold: "cold", update: "updateAvailable", another: "own" },
  };
  for (const [deviceClass, word] of Object.entries(binary)) {
    t.equal(heard("binary_sensor", deviceClass, "ON"), `${word} true`, deviceClass);
    t.equal(heard("binary_sensor", deviceClass, "OFF"), `${word} false`, deviceClass);
  }
  for (const [deviceClass, word] of [
    ["door", "contact"],
    ["window", "contact"],
    ["garage_door", "contact"],
    ["opening", "contact"],
    ["lock", "locked"],
  ] as const) {
    t.equal(heard("binary_sensor", deviceClass, "ON"), `${word} false`, `${deviceClass}: ON is open`);
    t.equal(heard("binary_sensor", deviceClass, "OFF"), `${word} true`);
  }
});

t.test("the form of a node's topics", async (t) => {
  for (const component of "binary_sensor sensor switch light fan cover climate number select button lock text valve alarm_control_panel".split(
    " ",
  )) {
    t.same(nodeTopic(`node/${component}/one/state`), { node: "node", component, object: "one" });
    t.equal(nodeBase(`node/${component}/one/command`), "node");
    const isGuessed = !["number", "select", "climate", "alarm_control_panel", "text"].includes(component);
    const announced = synthetic({ node: "a/b", component, object: "two_words" });
    t.equal(announced !== null, isGuessed, component);
    if (announced === null) continue;
    const base = `a/b/${component}/two_words`;
    t.match(announced, { name: /^two words$/, state_topic: `${base}/state`, availability_topic: "a/b/status" });
    t.equal(announced.command_topic, component.endsWith("sensor") ? undefined : `${base}/command`);
    const moves = ["cover", "valve"].includes(component);
    t.equal(announced.position_topic, moves ? `${base}/position/state` : undefined);
    t.equal(announced.set_position_topic, moves ? `${base}/position/command` : undefined);
    t.same([announced.schema, announced.brightness], component === "light" ? ["json", true] : [undefined, undefined]);
  }
  t.same(nodeTopic("a/b/c/d/fan/one/speed/state"), { node: "a/b/c/d", component: "fan", object: "one" });
  for (const topic of [
    "sensor/one/state",
    "node/sensor/state",
    "node/sensor//state",
    "sensor/node/one/state",
    "node/sensor/one/command",
    "node/other/one/state",
    "a/b/c/d/e/fan/one/speed/state",
    "a/b/sensor/state",
  ])
    t.equal(nodeTopic(topic), null, topic);
  t.equal(nodeBase("a/b/status"), "a/b");
  t.equal(nodeBase("a/status"), "a");
  t.equal(nodeBase("a/sensor/one"), "a");
  t.equal(nodeBase("status"), null);
  t.equal(nodeBase("a/sensor"), null);
  t.equal(nodeBase("a/b/other"), null);
  t.equal(mostOften(["a", "b", "b", "a", "b"]), "b");
  t.equal(mostOften([]), null);
});

t.test("early messages are kept within limits, and taken once", async (t) => {
  const members = new Members({ families: [], prefixes: new Map(), problems: { failed: () => {} } });
  const fresh = () => new CredentialContext({ client: 1, name: "one", members });
  const all = (context: CredentialContext) => context.takeEarly("#", () => true).map(({ topic }) => topic);
  const one = new Uint8Array(1);

  const many = fresh();
  for (let count = 0; count < 256; count++) t.ok(many.keepEarly(`t/${count}`, one));
  t.notOk(many.keepEarly("t/256", one), "no 257th topic");
  t.ok(many.keepEarly("t/0", one), "a stored topic takes no more room");
  t.ok(many.keepEarly("t/1", new Uint8Array(0)), "an empty message removes its topic");
  t.ok(many.keepEarly("t/256", one), "and makes room");
  t.same(
    many.takeEarly("t/5", () => false),
    [],
    "another's topic stays",
  );
  t.same(
    many.takeEarly("t/5", () => true),
    [{ topic: "t/5", payload: one }],
  );
  t.equal(all(many).length, 255);
  t.same(all(many), [], "only once");

  const large = fresh();
  const half = new Uint8Array(64 * 1024);
  t.ok(large.keepEarly("a", half));
  t.ok(large.keepEarly("b", half), "128 KiB");
  t.notOk(large.keepEarly("c", one), "and not a byte more");
  t.ok(large.keepEarly("b", half), "the previous one is dropped first");
  t.same(all(large).sort(), ["a", "b"]);
  t.ok(large.keepEarly("c", new Uint8Array(128 * 1024)), "taken ones use no room");
});
