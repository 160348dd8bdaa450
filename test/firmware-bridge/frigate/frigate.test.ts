import t from "tap";
import { frigate } from "../../../firmware-bridge/frigate/frigate.js";
import { conversations, replay } from "../../support/conversation.js";

for (const conversation of conversations("frigate")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, frigate, conversation);
  });
}
