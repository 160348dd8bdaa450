import sharp from "sharp";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Recogniser } from "../../src/features/recognition/recogniser.ts";
import { MODELS, photographs, withoutModels } from "../support/photographs.ts";

t.setTimeout(300_000);

/** From this confidence on a plate is certain. */
const CERTAIN = 90;

type Point = readonly [x: number, y: number];
type Corners = readonly [Point, Point, Point, Point];

/** A part of a plate, in shares of its width and height. */
interface Part {
  readonly left: number;
  readonly right: number;
  readonly top: number;
}

/** From a part of the plate down, its colour and nothing else: what dirt, a bar or a hand does. */
async function covered(jpeg: Buffer, [a, b, c, d]: Corners, { left, right, top }: Part): Promise<Buffer> {
  const between = (p: Point, q: Point, share: number): Point => [
    p[0] + (q[0] - p[0]) * share,
    p[1] + (q[1] - p[1]) * share,
  ];
  const at = (x: number, y: number): Point => between(between(a, b, x), between(d, c, x), y);
  const points = [at(left, top), at(right, top), at(right, 1), at(left, 1)].map((point) => point.join(",")).join(" ");
  const { width, height } = await sharp(jpeg).metadata();
  const patch = `<svg width="${width}" height="${height}"><polygon points="${points}" fill="#b9b9b4"/></svg>`;
  return sharp(jpeg)
    .composite([{ input: Buffer.from(patch) }])
    .jpeg({ quality: 90 })
    .toBuffer();
}

t.test(
  "what frames show of half a plate is never certain, nor does it outvote the whole",
  {
    skip: withoutModels,
  },
  async (t) => {
    const [, { jpeg, plate }] = await photographs();
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
    const read = async (...frames: Buffer[]) => {
      const [vehicle] = (await one.read({ frames })).vehicles;
      if (vehicle === undefined) return { plate: null, confidence: 0, corners: null };
      return { plate: vehicle.analysis.plate, confidence: vehicle.analysis.confidence, corners: vehicle.best.corners };
    };
    const { corners } = await read(jpeg);
    if (corners === null) throw new Error("the whole plate is read");
    const alone: number[] = [];
    for (const part of [
      { left: 0.7, right: 1, top: 0.5 },
      { left: 0.74, right: 1, top: 0 },
      { left: 0, right: 0.3, top: 0.5 },
    ]) {
      const half = await covered(jpeg, corners, part);
      const single = await read(half);
      if (single.plate !== plate) alone.push(single.confidence);
      for (const count of [1, 2]) {
        const frames = [0, 1, 2, 3, 4].map((frame) => (frame < count ? half : jpeg));
        t.hasStrict(await read(...frames), { plate }, `${count} of 5 frames half covered`);
      }
      // a first letter that no frame shows leaves a plate like any other
      for (const count of part.left === 0 ? [4] : [4, 5]) {
        const frames = [0, 1, 2, 3, 4].map((frame) => (frame < count ? half : jpeg));
        const { plate: seen, confidence } = await read(...frames);
        t.ok(seen === plate || confidence < CERTAIN, `${count} of 5 frames half covered: ${seen}, ${confidence} %`);
      }
    }
    t.ok(
      alone.some((confidence) => confidence >= CERTAIN),
      "by itself such a frame is sure of the wrong plate",
    );
    await one.stop();
  },
);
