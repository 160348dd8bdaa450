import t from "tap";
import { zigbee2mqtt } from "../../../firmware-bridge/zigbee2mqtt/zigbee2mqtt.ts";
import { conversations, replay } from "../../support/conversation.ts";

for (const conversation of conversations("zigbee2mqtt")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, zigbee2mqtt, conversation);
  });
}
