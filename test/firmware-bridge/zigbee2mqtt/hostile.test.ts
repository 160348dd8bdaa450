import fc from "fast-check";
import t from "tap";
import type { Effect } from "../../../firmware-bridge/family.ts";
import { zigbee2mqtt } from "../../../firmware-bridge/zigbee2mqtt/zigbee2mqtt.ts";
import { conversations, REPLAY_START } from "../../support/conversation.ts";

const COMMANDS = [
  { power: true },
  { ch: 2, on: true },
  { brightness: 40 },
  { position: 50 },
  { stop: true },
  { color: "#ff0000" },
  { state: "ON", color: {} },
  { scene: "x" },
];
const DEVICES = conversations("zigbee2mqtt").flatMap(({ steps }) =>
  steps.flatMap((step) =>
    "message" in step && step.message.topic.endsWith("/bridge/devices") && Array.isArray(step.message.payload)
      ? (step.message.payload as unknown[])
      : [],
  ),
);

function send(adapter: ReturnType<typeof zigbee2mqtt.open>, topic: string, payload: string): readonly Effect[] {
  return adapter.message({
    topic: `zigbee2mqtt/${topic}`,
    payload: Buffer.from(payload),
    retained: false,
    at: REPLAY_START,
  });
}

/** Replaces the member or entry at `index` with `value`. */
function exchanged(whole: unknown, index: number, value: unknown): string {
  let left = index;
  return JSON.stringify(whole, (_, old: unknown) => (left-- === 0 ? value : old));
}

t.test("lists of devices of any form make no device with an invalid id, and nothing throws", async (t) => {
  let devices = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.nat({ max: 400 }), value: fc.jsonValue({ maxDepth: 3 }) }), { maxLength: 4 }),
      (changes) => {
        const adapter = zigbee2mqtt.open({ prefix: null });
        let text = JSON.stringify(DEVICES);
        for (const { at, value } of changes) text = exchanged(JSON.parse(text), at, value);
        const effects = send(adapter, "bridge/devices", text);
        for (const effect of effects) {
          if (effect.do !== "device") continue;
          devices += 1;
          if (!/^[a-z0-9_-]{1,48}$/.test(effect.device.key) || JSON.stringify(effect.device.memo).length > 16_384)
            return false;
          for (const command of COMMANDS) adapter.command(effect.device.key, command);
        }
        send(adapter, "bridge/groups", text);
        return true;
      },
    ),
    { numRuns: 150 },
  );
  t.ok(devices > 500, `${devices} devices`);
});

t.test("states of any form are tolerated, and yield only finite numbers", async (t) => {
  const adapter = zigbee2mqtt.open({ prefix: null });
  send(adapter, "bridge/info", '{"coordinator":{"ieee_address":"0x00124b00120144ae"}}');
  send(adapter, "bridge/devices", JSON.stringify(DEVICES));
  const names = [
    "my_plug",
    "kitchen/floor_light",
    "button",
    "wall",
    "sides",
    "curtain",
    "shade",
    "door",
    "radiator",
    "fan",
    "meter",
    "sensor",
    "bridge",
  ];
  const parts = [
    "",
    "/availability",
    "/action",
    "/state",
    "/set",
    "/info",
    "/event",
    "/health",
    "/logging",
    "/response/x",
    "/__proto__",
    "/a/b/c/d/e/f",
  ];
  const key = fc.constantFrom(
    "state",
    "brightness",
    "color",
    "color_temp",
    "action",
    "energy",
    "power",
    "position",
    "contact",
    "update",
    "linkquality",
    "state_l1",
    "__proto__",
    "constructor",
    "fan_mode",
    "system_mode",
    "moving",
  );
  const payload = fc.oneof(
    fc.dictionary(key, fc.jsonValue({ maxDepth: 3 })).map((value) => JSON.stringify(value)),
    fc.string(),
    fc.constantFrom("[".repeat(70_000), "x".repeat(100_000), "{", "null", "1e999"),
  );
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom(...parts), payload, (name, part, text) =>
      send(adapter, name + part, text).every(
        (effect) =>
          (effect.do !== "telemetry" || Object.values(effect.data).every(Number.isFinite)) &&
          (effect.do !== "counter" || (Number.isFinite(effect.wattHours) && effect.wattHours >= 0)),
      ),
    ),
    { numRuns: 2000 },
  );
  t.equal(Reflect.get({}, "polluted"), undefined);
});

t.test("an inventory of any size is bounded", async (t) => {
  const adapter = zigbee2mqtt.open({ prefix: null });
  t.hasStrict(
    send(adapter, "bridge/devices", `[${"{},".repeat(2_000_000)}{}]`),
    [{ do: "problem" }],
    "more than 4 MiB",
  );
  t.hasStrict(send(adapter, "bridge/devices", "[".repeat(1_000_000)), [{ do: "problem" }]);
  const many = Array.from({ length: 5000 }, (_, index) => ({
    ieee_address: `0x${(index + 1).toString(16).padStart(16, "0")}`,
    friendly_name: `d${index}`,
    interview_completed: true,
    definition: { exposes: [] },
  }));
  const effects = send(adapter, "bridge/devices", JSON.stringify(many));
  t.equal(effects.filter((effect) => effect.do === "device").length, 2000);
  const recall = effects.find((effect) => effect.do === "recall");
  t.ok(recall?.do === "recall" && recall.filters.length <= 8, "retained messages are requested at once");
});
