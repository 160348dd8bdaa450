import t from "tap";
import { MessageTap, type PassingMessage } from "../../src/core/mqtt/message-tap.ts";
import { FakeClock } from "../support/fake-clock.ts";

const message = (topic: string, text: string, retain = false): PassingMessage => ({
  topic,
  payload: Buffer.from(text),
  qos: 0,
  retain,
});

t.test("nothing is kept before or after someone watches", async (t) => {
  const tap = new MessageTap(new FakeClock(), () => [message("a/kept", "1", true)]);
  tap.note(message("a/b", "early"), "client");
  t.equal(tap.size, 0);
  const reader = tap.open();
  t.match(reader?.take(10), [{ topic: /^a\/kept$/, isRetained: true, at: null, count: 0 }]);
  tap.note(message("a/b", "1"), "client");
  tap.note(message("a/b", "2"), "hub");
  t.match(
    reader?.take(10),
    [{ topic: /^a\/b$/, payload: Buffer.from("2"), count: 2, from: "hub", isRetained: false }],
    "the last one counts",
  );
  t.same(reader?.take(10), []);
  tap.note(message("a/kept", "", true), "client");
  t.hasStrict(reader?.take(10), [{ topic: "a/kept", isRetained: false }], "an empty one removes the retained message");
  const other = tap.open();
  reader?.close();
  t.equal(tap.size, 2);
  other?.close();
  t.equal(tap.size, 0);
});

t.test("topics, bytes and readers are bounded", async (t) => {
  const tap = new MessageTap(new FakeClock(), () => []);
  const readers = [tap.open(), tap.open(), tap.open()];
  t.equal(tap.open(), null);
  const large = Buffer.alloc(1_000_000, 120);
  for (let i = 0; i < 5_000; i++) tap.note({ topic: `t/${i}`, payload: large, qos: 0, retain: false }, "client");
  t.equal(tap.size, 2_000);
  const messages = readers[0]?.take(10_000) ?? [];
  t.equal(messages.length, 2_000, "a slow reader has at most the kept messages waiting");
  t.equal(messages[0]?.topic, "t/3000", "the least active is evicted first");
  t.match(messages[0], { bytes: 1_000_000 });
  t.equal(messages[0]?.payload.length, 1_024);
  t.not(messages[0]?.payload.buffer, large.buffer);
});
