import t from "tap";
import { covers, matches, uncovered } from "../../src/features/outside-broker/filters.ts";
import { OrderedAcks } from "../../src/features/outside-broker/ordered-acks.ts";
import { RetainedCache } from "../../src/features/outside-broker/retained-cache.ts";

t.test("filters match as MQTT defines", async (t) => {
  for (const [filter, topic, expected] of [
    ["a/+/c", "a/b/c", true],
    ["a/#", "a", true],
    ["a/#", "a/b/c", true],
    ["+", "a/b", false],
    ["#", "$SYS/broker", false],
    ["a/b", "a/b/c", false],
    ["+/+", "a/", true],
  ] as const)
    t.equal(matches(filter, topic), expected, `${filter} and ${topic}`);
});

t.test("a filter covered by another one is left out", async (t) => {
  t.ok(covers("a/#", "a/+/c"));
  t.notOk(covers("a/+", "a/#"));
  t.same(uncovered(["a/b", "a/#", "a/#", "c/+", "c/d", "+/online"]), ["a/#", "c/+", "+/online"]);
  t.same(uncovered(["#", "a/b", "+/c"]), ["#"]);
});

t.test("answers keep the order of the questions", async (t) => {
  const answers = new OrderedAcks();
  const given: number[] = [];
  const ready = [1, 2, 3].map((n) => answers.reserve(() => given.push(n)));
  ready[2]?.();
  ready[1]?.();
  t.same(given, []);
  ready[0]?.();
  t.same(given, [1, 2, 3]);
});

t.test("retained messages are remembered with their latest payload, within bounds", async (t) => {
  const cache = new RetainedCache();
  cache.note({ topic: "a/state", payload: Buffer.from("1"), retained: true });
  cache.note({ topic: "b/state", payload: Buffer.from("1"), retained: false });
  cache.note({ topic: "a/state", payload: Buffer.from("2"), retained: false });
  t.same(cache.matching("+/state"), [{ topic: "a/state", payload: Buffer.from("2") }]);
  t.same(cache.matching("a/state"), [{ topic: "a/state", payload: Buffer.from("2") }]);
  t.same(cache.matching("b/state"), []);
  cache.note({ topic: "a/state", payload: Buffer.alloc(0), retained: true });
  t.same(cache.matching("#"), []);
  for (let n = 0; n < 6_000; n++) cache.note({ topic: `t/${n}`, payload: Buffer.from("x"), retained: true });
  t.equal(cache.matching("t/+").length, 5_000);
});
