/** Twenty deliberately bad set-ups, rendered: the first advice has to name what was done to them. */
import sharp from "sharp";
import t from "tap";
import { type AdviceCode, adviceFor, type SeenQuality } from "../../src/core/plates/camera-advice.ts";
import { plateQuality } from "../../src/core/plates/plate-quality.ts";
import { drawCar } from "../../src/features/sandbox/plate-picture.ts";

// each picture is drawn and decoded in full
t.setTimeout(180_000);
const PLATES = ["MH12AB1234", "KA05MN3311", "DL8CAF5031", "GJ01XX0007"];
/** Where the drawn plate is. */
const BOX = { left: 504, top: 486, width: 272, height: 68 };

interface Setup {
  readonly name: string;
  readonly advice: AdviceCode | null;
  /** Size of the picture, 1 = the plate is 68 pixels high. */
  readonly scale?: number;
  readonly blur?: number;
  /** Pixels that the car moves while the shutter is open: across, along. */
  readonly moves?: readonly [number, number];
  /** Gain and offset of the light. */
  readonly light?: readonly [number, number];
  /** Share of the plate's width under a reflection. */
  readonly glare?: number;
  readonly tilt?: number;
  readonly noise?: number;
}

const SETUPS: readonly Setup[] = [
  { name: "far away", advice: "small", scale: 0.2 },
  { name: "very far away", advice: "small", scale: 0.14 },
  { name: "somewhat too far", advice: "small", scale: 0.3 },
  { name: "far away and leaning", advice: "small", scale: 0.22, tilt: 12 },
  { name: "slow shutter, car crosses", advice: "shutter", moves: [14, 0] },
  { name: "very slow shutter, car crosses", advice: "shutter", moves: [22, 0] },
  { name: "slow shutter, car comes", advice: "shutter", moves: [0, 14] },
  { name: "slow shutter at half the size", advice: "shutter", scale: 0.6, moves: [10, 0] },
  { name: "out of focus", advice: "focus", blur: 6 },
  { name: "far out of focus", advice: "focus", blur: 9 },
  { name: "out of focus at half the size", advice: "focus", scale: 0.6, blur: 4 },
  { name: "lamp in the plate", advice: "glare", glare: 0.55 },
  { name: "infrared too strong", advice: "glare", light: [1.1, 205] },
  { name: "sun on the plate", advice: "glare", glare: 0.75 },
  { name: "no light", advice: "dark", light: [0.16, 4] },
  { name: "a lamp too few", advice: "dark", light: [0.26, 0], noise: 4 },
  { name: "leans to the right", advice: "tilt", tilt: 14 },
  { name: "leans to the left", advice: "tilt", tilt: -16 },
  { name: "leans at half the size", advice: "tilt", tilt: 18, scale: 0.6 },
  { name: "dark and leaning", advice: "dark", light: [0.2, 0], tilt: 10 },
];
const GOOD: readonly Setup[] = [
  { name: "as it should be", advice: null },
  { name: "smaller, but well", advice: null, scale: 0.55 },
  { name: "a grey day", advice: null, light: [0.7, 10] },
  { name: "some noise", advice: null, noise: 6 },
];

/** The cut-out plate in grey, after everything that was done to its picture. */
async function seen(plate: string, setup: Setup, seed: number): Promise<SeenQuality> {
  const { scale = 1, blur, moves, light, glare = 0, tilt = 0, noise = 0 } = setup;
  const margin = 200;
  const around = {
    left: BOX.left - margin,
    top: BOX.top - 150,
    width: BOX.width + 2 * margin,
    height: BOX.height + 300,
  };
  // what lies outside of the picture is not needed: the plate is in its middle
  const height = Math.min(around.height, 720 - around.top);
  let picture = sharp(await drawCar(plate, false)).extract({ ...around, height });
  if (tilt !== 0) {
    const turned = await picture.rotate(tilt, { background: "#777" }).toBuffer({ resolveWithObject: true });
    const [w, h] = [around.width, height];
    picture = sharp(turned.data).extract({
      left: (turned.info.width - w) >> 1,
      top: (turned.info.height - h) >> 1,
      width: w,
      height: h,
    });
  }
  if (scale !== 1) picture = sharp(await picture.png().toBuffer()).resize(Math.round(around.width * scale));
  const { data, info } = await sharp(await picture.png().toBuffer())
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  let grey: Uint8Array = new Uint8Array(data);
  if (glare > 0) {
    const plateWidth = BOX.width * scale;
    const middle = info.width / 2;
    for (let y = 0; y < info.height; y++)
      for (let x = 0; x < info.width; x++)
        if (Math.abs(x - middle) < (plateWidth * glare) / 2) grey[y * info.width + x] = 255;
  }
  if (moves !== undefined) grey = smeared(grey, info.width, info.height, moves);
  if (blur !== undefined)
    grey = new Uint8Array(
      await sharp(grey, { raw: { width: info.width, height: info.height, channels: 1 } })
        .blur(blur * scale)
        .greyscale()
        .raw()
        .toBuffer(),
    );
  let random = seed;
  const next = (): number => {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return random / 2_147_483_648 - 0.5;
  };
  const [gain, offset] = light ?? [1, 0];
  grey = grey.map((value) => Math.max(0, Math.min(255, value * gain + offset + next() * 2 * noise)));
  const radians = (Math.abs(tilt) * Math.PI) / 180;
  const [w, h] = [
    (BOX.width * Math.cos(radians) + BOX.height * Math.sin(radians)) * scale,
    (BOX.width * Math.sin(radians) + BOX.height * Math.cos(radians)) * scale,
  ];
  // a detector's box is not exact
  const left = Math.max(0, Math.round((info.width - w) / 2 - 1));
  const middleOf = (BOX.top + BOX.height / 2 - around.top) * scale;
  const turnedMiddle = info.height / 2 + (middleOf - info.height / 2) * Math.cos(radians);
  const top = Math.max(0, Math.round(turnedMiddle - h / 2));
  const [width, cutHeight] = [
    Math.min(Math.round(w + 2), info.width - left),
    Math.min(Math.round(h), info.height - top),
  ];
  const cut = new Uint8Array(width * cutHeight);
  for (let y = 0; y < cutHeight; y++)
    for (let x = 0; x < width; x++) cut[y * width + x] = grey[(top + y) * info.width + left + x] ?? 0;
  return { ...plateQuality({ data: cut, width, height: cutHeight }), hour: 12, isRead: false };
}

function smeared(grey: Uint8Array, width: number, height: number, [dx, dy]: readonly [number, number]): Uint8Array {
  const steps = Math.max(dx, dy);
  const out = new Uint8Array(grey.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let i = 0; i < steps; i++) {
        const [sx, sy] = [
          Math.min(width - 1, Math.max(0, x + Math.round((i / steps - 0.5) * dx))),
          Math.min(height - 1, Math.max(0, y + Math.round((i / steps - 0.5) * dy))),
        ];
        sum += grey[sy * width + sx] ?? 0;
      }
      out[y * width + x] = sum / steps;
    }
  return out;
}

t.test("at least 18 of 20 bad set-ups get the right advice first", async (t) => {
  let right = 0;
  for (const setup of SETUPS) {
    const plates = await Promise.all(PLATES.map((plate, index) => seen(plate, setup, 7 + index)));
    const [first] = adviceFor(plates);
    if (first?.code === setup.advice) right += 1;
    else t.comment(`${setup.name}: ${String(first?.code)} instead of ${String(setup.advice)}`, plates[0]);
  }
  t.comment(`${right} of ${SETUPS.length}`);
  t.ok(right >= 18, `${right} of ${SETUPS.length}`);
});

t.test("a good set-up gets no advice", async (t) => {
  for (const setup of GOOD) {
    const plates = await Promise.all(PLATES.map((plate, index) => seen(plate, setup, 7 + index)));
    t.same(adviceFor(plates), [], `${setup.name} ${JSON.stringify(plates[0])}`);
  }
});

t.test("advice names the hours that it concerns, and says how much closer", async (t) => {
  const good = await seen("MH12AB1234", { name: "", advice: null }, 1);
  const dark = await seen("MH12AB1234", { name: "", advice: null, light: [0.16, 4] }, 1);
  const by = (hour: number, plate: SeenQuality): SeenQuality => ({ ...plate, hour });
  const seenAll = [8, 9, 10, 11, 12, 13]
    .map((hour) => by(hour, good))
    .concat([20, 21, 22].map((hour) => by(hour, dark)));
  t.match(adviceFor(seenAll), [{ code: /^dark$/, share: 100, hours: { from: 18, to: 6 } }]);
  t.same(adviceFor(seenAll.slice(-2)), [], "two plates are no ground for advice");
  t.same(
    adviceFor(seenAll.map((plate) => ({ ...plate, isRead: true }))),
    [],
    "what is read all the same needs no change",
  );
  const far = await seen("MH12AB1234", { name: "", advice: null, scale: 0.25 }, 1);
  const [advice] = adviceFor([far, far, far]);
  t.equal(advice?.code, "small");
  t.ok((advice?.values.closer ?? 0) > 30 && (advice?.values.closer ?? 0) < 70, `${advice?.values.closer} % closer`);
});
