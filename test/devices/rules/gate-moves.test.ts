/** What a gate takes that is a relay or a shutter by its make. */
import t from "tap";
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { capabilitiesOf } from "../../../src/features/devices/rules/device-types.ts";
import { aimOf, meaningOf, movesGates, movesOf, orderFor } from "../../../src/features/devices/rules/gate-moves.ts";

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

t.test("a command may open a gate unless it is known not to", async (t) => {
  const aims = (one: Parameters<typeof aimOf>[0], ...commands: JsonObject[]) =>
    commands.map((command) => aimOf(one, command));
  t.same(
    aims(RELAY, { power: true }, { power: true, x: 1 }, { power: 1 }, { power: true, close: true }, { power: "close" }),
    ["opens", "opens", "opens", "opens", "opens"],
  );
  t.same(aims(RELAY, { toggle: true }, { power: false }, { open: false }), ["may_open", "lets_go", "closes"]);
  t.same(aims(RELAY, { stop: true }, {}, { power: false, x: 1 }, { open: true }), ["rests", "rests", "opens", "opens"]);
  t.same(aims(SHUTTER, { position: 0 }, { position: 40 }, { position: "40" }), ["closes", "opens", "opens"]);
  t.same(aims(device(null), { gate: "close" }, { gate: "close", x: 1 }, { light: true }, { Open: true }), [
    "shuts",
    "may_open",
    "may_open",
    "may_open",
  ]);
});
