import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withDiskSlot } from "../../core/kernel/disk-slots.ts";
import { makeFolderBelow } from "../../core/kernel/folder-below.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { readWholeFile, smallFileText } from "../../core/kernel/small-file.ts";
import { syncFolder } from "../../core/kernel/write-file-atomic.ts";

/** One capture in the spool. */
export interface SpooledCapture {
  readonly deviceId: string;
  /** Folder name; unique per device. */
  readonly name: string;
  /** Positions of the frames that are there, ascending. */
  readonly frames: readonly number[];
  /** What closed it; null while frames may still come. */
  readonly closing: object | null;
  /** Epoch ms of the latest change. */
  readonly changedAt: number;
}

const CLOSING_FILE = "done.json";

/**
 * Frames on disk between their acknowledgement and their read: `<folder>/<device>/<capture>/<n>.jpg` and `done.json`.
 * What a method resolved for survives a power cut.
 */
export class Spool {
  readonly #folder: string;
  readonly #hasRoom: () => boolean;
  /** Folder syncs under way: writers that come meanwhile share the next one. */
  readonly #syncs = new Map<string, { readonly running: Promise<void>; next: Promise<void> | null }>();

  /** `hasRoom`: whether the disk has room for more pictures; asked before each. */
  constructor(folder: string, hasRoom: () => boolean = () => true) {
    this.#folder = folder;
    this.#hasRoom = hasRoom;
  }

  /**
   * Stores one frame, replacing an earlier one at this position.
   * @throws Problem `storage_full` before the disk is full: the last of it is the database's
   */
  async putFrame(deviceId: string, name: string, n: number, jpeg: Uint8Array): Promise<void> {
    if (!this.#hasRoom()) throw new Problem("storage_full", "The disk is nearly full: no more pictures are kept.");
    await this.#write(join(this.#path(deviceId, name), `${n}.jpg`), jpeg);
  }

  /** Closes a capture. */
  async close(deviceId: string, name: string, closing: object): Promise<void> {
    await this.#write(join(this.#path(deviceId, name), CLOSING_FILE), Buffer.from(JSON.stringify(closing)));
  }

  /** The frames of a capture in order; missing ones are left out. */
  async frames(deviceId: string, name: string): Promise<Uint8Array[]> {
    const folder = this.#path(deviceId, name);
    const numbers = frameNumbers(await names(folder));
    return Promise.all(numbers.map((n) => readWholeFile(join(folder, `${n}.jpg`))));
  }

  /** Forgets a capture. */
  async remove(deviceId: string, name: string): Promise<void> {
    await rm(this.#path(deviceId, name), { recursive: true, force: true });
  }

  /**
   * Every capture that an earlier run left, oldest first. What a damaged disk does not give back is logged
   * and left where it is: the hub starts without it.
   */
  async recover(logger: Logger): Promise<SpooledCapture[]> {
    const found: SpooledCapture[] = [];
    const readable = async (folder: string, read: () => Promise<void>): Promise<void> => {
      try {
        await read();
      } catch (error) {
        logger.error({ folder, err: error }, "pictures that an earlier run left cannot be read");
      }
    };
    await readable(this.#folder, async () => {
      for (const device of await names(this.#folder)) {
        const ofDevice = join(this.#folder, device);
        await readable(ofDevice, async () => {
          for (const name of await names(ofDevice)) {
            const folder = join(ofDevice, name);
            await readable(folder, async () => void found.push(await leftCapture(folder, device, name)));
          }
        });
      }
    });
    return found.sort((a, b) => a.changedAt - b.changedAt);
  }

  /**
   * Device ids and capture names are safe in paths: the broker takes only `[A-Za-z0-9_-]`, and names are made by
   * {@link captureFolder}.
   */
  #path(deviceId: string, name: string): string {
    return join(this.#folder, deviceId, name);
  }

  async #write(path: string, bytes: Uint8Array): Promise<void> {
    const folder = dirname(path);
    await makeFolderBelow(dirname(this.#folder), folder);
    const file = await open(`${path}.part`, "w", 0o600);
    try {
      await file.writeFile(bytes);
      await withDiskSlot(() => file.datasync());
    } finally {
      await file.close();
    }
    await rename(`${path}.part`, path);
    await this.#syncFolder(folder);
  }

  /** A rename is on disk once its folder is; several renames share one sync that begins after the last of them. */
  #syncFolder(folder: string): Promise<void> {
    const under = this.#syncs.get(folder);
    if (under !== undefined) {
      under.next ??= under.running.then(() => {
        this.#syncs.delete(folder);
        return this.#syncFolder(folder);
      });
      return under.next;
    }
    const running = syncFolder(folder).finally(() => {
      const entry = this.#syncs.get(folder);
      if (entry?.running === running && entry.next === null) this.#syncs.delete(folder);
    });
    this.#syncs.set(folder, { running, next: null });
    return running;
  }
}

/** A capture's folder: the sender's own name if it is safe in a path, else its bytes in hex. */
export function captureFolder(captureId: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(captureId)
    ? `n${captureId}`
    : `x${Buffer.from(captureId).toString("hex").slice(0, 200)}`;
}

/** The sender's name of the capture in the folder `<captureFolder>.<suffix>`. */
export function captureIdOf(name: string): string {
  const stem = name.split(".")[0] ?? "";
  return stem.startsWith("n") ? stem.slice(1) : Buffer.from(stem.slice(1), "hex").toString();
}

async function leftCapture(folder: string, deviceId: string, name: string): Promise<SpooledCapture> {
  const files = await names(folder);
  const { mtimeMs } = await stat(folder);
  return {
    deviceId,
    name,
    frames: frameNumbers(files),
    closing: files.includes(CLOSING_FILE) ? await readClosing(folder) : null,
    changedAt: mtimeMs,
  };
}

async function names(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw error;
  }
}

function frameNumbers(files: readonly string[]): number[] {
  return files
    .flatMap((file) => /^(\d{1,4})\.jpg$/.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

async function readClosing(folder: string): Promise<object | null> {
  try {
    return JSON.parse(smallFileText(join(folder, CLOSING_FILE)) ?? "") as object; // written by close()
  } catch {
    return {}; // closed, but its output is lost
  }
}
