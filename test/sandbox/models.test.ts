import fc from "fast-check";
import t from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { DEVICE_TYPES } from "../../src/features/devices/rules/device-types.ts";
import { DeviceSimulator } from "../../src/features/sandbox/device-simulator.ts";
import { DEVICES } from "../../src/features/sandbox/household.ts";
import type { Model } from "../../src/features/sandbox/model.ts";
import { FakeClock } from "../support/fake-clock.ts";

interface Living {
  clock: FakeClock;
  simulator: DeviceSimulator;
  /** `key` of every message, with its value. */
  sent: { what: string; deviceId: string; data: unknown; at: number }[];
  state: (key: string) => JsonObject;
  /** Values that one key of a device's state went through. */
  through: (deviceId: string, key: string) => unknown[];
}

function live(saved: Record<string, JsonObject> = {}, random = (): number => 0.5, speed = 1): Living {
  const clock = new FakeClock();
  const models = new Map<string, Model>(DEVICES.map(({ key, make }) => [key, make(saved[key] ?? {})]));
  const sent: Living["sent"] = [];
  const note = (what: string) => async (deviceId: string, data: unknown) =>
    void sent.push({ what, deviceId, data, at: clock.mono() });
  const outlet = { state: note("state"), telemetry: note("telemetry"), event: note("event"), picture: note("picture") };
  const hourAt = (at: number): number => (at / 3_600_000) % 24;
  const simulator = new DeviceSimulator({
    devices: models,
    outlet,
    clock,
    logger: silentLogger,
    random,
    hourAt,
    speed,
  });
  simulator.start();
  const through = (deviceId: string, key: string): unknown[] =>
    sent
      .filter((entry) => entry.what === "state" && entry.deviceId === deviceId && key in (entry.data as object))
      .map((entry) => (entry.data as JsonObject)[key]);
  return { clock, simulator, sent, state: (key) => models.get(key)?.state ?? {}, through };
}

t.test("there is one device of every known type", async (t) => {
  t.same(DEVICES.map(({ type }) => type).sort(), DEVICE_TYPES.map(({ type }) => type).sort());
});

t.test("where little happens, a gate moves as fast as anywhere", async (t) => {
  for (const speed of [0.1, 1]) {
    const { clock, simulator, through } = live({}, undefined, speed);
    simulator.command("gate", '{"open":true}');
    clock.advance(6_000);
    t.equal(through("gate", "position").at(-1), "open", `speed ${speed}`);
    simulator.stop();
  }
  const { clock, simulator, through } = live({}, undefined, 10);
  simulator.command("gate", '{"open":true}');
  clock.advance(1_000);
  t.equal(through("gate", "position").at(-1), "open", "where much happens it is faster");
  simulator.stop();
});

t.test("commands act after 50 to 300 ms, in each shape the products accept", async (t) => {
  const cases: [string, JsonObject, JsonObject][] = [
    ["hub", { ch: 3, on: true }, { power3: true }],
    ["hub", { relays: [false, true, false, true] }, { power: false, power2: true, power3: false, power4: true }],
    ["hub", { scene: "all-on" }, { power: true, power4: true }],
    ["hub", { power: false }, { power: false }],
    ["light", { power: true }, { power: true }],
    ["switch", { power: true }, { power: true }],
    ["dimmer", { power: true, brightness: 30 }, { power: true, brightness: 30 }],
    ["dimmer", { brightness: 0 }, { power: false, brightness: 60 }],
    ["fan", { speed: 4 }, { power: true, speed: 4 }],
    ["fan", { speed: 99 }, { speed: 5 }],
    ["thermostat", { target: 26.3, mode: "heat" }, { target: 26.5, mode: "heat", heating: true }],
    ["camera", { recording: false }, { recording: false }],
    ["sentinel", { armed: true }, { armed: true, alarm: false }],
  ];
  for (const [random, delayMs] of [
    [0, 50],
    [0.999, 300],
  ] as const) {
    for (const [key, command, expected] of cases) {
      const { clock, simulator, sent, state } = live({}, () => random);
      simulator.command(key, JSON.stringify(command));
      clock.advance(49);
      t.same(sent, [], "nothing yet");
      clock.advance(delayMs - 49);
      t.hasStrict(state(key), expected, `${key} ${JSON.stringify(command)}`);
    }
  }
});

t.test("the gate opens step by step, closes by itself, and can be stopped and reversed", async (t) => {
  const { clock, simulator, through, state } = live();
  simulator.command("gate", '{"open":true}');
  clock.advance(7_000);
  t.same(through("gate", "percent"), [0, 20, 40, 60, 80, 100]);
  t.same(through("gate", "position"), ["opening", "opening", "opening", "opening", "opening", "open"]);
  clock.advance(60_000);
  t.match(state("gate"), { position: "closed", open: false, percent: 0 });
  simulator.command("gate", '{"open":true}');
  clock.advance(2_300);
  simulator.command("gate", '{"stop":true}');
  clock.advance(120_000);
  t.match(state("gate"), { position: "stopped", open: true, percent: 40 }, "a stopped gate stays");
  simulator.command("gate", '{"open":true}');
  clock.advance(1_500);
  simulator.command("gate", '{"open":false}');
  clock.advance(10_000);
  t.match(state("gate"), { position: "closed", percent: 0 });
  clock.advance(120_000);
  t.match(state("gate"), { position: "closed", percent: 0 });
});

t.test("shutter and lock take their time", async (t) => {
  const { clock, simulator, state } = live();
  simulator.command("cover", '{"position":50}');
  simulator.command("lock", '{"locked":false}');
  clock.advance(400);
  t.hasStrict(state("cover"), { position: 100, moving: "closing" });
  t.match(state("lock"), { locked: true });
  clock.advance(6_000);
  t.hasStrict(state("cover"), { position: 50, moving: "stopped" });
  t.match(state("lock"), { locked: false });
});

t.test("the plug's meter follows its switch, and the house meter follows the plug", async (t) => {
  const { clock, simulator, state, sent } = live({ plug: { power: false, watts: 0 } });
  simulator.wake();
  clock.advance(60_000);
  t.equal(state("plug").watts, 0);
  const before = Number(state("meter").watts);
  simulator.command("plug", '{"power":true}');
  clock.advance(200);
  t.ok(Number(state("plug").watts) > 80);
  t.match(sent.filter((entry) => entry.what === "telemetry" && entry.deviceId === "plug").at(-1)?.data, {
    watts: Number,
  });
  clock.advance(60_000);
  t.ok(Number(state("meter").watts) > before + 60, `${before} → ${state("meter").watts}`);
  const kwh = Number(state("plug").kwh);
  clock.advance(3_600_000);
  simulator.command("plug", '{"power":false}');
  clock.advance(300);
  t.equal(state("plug").watts, 0);
  t.ok(Number(state("plug").kwh) - kwh > 0.08 && Number(state("plug").kwh) - kwh < 0.12, "an hour at about 96 W");
});

t.test("the room drifts, and the thermostat brings it to its target", async (t) => {
  const { clock, simulator, state } = live();
  simulator.command("thermostat", '{"target":20,"mode":"cool"}');
  simulator.wake();
  clock.advance(2 * 3_600_000);
  t.ok(Math.abs(Number(state("thermostat").temperature) - 20) < 1, `${state("thermostat").temperature}`);
  simulator.command("thermostat", '{"mode":"off"}');
  clock.advance(6 * 3_600_000);
  t.ok(Number(state("thermostat").temperature) > 21.5);
});

t.test("a command to the camera and movement take pictures; movement ends by itself", async (t) => {
  const { clock, simulator, sent, through } = live({}, () => 0);
  simulator.command("camera", '{"capture":true}');
  clock.advance(100);
  t.match(sent.at(-1), { what: "picture", data: "manual" });
  simulator.wake();
  clock.advance(10_000);
  t.match(sent.filter((entry) => entry.what === "picture").at(-1), { data: "motion" });
  simulator.sleep();
  clock.advance(60_000);
  t.same(through("camera", "motion"), [true, false]);
});

t.test("a sleeping household sends nothing, and a stopped one does nothing", async (t) => {
  const { clock, simulator, sent } = live();
  clock.advance(3_600_000);
  t.same(sent, []);
  simulator.wake();
  clock.advance(600_000);
  t.ok(sent.length > 20);
  simulator.command("light", '{"power":true}');
  simulator.stop();
  sent.length = 0;
  clock.advance(3_600_000);
  simulator.command("light", '{"power":true}');
  clock.advance(1_000);
  t.same(sent, []);
});

t.test("an hour of life costs few state changes: a meter's noise is telemetry", async (t) => {
  const { clock, simulator, sent } = live();
  simulator.wake();
  clock.advance(3_600_000);
  const changes = sent.filter((entry) => entry.what === "state" && entry.deviceId !== "meter").length;
  t.ok(changes < 60, `${changes} state messages`);
});

t.test("no command at all breaks a device or leaves its state other than JSON", async () => {
  const value = fc.oneof(
    fc.boolean(),
    fc.double(),
    fc.string(),
    fc.constant(null),
    fc.array(fc.boolean()),
    fc.dictionary(fc.string(), fc.anything(), { maxKeys: 2 }),
  );
  const key = fc.constantFrom(
    "power",
    "on",
    "ch",
    "relays",
    "scene",
    "brightness",
    "speed",
    "open",
    "stop",
    "position",
    "locked",
    "target",
    "mode",
    "capture",
    "armed",
    "__proto__",
  );
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4 }), (command) => {
      const { clock, simulator, state } = live();
      for (const device of DEVICES) simulator.command(device.key, JSON.stringify(command));
      simulator.command("light", "[not json");
      clock.advance(60_000);
      for (const device of DEVICES) {
        const text = JSON.stringify(state(device.key));
        if (JSON.stringify(JSON.parse(text)) !== text || /null/.test(text)) throw new Error(`${device.key}: ${text}`);
      }
    }),
    { numRuns: 100 },
  );
});
