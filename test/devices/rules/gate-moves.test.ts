/** What a gate takes that is a relay or a shutter by its make. */
import t from "tap";
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { capabilitiesOf } from "../../../src/features/devices/rules/device-types.ts";
import { meaningOf, movesGates, movesOf, orderFor } from "../../../src/features/devices/rules/gate-moves.ts";

const device = (properties: JsonObject | null, state: JsonObject = {}, type = "gate") => ({
  ...{ type, state },
  commandSchema: properties === null ? null : { type: "object", properties },
});
const FLAG = { type: "boolean" };
const RELAY = device({ power: FLAG });
const SHUTTER = device({ position: { type: "integer", minimum: 0, maximum: 100 }, stop: FLAG });

t.test("a gate by its make takes the words of a gate", async (t) => {
  for (const one of [
    device(null),
    device(null, { open: false }),
    device(null, { gate: "closed", power: true }),
    device({ open: FLAG, power: FLAG }),
    device({ locked: FLAG }),
    device({ lamp: FLAG }),
  ]) {
    t.equal(movesOf(one), null);
    t.same(orderFor(one, { open: true }), { open: true });
  }
});

t.test("a relay is switched on; it cannot close", async (t) => {
  t.same(orderFor(RELAY, { open: true }), { power: true });
  t.same(orderFor(RELAY, { open: false }), { open: false });
  t.same(orderFor(RELAY, { open: true, light: true }), { open: true, light: true }, "as it is");
  t.same(orderFor(device(null, { power: false, watts: 3 }), { open: true }), { power: true }, "by its state");
  t.same(meaningOf(RELAY, { power: true }), { open: true });
  t.same(meaningOf(RELAY, { power: false }), { power: false });
  const { controls, readings } = capabilitiesOf({ ...RELAY, metrics: [] });
  t.strictSame(
    controls.map((control) => (control.kind === "button" ? control.name : control.kind)),
    ["open", "toggle"],
  );
  t.same(readings, []);
});

t.test("a shutter moves to its ends", async (t) => {
  t.same(orderFor(SHUTTER, { open: true }), { position: 100 });
  t.same(orderFor(SHUTTER, { open: false }), { position: 0 });
  t.same(orderFor(SHUTTER, { stop: true }), { stop: true });
  t.same(meaningOf(SHUTTER, { position: 0 }), { open: false });
});

t.test("what can be said to move a gate", async (t) => {
  t.ok(movesGates(device({ power: FLAG }, {}, "switch")));
  t.ok(movesGates(device(null, { power: false }, "smart-plug")));
  t.ok(movesGates(RELAY), "also where it is called one");
  t.notOk(movesGates(device({ power: FLAG }, {}, "light")));
  t.notOk(movesGates(device({ power1: FLAG, power2: FLAG }, {}, "home-hub")), "which of several is not known");
  t.notOk(movesGates(device(null, { open: true })), "a gate by its make");
});

t.test("a gate's reading is whatever says how it stands", async (t) => {
  const field = (state: JsonObject) => capabilitiesOf({ ...device(null, state), metrics: [] }).readings[0]?.field;
  t.equal(field({ open: false }), "open");
  t.equal(field({ state: "closing" }), "state");
  t.equal(field({ position: 40, open: true }), "position");
  t.equal(field({ lamp: true }), undefined);
});
