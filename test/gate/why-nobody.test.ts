/** Why no car is known to be inside: the page says what is missing, or when the last one left. */
import t from "tap";
import { whyNobody } from "../../src/features/gate/console/inside.ts";

const read = (at: string, direction: "in" | "out" | null, deviceId = "lane", plate: string | null = "MH12AB1234") => ({
  at,
  direction,
  deviceId,
  plate,
});

t.test("what the latest reads say", async (t) => {
  t.same(whyNobody([]), { kind: "unread" });
  t.same(whyNobody([read("09:00", null, "lane", null)]), { kind: "unread" }, "nothing could be read");
  t.same(whyNobody([read("09:00", null), read("08:00", null)]), { kind: "noWay", deviceId: "lane" });
  t.same(whyNobody([read("09:00", null), read("08:00", null, "back")]), { kind: "noWay", deviceId: null });
  t.same(whyNobody([read("09:00", "in"), read("08:40", "out"), read("08:00", "out")]), { kind: "left", at: "08:40" });
  t.same(whyNobody([read("09:00", "in"), read("08:00", null)]), { kind: "notIn" });
});
