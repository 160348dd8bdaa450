/** A picture on a stage of any shape: the plate in it is whole. */
import t from "tap";
import { wholePlate } from "../../src/features/gate/console/whole-plate.ts";

const PICTURES = [
  { width: 1280, height: 720 },
  { width: 640, height: 360 },
  { width: 1280, height: 694 },
  { width: 1024, height: 768 },
  { width: 720, height: 1280 },
] as const;
/** A phone, a phone that lies, a desk, a very wide one; and what the words cover. */
const STAGES = [
  [{ width: 360, height: 225 }, 40],
  [{ width: 300, height: 200 }, 0],
  [{ width: 1064, height: 307 }, 0],
  [{ width: 1800, height: 220 }, 0],
] as const;
/** A far car, a close-up, plates at each edge, and one as large as the picture. */
const BOXES = [
  [0.45, 0.6, 0.53, 0.64],
  [0.05, 0.3, 0.95, 0.85],
  [0, 0.4, 0.2, 0.5],
  [0.8, 0.4, 1, 0.5],
  [0.4, 0, 0.6, 0.1],
  [0.4, 0.9, 0.6, 1],
  [0, 0, 1, 1],
] as const;

t.test("the plate is whole and not below the words, on every stage", async (t) => {
  let cut = 0;
  for (const picture of PICTURES)
    for (const [stage, foot] of STAGES)
      for (const box of BOXES) {
        const { objectFit, objectPosition, paddingBottom, scale: enlarged } = wholePlate(box, picture, stage, foot);
        if (objectFit === "contain") {
          t.equal(paddingBottom, `${foot}px`);
          continue;
        }
        cut += 1;
        const [x = 0, y = 0] = objectPosition.split(" ").map((one) => Number(enlarged) * Number.parseFloat(one));
        const scale = Number(enlarged) * Math.max(stage.width / picture.width, stage.height / picture.height);
        const [left, top, right, bottom] = box;
        const words = `${JSON.stringify(box)} of ${picture.width}x${picture.height} on ${stage.width}x${stage.height}`;
        t.ok(left * picture.width * scale + x >= -1 && right * picture.width * scale + x <= stage.width + 1, words);
        t.ok(
          top * picture.height * scale + y >= -1 && bottom * picture.height * scale + y <= stage.height - foot + 1,
          words,
        );
        t.ok(x <= 0 && x + picture.width * scale >= stage.width - 1, `${words}: no gap beside it`);
        t.ok(y <= 0 && y + picture.height * scale >= stage.height - 1, `${words}: no gap below it`);
      }
  t.ok(cut > 40, `${cut} pictures fill their stage`);
});

t.test("a close-up is not cut, and a picture without a known plate fills the stage", async (t) => {
  const [picture] = PICTURES;
  const stage = { width: 1064, height: 307 };
  t.equal(wholePlate([0.05, 0.3, 0.95, 0.85], picture, stage, 0).objectFit, "contain");
  t.equal(wholePlate(null, picture, stage, 0).objectFit, "cover");
});

t.test("a plate low in a picture of any shape rises above the words, and the picture fills the stage", async (t) => {
  const low = [0.42, 0.76, 0.58, 0.84] as const;
  for (const picture of PICTURES.filter(({ width, height }) => width > height))
    t.equal(
      wholePlate(low, picture, { width: 360, height: 225 }, 40).objectFit,
      "cover",
      `${picture.width}x${picture.height}`,
    );
});
