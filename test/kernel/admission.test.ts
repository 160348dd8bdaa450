import t from "tap";
import { Admission, plainAddress, type Ticket } from "../../src/core/kernel/admission.ts";
import { FakeClock } from "../support/fake-clock.ts";

/** An admission and the state of each visitor: `waits`, `in`, `ended`. */
function open(limits: { maxConnections?: number; turnsPerAddress?: number } = {}) {
  const clock = new FakeClock();
  const admission = new Admission({ maxConnections: 4, turnsPerAddress: 2, turnMs: 2_000, ...limits }, clock);
  const visit = (address: string) => {
    const visitor = { state: "waits", ticket: null as Ticket | null };
    const ticket = admission.admit(address, {
      begin: () => (visitor.state = "in"),
      end: () => {
        visitor.state = "ended";
        visitor.ticket?.closed();
      },
    });
    visitor.ticket = ticket;
    return visitor;
  };
  return { admission, clock, visit };
}

t.test("unknown clients of one address take turns; one that shows a credential makes way for the next", async (t) => {
  const { visit, admission } = open();
  const [one, two, three, four] = [visit("a"), visit("a"), visit("a"), visit("a")];
  t.same(
    [one, two, three, four].map(({ state }) => state),
    ["in", "in", "waits", "waits"],
  );
  one?.ticket?.accepted();
  t.equal(three?.state, "in");
  two?.ticket?.closed();
  t.equal(four?.state, "in");
  t.same(admission.figures, { open: 3, unauthenticated: 2, turnedAway: 0 });
});

t.test("a turn ends after its time, but only if others are waiting", async (t) => {
  const { visit, clock } = open();
  const first = [visit("a"), visit("a")];
  clock.advance(10_000);
  t.same(
    first.map(({ state }) => state),
    ["in", "in"],
  );
  const late = visit("a");
  clock.advance(300);
  t.same(
    [...first, late].map(({ state }) => state),
    ["ended", "in", "in"],
  );
});

t.test("without room the address with the most gives way, a familiar one last", async (t) => {
  const { visit, admission } = open({ turnsPerAddress: 9 });
  const crowd = [visit("crowd"), visit("crowd"), visit("crowd")];
  const other = visit("other");
  const late = visit("late");
  t.same(
    [...crowd, other, late].map(({ state }) => state),
    ["ended", "in", "in", "in", "in"],
    "the oldest of the crowd",
  );

  const familiar = visit("home");
  familiar.ticket?.accepted();
  const page = [visit("home"), visit("home"), visit("home")];
  t.ok(
    page.every(({ state }) => state === "in"),
    "with more than any other",
  );
  t.equal([...crowd, other, late].filter(({ state }) => state === "ended").length, 4);
  t.match(admission.figures, { open: 5, unauthenticated: 4 });
});

t.test("known clients have their own room, however many unknown ones there are", async (t) => {
  const { visit, admission } = open();
  for (let at = 0; at < 20; at++) visit(`stranger-${at}`);
  t.equal(admission.figures.unauthenticated, 4);
  for (let at = 0; at < 4; at++) visit(`device-${at}`).ticket?.accepted();
  t.notOk(admission.hasRoom);
  t.equal(admission.figures.open - admission.figures.unauthenticated, 4);
});

t.test("the surplus of an address ends once it has had its time", async (t) => {
  const { visit, admission, clock } = open({ maxConnections: 20, turnsPerAddress: 20 });
  const all = Array.from({ length: 6 }, () => visit("a"));
  admission.trim(4, 3_000);
  t.ok(all.every(({ state }) => state === "in"));
  clock.advance(3_000);
  admission.trim(4, 3_000);
  t.same(
    all.map(({ state }) => state),
    ["ended", "ended", "in", "in", "in", "in"],
  );
});

t.test("IPv4 in IPv6 is IPv4", async (t) => {
  t.equal(plainAddress("::ffff:192.168.1.9"), "192.168.1.9");
  t.equal(plainAddress("fe80::1"), "fe80::1");
  t.equal(plainAddress(undefined), "");
});
