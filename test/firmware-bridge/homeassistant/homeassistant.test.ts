import t from "tap";
import { homeassistant } from "../../../firmware-bridge/homeassistant/homeassistant.js";
import { conversations, replay } from "../../support/conversation.js";

for (const conversation of conversations("homeassistant")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, homeassistant, conversation);
  });
}
