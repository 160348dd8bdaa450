import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { ownCopy } from "../../src/core/kernel/free-bytes.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Captures } from "../../src/features/cameras/captures.ts";
import { Spool } from "../../src/features/cameras/spool.ts";
import { Recogniser } from "../../src/features/recognition/recogniser.ts";
import { MODELS, photographs, withoutModels } from "../support/photographs.ts";
import { testFolder } from "../support/test-folder.ts";
import { Premises } from "./premises.ts";

const recogniser = new Recogniser({
  enabled: true,
  modelsFolder: MODELS,
  threads: 1,
  budgetMs: 60_000,
  queuedBursts: 8,
  clock: systemClock,
  logger: silentLogger,
});

await recogniser.start();
t.teardown(() => recogniser.stop());
const cars = await photographs();

t.test(
  "photographs of cars at the gate: from the frames of a camera to command, rows, picture and feed",
  { skip: withoutModels },
  async (t) => {
    const folder = testFolder(t);
    const p = await Premises.open(folder);
    p.recognise.use = (burst) => recogniser.read(burst);
    const captures = new Captures({
      spool: new Spool(join(folder, "spool")),
      openReading: () => null,
      taker: () => ({ gate: p.gate, shownFrames: { claim: (_, frames) => frames.map(() => true) } }),
      maxFrameBytes: 4_000_000,
      clock: p.clock,
      logger: silentLogger,
    });
    await captures.start();
    let captureId = 0;
    /** Sends frames as a camera does and waits for the reads. */
    const arrives = async (deviceId: string, frames: readonly Buffer[], direction: "in" | "out" | null) => {
      captureId += 1;
      const before = p.gate.figures.reads;
      for (const [n, jpeg] of frames.entries()) await captures.frame(deviceId, String(captureId), n, ownCopy(jpeg)); // it is theirs
      await captures.captureDone(deviceId, String(captureId), {
        trigger: "loop",
        frames: frames.length,
        at: null,
        direction,
      });
      for (let i = 0; i < 2_000 && p.gate.figures.reads === before; i++)
        await new Promise((resolve) => setTimeout(resolve, 10));
      return p.reads.list(p.siteId, { limit: 1 }).reads[0];
    };
    const [owner, banned, visitor] = cars;
    await p.cameras.edit(p.siteId, "camera-in", { gate: { deviceId: "gate", command: { open: true } } });
    await p.rules.create(p.siteId, { plate: owner.plate, label: "Owner" }, "session:1");
    await p.rules.create(p.siteId, { plate: banned.plate }, "session:1");
    await p.rules.create(p.siteId, { plate: banned.plate, kind: "deny", deviceId: "camera-in" }, "session:1");
    await p.rules.create(p.siteId, { plate: visitor.plate, validTo: p.clock.now() - 1 }, "session:1");
    p.capacity = 2;

    await t.test("an allowed car arrives", async (t) => {
      const read = await arrives("camera-in", [owner.jpeg, owner.jpeg, owner.jpeg], "in");
      t.hasStrict(read, {
        plate: owner.plate,
        status: "recognised",
        decision: "allow",
        direction: "in",
        trigger: "loop",
        votes: 3,
        samples: 3,
        captureId: 1,
        hasImage: true,
      });
      t.same(
        p.commands.map(({ deviceId, command, rowsThen }) => [deviceId, command, rowsThen]),
        [["gate", '{"open":true}', 0]],
      );
      const { format, width } = await sharp(await p.reads.image(p.siteId, read?.id ?? 0)).metadata();
      t.equal(format, "jpeg");
      t.ok(width <= 1280);
      t.equal(p.occupancy.now(p.siteId).inside, 1);
      t.match(p.feed.at(-1), { kind: /^plate\.allowed$/, body: "Owner, at Entry camera, entering" });
    });

    await t.test("frames that disagree are settled by the others", async (t) => {
      p.clock.advance(60_000);
      const [x1, y1, x2, y2] = owner.box;
      const cover = {
        create: {
          width: Math.max(2, Math.round((x2 - x1) / 4)),
          height: Math.max(2, Math.round(y2 - y1)),
          channels: 3,
          background: "black",
        },
      } as const;
      const spoilt = await sharp(owner.jpeg)
        .composite([{ input: cover, left: Math.round(x2 - (x2 - x1) / 4), top: Math.round(y1) }])
        .jpeg({ quality: 92 })
        .toBuffer();
      const half = owner.jpeg.subarray(0, owner.jpeg.length / 2);
      const read = await arrives("camera-in", [spoilt, owner.jpeg, half, owner.jpeg], null);
      t.hasStrict(read, { plate: owner.plate, samples: 3, direction: null });
      t.equal(p.vehicles.profile(p.siteId, owner.plate).visits.length, 1, "an unknown direction moves no visit");
    });

    await t.test("it leaves past another camera", async (t) => {
      p.clock.advance(3_600_000);
      t.hasStrict(await arrives("camera-out", [owner.jpeg], "out"), {
        plate: owner.plate,
        decision: "allow",
        direction: "out",
      });
      t.match(p.vehicles.profile(p.siteId, owner.plate), {
        inside: false,
        totalStaySeconds: 3660,
        visits: [{ status: /^closed$/, entryCamera: "camera-in", exitCamera: "camera-out" }],
      });
      t.equal(p.occupancy.now(p.siteId).inside, 0);
    });

    await t.test("a car that is denied and allowed is denied; an expired permission opens nothing", async (t) => {
      const commands = p.commands.length;
      t.hasStrict(await arrives("camera-in", [banned.jpeg], "in"), { plate: banned.plate, decision: "deny" });
      t.equal(p.vehicles.profile(p.siteId, banned.plate).inside, false);
      t.hasStrict(await arrives("camera-in", [visitor.jpeg], "in"), { plate: visitor.plate, decision: "unknown" });
      t.equal(p.commands.length, commands);
      t.same(
        p.feed.slice(-2).map(({ kind }) => kind),
        ["plate.denied", "plate.unknown"],
      );
    });

    await t.test("an exit that nobody saw", async (t) => {
      p.clock.advance(7_200_000);
      await arrives("camera-in", [visitor.jpeg], "in");
      t.match(p.vehicles.profile(p.siteId, visitor.plate).visits, [
        { status: /^open$/ },
        { status: /^exit_missed$/, staySeconds: null },
      ]);
      t.equal(p.occupancy.now(p.siteId).inside, 1);
    });

    await t.test("the register knows them all", async (t) => {
      const { vehicles } = p.vehicles.list(p.siteId, { days: 30, limit: 10 });
      t.same(new Set(vehicles.map(({ plate }) => plate)), new Set(cars.map(({ plate }) => plate)));
      t.match(
        vehicles.find(({ plate }) => plate === owner.plate),
        {
          passes: 3,
          entries: 1,
          exits: 1,
          visits: 1,
          cameras: ["camera-in", "camera-out"],
          averageStaySeconds: 3660,
          list: "allow",
          label: "Owner",
        },
      );
    });
    await captures.stop();
    t.equal(captures.figures().waiting, 0, "nothing is left in the spool");
    await p.close();
  },
);
