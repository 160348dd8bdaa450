import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Test } from "tap";
import { PROJECT_ROOT } from "./database.ts";

/** A disk sync that a process made. */
interface DiskWait {
  readonly thread: number;
  readonly process: number;
  readonly call: string;
  readonly file: string;
}

/** The disk of a process that is started with `env`; see scripts/lib/slow-disk.mjs. */
export interface SlowDisk {
  readonly env: Record<string, string>;
  readonly delay: (ms: number) => void;
  readonly fail: (part: string | null) => void;
  readonly failOnce: (part: string) => void;
  readonly hang: (part: string | null) => void;
  readonly hasFailed: () => boolean;
  readonly watch: () => () => DiskWait[];
  readonly remove: () => void;
}

const { slowDisk: make } = (await import(pathToFileURL(join(PROJECT_ROOT, "scripts/lib/slow-disk.mjs")).href)) as {
  slowDisk: () => SlowDisk;
}; // plain JavaScript

/** A disk for the duration of a test; null, and the test is skipped, if nothing can be compiled. */
export function slowDisk(t: Test): SlowDisk | null {
  try {
    const disk = make();
    t.teardown(() => disk.remove());
    return disk;
  } catch (error) {
    t.pass(`skipped: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
