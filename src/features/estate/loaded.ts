import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EstateCode } from "./feature.ts";

/** The code of an estate, which takes memory; null for a hub alone. */
export async function loadEstate(dataFolder: string): Promise<EstateCode | null> {
  return existsSync(join(dataFolder, "estate", "estate.json")) ? import("./estate.ts") : null;
}
