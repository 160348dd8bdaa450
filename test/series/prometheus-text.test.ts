import t from "tap";
import { exposition, type MeasuredDevice, MOST_SERIES, STALE_MS } from "../../src/features/series/prometheus.ts";

const now = 1_770_000_000_000;
const device = (values: Record<string, number>, more: Partial<MeasuredDevice> = {}): MeasuredDevice => ({
  id: "plug",
  name: "Kettle",
  room: "Kitchen",
  type: "smart-plug",
  online: true,
  values: new Map(Object.entries(values).map(([name, value]) => [name, { value, at: now }])),
  ...more,
});
const lines = (...devices: MeasuredDevice[]): string[] =>
  exposition(devices, now)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

t.test("base units, the unit in the name, and counters marked as such", async (t) => {
  t.same(lines(device({ watts: 41.5, kwh: 1.234, humidity: 55, pressure: 1_013.2, kwh2: 2, oddity: -1 })), [
    'gatehouse_device_info{device="plug",name="Kettle",room="Kitchen",type="smart-plug"} 1',
    'gatehouse_device_online{device="plug"} 1',
    'gatehouse_power_watts{device="plug"} 41.5',
    'gatehouse_energy_joules_total{device="plug"} 4442400',
    'gatehouse_energy_joules_total{device="plug",channel="2"} 7200000',
    'gatehouse_humidity_ratio{device="plug"} 0.55',
    'gatehouse_pressure_pascals{device="plug"} 101320',
    'gatehouse_value{device="plug",value="oddity"} -1',
    "gatehouse_series_left_out 0",
  ]);
  const text = exposition([device({ kwh: 1 })], now);
  t.match(text, "# TYPE gatehouse_energy_joules_total counter\n");
  t.match(text, "# TYPE gatehouse_device_online gauge\n");
});

t.test("two names for one thing create no duplicate series", async (t) => {
  const found = lines(device({ watts: 1, power_w: 2 }));
  t.equal(new Set(found.map((line) => line.split(" ")[0])).size, found.length);
  t.ok(found.includes('gatehouse_value{device="plug",value="power_w"} 2'));
});

t.test("offline or old values are absent, and private ones too", async (t) => {
  t.same(
    lines(device({ watts: 1 }, { online: false })).filter((line) => !line.includes("info")),
    ['gatehouse_device_online{device="plug"} 0', "gatehouse_series_left_out 0"],
  );
  const old = new Map([
    ["watts", { value: 1, at: now - STALE_MS - 1 }],
    ["voltage", { value: 230, at: now - STALE_MS }],
  ]);
  t.notMatch(lines(device({}, { values: old })).join("\n"), "watts");
  t.match(lines(device({}, { values: old })).join("\n"), "volts");
  t.notMatch(exposition([device({ user_code: 1_234, pin: 5_678, plate: 1 })], now), /1234|5678|plate/);
});

t.test("labels of every kind are one line each", async (t) => {
  const [info = ""] = lines(device({}, { name: 'a "b" \\ c\nd', room: null }));
  t.equal(info, 'gatehouse_device_info{device="plug",name="a \\"b\\" \\\\ c\\nd",room="",type="smart-plug"} 1');
});

t.test("the number of series is bounded, and the number left out is reported", async (t) => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`v_${n}x`, n]));
  const house = Array.from({ length: 120 }, (_, n) => device(many, { id: `d${n}` }));
  const found = lines(...house);
  t.equal(found.length, MOST_SERIES + 1);
  t.equal(found.at(-1), `gatehouse_series_left_out ${120 * 152 - MOST_SERIES}`);
});
