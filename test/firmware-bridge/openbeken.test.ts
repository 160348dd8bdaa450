import t from "tap";
import { openbeken } from "../../firmware-bridge/openbeken/openbeken.ts";
import { rightsOf } from "../../firmware-bridge/rights.ts";
import { conversations, replay } from "../support/conversation.ts";

const NO_TOPICS = { name: "", says: [], takes: [] };

for (const conversation of conversations("openbeken")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, openbeken, conversation);
  });
}

t.test("learned data restores a device after a restart", async (t) => {
  const family = openbeken.open({ prefix: null });
  family.restore([
    {
      key: "381f8dd3a901",
      memo: { name: "plug1", channels: ["1"], metrics: ["watts"], lamp: [], address: null, build: null },
    },
  ]);
  t.same(family.command("381f8dd3a901", { power: true }), {
    publish: [{ topic: "plug1/1/set", payload: "1" }],
    expects: { power: true },
  });
  t.same(
    family.connected(100_000),
    [{ do: "publish", message: { topic: "plug1/1/get", payload: "" } }],
    "its channels are queried",
  );
  t.same(rightsOf("openbeken", new Map()).device(family.topics("381f8dd3a901") ?? NO_TOPICS).publish, [
    "plug1/#",
    "tele/plug1/#",
    "stat/plug1/#",
  ]);
  family.forget("381f8dd3a901");
  t.match(family.command("381f8dd3a901", { power: true }), { unsupported: String });
});
