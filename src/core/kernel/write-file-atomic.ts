import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from "node:fs";
import { chmod, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { withDiskSlot } from "./disk-slots.ts";

/** Writes in progress, by file: two of one file run one after the other. */
const running = new Map<string, Promise<void>>();

/**
 * Writes a small file whole or not at all, and resolves once it is on disk: after a power cut it has the old content or
 * the new, and is never empty. Its folder must exist: a data folder that was moved or unmounted must not be recreated
 * at the same place. Not for files on sticks and shares.
 * @throws Error of the system
 */
export function writeFileAtomic(file: string, text: string, mode = 0o600): Promise<void> {
  const before = running.get(file) ?? Promise.resolve();
  const write = before.catch(() => {}).then(() => writeAside(file, text, mode));
  running.set(file, write);
  const done = (): void => {
    if (running.get(file) === write) running.delete(file);
  };
  write.then(done, done);
  return write;
}

/**
 * As {@link writeFileAtomic}, makes its folder, and blocks until it is done: for the start, the command line and
 * threads.
 */
export function writeFileAtomicSync(file: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.new`;
  const descriptor = openSync(draft, "w", mode);
  try {
    writeFileSync(descriptor, text); // writeSync reports how much it wrote; a short write is no error to it
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

/** Resolves when the names in a folder are on the disk: a rename is once its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await withDiskSlot(() => handle.sync());
  } finally {
    await handle.close();
  }
}

async function writeAside(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.new`;
  const handle = await open(draft, "w", mode);
  try {
    await handle.writeFile(text);
    await withDiskSlot(() => handle.sync());
  } finally {
    await handle.close();
  }
  await chmod(draft, mode); // one that was left over keeps its own rights otherwise
  await rename(draft, file);
  await syncFolder(dirname(file));
}
