import t from "tap";
import { zigbee2mqtt } from "../../../firmware-bridge/zigbee2mqtt/zigbee2mqtt.js";
import { conversations, replay } from "../../support/conversation.js";

for (const conversation of conversations("zigbee2mqtt")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, zigbee2mqtt, conversation);
  });
}
