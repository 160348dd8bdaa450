import t from "tap";
import { openmqttgateway } from "../../../firmware-bridge/openmqttgateway/openmqttgateway.ts";
import { rightsOf } from "../../../firmware-bridge/rights.ts";
import { conversations, REPLAY_START, replay } from "../../support/conversation.ts";
import { bearsHostileCommands, bearsHostileMessages } from "../../support/hostile.ts";

const NO_TOPICS = { name: "", says: [], takes: [] };

const recorded = conversations("openmqttgateway");

for (const conversation of recorded)
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => void replay(t, openmqttgateway, conversation));

t.test("hostile messages are tolerated", async (t) => bearsHostileMessages(t, openmqttgateway, recorded));

t.test("hostile commands are tolerated", async (t) => bearsHostileCommands(t, openmqttgateway, recorded));

t.test("what was known before a restart is known after it", async (t) => {
  const before = openmqttgateway.open({ prefix: "home" });
  const devices = new Map<string, Record<string, unknown>>();
  for (const { topic, payload } of [
    { topic: "home/OMG_hall/SYStoMQTT", payload: { mac: "A4:E5:7C:11:22:33", version: "v1.7.0", modules: ["ONOFF"] } },
    { topic: "home/OMG_hall/ONOFFtoMQTT", payload: { gpio: 15, cmd: 1 } },
    {
      topic: "home/OMG_hall/BTtoMQTT/A4C138112233",
      payload: { id: "A4:C1:38:11:22:33", rssi: -70, model: "TH", tempc: 20 },
    },
  ]) {
    for (const effect of before.message({
      topic,
      payload: Buffer.from(JSON.stringify(payload)),
      retained: false,
      at: REPLAY_START,
    }))
      if (effect.do === "device") devices.set(effect.device.key, effect.device.memo);
  }
  t.same([...devices.keys()], ["a4e57c112233", "a4c138112233"]);
  const after = openmqttgateway.open({ prefix: "home" });
  after.restore([...devices].map(([key, memo]) => ({ key, memo: JSON.parse(JSON.stringify(memo)) })));
  t.match(after.command("a4e57c112233", { power: true }), {
    publish: [{ topic: /^home\/OMG_hall\/commands\/MQTTtoONOFF$/, payload: '{"gpio":15,"cmd":1}' }],
  });
  const payload = Buffer.from('{"id":"A4:C1:38:11:22:33","rssi":-70,"tempc":21}');
  const effects = after.message({
    topic: "home/OMG_hall/BTtoMQTT/A4C138112233",
    payload,
    retained: false,
    at: REPLAY_START,
  });
  t.notOk(
    effects.some((effect) => effect.do === "device"),
    "nothing new is learned of it",
  );
  t.hasStrict(effects.at(-1), { do: "telemetry", data: { temperature: 21, rssi: -70 } });
});

t.test(
  "a radio sensor is a device from the second message on, even after a restart, and an echo is not one",
  async (t) => {
    const heard = (
      adapter: ReturnType<typeof openmqttgateway.open>,
      payload: object,
      after: number,
      retained = false,
    ) =>
      adapter.message({
        topic: "home/OMG/RTL_433toMQTT",
        payload: Buffer.from(JSON.stringify({ model: "Emon", id: 7, ...payload })),
        retained,
        at: REPLAY_START + after,
      });
    const adapter = openmqttgateway.open({ prefix: "home" });
    t.same(heard(adapter, { power_W: 400 }, 0), [], "it may only be passing");
    t.same(heard(adapter, { power_W: 400 }, 1_999), [], "the same through another gateway");
    const [device, ...rest] = heard(adapter, { power_W: 400, energy_kWh: 1.5 }, 2_000);
    if (device?.do !== "device") throw new Error("not announced");
    const { key, memo } = device.device;
    t.match(device.device, { name: /^Emon 7$/, type: /^sensor$/, model: "Emon", metrics: ["kwh", "watts"] });
    t.same(rest, [
      { do: "availability", key, online: true },
      { do: "telemetry", key, data: { watts: 400 }, at: null },
      { do: "counter", key, metric: "kwh", wattHours: 1_500, epoch: null },
    ]);
    const after = openmqttgateway.open({ prefix: "home" });
    after.restore([
      { key, memo: JSON.parse(JSON.stringify(memo)) },
      { key: "rtl-none-1", memo: { kind: "radio", id: "1" } },
      { key: "rtl-none-2", memo: { kind: "radio", model: "none" } },
    ]);
    t.same(
      heard(after, { power_W: 500 }, 0).map((effect) => effect.do),
      ["availability", "telemetry"],
      "known at once, with its metrics",
    );
    t.same(
      heard(after, { power_W: 501 }, 1, true).map((effect) => effect.do),
      ["telemetry"],
      "the broker's retained messages say nothing about the present",
    );
    const [more] = heard(after, { power_W: 502, temperature_C: 20 }, 2);
    t.hasStrict(more, { do: "device", device: { key, name: "Emon 7", metrics: ["kwh", "temperature", "watts"] } });
    t.same(
      heard(after, { power_W: 502, temperature_C: 20, button: 3 }, 3).at(-1),
      { do: "event", key, kind: "button.3", title: "Button 3", body: "" },
      "a button press is not an echo",
    );
    t.match(heard(after, { model: "none", id: 1, power_W: 1 }, 4), [], "incomplete data was not adopted");
    for (const anonymous of [{ model: "" }, { id: null }])
      t.match(heard(after, { ...anonymous, power_W: 1 }, 5), [{ do: /^problem$/, reason: /no model and id/ }]);
  },
);

t.test("radio sensors of a whole street leave room for later ones again", async (t) => {
  const adapter = openmqttgateway.open({ prefix: "home" });
  const heard = (id: number, after: number) =>
    adapter
      .message({
        topic: "home/OMG/RTL_433toMQTT",
        payload: Buffer.from(JSON.stringify({ model: "Tyre", id, pressure_kPa: 200 + after })),
        retained: false,
        at: REPLAY_START + after,
      })
      .map((effect) => effect.do);
  for (let id = 0; id < 200; id++) heard(id, 0);
  t.same(heard(200, 3_600_000), ["problem"], "for an hour they may come again");
  t.same(heard(0, 3_600_000), ["device", "availability", "telemetry"]);
  t.same(heard(200, 3_600_001), []);
  t.same(heard(200, 3_700_000), ["device", "availability", "telemetry"]);
  t.same(heard(0, 3_700_000), ["availability", "telemetry"], "known devices stay");
});

t.test("Bluetooth devices of a whole street stay within limits", async (t) => {
  const adapter = openmqttgateway.open({ prefix: "home" });
  let devices = 0;
  for (let index = 1; index <= 2_000; index++) {
    const mac = `A4C138${index.toString(16).padStart(6, "0")}`.toUpperCase();
    const payload = Buffer.from(JSON.stringify({ id: mac, rssi: -70, model: "TH", tempc: 20 }));
    for (const effect of adapter.message({
      topic: `home/OMG/BTtoMQTT/${mac}`,
      payload,
      retained: false,
      at: REPLAY_START,
    }))
      if (effect.do === "device") devices += 1;
  }
  t.equal(devices, 500);
});

t.test("a bridged gateway reaches its own topics only", async (t) => {
  const adapter = openmqttgateway.open({ prefix: "home" });
  adapter.message({
    topic: "home/OMG_hall/SYStoMQTT",
    payload: Buffer.from('{"mac":"A4:E5:7C:11:22:33"}'),
    retained: false,
    at: REPLAY_START,
  });
  const { device } = rightsOf("openmqttgateway", new Map([["openmqttgateway", "home"]]));
  t.same(device(adapter.topics("a4e57c112233") ?? NO_TOPICS), {
    publish: ["home/OMG_hall/#"],
    subscribe: ["home/OMG_hall/commands/#"],
  });
});
