import t from "tap";
import { APPLE, matterHousehold as household } from "../support/matter-household.ts";

const ORIGIN = { source: "device", at: 1_700_000_000_000 } as const;

t.test("a gate opens for a home that has joined, with the PIN, if an owner shares it", async (t) => {
  const { bridge, parts, siteId, shown, audit, act, numberOf, published, step, setFabrics } = await household(t);
  const { registry, scenes } = parts;
  await registry.create(siteId, { id: "lamp", name: "Lamp", type: "light" });
  await registry.create(siteId, { id: "gate", name: "Gate", type: "gate" });
  const scene = await scenes.create(siteId, {
    name: "Evening",
    actions: [{ deviceId: "lamp", command: { power: true } }],
  });
  await step();
  t.same(
    [...shown.values()].map(({ name, kind }) => `${name} ${kind}`),
    ["Lamp light", "Evening plug"],
  );
  await t.rejects(bridge.show("device:gate", true), { code: /^conflict$/ }, "not before there is a choice of a PIN");
  await bridge.setPin("4827");
  t.equal(numberOf("Gate"), -1, "a PIN alone shares nothing");
  await bridge.show("device:gate", true);
  const gate = numberOf("Gate");
  t.equal(await act(gate, { locked: false, pin: null }), "forbidden");
  t.equal(await act(gate, { locked: false, pin: "1111" }), "forbidden");
  t.equal(await act(gate, { locked: false, pin: "4827" }, 2), "forbidden", "one that has not joined");
  t.equal(await act(gate, { on: true }), "unsupported_command");
  t.same(published(), []);
  t.equal(await act(gate, { locked: false, pin: "4827" }), "ok");
  t.same(published(), ['gate {"open":true}']);
  await parts.commands.settled();
  t.same(audit, ["matter.pin_refused Gate"], "wrong PINs are recorded");
  t.hasStrict(parts.commands.list(siteId, "gate", { limit: 1 })[0], { actor: "matter:1", name: "Apple Home" });
  t.equal(await act(gate, { locked: true, pin: null }), "ok", "closing needs no PIN");
  published();

  // Abilities learned later are not covered by the owner's choice.
  t.equal(await act(numberOf("Evening"), { on: true }), "ok");
  t.same(published(), ['lamp {"power":true}']);
  const evening = numberOf("Evening");
  await scenes.edit(siteId, scene.id, { actions: [{ deviceId: "gate", command: { open: true } }] });
  t.equal(await act(evening, { on: true }), "forbidden", "a scene that now opens the gate");
  const lamp = numberOf("Lamp");
  await registry.edit(siteId, "lamp", { type: "lock" });
  t.not(await act(lamp, { on: true }), "ok", "a lamp that has become a lock");
  parts.clock.advance(1_000);
  await bridge.show("device:gate", true);
  t.equal(numberOf("Lamp"), -1);
  t.equal(numberOf("Evening"), -1);
  t.same(published(), []);
  await registry.edit(siteId, "lamp", { type: "light" });
  await step();
  t.equal(numberOf("Lamp"), lamp, "and its number when it is a lamp again");

  // A home that left.
  setFabrics([]);
  await t.rejects(bridge.removeFabric(7), { code: /^not_found$/ });
  await bridge.removeFabric(1);
  t.equal(await act(gate, { locked: false, pin: "4827" }), "forbidden");
  t.same(bridge.fabrics(), []);
  await bridge.show("device:gate", false);
  t.not(await act(gate, { locked: false, pin: "4827" }), "ok", "hidden");
});

t.test("a device's values are reported once, and together", async (t) => {
  const { parts, siteId, sentValues, step, numberOf } = await household(t);
  await parts.registry.create(siteId, { id: "lamp", name: "Lamp", type: "light" });
  await step();
  sentValues.length = 0;
  await parts.state.apply("lamp", { power: true }, ORIGIN);
  await parts.state.apply("lamp", { power: true, rssi: -50 }, ORIGIN);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(sentValues, [{ number: numberOf("Lamp"), values: { on: true } }]);
  t.equal(sentValues.length, 1, "what Matter cannot represent is not reported");
});

t.test("a home that orders endlessly is refused after a while, and the others are not", async (t) => {
  const { parts, siteId, act, numberOf, step, setFabrics, bridge, published } = await household(t);
  const { registry, scenes, clock } = parts;
  setFabrics([APPLE, { index: 2, fabric: "bbbbbbbbbbbbbbbb-1", vendorId: 0x6006, label: "" }]);
  await registry.create(siteId, { id: "lamp", name: "Lamp", type: "light" });
  await scenes.create(siteId, { name: "Evening", actions: [{ deviceId: "lamp", command: { power: true } }] });
  await step();
  await bridge.window(3); // the homes are checked again
  const tally = async (number: number, times: number, fabric = 1): Promise<Record<string, number>> => {
    const answers: Record<string, number> = {};
    for (let n = 0; n < times; n++) {
      const answer = await act(number, { on: true }, fabric);
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
    return answers;
  };
  t.same(await tally(numberOf("Evening"), 100), { ok: 10, rate_limited: 90 }, "scenes");
  clock.advance(20_000);
  t.same(await tally(numberOf("Evening"), 100), { ok: 10, rate_limited: 90 });
  t.same(await tally(numberOf("Evening"), 1, 2), { ok: 1 }, "another home's still work");
  const { ok = 0, rate_limited: refused = 0 } = await tally(numberOf("Lamp"), 1_000);
  t.ok(ok <= 20 && refused >= 700, `${ok} of a thousand orders to one lamp got through`);
  t.ok(published().length < 60);
});

t.test("the newest state counts, not an earlier measurement", async (t) => {
  const { parts, siteId, sentValues, step } = await household(t);
  await parts.registry.create(siteId, { id: "lamp", name: "Lamp", type: "light" }); // what step() waits for
  await parts.registry.create(siteId, { id: "heater", name: "Heater", type: "thermostat" });
  await parts.state.apply("heater", { target: 20, temperature: 18, mode: "heat" }, ORIGIN);
  await step();
  parts.bus.announce("device.telemetry", { siteId, deviceId: "heater", at: ORIGIN.at, data: { target: 20 } });
  await new Promise((resolve) => setImmediate(resolve));
  sentValues.length = 0;
  await parts.state.apply("heater", { target: 24.5 }, ORIGIN);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(sentValues, [{ values: { target: 24.5 } }]);
});

t.test("a meter's drift is reported every five seconds, switching at once", async (t) => {
  const { parts, siteId, sentValues, step } = await household(t);
  await parts.registry.create(siteId, { id: "lamp", name: "Lamp", type: "light" }); // what step() waits for
  await parts.registry.create(siteId, { id: "meter", name: "Meter", type: "energy-meter" });
  await parts.state.apply("meter", { watts: 300 }, ORIGIN);
  await step();
  const measured = async (watts: number, afterMs: number): Promise<unknown[]> => {
    parts.clock.advance(afterMs);
    sentValues.length = 0;
    parts.bus.announce("device.telemetry", { siteId, deviceId: "meter", at: ORIGIN.at, data: { watts } });
    await new Promise((resolve) => setImmediate(resolve));
    return sentValues.map(({ values }) => values);
  };
  t.same(await measured(301, 6_000), [{ watts: 301 }]);
  t.same(await measured(303, 1_000), [], "a drift waits");
  t.same(await measured(2_300, 300), [{ watts: 2_300 }], "a kettle does not");
  t.same(await measured(302, 300), [{ watts: 302 }]);
  t.same(await measured(2_300, 100), [], "at most four times a second");
  parts.clock.advance(150);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(sentValues, [{ values: { watts: 2_300 } }], "and then at once");
});
