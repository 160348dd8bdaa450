import t from "tap";
import { Outbox, type OutgoingMessage } from "../../src/features/outside-broker/outbox.ts";
import { FakeClock } from "../support/fake-clock.ts";

function message(
  clock: FakeClock,
  payload: string,
  settings: { ttlMs?: number; from?: string; isThere?: () => boolean; onSent?: () => void } = {},
): OutgoingMessage {
  const { from = "" } = settings;
  return {
    topic: "t",
    payload,
    from,
    isThere: settings.isThere ?? null,
    onSent: settings.onSent ?? null,
    deadlineMono: clock.mono() + (settings.ttlMs ?? 60_000),
  };
}

t.test("messages go out once, oldest first", async (t) => {
  const clock = new FakeClock();
  const outbox = new Outbox(clock);
  let calls = 0;
  const [first, second] = [message(clock, "1", { onSent: () => (calls += 1) }), message(clock, "2")];
  outbox.add(first);
  outbox.add(second);
  t.same(outbox.due(), [first, second]);
  t.same(outbox.due(), [], "they are in flight");
  outbox.done(first, "sent");
  t.equal(calls, 1);
  t.match(outbox.figures, { sent: 1, waiting: 1 });
});

t.test(
  "one lost with its connection is sent again in the next, five times in all; then it counts as dropped",
  async (t) => {
    const clock = new FakeClock();
    const outbox = new Outbox(clock);
    const only = message(clock, "1");
    outbox.add(only);
    for (const expected of [[only], [only], [only], [only], [only], []]) {
      t.same(outbox.due(), expected);
      outbox.done(only, "lost");
      outbox.cut();
    }
    t.match(outbox.figures, { sent: 0, waiting: 0, dropped: 1 });
    const late = message(clock, "2", { ttlMs: 5_000 });
    outbox.add(late);
    outbox.due();
    outbox.done(late, "lost");
    clock.advance(5_000);
    outbox.sweep();
    t.same(outbox.due(), [], "never after its time");
  },
);

t.test("a message without a subscriber is sent again after a while, until it expires", async (t) => {
  const clock = new FakeClock();
  const outbox = new Outbox(clock);
  const only = message(clock, "1", { isThere: () => true, ttlMs: 5_000 });
  outbox.add(only);
  outbox.due();
  outbox.done(only, "unheard");
  t.same(outbox.due(), []);
  clock.advance(2_000);
  t.same(outbox.due(), [only]);
  outbox.done(only, "unheard");
  clock.advance(3_000);
  outbox.sweep();
  t.same(outbox.due(), []);
  t.match(outbox.figures, { waiting: 0, expired: 1, sent: 0 });
});

t.test("one for an offline device waits for it", async (t) => {
  const clock = new FakeClock();
  const outbox = new Outbox(clock);
  let there = false;
  const only = message(clock, "1", { isThere: () => there });
  outbox.add(only);
  t.same(outbox.due(), []);
  there = true;
  t.same(outbox.due(), [only]);
});

t.test("one for any listener needs none", async (t) => {
  const clock = new FakeClock();
  const outbox = new Outbox(clock);
  const only = message(clock, "1");
  outbox.add(only);
  outbox.due();
  outbox.done(only, "unheard");
  t.match(outbox.figures, { waiting: 0, sent: 1 });
});

t.test("the oldest is dropped when there are too many", async (t) => {
  const clock = new FakeClock();
  const outbox = new Outbox(clock);
  for (let n = 0; n < 1_200; n++) outbox.add(message(clock, String(n)));
  t.match(outbox.figures, { waiting: 1_000, dropped: 200 });
  t.equal(outbox.due()[0]?.payload, "200");
});
