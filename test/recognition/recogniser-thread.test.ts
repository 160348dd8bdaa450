import { copyFile, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { detailEnglish } from "../../src/core/text/english.ts";
import { Recogniser } from "../../src/features/recognition/recogniser.ts";
import { RecogniserThread } from "../../src/features/recognition/recogniser-thread.ts";
import { eventually } from "../support/hub-process.ts";
import { MODELS, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(300_000);
const FAILING = new URL("./failing-process.ts", import.meta.url);

function failing(budgetMs: number, modelsFolder = "/nowhere"): Recogniser {
  return new Recogniser({
    enabled: true,
    modelsFolder,
    threads: 1,
    budgetMs,
    queuedBursts: 4,
    clock: systemClock,
    logger: silentLogger,
    program: FAILING,
  });
}

const frames = (...orders: string[]) => ({ frames: orders.map((order) => Buffer.from(order)) });

t.test(
  "a thread that dies in the middle of a burst costs this burst, and the next one is read by a new thread",
  async (t) => {
    const one = failing(30_000);
    await one.start();
    for (const order of ["throw", "exit"]) {
      t.hasStrict(await one.read(frames(order, "look")), { reason: "provider_error", vehicles: [], samples: 0 }, order);
      t.hasStrict(await one.read(frames("look")), { reason: "no_plate", samples: 1 });
    }
    const [dying, waiting] = await Promise.all([
      one.read(frames("look", "throw", "look")),
      one.read(frames("look", "look")),
    ]);
    t.match(dying, { samples: 1 });
    t.hasStrict(waiting, { reason: "no_plate", samples: 2 }, "a burst that waited is read");
    t.equal(one.figures().threadStarts, 4);
    await one.stop();
  },
);

t.test("a frame over its time is a timeout; the thread is waited for, not ended", async (t) => {
  const one = failing(200);
  await one.start();
  t.hasStrict(await one.read(frames("wait 3000")), { reason: "timeout", samples: 0 });
  await eventually(async () => ((await one.read(frames("look"))).samples === 1 ? true : undefined), 60_000);
  t.ok(one.figures().timeouts >= 1);
  t.equal(one.figures().threadStarts, 1);
  await one.stop();
});

t.test("a first burst is not called late because the models take long to load", async (t) => {
  const one = failing(200, "/loads 3000");
  await one.start();
  t.hasStrict(await one.read(frames("look", "look")), { reason: "no_plate", samples: 2 });
  t.equal(one.figures().timeouts, 0);
  await one.stop();
});

t.test("a stop while the models load starts no other thread", async (t) => {
  const one = failing(200, "/loads 3000");
  await one.start();
  const sender = { name: "camera", opensGate: true, keepsPixels: true };
  const asked = one.presented([{ around: [], glances: [] }], sender);
  const read = one.read(frames("look"), sender);
  await eventually(() => (one.figures().threadStarts === 1 ? true : undefined), 10_000);
  await one.stop();
  t.same(await asked, []);
  t.hasStrict(await read, { reason: "provider_error", samples: 0 });
  await one.ended(10_000);
  t.same([one.figures().threadStarts, one.threadsLeft], [1, 0]);
});

t.test("the sender who used the thread least comes next; one who fills the queue gives up its own", async (t) => {
  const one = failing(30_000);
  await one.start();
  const order: string[] = [];
  const read = (name: string, opensGate: boolean, frames: number, waitMs = 20) =>
    one
      .read(
        { frames: Array.from({ length: frames }, () => Buffer.from(`wait ${waitMs}`)) },
        { name, opensGate, keepsPixels: false },
      )
      .then(({ samples }) => order.push(`${name} ${samples}`));
  const loud = Array.from({ length: 12 }, () => read("loud", false, 1));
  await eventually(() => (order.length >= 2 ? true : undefined), 10_000);
  const dropped = one.figures().framesDropped;
  const quiet = [read("quiet", true, 3), read("other", false, 1)];
  await Promise.all([...loud, ...quiet]);
  t.ok(order.indexOf("quiet 3") <= 5, `after the frame that was being read: ${order.join(", ")}`);
  t.ok(order.indexOf("other 1") <= 6, `then those who sent least: ${order.join(", ")}`);
  t.equal(dropped, 0);
  order.length = 0;
  await Promise.all([read("loud", false, 200, 0), read("quiet", true, 6, 0)]);
  t.ok(one.figures().framesDropped > 0);
  t.equal(order[0], "quiet 6", "the other one loses none");
  await one.stop();
});

t.test(
  "the thread gives way to the hub",
  { skip: process.platform !== "linux" && "a thread has a priority of its own on Linux only" },
  async (t) => {
    const alive = setInterval(() => undefined, 1_000); // the thread does not keep a process alive
    t.teardown(() => clearInterval(alive));
    const thread = new RecogniserThread(
      { modelsFolder: "/nowhere", threads: 1, secondReader: true, countries: [] },
      silentLogger,
    );
    const answer = await thread.run({ kind: "frame", jpeg: Buffer.from("x"), look: { tiles: false, again: false } });
    t.hasStrict(answer, { kind: "error", code: "no_models" }, "it has started");
    const tasks = await readdir("/proc/self/task");
    const names = await Promise.all(
      tasks.map((task) => readFile(`/proc/self/task/${task}/comm`, "utf8").catch(() => "ended")),
    );
    const own = tasks[names.indexOf("recogniser\n")];
    t.ok(own !== undefined, names.join(""));
    t.equal(getPriority(Number(own)), getPriority(process.pid) + 5, "Linux: of one thread, not of the process");
    await thread.close();
  },
);

t.test("stopping in the middle of the decoder's work harms nobody", { skip: withoutModels }, async (t) => {
  const alive = setInterval(() => undefined, 1_000); // the thread does not keep a process alive
  t.teardown(() => clearInterval(alive));
  const [{ jpeg }] = await photographs();
  for (const waitMs of [0, 5, 10, 20, 30, 40]) {
    const thread = new RecogniserThread(
      { modelsFolder: MODELS, threads: 1, secondReader: true, countries: [] },
      silentLogger,
    );
    const warm = await thread.run({ kind: "frame", jpeg, look: { tiles: true, again: true } });
    const lost = thread.run({ kind: "frame", jpeg, look: { tiles: true, again: true } }).then(
      () => "read",
      (error: Error) => error.name,
    );
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await thread.close();
    t.match([warm.kind, await lost], ["frame", /^(read|ThreadLost)$/]);
  }
});

t.test(
  "models are loaded with the first picture, and again when other ones take their place",
  { skip: withoutModels },
  async (t) => {
    const [{ jpeg, plate }] = await photographs();
    const folder = testFolder(t);
    const copy = async (name: string) => copyFile(join(MODELS, name), join(folder, name));
    await mkdir(folder, { recursive: true });
    for (const name of ["plate-detector.onnx", "plate-reader.onnx", "manifest.json"]) await copy(name);
    const one = new Recogniser({
      enabled: true,
      modelsFolder: folder,
      threads: 1,
      budgetMs: 60_000,
      queuedBursts: 4,
      clock: systemClock,
      logger: silentLogger,
    });
    await one.start();
    t.equal(one.figures().threadStarts, 0, "nothing is loaded before there is a picture");
    t.hasStrict(await one.read({ frames: [jpeg] }), { vehicles: [{ analysis: { plate } }] });
    // A broken replacement is reported and reading stops; the files are checked every five seconds.
    await writeFile(join(folder, "plate-reader.onnx"), "not a network");
    await eventually(
      async () => ((await one.read({ frames: [jpeg] })).reason === "no_recogniser" ? true : undefined),
      30_000,
    );
    t.match(
      { ...one.state(), text: detailEnglish(one.state().words) },
      { ready: false, text: /plate-reader.onnx is not the file/ },
    );
    // The right one, later: it works again, without a restart.
    await copy("plate-reader.onnx");
    await utimes(join(folder, "plate-reader.onnx"), new Date(), new Date());
    await eventually(
      async () => ((await one.read({ frames: [jpeg] })).vehicles.length === 1 ? true : undefined),
      30_000,
    );
    t.match(one.state(), { ready: true });
    t.equal(one.figures().threadStarts, 1);
    await one.stop();
  },
);

t.test(
  "frames are read as they come, in whatever order, and what is replaced counts once",
  { skip: withoutModels },
  async (t) => {
    const [car, other] = await photographs();
    const blank = await readFile(join(MODELS, "../test/fixtures/plates/dashcam.jpg"));
    const one = new Recogniser({
      enabled: true,
      modelsFolder: MODELS,
      threads: 1,
      budgetMs: 60_000,
      queuedBursts: 4,
      clock: systemClock,
      logger: silentLogger,
    });
    await one.start();
    const open = one.open();
    open.add(4, car.jpeg);
    open.add(2, other.jpeg);
    await eventually(() => (one.figures().frames === 2 ? true : undefined), 60_000);
    t.equal(one.figures().bursts, 0, "they are read before the burst is complete");
    open.add(2, car.jpeg);
    const reading = await open.finish();
    t.hasStrict(reading, { samples: 2, vehicles: [{ analysis: { plate: car.plate }, votes: 2 }] });
    t.same(
      reading.vehicles[0]?.sightings.map(({ frame }) => frame),
      [0, 1],
      "numbered in the order of their places",
    );
    t.ok((reading.readyMono ?? 0) > 0);
    const dropped = one.open();
    dropped.add(0, blank);
    dropped.drop();
    t.hasStrict(await one.open().finish(), { reason: "provider_error", samples: 0 }, "a camera that gave nothing");
    await one.stop();
    t.hasStrict(await one.open().finish(), { reason: "provider_error" });
  },
);
