import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { modelsStamp } from "../../src/features/recognition/models.ts";
import { PROJECT_ROOT } from "./database.ts";

/** The project's own models; a test that needs them reports when they are absent. */
export const MODELS = join(PROJECT_ROOT, "models");
const FOLDER = join(PROJECT_ROOT, "test/fixtures/plates");

/** Why tests with photographs cannot run; false when they can. */
export const withoutModels: false | string =
  (await modelsStamp(MODELS)) === null && "no models: train them first (models/README.md)";

/** A photograph of one two-wheeler whose plate the recogniser reads unaided. */
export interface Photograph {
  readonly plate: string;
  readonly jpeg: Buffer;
  /** The plate's position, pixels. */
  readonly box: readonly [number, number, number, number];
}

/** From the project's own pictures (test/fixtures/plates/LICENCES.md). */
const BOXES = {
  BR03AD2586: [39, 42, 267, 138],
  MP06MW4025: [46, 33, 228, 103],
  UP32JE3626: [32, 74, 272, 138],
} as const;

/** Three vehicles with different plates. */
export async function photographs(): Promise<readonly [Photograph, Photograph, Photograph]> {
  const load = async (plate: keyof typeof BOXES): Promise<Photograph> => ({
    plate,
    jpeg: await readFile(join(FOLDER, `two-wheeler-${plate}.jpg`)),
    box: BOXES[plate],
  });
  return [await load("BR03AD2586"), await load("MP06MW4025"), await load("UP32JE3626")];
}

let shown = 0;

/**
 * The same picture as another frame: a camera never sends the same bytes twice, and the hub opens for no frame that it
 * has seen before.
 */
export function anotherFrame(jpeg: Buffer): Buffer {
  shown += 1;
  return Buffer.concat([jpeg, Buffer.from(` ${shown}`)]); // decoders stop at the picture's end
}
