import { CLASS_COUNT, classOf } from "../../src/core/plates/alphabet.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { analyseViews } from "../../src/core/plates/read.ts";
import type { Sighting } from "../../src/core/plates/reading.ts";

/**
 * A plate at (x, y), `width` wide, that the reader sees as `text`; single characters can be made doubtful as `place:
 * {character: share}`.
 */
export function sighting(
  frame: number,
  text: string,
  options: {
    x?: number;
    y?: number;
    width?: number;
    height?: number;
    certainty?: number;
    doubt?: Record<number, Record<string, number>>;
    score?: number;
  } = {},
): Sighting {
  const { x = 100, y = 200, width = 120, height = width / 4, certainty = 0.97, doubt = {}, score = 0.9 } = options;
  const slots = new Float32Array(13 * CLASS_COUNT).fill((1 - certainty) / (CLASS_COUNT - 1));
  for (let slot = 0; slot < 13; slot++) {
    const shares = doubt[slot];
    if (shares === undefined) slots[slot * CLASS_COUNT + classOf(text[slot] ?? "")] = certainty;
    else
      for (const [character, probability] of Object.entries(shares))
        slots[slot * CLASS_COUNT + classOf(character)] = probability;
  }
  const box = [x, y, x + width, y + height] as const;
  const corners = [
    [box[0], box[1]],
    [box[2], box[1]],
    [box[2], box[3]],
    [box[0], box[3]],
  ] as const;
  return {
    frame,
    score,
    corners,
    box,
    frameSize: [1280, 720],
    twoLine: false,
    views: [slots],
    second: null,
    analysis: analyseViews([slots], Countries.all),
  };
}
