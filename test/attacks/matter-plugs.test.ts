/**
 * A home that joined by Matter, a child with its phone or a voice through the window: what asks for no PIN there, a plug
 * or a lamp, and opens the gate all the same.
 */
import t from "tap";
import type { Reach } from "../../src/features/devices/commands.ts";
import { matterHousehold } from "../support/matter-household.ts";

t.setTimeout(180_000);
const NOTHING: Reach = { isUpkeep: false, others: [], unjudged: [] };

t.test("a plug that opens the gate by another way than its lock, which asks for the PIN", async (t) => {
  const { bridge, parts, siteId, act, numberOf, published, step } = await matterHousehold(t);
  const { registry, commands, access } = parts;
  const reach = new Map([["plug", NOTHING]]);
  commands.carriedBy({
    has: (id) => reach.has(id),
    reachOf: (id) => reach.get(id) ?? NOTHING,
    deliver: (deviceId, payload) => {
      parts.published.push({ deviceId, payload });
      return "sent";
    },
  });
  for (const [id, type] of [
    ["lamp", "light"],
    ["plug", "smart-plug"],
    ["gate", "gate"],
    ["alarm", "sentinel"],
  ] as const)
    await registry.create(siteId, { id, name: id, type });
  await step();
  const [lamp, plug] = [numberOf("lamp"), numberOf("plug")];
  t.equal(await act(plug, { on: true }), "ok", "a plug");
  access.limits.leversKnownBy(() => new Set(["device:plug"]));
  t.equal(await act(plug, { on: true }), "forbidden", "a rule opens by it, and nothing that opens was ever shown");

  await bridge.setPin("4827");
  await bridge.show("device:gate", true);
  const gate = numberOf("gate");
  published();
  t.equal(await act(plug, { on: true }), "forbidden", "a rule opens by it, and opening asks for a PIN");
  access.limits.leversKnownBy(() => new Set());
  for (const [how, reached] of [
    ["a group with the gate in it", { ...NOTHING, others: ["gate"] }],
    ["a second name of the gate's relay", { ...NOTHING, unjudged: ["gate"] }],
    ["a word of its firmware", { ...NOTHING, isUpkeep: true }],
  ] as const) {
    reach.set("plug", reached);
    t.equal(await act(plug, { on: true }), "forbidden", how);
  }
  t.same(published(), []);
  t.equal(await act(lamp, { on: true }), "ok", "what reaches nothing is theirs");
  t.equal(commands.hands.isBound("lamp"), true, "and what comes of it opens nothing");

  published();
  t.equal(await act(gate, { locked: false, pin: "4827" }), "ok", "who gives the PIN opens");
  t.same(published(), ['gate {"open":true}']);
  t.equal(commands.hands.isBound("gate"), false, "and what comes of it may open too");
  t.equal(await act(gate, { locked: true, pin: null }), "ok", "closing asks for none");
  await bridge.show("device:alarm", true);
  published();
  t.equal(await act(numberOf("alarm"), { on: false }), "ok", "an alarm is switched where an owner has shown it");
  t.same(published(), ['alarm {"armed":false}']);

  await bridge.setPin(null);
  reach.set("plug", { ...NOTHING, others: ["gate"] });
  access.limits.leversKnownBy(() => new Set(["device:plug"]));
  t.equal(await act(plug, { on: true }), "ok", "where opening asks for no PIN, it does so by no way");
});
