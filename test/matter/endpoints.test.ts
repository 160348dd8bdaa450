import t from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { capabilitiesOf, isGuarded } from "../../src/features/devices/rules/device-types.ts";
import { opensOrDisarms } from "../../src/features/devices/rules/guarded.ts";
import { hueOf, rgbOf } from "../../src/features/matter/bridge/colour.ts";
import { endpointName, endpointRoom, isHarmless, partsOf } from "../../src/features/matter/bridge/endpoints.ts";
import type { BridgeableDevice } from "../../src/features/matter/bridge/part.ts";
import { showables } from "../../src/features/matter/bridge/shown.ts";
import { fabricName } from "../../src/features/matter/bridge/vendors.ts";

function device(
  type: string,
  state: JsonObject,
  more: { metrics?: string[]; schema?: JsonObject } = {},
): BridgeableDevice {
  const metrics = more.metrics ?? [];
  const commandSchema = more.schema === undefined ? null : { properties: more.schema };
  const capabilities = capabilitiesOf({ type, state, metrics, commandSchema });
  return {
    id: "d1",
    name: "Device",
    type,
    room: null,
    online: true,
    model: null,
    manufacturer: null,
    state,
    metrics,
    opensForPlates: false,
    capabilities,
  };
}

const kinds = (one: BridgeableDevice): string[] => partsOf(one).map(({ part, kind }) => `${part}:${kind}`);

t.test("every type has its endpoints", async (t) => {
  const types: readonly [BridgeableDevice, readonly string[]][] = [
    [device("smart-plug", { power: true, watts: 9 }), ["power:plug"]],
    [device("switch", { power: true }), ["power:plug"]],
    [device("light", { power: true }), ["power:light"]],
    [device("dimmer", { power: true, brightness: 3 }), ["power:dimmer"]],
    [
      device(
        "light",
        { power: true, brightness: 3 },
        {
          schema: {
            brightness: { type: "integer", minimum: 0, maximum: 100 },
            colorTemperature: { type: "integer", minimum: 2700, maximum: 6500 },
          },
        },
      ),
      ["power:temperatureLight"],
    ],
    [
      device(
        "light",
        { power: true, brightness: 3, color: "#ff0000" },
        { schema: { brightness: { type: "integer", minimum: 0, maximum: 100 } } },
      ),
      ["power:colourLight"],
    ],
    [device("fan", { power: true, speed: 2 }), ["power:fan"]],
    [device("cover", { position: 40 }), ["position:cover"]],
    [device("gate", { open: false }), ["lock:lock"]],
    [device("garage-door", { door: "closed" }), ["lock:lock"]],
    [device("lock", { locked: true }), ["lock:lock"]],
    [device("thermostat", { temperature: 20, target: 21, mode: "auto" }), ["target:thermostat"]],
    [
      device("sensor", { temperature: 20, humidity: 40, motion: false, contact: true, illuminance: 30, co2: 700 }),
      [
        "temperature:temperature",
        "humidity:humidity",
        "motion:motion",
        "contact:contact",
        "illuminance:illuminance",
        "air:air",
      ],
    ],
    [device("energy-meter", { watts: 3, kwh: 4 }), ["meter:meter"]],
    [device("home-hub", { power: true, power2: false }), ["power:plug", "power2:plug"]],
    [device("sentinel", { armed: false, alarm: false }), ["armed:plug", "alarm:contact"]],
    [
      device(
        "camera",
        { recording: true, motion: false },
        { schema: { recording: { type: "boolean" }, capture: { type: "boolean" } } },
      ),
      ["recording:plug", "motion:motion"],
    ],
    [device("vacuum", { state: "docked" }), []],
  ];
  for (const [one, expected] of types) t.same(kinds(one), expected, `${one.type} ${JSON.stringify(one.state)}`);
});

t.test("orders become the commands that the console would send", async (t) => {
  const command = (
    one: BridgeableDevice,
    action: Parameters<ReturnType<typeof partsOf>[number]["command"]>[0],
    index = 0,
  ) => partsOf(one)[index]?.command(action, one.state) ?? null;
  t.same(command(device("smart-plug", { power: true }), { on: false }), { power: false });
  t.same(command(device("home-hub", { power: true, power2: false }), { on: true }, 1), { ch: 2, on: true });
  t.same(command(device("dimmer", { power: false, brightness: 3 }), { brightness: 49.8, on: true }), {
    power: true,
    brightness: 50,
  });
  t.same(command(device("fan", { power: true, speed: 2 }), { speed: 0 }), { power: false });
  t.same(command(device("fan", { power: false, speed: 2 }), { speed: 1 }), { power: true, speed: 1 });
  t.same(command(device("cover", { position: 2 }), { position: 79.6 }), { position: 80 });
  t.same(command(device("cover", { position: 2 }), { stop: true }), { stop: true });
  t.same(command(device("thermostat", { target: 20, mode: "heat" }), { target: 21.3 }), { target: 21.5 });
  t.same(command(device("thermostat", { target: 20, mode: "heat" }), { mode: "cool" }), { mode: "cool" });
  t.same(command(device("gate", { open: false }), { locked: false, pin: null }), { open: true });
  t.same(command(device("gate", { open: true }), { locked: true, pin: null }), { open: false });
  t.same(command(device("lock", { locked: true }), { locked: false, pin: "1" }), { locked: false });
  t.equal(command(device("lock", { locked: true }), { on: true }), null, "a lock is not switched");
  t.equal(command(device("sensor", { temperature: 2 }), { on: true }), null);
});

t.test("attributes show the present state, and null if nothing was reported", async (t) => {
  const read = (one: BridgeableDevice) => partsOf(one)[0]?.read(one.state);
  t.match(read(device("gate", { open: false })), { locked: true });
  t.match(read(device("gate", { position: "stopped", open: true })), { locked: null });
  t.match(read(device("gate", {})), { locked: null });
  t.match(read(device("fan", { power: false, speed: 3 })), { on: false, speed: 0 });
  t.match(read(device("fan", { power: true, speed: 5 })), { speed: 100 });
  t.match(read(device("dimmer", { power: true, brightness: Number.NaN })), { brightness: null });
  t.match(read(device("dimmer", { power: "yes", brightness: 400 })), { on: null, brightness: 100 });
  t.same(hueOf("#ff0000"), { hue: 0, saturation: 100 });
  t.equal(rgbOf(120, 100), "#00ff00");
  for (const hex of ["#123456", "#ffffff", "#00ff80"]) {
    const { hue, saturation } = hueOf(hex);
    t.match(hueOf(rgbOf(hue ?? 0, saturation ?? 0)).saturation?.toFixed(0), saturation?.toFixed(0), hex);
  }
  t.same(hueOf("red"), { hue: null, saturation: null });
});

t.test("what can open is guarded, and no scene opens anything", async (t) => {
  for (const type of ["gate", "lock", "garage-door", "door", "sentinel"])
    t.ok(isGuarded({ type, opensForPlates: false }), type);
  t.notOk(isGuarded({ type: "smart-plug", opensForPlates: false }));
  t.ok(isGuarded({ type: "smart-plug", opensForPlates: true }), "a camera opens it");
  const types: Readonly<Record<string, string>> = { gate: "gate", lock: "lock", guard: "sentinel", lamp: "light" };
  const opens = (id: string, command: JsonObject): boolean => {
    const type = types[id] ?? (id === "relay" ? "switch" : undefined);
    const opensForPlates = id === "relay";
    return opensOrDisarms(
      type === undefined ? null : { type, opensForPlates, state: {}, commandSchema: null },
      command,
    );
  };
  const scene = (...actions: [string, JsonObject][]) => ({
    id: 1,
    name: "s",
    actions: actions.map(([deviceId, command]) => ({ deviceId, command })),
    houseMode: null,
  });
  t.ok(
    isHarmless(
      scene(
        ["lamp", { power: true }],
        ["gate", { open: false }],
        ["lock", { locked: true }],
        ["guard", { armed: true }],
        ["gone", { open: true }],
      ),
      { opens },
    ),
  );
  for (const [id, command] of [
    ["gate", { open: true }],
    ["lock", { locked: false }],
    ["gate", { toggle: true }],
    ["gate", { position: 100 }],
    ["guard", { armed: false }],
    ["relay", { power2: true }],
  ] as const)
    t.notOk(isHarmless(scene(["lamp", { power: true }], [id, command]), { opens }), JSON.stringify(command));
  t.notOk(isHarmless({ ...scene(), houseMode: "home" }, { opens }), "rules do what they do in that mode");
});

t.test(
  "the switch of a relay that a camera opens is not shown, nor a scene that opens what joined by Matter",
  async (t) => {
    const relay = device("home-hub", { power: false, power2: false, temperature: 21 });
    t.same(kinds(relay), ["power:plug", "power2:plug", "temperature:temperature"]);
    t.same(kinds({ ...relay, opensForPlates: true }), ["temperature:temperature"]);
    const scene = { id: 1, name: "s", actions: [{ deviceId: "joined", command: { locked: false } }], houseMode: null };
    const ports = {
      siteId: () => 1,
      devices: () => [], // the bridge does not see what it could show twice
      commands: { opens: (id: string) => id === "joined" },
      scenes: { list: () => [scene], activate: async () => {} },
      limits: { programMayOpen: () => {} },
      send: async () => {},
      audit: () => {},
    };
    const [shown] = showables(1, ports, { choices: () => [] });
    t.hasStrict(shown, { shown: false, refusal: "opens" });
  },
);

t.test("names fit Matter's limits", async (t) => {
  t.equal(endpointName("Küche", "humidity"), "Küche humidity");
  t.equal([...endpointName("बहुत लंबा नाम ".repeat(9), "temperature")].length <= 32, true);
  t.match(endpointName("x".repeat(90), "alarm"), /^x{26} alarm$/);
  t.equal(endpointRoom(null), "");
  t.equal(endpointRoom("A very long name of a room").length <= 16, true);
  t.equal(fabricName(0x1349, ""), "Apple Home");
  t.equal(fabricName(0x6006, "Villa\u0000\u202e"), "Google Home (Villa)");
  t.equal(fabricName(0xfff1, ""), "Matter 0xfff1");
});
