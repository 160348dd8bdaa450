/** Recorded frames are sent again to the gate's cameras: by the real recogniser, nothing opens. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { BurstReading } from "../../src/core/plates/reading.ts";
import { Recogniser } from "../../src/features/recognition/recogniser.ts";
import { Premises } from "../gate/premises.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const PLATE = "UP32JE3626";
const GATE = { deviceId: "gate", command: { open: true } };
const SENDER = { name: "camera", opensGate: true, keepsPixels: true };

/** A permitted photograph of a vehicle, larger and lower from frame to frame, on a road of its own. */
async function approach(late: number): Promise<Buffer[]> {
  const photograph = readFileSync(join(PROJECT_ROOT, "test/fixtures/plates", `two-wheeler-${PLATE}.jpg`));
  const road = await sharp(readFileSync(join(PROJECT_ROOT, "test/fixtures/plates/dashcam.jpg")))
    .resize(1280, 720, { fit: "fill" })
    .blur(3)
    .toBuffer();
  return Promise.all(
    [0, 1, 2].map(async (frame) => {
      const size = Math.round(420 + 60 * frame + 30 * late);
      const vehicle = await sharp(photograph).resize(size, size).toBuffer();
      return sharp(road)
        .composite([{ input: vehicle, left: 380 + 25 * frame - Math.round(12 * late), top: 60 + 20 * frame }])
        .jpeg({ quality: 88 })
        .toBuffer();
    }),
  );
}

/** What somebody may do to a recorded frame. */
const CHANGES: Readonly<Record<string, (jpeg: Buffer) => Promise<Buffer>>> = {
  "one byte more": async (jpeg) => Buffer.concat([jpeg, Buffer.from([0])]),
  recompressed: (jpeg) => sharp(jpeg).jpeg({ quality: 45 }).toBuffer(),
  "cropped by some pixels": (jpeg) =>
    sharp(jpeg).extract({ left: 14, top: 9, width: 1260, height: 708 }).jpeg().toBuffer(),
  brighter: (jpeg) => sharp(jpeg).linear(1.1, 5).jpeg({ quality: 80 }).toBuffer(),
  smaller: (jpeg) => sharp(jpeg).resize(1024, 576).jpeg({ quality: 80 }).toBuffer(),
};

t.test("no frame opens the gate twice, however it is changed a little, and at whichever camera", async (t) => {
  const recogniser = new Recogniser({
    enabled: true,
    modelsFolder: join(PROJECT_ROOT, "models"),
    threads: 1,
    budgetMs: 120_000,
    queuedBursts: 4,
    clock: systemClock,
    logger: silentLogger,
  });
  await recogniser.start();
  const p = await Premises.open(testFolder(t));
  t.teardown(async () => {
    await recogniser.stop();
    await p.close();
  });
  p.settings.passMs = 10_000;
  for (const id of ["camera-in", "camera-out"]) await p.cameras.edit(p.siteId, id, { gate: GATE });
  await p.rules.create(p.siteId, { plate: PLATE, label: "Asha" }, "session:1");
  p.look = (tasks) => recogniser.presented(tasks, SENDER);
  const read = (frames: readonly Buffer[]): Promise<BurstReading> => recogniser.read({ frames }, SENDER);
  const sent = async (reading: BurstReading, deviceId: string): Promise<boolean> => {
    p.clock.advance(60_000);
    p.recognise.use = () => Promise.resolve(reading);
    const told = p.commands.length;
    await p.capture({}, { deviceId });
    return p.commands.length > told;
  };
  const recorded = await approach(0);
  t.equal(await sent(await read(recorded), "camera-in"), true, "the vehicle itself");
  for (const [what, change] of Object.entries(CHANGES)) {
    const reading = await read(await Promise.all(recorded.map(change))); // once for both cameras: they read alike
    for (const deviceId of ["camera-in", "camera-out"])
      t.equal(await sent(reading, deviceId), false, `${what}, at ${deviceId}`);
  }
  t.equal(await sent(await read([...recorded].reverse()), "camera-out"), false, "in another order");
  t.equal(await sent(await read(recorded.slice(1, 2)), "camera-in"), false, "one of them");
  t.equal(await sent(await read(await approach(1)), "camera-in"), true, "the same vehicle, a little elsewhere");
});
