import { existsSync } from "node:fs";
import { join } from "node:path";

/** Code that is loaded only where it is needed: otherwise it takes no memory. */
export interface LoadedParts {
  /** Null for a hub alone. */
  readonly estate: typeof import("./feature.ts") | null;
}

/** Loads what the data folder requires. */
export async function loadParts(dataFolder: string): Promise<LoadedParts> {
  const isJoined = existsSync(join(dataFolder, "estate", "estate.json"));
  return { estate: isJoined ? await import("./feature.ts") : null };
}
