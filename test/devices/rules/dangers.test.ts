import t from "tap";
import type { Device } from "../../../src/features/devices/resources/device.ts";
import { dangersOf, weakBatteries } from "../../../src/features/devices/rules/dangers.ts";

const NOW = Date.parse("2026-11-29T12:00:00Z");

function device(id: string, state: Device["state"], parts: Partial<Device> = {}): Device {
  return {
    ...{ id, name: id, type: "sensor", room: "Kitchen", favorite: false, online: true, lastSeen: null, firmware: null },
    ...{ state, stateAt: "2026-11-29T11:59:00Z" },
    ...parts,
  };
}

const kinds = (...devices: Device[]) => dangersOf(devices, NOW).map(({ kind, deviceId }) => `${deviceId} ${kind}`);

t.test("a device that reports a danger is one, by whichever of its usual names", async (t) => {
  t.same(kinds(device("sink", { leak: true })), ["sink water"]);
  t.same(kinds(device("sink", { water_leak: true })), ["sink water"]);
  t.same(kinds(device("sink", { waterLeak: true })), ["sink water"]);
  t.same(kinds(device("hob", { gas: true })), ["hob gas"]);
  t.same(kinds(device("garage", { carbon_monoxide: true })), ["garage carbonMonoxide"]);
  t.same(kinds(device("panel", { alarm: "triggered" })), ["panel alarm"]);
  t.same(kinds(device("door", { forced: true })), ["door forced"]);
  t.same(kinds(device("bell", { power: true }, { type: "siren" })), ["bell siren"]);
  t.same(kinds(device("lamp", { power: true })), []);
});

t.test("what is dry, quiet or only measured is none", async (t) => {
  t.same(kinds(device("sink", { leak: false, smoke: false, gas: 400, alarm: "disarmed", tamper: null })), []);
});

t.test("the most urgent comes first, and a device is there once", async (t) => {
  t.same(
    kinds(
      device("lock", { jammed: true }),
      device("sink", { leak: true, tamper: true }),
      device("hall", { smoke: true }),
    ),
    ["hall smoke", "sink water", "lock jammed"],
  );
});

t.test("a freezer may be warm, a room may not be a freezer", async (t) => {
  t.same(kinds(device("freezer", { temperature: -4 }, { type: "freezer" })), ["freezer warm"]);
  t.same(kinds(device("freezer", { temperature: -18 }, { type: "freezer" })), []);
  t.same(kinds(device("fridge", { temperature: 12 }, { type: "fridge" })), ["fridge warm"]);
  t.same(kinds(device("hall", { temperature: 24 })), []);
});

t.test("a gate that did not close needs somebody while its state is known", async (t) => {
  const gate = device("gate", { position: "open" }, { type: "gate" });
  t.same(dangersOf([gate], NOW, new Set(["gate"])), [
    { kind: "notClosed", deviceId: "gate", name: "gate", room: "Kitchen", isAway: false },
  ]);
  t.same(dangersOf([{ ...gate, online: false }], NOW, new Set(["gate"])), []);
});

t.test("a sensor that went away in danger counts for a day", async (t) => {
  const away = device("sink", { leak: true }, { online: false });
  t.hasStrict(dangersOf([away], NOW), [{ kind: "water", isAway: true }]);
  t.same(dangersOf([away], NOW + 24 * 3_600_000), []);
  t.same(dangersOf([{ ...away, stateAt: null }], NOW + 48 * 3_600_000).length, 1, "when it said so is not known");
});

t.test("weak batteries, by their charge or by their own word", async (t) => {
  const weak = weakBatteries([
    device("a", { battery: 19 }),
    device("b", { battery: 20 }),
    device("c", { battery_low: true, battery: 60 }),
    device("d", {}, { battery: 5 }),
    device("e", { batteryLow: false }),
  ]);
  t.same(
    weak.map(({ id }) => id),
    ["a", "c", "d"],
  );
});
