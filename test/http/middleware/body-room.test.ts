import t from "tap";
import { BodyRoom } from "../../../src/http/middleware/body-room.js";
import { FakeClock } from "../../support/fake-clock.js";

const MEGABYTE = 1_048_576;

t.test("without room the sender with most gives way with its largest body", async (t) => {
  const room = new BodyRoom(new FakeClock());
  const gone: string[] = [];
  const body = (name: string, isKnown = false) => {
    const held = room.open({ name, isKnown }, MEGABYTE, () => {
      gone.push(name);
      held.release();
    });
    return held;
  };
  const crowd = Array.from({ length: 7 }, () => body("crowd"));
  for (const held of crowd) held.add(MEGABYTE);
  body("owner").add(1_000);
  t.same(gone, []);
  body("other").add(MEGABYTE);
  t.same(gone, ["crowd"], "not the one who came last");
  const known = body("session:1", true);
  known.add(30 * MEGABYTE);
  t.same(gone, ["crowd"], "callers with a credential have room of their own");
  known.complete();
  body("session:2", true).add(3 * MEGABYTE);
  t.same(gone, ["crowd", "session:2"], "what has come whole is in use and stays");
  known.release();
  known.release();
  t.equal(room.bytes, 7 * MEGABYTE + 1_000);
});

t.test("a body has time by its size", async (t) => {
  const clock = new FakeClock();
  const room = new BodyRoom(clock);
  const late: string[] = [];
  room.open({ name: "small", isKnown: false }, 1_000, (isLate) => late.push(`small ${isLate}`));
  room.open({ name: "large", isKnown: true }, 4 * MEGABYTE, (isLate) => late.push(`large ${isLate}`));
  room.open({ name: "quick", isKnown: false }, 1_000, () => late.push("quick")).complete();
  clock.advance(10_100);
  t.same(late, ["small true"]);
  clock.advance(131_000);
  t.same(late, ["small true", "large true"]);
});
