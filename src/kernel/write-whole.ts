import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes a small file whole or not at all, and waits until it is on the disk: after a power cut it is the old one or the new one, never
 * an empty one. Makes its folder. Blocks; not for files on sticks and shares.
 * @throws Error of the system
 */
export function writeWhole(file: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  const descriptor = openSync(draft, "w", mode);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(draft, mode); // one that was left over keeps its own rights otherwise
  renameSync(draft, file);
  const folder = openSync(dirname(file), "r");
  fsyncSync(folder);
  closeSync(folder);
}
