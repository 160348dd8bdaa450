import t from "tap";
import { frigate } from "../../../firmware-bridge/frigate/frigate.ts";
import { conversations, replay } from "../../support/conversation.ts";

for (const conversation of conversations("frigate")) {
  t.test(`${conversation.name}: ${conversation.about}`, async (t) => {
    replay(t, frigate, conversation);
  });
}
