import { open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withDiskSlot } from "../../core/kernel/disk-slots.ts";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { makeFolderBelow } from "../../core/kernel/folder-below.ts";
import { readWholeFile } from "../../core/kernel/small-file.ts";
import { syncFolder } from "../../core/kernel/write-file-atomic.ts";

/** A folder holds this many pictures; a folder with a hundred thousand files is slow on an SD card. */
const PER_FOLDER = 1000;

/**
 * The picture files of plate reads: `<folder>/<id ÷ 1000>/<id>.jpg`. A file is complete on disk before its row says so,
 * and is deleted after its row; whatever a crash leaves in between is removed by {@link PlateImageFiles.removeStrays}.
 */
export class PlateImageFiles {
  readonly #folder: string;
  /** Written by this process since the strays were last looked for: their rows may be on their way. */
  readonly #fresh = new Set<number>();

  /** `folder` is made when the first picture comes, the data folder around it is not. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes the file beside its place, forces it to disk and renames it; an older picture of the read is replaced. */
  async write(readId: number, jpeg: Uint8Array): Promise<void> {
    this.#fresh.add(readId);
    const path = this.#path(readId);
    await makeFolderBelow(dirname(this.#folder), dirname(path));
    const partial = `${path}.part`;
    const file = await open(partial, "w", 0o600);
    try {
      await file.writeFile(jpeg);
      await withDiskSlot(() => file.sync());
    } finally {
      await file.close();
    }
    await rename(partial, path);
    await syncFolder(dirname(path));
  }

  /** The picture of a read; null when the file is gone. @throws Problem `unreadable_file` */
  async read(readId: number): Promise<Buffer | null> {
    try {
      return await readWholeFile(this.#path(readId));
    } catch (error) {
      if (isMissing(error)) return null;
      throw fileProblem(error, "picture") ?? error;
    }
  }

  /** Removes the files of reads; those already gone do not matter. */
  async remove(readIds: Iterable<number>): Promise<void> {
    for (const id of readIds) {
      await rm(this.#path(id), { force: true });
      this.#fresh.delete(id);
    }
  }

  /**
   * Removes half-written files and files without a row; answers how many. Files that this process has written since the
   * last call may get their row in a moment, and are left for the next call.
   */
  async removeStrays(hasRow: (readId: number) => boolean): Promise<number> {
    const fresh = new Set(this.#fresh);
    const isFresh = (id: number): boolean => fresh.has(id) || this.#fresh.has(id);
    let removed = 0;
    for (const shelf of await entries(this.#folder)) {
      for (const name of await entries(join(this.#folder, shelf))) {
        const [, id, part] = /^(\d+)\.jpg(\.part)?$/.exec(name) ?? [];
        if (id !== undefined && (isFresh(Number(id)) || (part === undefined && hasRow(Number(id))))) continue;
        await rm(join(this.#folder, shelf, name), { force: true });
        removed += 1;
      }
    }
    for (const id of fresh) this.#fresh.delete(id);
    return removed;
  }

  #path(readId: number): string {
    return join(this.#folder, String(Math.floor(readId / PER_FOLDER)), `${readId}.jpg`);
  }
}

async function entries(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
