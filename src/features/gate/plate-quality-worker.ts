/** Entry of the thread that measures plates in stored pictures. */
import sharp from "sharp";
import { answerOrder } from "../../core/kernel/thread.ts";
import { type PlateQuality, plateQuality } from "../../core/plates/plate-quality.ts";
import type { PicturePart } from "../../core/plates/reading.ts";

/** A stored picture, and where its plate is. */
export interface PictureToMeasure {
  readonly jpeg: Uint8Array;
  readonly part: PicturePart;
}

sharp.cache(false);
sharp.concurrency(1);

await answerOrder(async (pictures: readonly PictureToMeasure[]) => {
  const measured: (PlateQuality | null)[] = [];
  // a picture that cannot be decoded is left out
  for (const picture of pictures) measured.push(await measure(picture).catch(() => null));
  return measured;
});

async function measure({ jpeg, part: [x1, y1, x2, y2] }: PictureToMeasure): Promise<PlateQuality | null> {
  const { width = 0, height = 0 } = await sharp(jpeg).metadata();
  const [left, top] = [Math.floor(x1 * width), Math.floor(y1 * height)];
  const region = {
    ...{ left, top },
    width: Math.min(width - left, Math.ceil((x2 - x1) * width)),
    height: Math.min(height - top, Math.ceil((y2 - y1) * height)),
  };
  if (region.width < 8 || region.height < 4) return null;
  const { data, info } = await sharp(jpeg).extract(region).greyscale().raw().toBuffer({ resolveWithObject: true });
  return plateQuality({ data: new Uint8Array(data), width: info.width, height: info.height });
}
