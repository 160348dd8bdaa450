import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import t from "tap";
import { ownCopy } from "../../src/core/kernel/free-bytes.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { Delivery } from "../../src/features/cameras/burst-taker.ts";
import { Captures, MAX_FRAMES } from "../../src/features/cameras/captures.ts";
import { FrameMemory, HeldFrames } from "../../src/features/cameras/held-frames.ts";
import { captureFolder, captureIdOf, Spool } from "../../src/features/cameras/spool.ts";
import { ShownFrames } from "../../src/features/gate/shown-frames.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const DONE = { trigger: "loop", frames: null, at: null, direction: null } as const;

function bench(folder: string, shown: Pick<ShownFrames, "claim"> | null = null) {
  const clock = new FakeClock();
  const deliveries: (Delivery & { readonly isFresh: boolean })[] = [];
  const handedOver: Uint8Array[] = [];
  const known = new Set<string>();
  const state = { fail: false, arrived: () => {}, hold: false, held: 0, release: () => {} };
  const released = new Promise<void>((resolve) => {
    state.release = () => {
      state.hold = false;
      resolve();
    };
  });
  const captures = new Captures({
    spool: new Spool(join(folder, "spool")),
    openReading: () => null,
    taker: () => ({
      gate: {
        take: async (delivery: Delivery) => {
          if (state.fail) throw new Error("disk full");
          const frames = delivery.burst.frames.map((jpeg) => Buffer.from(jpeg)); // they end with the delivery
          handedOver.push(...delivery.burst.frames);
          const isFresh = clock.mono() <= delivery.opensUntilMono;
          deliveries.push({ ...delivery, burst: { ...delivery.burst, frames }, isFresh });
          known.add(`${delivery.burst.deviceId} ${delivery.captureKey}`);
          state.arrived();
          if (state.hold && delivery.burst.deviceId !== "quiet" && delivery.burst.deviceId !== "pushed") {
            state.held += 1;
            await released;
          }
          return [deliveries.length];
        },
        takes: () => true,
        knows: (deviceId, captureKey) => known.has(`${deviceId} ${captureKey}`),
        nextCaptureId: () => 500,
      },
      shownFrames: { claim: (deviceId, frames) => shown?.claim(deviceId, frames) ?? frames.map(() => true) },
    }),
    maxFrameBytes: 100,
    clock,
    logger: silentLogger,
  });
  const left = async () => (await readdir(join(folder, "spool", "cam")).catch(() => [])).length;
  /** Waits until `count` bursts were delivered and the spool holds `inSpool` captures. */
  const settled = async (count: number, inSpool = 0) => {
    for (let i = 0; i < 500 && (deliveries.length < count || (await left()) !== inSpool); i++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    return deliveries.length;
  };
  return { captures, clock, deliveries, handedOver, state, left, settled };
}

const frame = (text: string) => ownCopy(Buffer.from(text));

t.test(
  "what cannot be read of the spool on a damaged disk keeps neither the rest nor the hub from starting",
  async (t) => {
    const folder = testFolder(t, { spool: { cam: { "n7.0": { "0.jpg": "a", "done.json": JSON.stringify(DONE) } } } });
    // a link to itself is read as badly as a folder whose block is gone
    for (const path of ["spool/other", "spool/cam/n8.0"]) await symlink(basename(path), join(folder, path));
    const b = bench(folder);
    await b.captures.start();
    t.equal(await b.settled(1, 1), 1);
    t.hasStrict(b.deliveries[0]?.burst, { deviceId: "cam", captureId: 7 });
    const whole = testFolder(t, { spool: t.fixture("symlink", "spool") });
    await bench(whole).captures.start();
  },
);

t.test("frames of a capture become one burst in their order, and leave the spool when it is stored", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  const at = b.clock.now() - 1_000;
  await Promise.all([b.captures.frame("cam", "42", 1, frame("b")), b.captures.frame("cam", "42", 0, frame("a"))]);
  t.equal(await b.left(), 1, "on disk before it is acknowledged");
  await b.captures.captureDone("cam", "42", { trigger: "loop", frames: 2, at, direction: "in" });
  t.equal(await b.settled(1), 1);
  t.hasStrict(b.deliveries[0], {
    isFresh: true,
    burst: { deviceId: "cam", captureId: 42, trigger: "loop", at, direction: "in" },
  });
  t.same(b.deliveries[0]?.burst.frames.map(String), ["a", "b"]);
  t.equal(await b.left(), 0);
  await b.captures.stop();
});

t.test("frames of a stored burst are freed at once", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  b.state.fail = true;
  for (const [n, text] of ["a", "b", "c"].entries()) await b.captures.frame("cam", "7", n, frame(text.repeat(90)));
  await b.captures.captureDone("cam", "7", { ...DONE, frames: 3 });
  // nothing is freed before it is stored
  await eventually(() => (b.captures.figures().retries === 1 ? true : undefined), 10_000);
  b.state.fail = false;
  b.clock.advance(2_000);
  await b.settled(1);
  t.same(
    b.deliveries[0]?.burst.frames.map((jpeg) => jpeg.length),
    [90, 90, 90],
  );
  t.same(
    b.handedOver.map((jpeg) => jpeg.length),
    [0, 0, 0],
  );
  await b.captures.stop();
});

t.test("a closing waits for frames on their way, and for announced ones a moment", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  const writing = b.captures.frame("cam", "x y", 0, frame("a"));
  const closing = b.captures.captureDone("cam", "x y", { ...DONE, frames: 2 });
  await Promise.all([writing, closing]);
  t.equal(b.deliveries.length, 0, "one is missing");
  await b.captures.frame("cam", "x y", 1, frame("b"));
  await b.settled(1);
  t.match(b.deliveries[0], { burst: { captureId: 500 } }, "a name that is no number gets a number of the hub's");
  t.equal(b.deliveries[0]?.burst.frames.length, 2);
  await b.captures.frame("cam", "3", 0, frame("c"));
  await b.captures.captureDone("cam", "3", { ...DONE, frames: 9 });
  b.clock.advance(1_500);
  await b.settled(2);
  t.equal(b.deliveries[1]?.burst.frames.length, 1, "what never came is not waited for");
  await b.captures.stop();
});

t.test("a camera that falls silent, or opens too many captures, gets what it sent read", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  await b.captures.frame("cam", "1", 0, frame("a"));
  b.clock.advance(10_000);
  await b.settled(1);
  t.match(b.deliveries[0], { burst: { captureId: 1, trigger: "motion" } });
  for (const id of ["2", "3", "4", "5", "6"]) await b.captures.frame("cam", id, 0, frame(id));
  await b.settled(2, 4);
  t.equal(b.deliveries[1]?.burst.captureId, 2, "the oldest");
  await b.captures.stop();
});

t.test("limits refuse the frame and keep the rest", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  await b.captures.frame("cam", "1", 0, frame("a"));
  await t.rejects(b.captures.frame("cam", "1", MAX_FRAMES, frame("b")), { code: /^limit_reached$/ });
  await t.rejects(b.captures.frame("cam", "1", 1, Buffer.alloc(101)), { code: /^body_too_large$/ });
  await t.rejects(
    b.captures.burst(
      "cam",
      Array.from({ length: 13 }, () => frame("a")),
      DONE,
    ),
    { code: /^limit_reached$/ },
  );
  t.equal(b.captures.figures().refusedFrames, 3);
  await b.captures.captureDone("cam", "1", { ...DONE, trigger: "something else" });
  await b.settled(1);
  t.match(b.deliveries[0], { burst: { trigger: "motion" } }, "a trigger that the contract does not know");
  await b.captures.stop();
});

t.test("what was acknowledged survives a crash, and opens no gate any more", async (t) => {
  const folder = testFolder(t);
  const before = bench(folder);
  await before.captures.start();
  before.state.fail = true;
  await before.captures.frame("cam", "7", 0, frame("a"));
  await before.captures.captureDone("cam", "7", { ...DONE, direction: "out" });
  await before.captures.frame("cam", "8", 0, frame("b"));
  await before.captures.stop();
  await mkdir(join(folder, "spool/cam/n9.x"), { recursive: true });
  await writeFile(join(folder, "spool/cam/n9.x/0.jpg.part"), "half");
  const after = bench(folder);
  await after.captures.start();
  await after.settled(3);
  const byId = new Map(after.deliveries.map((delivery) => [delivery.burst.captureId, delivery]));
  t.hasStrict(byId.get(7), { isFresh: false, burst: { direction: "out", trigger: "loop" } });
  t.match(byId.get(8), { isFresh: false, burst: { direction: null } });
  t.equal(byId.get(9)?.burst.frames.length, 0, "nothing of it was acknowledged");
  t.equal(await after.left(), 0);
  await after.captures.stop();
});

t.test("a burst that cannot be stored is kept and tried again, later and later", async (t) => {
  const shown = new Set<string>();
  const claim = (_: string, frames: readonly Uint8Array[]): boolean[] =>
    frames.map((one) => shown.size < shown.add(Buffer.from(one).toString()).size);
  const b = bench(testFolder(t), { claim });
  await b.captures.start();
  b.state.fail = true;
  await b.captures.frame("cam", "1", 0, frame("a"));
  await b.captures.captureDone("cam", "1", DONE);
  for (let i = 0; i < 200 && b.captures.figures().retries < 1; i++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  t.equal(await b.left(), 1);
  b.state.fail = false;
  b.clock.advance(2_000);
  await b.settled(1);
  t.match(b.deliveries[0], { isFresh: false, isRepeated: false }, "late, and no repetition of itself");
  t.equal(await b.left(), 0);
  await b.captures.stop();
});

t.test("a capture sent twice is read once; the same number with other pictures is another capture", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  const send = async (text: string) => {
    await b.captures.frame("cam", "1", 0, frame(text));
    await b.captures.captureDone("cam", "1", DONE);
  };
  await send("a");
  await b.settled(1);
  await b.captures.captureDone("cam", "1", DONE);
  t.equal(b.captures.figures().open, 0, "a closing alone is a repetition");
  await send("a");
  await b.settled(1);
  t.equal(b.captures.figures().repeats, 1);
  await send("b");
  await b.settled(2);
  t.equal(b.deliveries.length, 2);
  await b.captures.stop();
});

t.test("old and impossible times", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  const now = b.clock.now();
  const push = async (at: number) => {
    await b.captures.burst("cam", [frame("a")], { trigger: "manual", at, direction: null });
    return b.deliveries.at(-1);
  };
  t.match(await push(now - 119_000), { isFresh: true, burst: { at: now - 119_000 } });
  t.match(
    await push(now - 3_600_000),
    { isFresh: false, burst: { at: now - 3_600_000 } },
    "an hour late: recorded as it was, no gate",
  );
  t.match(await push(now + 600_000), { burst: { at: now } });
  t.match(await push(0), { burst: { at: now } });
  await b.captures.stop();
});

t.test("any capture name is safe as a folder", async (t) => {
  for (const name of ["1", "abc-DEF_9", "../../etc", "..", "a/b", "ä", " "]) {
    t.match(captureFolder(name), /^[nx][A-Za-z0-9_-]+$/);
    t.equal(captureIdOf(`${captureFolder(name)}.k3-1`), name);
  }
});

t.test("a camera that sends without end fills its own line, and no other's", async (t) => {
  const b = bench(testFolder(t));
  await b.captures.start();
  b.state.hold = true;
  const send = async (camera: string, id: string) => {
    await b.captures.frame(camera, id, 0, frame(id));
    await b.captures.captureDone(camera, id, { ...DONE, frames: 1 });
  };
  let taken = 0;
  const refusal = await (async () => {
    for (; taken < 200; taken++) await send("loud", `${taken + 1}`);
  })().catch((error: unknown) => error);
  t.hasStrict(refusal, { code: "unavailable" });
  t.equal(taken, 16);
  await t.rejects(b.captures.burst("loud", [frame("x")], DONE), { code: /^unavailable$/ }, "nor by another way");
  await send("quiet", "1");
  await b.captures.burst("pushed", [frame("x")], DONE);
  t.equal(b.deliveries.filter(({ burst }) => burst.deviceId === "quiet").length, 1, "another camera is served at once");
  b.state.release();
  await eventually(() => (b.captures.figures().waiting === 0 ? true : undefined), 10_000);
  await send("loud", "again");
  t.equal(b.captures.figures().retries, 0, "and nothing that was acknowledged is lost");
  t.equal(b.deliveries.filter(({ burst }) => burst.deviceId === "loud").length, 17);
  await b.captures.stop();
});

t.test("what an earlier run left is brought back one capture at a time, and delays nothing new", async (t) => {
  const left = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`n${n + 1}.0`, { "0.jpg": `${n}`, "done.json": JSON.stringify(DONE) }]),
  );
  const b = bench(testFolder(t, { spool: { loud: left, quiet: { "n1.0": { "0.jpg": "q", "done.json": "{}" } } } }));
  b.state.hold = true;
  await b.captures.start();
  await eventually(() => (b.deliveries.length > 0 ? true : undefined), 10_000);
  t.equal(b.captures.figures().waiting, 41);
  t.equal(b.state.held, 1, "the frames of one capture are in memory");
  await b.captures.frame("loud", "new", 0, frame("n"));
  await b.captures.captureDone("loud", "new", { ...DONE, frames: 1 });
  t.hasStrict(b.deliveries.at(-1), { burst: { deviceId: "loud" } });
  t.same(b.deliveries.at(-1)?.burst.frames.map(String), ["n"], "not behind what was left");
  b.state.release();
  await eventually(() => (b.captures.figures().waiting === 0 ? true : undefined), 10_000);
  const order = b.deliveries.map(({ burst }) => burst.deviceId);
  t.ok(order.indexOf("quiet") <= 3, "a camera with little left comes before one with much");
  await b.captures.stop();
});

t.test("a frame that was shown before opens no gate, also after a restart", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  database.raw
    .prepare("INSERT INTO device (id, site_id, name, type, created_at) VALUES ('cam', ?, 'Cam', 'camera', 0)")
    .run(siteId);
  const folder = t.testdirName;
  const b = bench(folder, new ShownFrames({ database, logger: silentLogger }));
  await b.captures.start();
  const texts = () => b.deliveries.at(-1)?.burst.frames.map(String);
  const mayOpen = () => {
    const { opensUntilMono = 0, isRepeated } = b.deliveries.at(-1) ?? {};
    t.equal(isRepeated, opensUntilMono < 0, "and the reason is known");
    return opensUntilMono > 0;
  };
  await b.captures.burst("cam", [frame("a"), frame("a"), frame("b")], DONE);
  t.same([texts(), mayOpen()], [["a", "a", "b"], true], "twice within a capture is no repetition");
  await b.captures.burst("cam", [frame("b"), frame("c")], DONE);
  t.same([texts(), mayOpen()], [["c"], true], "what is new of a capture counts");
  await b.captures.burst("cam", [frame("a"), frame("c")], { ...DONE, direction: "out" });
  t.same([texts(), mayOpen()], [["a", "c"], false], "recorded, and no gate opens");
  await b.captures.burst("other", [frame("a")], DONE);
  t.notOk(mayOpen(), "whichever camera shows it");
  await b.captures.burst("other", [frame("d")], DONE);
  t.ok(mayOpen());
  await b.captures.stop();
  await database.write(() => undefined);
  const again = bench(folder, new ShownFrames({ database, logger: silentLogger }));
  await again.captures.start();
  await again.captures.frame("cam", "1", 0, frame("a"));
  await again.captures.captureDone("cam", "1", { ...DONE, frames: 1 });
  await again.settled(1);
  t.hasStrict(again.deliveries[0], { opensUntilMono: Number.NEGATIVE_INFINITY, isRepeated: true });
  await again.captures.stop();
});

t.test("what a camera pushes whole counts as its own: its captures are left to the spool meanwhile", async (t) => {
  const memory = new FrameMemory();
  const captures = ["a", "b"].map((deviceId) => new HeldFrames(deviceId, memory, () => undefined));
  let finish = (): void => undefined;
  const pushed = memory.during("a", 12 * 1024 * 1024, () => new Promise<void>((resolve) => (finish = resolve)));
  const frames = captures.map((held) => {
    const jpeg = ownCopy(Buffer.alloc(100_000, 1));
    held.take(0, jpeg);
    held.written(jpeg);
    return jpeg;
  });
  t.same(
    captures.map(({ isComplete }) => isComplete),
    [false, true],
  );
  t.same(
    frames.map(({ length }) => length),
    [0, 100_000],
    "what is on the disk is freed at once",
  );
  finish();
  await pushed;
  t.equal(memory.bytes, 100_000);
});
