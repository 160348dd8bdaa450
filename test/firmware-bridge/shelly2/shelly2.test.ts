import t from "tap";
import type { Adapter, Effect } from "../../../firmware-bridge/family.ts";
import { rightsOf } from "../../../firmware-bridge/rights.ts";
import { shelly2 } from "../../../firmware-bridge/shelly2/shelly2.ts";
import { conversations, REPLAY_START, replay } from "../../support/conversation.ts";
import { bearsHostileCommands, bearsHostileMessages } from "../../support/hostile.ts";

const NO_TOPICS = { name: "", says: [], takes: [] };

const recorded = conversations("shelly2");
const ID = "shellyplus2pm-a8032ab12345";

function tell(adapter: Adapter, topic: string, payload: object, at = REPLAY_START): readonly Effect[] {
  return adapter.message({ topic, payload: Buffer.from(JSON.stringify(payload)), retained: false, at });
}

for (const conversation of recorded)
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => void replay(t, shelly2, conversation));

t.test("hostile messages are tolerated", async (t) => bearsHostileMessages(t, shelly2, recorded));

t.test("hostile commands are tolerated", async (t) => bearsHostileCommands(t, shelly2, recorded));

t.test(
  "a device from before a restart accepts commands at once and is followed without a new full status",
  async (t) => {
    const before = shelly2.open({ prefix: null });
    const full = {
      src: ID,
      method: "NotifyFullStatus",
      params: { "switch:0": { output: true }, "switch:1": { output: false }, "input:0": { state: null } },
    };
    const device = tell(before, `hall/${ID}/events/rpc`, full).find((effect) => effect.do === "device");
    if (device?.do !== "device") throw new Error("not announced");
    const after = shelly2.open({ prefix: null });
    after.restore([{ key: device.device.key, memo: JSON.parse(JSON.stringify(device.device.memo)) }]);
    t.hasStrict(after.command("a8032ab12345", { ch: 2, on: true }), {
      publish: [{ topic: `hall/${ID}/rpc` }],
      expects: { power2: true },
    });
    const change = { src: ID, method: "NotifyStatus", params: { "switch:1": { id: 1, output: true } } };
    t.same(
      tell(after, `hall/${ID}/events/rpc`, change).find((effect) => effect.do === "state"),
      { do: "state", key: "a8032ab12345", patch: { power2: true } },
    );
  },
);

t.test(
  "Bluetooth devices have their names and sensors in whatever order these come, and after a restart",
  async (t) => {
    const answer = (id: number, result: object): object => ({ id, src: ID, dst: "shelly2hub", result });
    const of = (effects: readonly Effect[], key: string): readonly Effect[] =>
      effects.filter((effect) => ("device" in effect ? effect.device.key : "key" in effect && effect.key) === key);
    const sensor = { id: 203, addr: "7c:c6:b6:11:22:33", obj_id: 69, idx: 0 };
    const device = { id: 201, addr: "7c:c6:b6:11:22:33", name: "Roof" };
    const nameless = { "bthomedevice:202": { id: 202 }, "bthomesensor:204": { id: 204, obj_id: 69 } };
    const entries: [string, object][] = [
      ["bthomesensor:203", sensor],
      ["bthomedevice:201", device],
    ];
    for (const config of [entries, [...entries].reverse()]) {
      const before = shelly2.open({ prefix: null });
      tell(before, `${ID}/announce`, { id: ID, mac: "A8032AB12345", gen: 2, app: "Plus2PM" });
      tell(before, "shelly2hub/rpc", answer(3, { ...nameless, ...Object.fromEntries(config) }));
      const effects = tell(before, "shelly2hub/rpc", answer(2, { "bthomesensor:203": { id: 203, value: 21.5 } }));
      const roof = { do: "device", device: { key: "7cc6b6112233", name: "Roof", metrics: ["temperature"] } };
      t.match(of(effects, "7cc6b6112233"), [
        roof,
        { do: /^availability$/, online: true },
        { do: /^telemetry$/, data: { temperature: 21.5 } },
      ]);
      t.equal(effects.filter((effect) => effect.do === "device").length, 2, "without an address there is no device");
      const gateway = tell(before, "shelly2hub/rpc", answer(1, { id: ID })).find((effect) => effect.do === "device");
      if (gateway?.do !== "device") throw new Error("not told");
      const after = shelly2.open({ prefix: null });
      after.restore([{ key: gateway.device.key, memo: JSON.parse(JSON.stringify(gateway.device.memo)) }]);
      const change = { src: ID, method: "NotifyStatus", params: { "bthomesensor:203": { id: 203, value: 22 } } };
      t.match(of(tell(after, `${ID}/events/rpc`, change), "7cc6b6112233"), [
        roof,
        { do: /^availability$/, online: true },
        { do: /^telemetry$/, data: { temperature: 22 } },
      ]);
      const heard = { src: ID, method: "NotifyStatus", params: { "bthomedevice:201": { id: 201, rssi: -60 } } };
      t.match(of(tell(after, `${ID}/events/rpc`, heard), "7cc6b6112233"), [
        { do: /^device$/, device: { name: /^Roof$/, metrics: ["rssi", "temperature"] } },
        { do: /^telemetry$/, data: { rssi: -60 } },
      ]);
    }
  },
);

t.test("one that never answers shows its outputs by its changes", async (t) => {
  const adapter = shelly2.open({ prefix: null });
  const change = (id: number): object => ({
    src: ID,
    method: "NotifyStatus",
    params: { [`switch:${id}`]: { id, output: true } },
  });
  t.notOk(
    tell(adapter, `${ID}/events/rpc`, change(0)).some((effect) => effect.do === "device"),
    "not yet: it may have more",
  );
  tell(adapter, `${ID}/events/rpc`, change(0), REPLAY_START + 61_000);
  t.same(
    tell(adapter, `${ID}/events/rpc`, change(0), REPLAY_START + 62_000).filter((effect) => effect.do === "state"),
    [{ do: "state", key: "a8032ab12345", patch: { power: true } }],
  );
  t.same(
    tell(adapter, `${ID}/events/rpc`, change(1), REPLAY_START + 63_000).filter((effect) => effect.do === "state"),
    [{ do: "state", key: "a8032ab12345", patch: { power: null, power2: true } }],
    "the former power is now one of two",
  );
});

t.test("a removed device comes back once it is known again", async (t) => {
  const adapter = shelly2.open({ prefix: null });
  const full = { src: ID, method: "NotifyFullStatus", params: { "switch:0": { output: true } } };
  tell(adapter, `${ID}/events/rpc`, full);
  adapter.forget("a8032ab12345");
  t.match(adapter.command("a8032ab12345", { power: true }), { unsupported: String });
  t.equal(tell(adapter, `${ID}/events/rpc`, full)[0]?.do, "device");
});

t.test("a bridged client reaches its own topics only", async (t) => {
  const adapter = shelly2.open({ prefix: null });
  tell(adapter, `${ID}/events/rpc`, { src: ID, method: "NotifyFullStatus", params: { "switch:0": { output: true } } });
  t.same(rightsOf("shelly2", new Map()).device(adapter.topics("a8032ab12345") ?? NO_TOPICS), {
    publish: [`${ID}/#`],
    subscribe: [`${ID}/rpc`, `${ID}/command/#`],
  });
});

t.test("the setup page carries the whole configuration", async (t) => {
  const [first] = shelly2.setup({ host: "192.168.1.10", port: 1883, username: "hall", password: "p&w", topic: "hall" });
  const url = new URL(first?.text.replace("DEVICE-ADDRESS", "192.168.1.50") ?? "");
  t.match(JSON.parse(url.searchParams.get("config") ?? ""), {
    enable: true,
    server: "192.168.1.10:1883",
    user: "hall",
    pass: "p&w",
    topic_prefix: "hall",
    rpc_ntf: true,
  });
});
