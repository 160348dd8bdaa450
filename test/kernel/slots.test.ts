import t from "tap";
import { Slots } from "../../src/core/kernel/slots.ts";

t.test("no more than so many run at once, and the others in order, also after a failure", async (t) => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  let [running, most] = [0, 0];
  const work = (n: number): Promise<void> =>
    slots.run(async () => {
      begun.push(n);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      if (n === 0) throw new Error("failed");
    });
  const all = [0, 1, 2, 3].map(work);
  await Promise.resolve();
  t.same(begun, [0, 1]);
  ends[0]?.();
  await t.rejects(all[0] ?? Promise.resolve());
  all.push(work(4)); // comes when a place has just become free: it is taken already
  while (ends.length > 0 || begun.length < 5) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all.slice(1));
  t.same(begun, [0, 1, 2, 3, 4]);
  t.equal(most, 2);
});
