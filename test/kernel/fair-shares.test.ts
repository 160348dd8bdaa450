import t from "tap";
import { FairMemory } from "../../src/core/kernel/fair-memory.ts";
import { FairShares } from "../../src/core/kernel/fair-shares.ts";
import { FakeClock } from "../support/fake-clock.ts";

t.test("the owner with the least recent use comes next, and use is forgotten over time", async (t) => {
  const clock = new FakeClock();
  const shares = new FairShares(1_000, clock);
  t.equal(shares.least([]), null);
  t.equal(shares.least(["a", "b"]), "a", "the first of equal ones");
  shares.charge("a", 100);
  t.equal(shares.least(["a", "b"]), "b");
  shares.charge("b", 60);
  shares.charge("b", 60);
  t.equal(shares.least(["a", "b"]), "a");
  clock.advance(1_000);
  t.equal(shares.of("a"), 50, "half after the half-life");
  clock.advance(20_000);
  shares.charge("c", 1);
  t.equal(shares.of("a"), 0);
});

t.test("endless callers get equal shares, and a rare one is served at once", async (t) => {
  const clock = new FakeClock();
  const shares = new FairShares(30_000, clock);
  const served = { a: 0, b: 0 };
  for (let turn = 0; turn < 1_000; turn++) {
    const next = shares.least(["a", "b"]) === "a" ? "a" : "b";
    // a's requests take three times as long
    shares.charge(next, next === "a" ? 300 : 100);
    served[next] += next === "a" ? 300 : 100;
    clock.advance(next === "a" ? 300 : 100);
    if (turn % 100 === 99) t.equal(shares.least(["a", "b", "rare"]), "rare");
  }
  t.ok(Math.abs(served.a / served.b - 1) < 0.05, `${served.a} to ${served.b}`);
});

t.test("the owner that fills a shared memory evicts its own entries", async (t) => {
  const memory = new FairMemory<number>(10);
  memory.set("quiet", "x", 1);
  for (let i = 0; i < 100; i++) memory.set("loud", `${i}`, i);
  t.equal(memory.get("quiet", "x"), 1);
  t.equal(memory.get("loud", "99"), 99);
  t.equal(memory.get("loud", "0"), undefined);
  memory.set("a b", "c", 2);
  t.equal(memory.get("a", "b c"), undefined, "owner and key are not mixed up");
});
