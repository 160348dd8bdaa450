import t from "tap";
import { BodyRoom } from "../../../src/core/http/middleware/body-room.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const MEGABYTE = 1_048_576;

t.test("without room the sender with the most gives way with its largest body", async (t) => {
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
  t.same(gone, ["crowd"], "not the last one to come");
  const known = body("session:1", true);
  known.add(30 * MEGABYTE);
  t.same(gone, ["crowd"], "callers with a credential have their own room");
  known.complete();
  body("session:2", true).add(3 * MEGABYTE);
  t.same(gone, ["crowd", "session:2"], "complete bodies are in use and stay");
  known.release();
  known.release();
  t.equal(room.bytes, 7 * MEGABYTE + 1_000);
});

t.test("a caller with a credential takes half of the room with several bodies, and all of it with one", async (t) => {
  const room = new BodyRoom(new FakeClock());
  const gone: string[] = [];
  const body = (name: string) => {
    const held = room.open({ name, isKnown: true }, 40 * MEGABYTE, () => {
      gone.push(name);
      held.release();
    });
    return held;
  };
  body("one").add(20 * MEGABYTE);
  t.same(gone, []);
  const several = Array.from({ length: 5 }, () => body("several"));
  for (const held of several.slice(0, 4)) held.add(3 * MEGABYTE);
  t.same(gone, [], "there is room for all");
  const other = new BodyRoom(new FakeClock());
  const lost: number[] = [];
  const held = [1, 2, 3, 4, 5].map((n) => {
    const one = other.open({ name: "camera", isKnown: true }, 4 * MEGABYTE, () => {
      lost.push(n);
      one.release();
    });
    return one;
  });
  for (const one of held) one.add(4 * MEGABYTE);
  t.equal(lost.length, 1, "even though no one else has any");
});

t.test("a body has time in proportion to its size", async (t) => {
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
