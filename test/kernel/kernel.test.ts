import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { Bus } from "../../src/core/kernel/bus.ts";
import { isoTime, isoTimeOrNull, systemClock } from "../../src/core/kernel/clock.ts";
import { makeFolderBelow } from "../../src/core/kernel/folder-below.ts";
import { crc32Base62, equalsInConstantTime, prefixedUlid, randomBase62, sha256Hex } from "../../src/core/kernel/ids.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { startInOrder, stopInStages } from "../../src/core/kernel/service.ts";
import { TokenBuckets } from "../../src/core/kernel/token-bucket.ts";
import { writeFileAtomic, writeFileAtomicSync } from "../../src/core/kernel/write-file-atomic.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("times are UTC with milliseconds and Z", (t) => {
  t.equal(isoTime(0), "1970-01-01T00:00:00.000Z");
  t.equal(isoTimeOrNull(null), null);
  t.end();
});

t.test("a delay beyond 2^31 ms does not fire at once, as Node's own timer would", async (t) => {
  let fired = false;
  const timer = systemClock.after(3_000_000_000, () => {
    fired = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(fired, false);
  timer.stop();
});

t.test("the fake clock runs what becomes due, in order, and wall time can jump alone", (t) => {
  const clock = new FakeClock(1_000_000);
  const seen: string[] = [];
  clock.after(50, () => seen.push("b"));
  clock.after(10, () => seen.push("a"));
  const every = clock.every(20, () => seen.push("tick"));
  clock.advance(45);
  t.same(seen, ["a", "tick", "tick"]);
  every.stop();
  clock.jump(-500_000);
  clock.advance(10);
  t.same(seen.at(-1), "b");
  t.equal(clock.now(), 1_000_000 + 55 - 500_000);
  t.end();
});

t.test("a token bucket gives the burst, then its rate, and the time to retry", (t) => {
  const buckets = new TokenBuckets({ quota: 60, periodMs: 60_000, burst: 3 });
  t.same(
    [0, 0, 0].map(() => buckets.take("k", 0).allowed),
    [true, true, true],
  );
  t.match(buckets.take("k", 0), { allowed: false, remaining: 0, retryAfterSeconds: 1 });
  t.equal(buckets.take("other", 0).allowed, true);
  t.equal(buckets.take("k", 1000).allowed, true);
  t.equal(buckets.take("k", 1000).allowed, false);
  t.equal(new TokenBuckets({ quota: 0, periodMs: 1, burst: 0 }).take("k", 0).allowed, true, "0 switches it off");
  t.end();
});

t.test("the number of token buckets stays bounded", (t) => {
  const buckets = new TokenBuckets({ quota: 1, periodMs: 60_000, burst: 1 }, 2);
  for (const key of ["a", "b", "c"]) buckets.take(key, 0);
  t.equal(buckets.take("c", 0).allowed, false, "the newest is remembered");
  t.equal(buckets.take("a", 0).allowed, true, "the oldest was forgotten");
  t.end();
});

t.test("a failing listener affects no other; unsubscribing works", (t) => {
  const bus = new Bus<{ ping: number }>(silentLogger);
  const seen: number[] = [];
  bus.on("ping", "broken", () => {
    throw new Error("no");
  });
  const off = bus.on("ping", "good", (n) => seen.push(n));
  bus.announce("ping", 1);
  off();
  bus.announce("ping", 2);
  t.same(seen, [1]);
  t.end();
});

t.test("a listener that leaves during an announcement does not hear it, a new one hears the next", (t) => {
  const bus = new Bus<{ ping: number }>(silentLogger);
  const seen: string[] = [];
  bus.on("ping", "first", (n) => {
    off();
    if (n === 1) bus.on("ping", "new", (later) => seen.push(`new ${later}`));
  });
  const off = bus.on("ping", "leaving", (n) => seen.push(`leaving ${n}`));
  bus.on("ping", "last", (n) => seen.push(`last ${n}`));
  bus.announce("ping", 1);
  bus.announce("ping", 2);
  t.same(seen, ["last 1", "last 2", "new 2"]);
  t.equal(bus.isHeard("ping"), true);
  t.end();
});

t.test("ids and secrets", (t) => {
  t.match(prefixedUlid("dlv_", Date.now()), /^dlv_[0-9A-HJKMNP-TV-Z]{26}$/);
  t.match(randomBase62(30), /^[0-9A-Za-z]{30}$/);
  t.not(randomBase62(30), randomBase62(30));
  t.equal(crc32Base62("123456789"), crc32Base62("123456789"));
  t.match(crc32Base62(""), /^000000$/);
  t.equal(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  t.equal(equalsInConstantTime("abc", "abc"), true);
  t.equal(equalsInConstantTime("abc", "abd"), false);
  t.equal(equalsInConstantTime("abc", "ab"), false);
  t.end();
});

t.test("start in order; a failure stops those before it in reverse; late stops are named", async (t) => {
  const log: string[] = [];
  const part = (name: string, fail = false) => ({
    name,
    start: async () => {
      if (fail) throw new Error("cannot");
      log.push(`+${name}`);
    },
    stop: async () => {
      log.push(`-${name}`);
    },
  });
  await t.rejects(startInOrder([part("a"), part("b"), part("c", true)], silentLogger), /cannot/);
  t.same(log, ["+a", "+b", "-b", "-a"]);
  const stuck = { ...part("stuck"), stop: () => new Promise<void>(() => {}) };
  const keepAlive = setTimeout(() => {}, 5_000);
  t.same(await stopInStages([{ name: "one", limitMs: 20, services: [stuck, part("d")] }], silentLogger), ["stuck"]);
  clearTimeout(keepAlive);
});

t.test("a small file is written whole, and never into a missing folder", async (t) => {
  const folder = testFolder(t, {});
  await Promise.all(["one", "two"].map((text) => writeFileAtomic(join(folder, "note"), text)));
  t.equal(readFileSync(join(folder, "note"), "utf8"), "two", "the later one stays");
  await t.rejects(writeFileAtomic(join(folder, "moved", "note"), "lost"), { code: /^ENOENT$/ });
  t.notOk(existsSync(join(folder, "moved")), "a data folder that was moved does not start afresh");
});

t.test("a file that does not fit on the disk keeps its old content", (t) => {
  const folder = smallDisk(t, 1);
  if (folder === null) {
    t.pass("skipped: this user may not mount a file system");
    t.end();
    return;
  }
  const file = join(folder, "state.json");
  writeFileAtomicSync(file, "before");
  fillDisk(join(folder, "filler"), 4_096);
  t.throws(() => writeFileAtomicSync(file, "x".repeat(6_000)), { code: /^ENOSPC$/ });
  t.equal(readFileSync(file, "utf8"), "before");
  t.end();
});

t.test("folders are created below an existing root only", async (t) => {
  const root = testFolder(t, {});
  for (let n = 0; n < 2; n++) await makeFolderBelow(root, join(root, "plates", "0"));
  t.ok(existsSync(join(root, "plates", "0")));
  await t.rejects(makeFolderBelow(join(root, "moved"), join(root, "moved", "plates")), { code: /^ENOENT$/ });
  t.notOk(existsSync(join(root, "moved")));
});
