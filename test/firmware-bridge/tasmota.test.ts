import t from "tap";
import { rightsOf } from "../../firmware-bridge/rights.ts";
import { tasmota } from "../../firmware-bridge/tasmota/tasmota.ts";
import { conversations, replay } from "../support/conversation.ts";

const NO_TOPICS = { name: "", says: [], takes: [] };

for (const conversation of conversations("tasmota")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, tasmota, conversation);
  });
}

t.test("learned data restores a device after a restart", async (t) => {
  const [plug] = conversations("tasmota").filter(({ name }) => name === "plug-with-meter");
  if (plug === undefined) throw new Error("the conversation is gone");
  const first = tasmota.open({ prefix: null });
  const announced = plug.steps.flatMap((step) => {
    if (!("message" in step) || !step.message.topic.startsWith("tasmota/")) return [];
    const payload = Buffer.from(
      typeof step.message.payload === "string" ? step.message.payload : JSON.stringify(step.message.payload),
    );
    return payload.length === 0 ? [] : first.message({ topic: step.message.topic, payload, retained: true, at: 0 });
  });
  const device = announced.filter((effect) => effect.do === "device").at(-1)?.device;
  t.equal(device?.type, "smart-plug");
  const second = tasmota.open({ prefix: null });
  second.restore([{ key: "aabbcc1a2b3c", memo: JSON.parse(JSON.stringify(device?.memo)) }]);
  t.same(second.command("aabbcc1a2b3c", { power: true }), first.command("aabbcc1a2b3c", { power: true }));
  const effects = second.message({
    topic: "tele/kitchen/LWT",
    payload: Buffer.from("Offline"),
    retained: false,
    at: 0,
  });
  t.same(effects, [{ do: "availability", key: "aabbcc1a2b3c", online: false }]);
});

t.test(
  "a colour without hue and saturation: decimals or hex digits, at full brightness; anything else is ignored",
  async (t) => {
    const family = tasmota.open({ prefix: null });
    const [lamp] = conversations("tasmota").filter(({ name }) => name === "client-fades");
    for (const step of lamp?.steps ?? [])
      if ("message" in step && step.message.topic.startsWith("tasmota/discovery/"))
        family.message({
          topic: step.message.topic,
          payload: Buffer.from(JSON.stringify(step.message.payload)),
          retained: true,
          at: 0,
        });
    const colourOf = (Color: unknown): unknown =>
      family
        .message({
          topic: "tasmota_49A3B8/tele/STATE",
          payload: Buffer.from(JSON.stringify({ POWER: "ON", Color })),
          retained: false,
          at: 0,
        })
        .flatMap((effect) => (effect.do === "state" ? [effect.patch.color] : []));
    t.same(colourOf("FF8000"), ["#ff8000"]);
    t.same(colourOf("008000FF00"), ["#00ff00"], "half as bright, with white behind it");
    t.same(colourOf("128,64,0"), ["#ff8000"]);
    t.same(colourOf("000000"), ["#000000"]);
    for (const none of ["F8000", "GG8000", "FF80", "red,1,2", "", 5])
      t.same(colourOf(none), [undefined], JSON.stringify(none));
  },
);

t.test("a client is confined to its own devices' topics", async (t) => {
  const family = tasmota.open({ prefix: null });
  t.equal(family.topics("aabbcc00000d"), null, "a device that has not announced itself has none");
  const [plug] = conversations("tasmota").filter(({ name }) => name === "own-words-and-topics");
  const step = plug?.steps[0];
  if (step === undefined || !("message" in step)) throw new Error("the conversation is gone");
  family.message({
    topic: step.message.topic,
    payload: Buffer.from(JSON.stringify(step.message.payload)),
    retained: true,
    at: 0,
  });
  t.same(rightsOf("tasmota", new Map()).device(family.topics("aabbcc00000d") ?? NO_TOPICS), {
    publish: [
      "tasmota/discovery/AABBCC00000D/config",
      "tasmota/discovery/AABBCC00000D/sensors",
      "home/bell/said/#",
      "home/bell/tells/#",
    ],
    subscribe: ["home/bell/do/#", "cmnd/DVES_00000D_fb/#"],
  });
});

t.test("the set-up line has the hub's address as an IP", async (t) => {
  const steps = tasmota.setup({ host: "192.168.1.10", port: 1883, username: "u", password: "p", topic: "kitchen" });
  t.match(steps[0]?.text, "Backlog MqttHost 192.168.1.10; MqttPort 1883; MqttUser u; MqttPassword p; Topic kitchen");
});
