import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { WriteBehind } from "../../src/core/mqtt/write-behind.ts";
import { FakeClock } from "../support/fake-clock.ts";

interface Disk {
  readonly written: string[];
  commits: number;
  failure: Error | null;
}

function setUp(): { writes: WriteBehind; disk: Disk; clock: FakeClock } {
  const clock = new FakeClock();
  const disk: Disk = { written: [], commits: 0, failure: null };
  const write = async <Result>(job: () => Result): Promise<Result> => {
    await Promise.resolve();
    if (disk.failure) throw disk.failure;
    disk.commits += 1;
    return job();
  };
  return { writes: new WriteBehind({ database: { write }, delayMs: 50, clock, logger: silentLogger }), disk, clock };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test("changes of one row are written once, those undone before not at all", async (t) => {
  const { writes, disk, clock } = setUp();
  for (let n = 0; n < 5; n++) writes.mark("a", () => disk.written.push(`a${n}`));
  writes.mark("b", () => disk.written.push("b"));
  writes.forget("b");
  clock.advance(49);
  await settled();
  t.same(disk.written, []);
  clock.advance(1);
  await settled();
  t.same(disk.written, ["a4"]);
  t.equal(disk.commits, 1);
});

t.test("flush resolves when everything so far is written, and costs nothing when there is nothing", async (t) => {
  const { writes, disk } = setUp();
  await writes.flush();
  t.equal(disk.commits, 0);
  writes.mark("a", () => disk.written.push("a"));
  const flushed = writes.flush();
  writes.mark("b", () => disk.written.push("b"));
  await Promise.all([flushed, writes.flush()]);
  t.same(disk.written, ["a", "b"]);
  t.equal(disk.commits, 1, "one commit for both");
});

t.test("a full disk keeps the changes pending, and writes them when it has room again", async (t) => {
  const { writes, disk, clock } = setUp();
  disk.failure = new Problem("storage_full", "full");
  writes.mark("a", () => disk.written.push("a"));
  await t.rejects(writes.flush(), { code: /^storage_full$/ });
  await writes.settle();
  t.ok(writes.failing);
  t.equal(writes.waiting, 1);
  disk.failure = null;
  clock.advance(5_000);
  await settled();
  t.same(disk.written, ["a"]);
  t.notOk(writes.failing);
});
