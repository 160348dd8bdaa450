import t from "tap";
import type { AttributeName, Plain } from "../../src/features/matter/controller/clusters.ts";
import { heard, MOST_TEXT } from "../../src/features/matter/controller/clusters.ts";
import { translate } from "../../src/features/matter/controller/commands.ts";
import { unitDevice } from "../../src/features/matter/controller/device.ts";
import {
  type EndpointView,
  type NodeView,
  type Unit,
  unitsOf,
} from "../../src/features/matter/controller/node-view.ts";
import { unitState } from "../../src/features/matter/controller/state.ts";
import { Told } from "../../src/features/matter/controller/told.ts";

const NODE = "00112233445566ff";

function endpoint(
  number: number,
  deviceTypes: readonly number[],
  values: Partial<Record<AttributeName, Plain>>,
  parts: readonly number[] = [],
): EndpointView {
  return { number, deviceTypes, parts, values };
}

function node(...endpoints: readonly EndpointView[]): NodeView {
  const root = endpoint(0, [0x16], { vendorName: "Acme", productName: "Thing", version: "1.2" });
  return { node: NODE, endpoints: [root, ...endpoints] };
}

function only(view: NodeView): Unit {
  const [unit, ...others] = unitsOf(view);
  if (unit === undefined || others.length > 0) throw new Error(`${others.length + 1} units`);
  return unit;
}

t.test("a plug with a meter", async (t) => {
  const view = node(
    endpoint(1, [0x010a], { onOff: true }),
    endpoint(2, [0x0510], {
      watts: 42_340,
      voltage: 230_120,
      current: 184,
      frequency: 50_000,
      imported: 1_234_567,
      battery: null,
    }),
  );
  const unit = only(view);
  t.same(unitState(unit), {
    state: { power: true },
    measured: { watts: 42.3, voltage: 230.1, amps: 0.18, frequency: 50 },
    counters: [{ metric: "kwh", wattHours: 1234.567 }],
  });
  t.hasStrict(unitDevice(view, unit, true), {
    key: `${NODE}-1`,
    name: "Thing",
    type: "smart-plug",
    manufacturer: "Acme",
    firmware: "1.2",
    metrics: ["watts", "voltage", "amps", "frequency", "kwh"],
    commands: { properties: { power: { type: "boolean" } } },
  });
  t.same(translate(unit, { power: false }), {
    steps: [{ endpoint: 1, cluster: "onOff", invoke: "off" }],
    expects: { power: false },
  });
  for (const refused of [
    { brightness: 10 },
    { power: "perhaps" },
    {},
    { position: 3 },
    { __proto__: null, constructor: 1 },
  ])
    t.match(translate(unit, refused), { unsupported: /./ }, JSON.stringify(refused));
});

t.test(
  "switch-only outputs are channels; others are devices of their own; each device behind a bridge is one",
  async (t) => {
    const strip = only(node(endpoint(1, [0x010a], { onOff: false }), endpoint(2, [0x010a], { onOff: true })));
    t.same(unitState(strip).state, { power1: false, power2: true });
    t.same(translate(strip, { ch: 2, on: false }), {
      steps: [{ endpoint: 2, cluster: "onOff", invoke: "off" }],
      expects: { power2: false },
    });
    t.match(translate(strip, { ch: 3, on: false }), { unsupported: /channel 3/ });
    const lamps = unitsOf(
      node(
        endpoint(1, [0x0101], { onOff: true, level: 10 }),
        endpoint(2, [0x0101], { onOff: true, level: 20 }),
        endpoint(3, [0x0302], { temperature: 2_000 }),
      ),
    );
    t.same(
      lamps.map((unit) => [unit.endpoint, unitState(unit).measured]),
      [
        [1, { temperature: 20 }],
        [2, {}],
      ],
    );
    const bridge = node(
      endpoint(1, [0x0e], {}, [2, 3]),
      endpoint(2, [0x0101, 0x13], { onOff: true, level: 254, label: "Hall" }),
      endpoint(3, [0x13], { label: "Door" }, [4]),
      endpoint(4, [0x15], { stateValue: true }, [3, 4]),
    );
    const units = unitsOf(bridge);
    t.same(
      units.map((unit) => unitDevice(bridge, unit, false).name),
      ["Hall", "Door"],
      "each has its own name; a circular list of parts ends",
    );
    t.same(unitState(units[1] ?? only(bridge)).state, { contact: true });
  },
);

t.test("lamps", async (t) => {
  const values = {
    onOff: true,
    level: 127,
    colorMode: 2,
    mireds: 250,
    hue: 0,
    saturation: 254,
    leastMireds: 153,
    mostMireds: 500,
  };
  const lamp = only(node(endpoint(1, [0x010d], { ...values, colorFeatures: "hueSaturation,colorTemperature" })));
  t.same(unitState(lamp).state, { power: true, brightness: 50, color: null, colorTemperature: 4_000 });
  t.match(translate(lamp, { brightness: 40, power: true }), {
    steps: [{ invoke: "moveToLevelWithOnOff", fields: { level: 102 } }],
    expects: { brightness: 40, power: true },
  });
  t.match(translate(lamp, { brightness: 0 }), { steps: [{ invoke: "off" }], expects: { power: false } });
  t.match(translate(lamp, { color: "#ff0000" }), {
    steps: [{ invoke: "moveToHueAndSaturation", fields: { hue: 0, saturation: 254 } }],
    expects: { color: "#ff0000" },
  });
  t.match(translate(lamp, { colorTemperature: 2_700 }), {
    steps: [{ fields: { colorTemperatureMireds: 370 } }],
    expects: { colorTemperature: 2_703 },
  });
  t.match(translate(lamp, { colorTemperature: 1 }), { unsupported: /2000 to 6500/ });
  for (let percent = 1; percent <= 100; percent++) {
    const translated = translate(lamp, { brightness: percent });
    if (!("expects" in translated) || translated.expects?.brightness !== percent)
      t.fail(`${percent} % is not preserved`);
  }
  const xy = only(
    node(
      endpoint(1, [0x010d], {
        onOff: true,
        level: 254,
        colorMode: 1,
        colorX: 45_874,
        colorY: 19_661,
        colorFeatures: "xy",
      }),
    ),
  );
  t.match(unitState(xy).state, { color: /^#ff/ });
  t.match(translate(xy, { color: "#00ff00" }), { steps: [{ invoke: "moveToColor" }], expects: { color: "#00ff00" } });
});

t.test("blinds, locks, thermostats, fans, sensors", async (t) => {
  const blind = only(
    node(endpoint(1, [0x0202], { lift: 7_000, covering: 1, coveringFeatures: "lift,positionAwareLift" })),
  );
  t.same(unitState(blind).state, { position: 30, moving: "opening" });
  t.match(translate(blind, { position: 25 }), {
    steps: [{ invoke: "goToLiftPercentage", fields: { liftPercent100thsValue: 7_500 } }],
    expects: null,
  });
  t.match(translate(blind, { position: 100 }), { steps: [{ invoke: "upOrOpen" }] });
  t.match(translate(blind, { stop: true }), { steps: [{ invoke: "stopMotion" }] });
  const lock = (pinRequired: boolean): Unit =>
    only(node(endpoint(1, [0x0a], { lockState: 1, doorState: 0, pinRequired })));
  t.same(unitState(lock(false)).state, { locked: true, contact: false });
  t.match(translate(lock(false), { locked: false }), { steps: [{ invoke: "unlockDoor" }], expects: null });
  t.match(translate(lock(true), { locked: false }), { unsupported: /PIN/ });
  const heater = {
    localTemperature: 2_049,
    heating: 2_000,
    cooling: 2_600,
    systemMode: 4,
    thermostatFeatures: "heating,cooling",
  };
  const thermostat = only(node(endpoint(1, [0x0301], heater)));
  t.same(unitState(thermostat), { state: { mode: "heat", target: 20 }, measured: { temperature: 20.5 }, counters: [] });
  t.same(translate(thermostat, { target: 21.5 }), {
    steps: [{ endpoint: 1, cluster: "thermostat", write: "occupiedHeatingSetpoint", value: 2_150 }],
    expects: { target: 21.5 },
  });
  t.match(translate(thermostat, { mode: "auto" }), { unsupported: /off, heat, cool/ });
  const fan = only(node(endpoint(1, [0x2b], { fanMode: 2, percent: 67, speed: 2, speedMost: 3 })));
  t.same(unitState(fan).state, { power: true, speed: 2 });
  t.match(translate(fan, { speed: 3 }), { steps: [{ write: "speedSetting", value: 3 }], expects: { speed: 3 } });
  const climate = only(
    node(
      endpoint(1, [0x0302], { temperature: -550 }),
      endpoint(2, [0x0307], { humidity: 4_812 }),
      endpoint(3, [0x0106], { illuminance: 20_001 }),
    ),
  );
  t.same(unitState(climate).measured, { temperature: -5.5, humidity: 48.1, illuminance: 100 });
  t.same(unitState(only(node(endpoint(1, [0x43], { stateValue: true })))).state, { leak: true });
  t.same(unitState(only(node(endpoint(1, [0x76], { smokeState: 1, coState: 0, battery: 200 })))), {
    state: { smoke: true, gas: false },
    measured: { battery: 100 },
    counters: [],
  });
});

t.test("only changes are reported again", async (t) => {
  const reported = new Told();
  const state = {
    state: { power: true, color: "#ff0000" },
    measured: { watts: 1 },
    counters: [{ metric: "kwh", wattHours: 5 }],
  };
  t.same(
    reported.news("k", state).map((effect) => effect.do),
    ["state", "telemetry", "counter"],
  );
  t.same(reported.news("k", state), []);
  t.same(reported.news("k", { ...state, state: { power: true }, measured: { watts: 2 } }), [
    { do: "state", key: "k", patch: { color: null } },
    { do: "telemetry", key: "k", data: { watts: 2 }, at: null },
  ]);
});

t.test("a node may report numbers, booleans and short texts", async (t) => {
  t.same(heard(0x06, 0, true), { name: "onOff", value: true });
  t.equal(heard(0x06, 0, "on"), null);
  t.equal(heard(0xfff1_fc00, 0, 1), null, "manufacturer-specific clusters are ignored");
  t.same(heard(0x91, 1, { energy: 12n }), { name: "imported", value: 12 });
  t.equal(heard(0x402, 0, Number.POSITIVE_INFINITY), null);
  t.same(heard(0x28, 3, `\u202eevil\u0000${"x".repeat(100_000)}`), {
    name: "productName",
    value: `evil${"x".repeat(MOST_TEXT - 4)}`,
  });
});
