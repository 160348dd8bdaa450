import t from "tap";
import { esphome } from "../../../firmware-bridge/esphome/esphome.ts";
import { conversations, replay } from "../../support/conversation.ts";

for (const conversation of conversations("esphome")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, esphome, conversation);
  });
}
