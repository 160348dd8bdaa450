import t from "tap";
import { capabilitiesOf, DEVICE_TYPES, deviceType } from "../../../src/features/devices/rules/device-types.ts";

const plain = { metrics: [], commandSchema: null, state: {} };

t.test("types that can open are marked, even those without controls of their own", async (t) => {
  for (const [type, barrier] of [
    ["gate", true],
    ["lock", true],
    ["garage-door", true],
    ["cover", false],
    ["light", false],
  ] as const)
    t.equal(capabilitiesOf({ type, state: {}, metrics: [], commandSchema: null }).barrier, barrier, type);
});

t.test("knows every type of docs/spec/domain.md §1.5, each with an icon", async (t) => {
  const expected =
    "camera cover dimmer energy-meter fan gate home-hub light lock sensor sentinel smart-plug switch thermostat".split(
      " ",
    );
  t.same(DEVICE_TYPES.map(({ type }) => type).sort(), expected);
  for (const { icon, label } of DEVICE_TYPES) t.ok(icon && label);
});

t.test("a hub has one toggle per channel of its state, switched by number", async (t) => {
  const { controls } = capabilitiesOf({
    ...plain,
    type: "home-hub",
    state: { power: true, power2: false, power3: false, power4: true, uptime: 5 },
  });
  t.equal(controls.length, 4);
  t.hasStrict(controls[0], { kind: "toggle", field: "power", on: { ch: 1, on: true } });
  t.hasStrict(controls[3], { kind: "toggle", field: "power4", off: { ch: 4, on: false } });
});

t.test("an unknown type is drawn from its command schema, the rest of its state is shown", async (t) => {
  const commandSchema = {
    properties: {
      pump: { type: "boolean" },
      level: { type: "integer", minimum: 0, maximum: 9 },
      program: { enum: ["eco", "fast"] },
      odd: 5,
    },
  };
  const found = capabilitiesOf({
    type: "washing-machine",
    metrics: ["watts"],
    commandSchema,
    state: { pump: true, waterTemp: 40, nested: {} },
  });
  t.same(
    found.controls.map((control) => control.kind),
    ["toggle", "range", "choice"],
  );
  t.same(found.readings, [{ field: "waterTemp", label: "Water temp", unit: "" }]);
  t.same(found.metrics, ["watts"]);
  t.equal(found.icon, deviceType("washing-machine").icon);
});

t.test("a known type shows only the readings it has, and opening a gate asks first", async (t) => {
  t.same(capabilitiesOf({ ...plain, type: "sensor", state: { temperature: 21 } }).readings, [
    { field: "temperature", label: "Temperature", unit: "°C" },
  ]);
  const open = capabilitiesOf({ ...plain, type: "gate" }).controls.find(
    (control) => control.kind === "button" && control.label === "Open",
  );
  t.match(open, { confirm: true, command: { open: true } });
});

t.test(
  "a known type's schema additions come after its own controls, and the device's limits are the ones drawn",
  async (t) => {
    const light = {
      properties: {
        power: { type: "boolean" },
        colorTemperature: { type: "integer", minimum: 2000, maximum: 6500 },
        effect: { enum: ["none", "rainbow"] },
      },
    };
    const lamp = capabilitiesOf({ ...plain, type: "light", commandSchema: light }).controls;
    t.same(
      lamp.map((control) => "field" in control && control.field),
      ["power", "colorTemperature", "effect"],
    );
    const fan = { properties: { speed: { type: "integer", minimum: 0, maximum: 3 } } };
    const speed = capabilitiesOf({ ...plain, type: "fan", commandSchema: fan }).controls.find(
      (control) => control.kind === "range",
    );
    t.match(speed, { field: /^speed$/, label: "Speed", max: 3 });
  },
);

t.test("a button or a channel's toggle is not offered a second time by the schema", async (t) => {
  const gate = { properties: { open: { type: "boolean" }, stop: { type: "boolean" } } };
  t.ok(
    capabilitiesOf({ ...plain, type: "gate", commandSchema: gate }).controls.every(
      (control) => control.kind === "button",
    ),
  );
  const hub = { properties: { ch: { type: "integer", minimum: 1, maximum: 2 }, on: { type: "boolean" } } };
  const channels = capabilitiesOf({
    ...plain,
    type: "home-hub",
    state: { power: true, power2: false },
    commandSchema: hub,
  }).controls;
  t.equal(channels.length, 2);
});

t.test("of a schema, only bounded values or short lists are drawn, with its title and steps", async (t) => {
  const drawn = (property: object) =>
    capabilitiesOf({ ...plain, type: "washing-machine", commandSchema: { properties: { spinSpeed: property } } })
      .controls;
  const range = { kind: "range", field: "spinSpeed", key: "spinSpeed", label: "Spin speed", unit: "" };
  t.same(drawn({ type: "number", minimum: 0, maximum: 9 }), [{ ...range, min: 0, max: 9, step: 1 }]);
  t.same(drawn({ type: "integer", minimum: -5, maximum: 5, multipleOf: 0.5, title: "Spin" }), [
    { ...range, label: "Spin", min: -5, max: 5, step: 0.5 },
  ]);
  for (const unbounded of [
    { type: "integer" },
    { type: "integer", minimum: 0 },
    { type: "number", maximum: 9 },
    { type: "integer", minimum: "0", maximum: 9 },
    { type: "integer", minimum: 0, maximum: "9" },
    { type: "string", minimum: 0, maximum: 9 },
  ])
    t.same(drawn(unbounded), [], JSON.stringify(unbounded));
  t.same(drawn({ type: "boolean" }), [
    { kind: "toggle", field: "spinSpeed", label: "Spin speed", on: { spinSpeed: true }, off: { spinSpeed: false } },
  ]);
  const list = (length: number) => ({ enum: Array.from({ length }, (_, index) => index) });
  t.match(drawn(list(24)), [{ kind: /^choice$/, options: { length: 24 } }]);
  t.same(drawn(list(25)), []);
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, { type: "boolean" }]));
  const all = capabilitiesOf({ ...plain, type: "washing-machine", commandSchema: { properties: many } });
  t.equal(all.controls.length, 24);
});

t.test("a single channel is switched by name, several or another one by number", async (t) => {
  const fields = (state: object) =>
    capabilitiesOf({ ...plain, type: "home-hub", state: { ...state } }).controls.map((control) =>
      control.kind === "toggle" ? control.on : control.kind,
    );
  t.same(fields({ power: true }), [{ power: true }]);
  t.same(fields({ power2: true }), [{ ch: 2, on: true }]);
  t.same(fields({ power: true, power12: false, power3: "on", power123: true }), [
    { ch: 1, on: true },
    { ch: 12, on: true },
  ]);
});

t.test("gradual controls have their name and their bounds", async (t) => {
  const ranges = (type: string) => capabilitiesOf({ ...plain, type }).controls.filter(({ kind }) => kind === "range");
  t.match(ranges("fan"), [{ field: /^speed$/, label: "Speed", min: 0, max: 5 }]);
});
