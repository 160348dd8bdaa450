import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { FairScheduler } from "../../src/core/http/fair-scheduler.ts";

t.test(
  "a few requests of an address begin per turn of the loop, and another address does not wait for them",
  async (t) => {
    const scheduler = new FairScheduler({ each: 4, all: 32 });
    let begun = 0;
    const flood = Array.from({ length: 1_000 }, () => {
      const turn = scheduler.wait("10.0.0.66");
      if (turn === null) begun += 1;
      return turn?.then(() => (begun += 1));
    });
    t.equal(begun, 4);
    t.equal(scheduler.wait("10.0.0.5"), null, "another address begins at once");
    await nextTurn();
    t.ok(begun <= 8, `${begun} after one turn`);
    t.equal(scheduler.wait("10.0.0.5"), null, "and in every turn");
    await Promise.all(flood);
    t.equal(begun, 1_000, "all of them begin in the end");
    await nextTurn();
    await nextTurn();
    t.equal(scheduler.wait("10.0.0.66"), null, "and nothing is held against the address");
  },
);

t.test("many waiting addresses take turns", async (t) => {
  const scheduler = new FairScheduler({ each: 4, all: 32 });
  const order: string[] = [];
  const all: (Promise<void> | null | undefined)[] = [];
  for (let address = 0; address < 40; address++)
    for (let at = 0; at < 12; at++)
      all.push(scheduler.wait(String(address))?.then(() => void order.push(String(address))));
  await Promise.all(all);
  t.equal(order.length, 40 * 8);
  t.equal(new Set(order.slice(0, 160)).size, 40, "each had its first share before any had its second");
});
