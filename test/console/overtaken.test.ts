/** Of two answers the one that was requested later is shown, in whatever order they come. */
import t from "tap";
import { isOvertaken, nextMoment } from "../../src/console/overtaken.ts";

t.test("an earlier answer that comes late is not shown", async (t) => {
  const place = {};
  const [earlier, later] = [nextMoment(), nextMoment()];
  t.notOk(isOvertaken(place, later));
  t.ok(isOvertaken(place, earlier));
  t.notOk(isOvertaken(place, later), "parts of one answer");
});

t.test("answers that come in their order are all shown, and places do not count for each other", async (t) => {
  const [one, other] = [{}, {}];
  const [earlier, later] = [nextMoment(), nextMoment()];
  t.notOk(isOvertaken(one, earlier));
  t.notOk(isOvertaken(one, later));
  t.notOk(isOvertaken(other, earlier));
  t.notOk(isOvertaken(one, nextMoment()), "what somebody has just changed");
  t.ok(isOvertaken(one, later), "is not undone by what was requested before");
});
