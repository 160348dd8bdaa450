import t from "tap";
import { evictionCandidate } from "../../src/core/kernel/fair-eviction.ts";

const ownerOf = (item: string): string => item.slice(0, 1);

t.test("the oldest entry of the largest owner is evicted", async (t) => {
  t.equal(evictionCandidate(["a1", "b1", "b2"], ownerOf), "b1");
  t.equal(evictionCandidate(["b1", "a1", "b2", "a2", "a3"], ownerOf), "a1");
  t.equal(evictionCandidate(["a1", "a2"], ownerOf), "a1", "alone it is the oldest");
  t.equal(evictionCandidate([], ownerOf), undefined);
  t.equal(
    evictionCandidate(["a1", "b1", "b2"], ownerOf, (item) => (item === "a1" ? 100 : 1)),
    "a1",
    "by size",
  );
});

t.test("one owner's flood evicts nothing of others", async (t) => {
  let queue = ["o1", "g1"];
  for (let n = 0; n < 1_000; n++) {
    queue.push(`f${n}`);
    const victim = queue.length > 20 ? evictionCandidate(queue, ownerOf) : undefined;
    queue = queue.filter((item) => item !== victim);
  }
  t.same(queue.slice(0, 2), ["o1", "g1"]);
  t.equal(queue.at(-1), "f999");
});
