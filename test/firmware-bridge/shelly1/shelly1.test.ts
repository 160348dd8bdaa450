import t from "tap";
import { rightsOf } from "../../../firmware-bridge/rights.ts";
import { shelly1 } from "../../../firmware-bridge/shelly1/shelly1.ts";
import { conversations, REPLAY_START, replay } from "../../support/conversation.ts";
import { bearsHostileCommands, bearsHostileMessages } from "../../support/hostile.ts";

const NO_TOPICS = { name: "", says: [], takes: [] };

const recorded = conversations("shelly1");

for (const conversation of recorded)
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => void replay(t, shelly1, conversation));

t.test("hostile messages are tolerated", async (t) => bearsHostileMessages(t, shelly1, recorded));

t.test("hostile commands are tolerated", async (t) => bearsHostileCommands(t, shelly1, recorded));

t.test(
  "a device from before a restart accepts commands at once and needs no announcement for its values",
  async (t) => {
    const before = shelly1.open({ prefix: null });
    const text = JSON.stringify({
      id: "shellyswitch25-68E7B4",
      model: "SHSW-25",
      mac: "C45BBE68E7B4",
      mode: "relay",
      fw_ver: "1.14",
      ip: "192.168.1.50",
    });
    const [announced] = before.message({
      topic: "shellies/announce",
      payload: Buffer.from(text),
      retained: false,
      at: REPLAY_START,
    });
    if (announced?.do !== "device") throw new Error("not announced");
    const after = shelly1.open({ prefix: null });
    after.restore([{ key: announced.device.key, memo: JSON.parse(JSON.stringify(announced.device.memo)) }]);
    t.same(after.command("c45bbe68e7b4", { ch: 2, on: true }), {
      publish: [{ topic: "shellies/shellyswitch25-68E7B4/relay/1/command", payload: "on" }],
      expects: { power2: true },
    });
    const effects = after.message({
      topic: "shellies/shellyswitch25-68E7B4/relay/1",
      payload: Buffer.from("on"),
      retained: false,
      at: REPLAY_START,
    });
    t.same(effects.at(-1), { do: "state", key: "c45bbe68e7b4", patch: { power2: true } });
  },
);

t.test("a removed device comes back with its next announcement only", async (t) => {
  const adapter = shelly1.open({ prefix: null });
  const announce = {
    topic: "shellies/announce",
    payload: Buffer.from('{"id":"shelly1-1A2B3C","model":"SHSW-1","mac":"BCFF4D1A2B3C"}'),
    retained: false,
    at: REPLAY_START,
  };
  adapter.message(announce);
  adapter.forget("bcff4d1a2b3c");
  t.match(adapter.command("bcff4d1a2b3c", { power: true }), { unsupported: String });
  adapter.message(announce);
  t.match(adapter.command("bcff4d1a2b3c", { power: true }), { publish: [{ payload: "on" }] });
});

t.test("a bridged client reaches its own topics only", async (t) => {
  const adapter = shelly1.open({ prefix: null });
  const payload = Buffer.from('{"id":"shelly1-1A2B3C","model":"SHSW-1","mac":"BCFF4D1A2B3C"}');
  adapter.message({ topic: "shellies/announce", payload, retained: false, at: REPLAY_START });
  const own = "shellies/shelly1-1A2B3C";
  t.same(rightsOf("shelly1", new Map()).device(adapter.topics("bcff4d1a2b3c") ?? NO_TOPICS), {
    publish: [`${own}/#`],
    subscribe: [`${own}/command`, `${own}/+/command`, `${own}/+/+/command`, `${own}/+/+/set`],
  });
});

t.test("unknown clients and devices are limited in number", async (t) => {
  const adapter = shelly1.open({ prefix: null });
  for (let index = 0; index < 3_000; index++) {
    const id = `shelly1-${index.toString(16).padStart(6, "0")}`;
    adapter.message({ topic: `shellies/${id}/relay/0`, payload: Buffer.from("on"), retained: false, at: REPLAY_START });
    const mac = `AABBCC${(index + 1).toString(16).padStart(6, "0")}`;
    adapter.message({
      topic: "shellies/announce",
      payload: Buffer.from(JSON.stringify({ id, mac, model: "SHSW-1" })),
      retained: false,
      at: REPLAY_START,
    });
  }
  const late = adapter.message({
    topic: "shellies/announce",
    payload: Buffer.from('{"id":"x","mac":"FFBBCC000001"}'),
    retained: false,
    at: REPLAY_START,
  });
  t.hasStrict(late, [{ do: "problem", reason: "too many devices" }]);
});

t.test("the setup line names host, port and credential", async (t) => {
  const [first] = shelly1.setup({
    host: "192.168.1.10",
    port: 1883,
    username: "plug",
    password: "s&cret",
    topic: "plug",
  });
  t.equal(first?.kind, "url");
  const url = new URL(first?.text.replace("DEVICE-ADDRESS", "192.168.1.50") ?? "");
  t.equal(url.searchParams.get("mqtt_server"), "192.168.1.10:1883");
  t.equal(url.searchParams.get("mqtt_pass"), "s&cret");
});
