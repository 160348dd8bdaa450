import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { modelsStamp } from "../../src/recognition/models.js";
import type { Recogniser } from "../../src/recognition/recogniser.js";
import { PROJECT_ROOT } from "./database.js";

/** The project's own models; a test that needs them says so when they are absent. */
export const MODELS = join(PROJECT_ROOT, "models");
/** Labelled photographs of cars; not part of the project (they show real people's cars). */
export const PHOTOGRAPHS = join(process.env.GATEHOUSE_PLATES ?? join(PROJECT_ROOT, "../shared/plates"), "dev");
const MOST_TRIED = 120;

/** A photograph with one plate that the recogniser reads by itself. */
export interface Photograph {
  readonly plate: string;
  readonly jpeg: Buffer;
  readonly box: readonly [number, number, number, number];
}

/** The first photographs that show one plate each, which the recogniser reads right and is sure of; fewer than `count`, or none, where models or photographs are absent. */
export async function findCars(recogniser: Recogniser, count: number): Promise<Photograph[]> {
  const labels = await readFile(join(PHOTOGRAPHS, "labels.csv"), "utf8").catch(() => null);
  if (labels === null || (await modelsStamp(MODELS)) === null) return [];
  const cars = new Map<string, Photograph>();
  for (const line of labels.split("\n").slice(1, MOST_TRIED)) {
    const [file = "", x1, y1, x2, y2, text = ""] = line.split(",");
    const jpeg = await sharp(await readFile(join(PHOTOGRAPHS, file)))
      .jpeg({ quality: 92 })
      .toBuffer();
    const { vehicles } = await recogniser.read({ frames: [jpeg] });
    const [vehicle] = vehicles;
    if (vehicles.length === 1 && vehicle?.analysis.plate === text && vehicle.analysis.confidence >= 60)
      cars.set(text, { plate: text, jpeg, box: [Number(x1), Number(y1), Number(x2), Number(y2)] });
    if (cars.size === count) break;
  }
  return [...cars.values()];
}
