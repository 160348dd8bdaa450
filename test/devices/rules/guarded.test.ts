/** What opens, of devices that are called gates and of those that only a camera opens. */
import t from "tap";
import type { JsonObject } from "../../../src/core/kernel/json-object.ts";
import { capabilitiesOf, isGuarded } from "../../../src/features/devices/rules/device-types.ts";
import { opensOrDisarms } from "../../../src/features/devices/rules/guarded.ts";

const FLAG = { type: "boolean" };
const PERCENT = { type: "integer", minimum: 0, maximum: 100 };
const device = (type: string, opensForPlates: boolean, properties: JsonObject | null, state: JsonObject = {}) => ({
  ...{ type, opensForPlates, state },
  commandSchema: properties === null ? null : { type: "object", properties },
});
const opening = (one: ReturnType<typeof device>, ...commands: JsonObject[]) =>
  commands.map((command) => opensOrDisarms(one, command));

t.test("what a camera opens lets people in, whatever its type", async (t) => {
  for (const type of ["switch", "smart-plug", "home-hub", "cover", "light", "gate"]) {
    t.ok(isGuarded(device(type, true, null)), type);
    t.ok(capabilitiesOf({ ...device(type, true, null), metrics: [] }).barrier, type);
    t.equal(isGuarded(device(type, false, null)), type === "gate", type);
  }
});

t.test("every command to such a relay opens: none is known to shut the gate", async (t) => {
  const words = [{ power2: true }, { power2: false }, { power: true, pulse: 500 }, { close: true }, { stop: true }, {}];
  for (const relay of [
    device("home-hub", true, null, { power1: false, power2: false }),
    device("switch", true, { power: FLAG }),
    device("light", true, { power: FLAG, brightness: PERCENT }),
    device("cover", true, null, { position: 5 }),
  ])
    t.ok(opening(relay, ...words).every(Boolean), relay.type);
  t.notOk(opening(device("home-hub", false, null, { power1: false }), ...words).some(Boolean), "no camera opens it");
});

t.test("what is known to shut it, or to stop it, does not", async (t) => {
  const shutter = device("cover", true, { position: PERCENT, stop: FLAG });
  t.same(opening(shutter, { position: 0 }, { stop: true }), [false, false]);
  t.same(opening(shutter, { position: 50 }, { position: 100 }, { close: true }), [true, true, true]);
  const drive = device("drive", true, { open: FLAG, stop: FLAG });
  t.same(opening(drive, { open: false }, { stop: true }, { open: true }), [false, false, true]);
  t.same(opening(device("sentinel", true, null), { armed: true }, { armed: false }), [false, true]);
});

t.test("a relay that is called a gate has no word that closes it", async (t) => {
  const relay = device("gate", false, { power: FLAG });
  t.same(opening(relay, { close: true }, { open: false }, { power: false }), [true, true, true]);
  t.same(opening(relay, { stop: true }), [false]);
  t.same(opening(device("gate", false, null), { close: true }, { open: true }), [false, true]);
});

t.test("what is known to shut each kind of device that lets people in", async (t) => {
  const closing = { stop: { stop: true }, close: { open: false }, zero: { position: 0 }, off: { power: false } };
  type Word = keyof typeof closing;
  const examples: readonly (readonly [kind: string, one: ReturnType<typeof device>, shutBy: readonly Word[]])[] = [
    ["a gate in its own words", device("gate", false, { open: FLAG, stop: FLAG }), ["stop", "close"]],
    ["a gate that says nothing", device("gate", false, null), ["stop", "close"]],
    ["a drive that only a camera opens", device("drive", true, { open: FLAG }), ["stop", "close"]],
    ["a shutter called a gate", device("gate", false, { position: PERCENT }), ["stop", "close", "zero"]],
    ["a shutter that only a camera opens", device("cover", true, { position: PERCENT }), ["stop", "zero"]],
    ["a relay called a gate", device("gate", false, { power: FLAG }), ["stop"]],
    ["a relay that only a camera opens", device("switch", true, { power: FLAG }), []],
    ["what says nothing and only a camera opens", device("cover", true, null), []],
  ];
  for (const [kind, one, shutBy] of examples) {
    const words = Object.keys(closing) as Word[]; // keys of a literal
    t.same(
      words.filter((word) => !opensOrDisarms(one, closing[word])),
      shutBy,
      kind,
    );
    t.ok(opensOrDisarms(one, { open: true }), `${kind}: opens`);
  }
});
