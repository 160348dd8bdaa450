import t from "tap";
import type { Effect } from "../../../firmware-bridge/family.ts";
import { homeassistant } from "../../../firmware-bridge/homeassistant/homeassistant.ts";
import { conversations, REPLAY_START, replay } from "../../support/conversation.ts";

for (const conversation of conversations("homeassistant")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, homeassistant, conversation);
  });
}

/** A home that received one discovery message, and its effects of one message of that device. */
function discovered(component: string, config: object): (topic: string, payload: string) => readonly Effect[] {
  const adapter = homeassistant.open({ prefix: null });
  const heard = (topic: string, payload: string, retained: boolean): readonly Effect[] =>
    adapter.message({ topic, payload: Buffer.from(payload), retained, at: REPLAY_START });
  heard(`homeassistant/${component}/one/config`, JSON.stringify(config), true);
  return (topic, payload) => heard(topic, payload, false);
}

t.test("a press is named by the trigger's subtype", async (t) => {
  const trigger = { automation_type: "trigger", topic: "remote/action", device: { identifiers: "remote" } };
  for (const [type, subtype, payload, title] of [
    ["button_short_press", "button_2", "press", "button 2 button short press"],
    ["action", "double", "double", "double action"],
    ["moved", "left_side", "left", "left side moved"],
  ] as const) {
    const heard = discovered("device_automation", { ...trigger, type, subtype, payload });
    const events = heard("remote/action", payload).filter((effect) => effect.do === "event");
    t.match(events, [{ title }], type);
    t.same(
      heard("remote/action", "another").filter((effect) => effect.do === "event"),
      [],
    );
  }
});

t.test("a tracker is at home, away, or unknown", async (t) => {
  const tracker = { state_topic: "phone/state", unique_id: "phone", device: { identifiers: [7, true], name: 5 } };
  const patches = (config: object, ...payloads: string[]) => {
    const heard = discovered("device_tracker", config);
    return payloads.map((text) => heard("phone/state", text).find((effect) => effect.do === "state"));
  };
  t.match(patches(tracker, "home", "not_home", "None"), [
    { patch: { present: true } },
    { patch: { present: false } },
    { patch: { present: null } },
  ]);
  t.match(patches({ ...tracker, payload_home: "in", payload_not_home: "out", payload_reset: "?" }, "in", "out", "?"), [
    { patch: { present: true } },
    { patch: { present: false } },
    { patch: { present: null } },
  ]);
});

t.test("as much of a device is kept as fits into its memo, even after a component that does not", async (t) => {
  const adapter = homeassistant.open({ prefix: null });
  const announced = (id: string, other: number): readonly Effect[] =>
    adapter.message({
      topic: `homeassistant/sensor/${id}/config`,
      payload: Buffer.from(JSON.stringify({ state_topic: id, other: "o".repeat(other), device: { identifiers: "d" } })),
      retained: true,
      at: REPLAY_START,
    });
  const kept = (effects: readonly Effect[]): readonly { id: string }[] =>
    effects.flatMap((effect) => (effect.do === "device" ? (effect.device.memo.components as { id: string }[]) : []));
  announced("large", 15_000);
  t.same(
    kept(announced("small", 10)).map(({ id }) => id),
    ["small"],
  );
});
