import { closeSync, existsSync, openSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/kernel/clock.ts";
import { withDiskSlot } from "../../core/kernel/disk-slots.ts";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { makeFolderSync } from "../../core/kernel/folder-below.ts";
import { randomBase62 } from "../../core/kernel/ids.ts";
import { Problem } from "../../core/kernel/problem.ts";

/** The purpose of an upload. */
export type UploadKind = "backup" | "update";

/** A file that arrives in pieces. */
export interface Upload {
  readonly id: string;
  readonly kind: UploadKind;
  /** Declared size. */
  readonly bytes: number;
  /** Offset of the next piece. */
  readonly received: number;
}

const MOST = 3;
const FORGET_MS = 3_600_000;
const ID_LENGTH = 32;
/** Room that stays free on the disk. */
const SPARE_BYTES = 50 * 1_048_576;

/**
 * Large files in small pieces, so that a phone that loses its network resumes where it was. An id cannot be guessed and
 * suffices to add to its upload. Kept in memory: after a restart an upload starts over.
 */
export class Uploads {
  readonly #options: ConstructorParameters<typeof Uploads>[0];
  readonly #uploads = new Map<string, Upload & { readonly touchedMono: number }>();
  readonly #adding = new Set<string>();

  constructor(options: {
    /** Made when needed; holds only uploads in progress. */
    readonly folder: string;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /** @throws Problem `limit_reached` with three under way, `storage_full` */
  open(kind: UploadKind, bytes: number): Upload {
    const { folder, clock } = this.#options;
    this.sweep();
    if (this.#uploads.size >= MOST) throw new Problem("limit_reached", { code: "refusal.most.uploads" });
    makeFolderSync(folder);
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < bytes + SPARE_BYTES) throw new Problem("storage_full", "The disk has no room for this file.");
    const upload = { id: randomBase62(ID_LENGTH), kind, bytes, received: 0, touchedMono: clock.mono() };
    closeSync(openSync(this.#file(upload.id), "w", 0o600));
    this.#uploads.set(upload.id, upload);
    return shown(upload);
  }

  /** @throws Problem `not_found` */
  get(id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload === undefined)
      throw new Problem("not_found", "There is no such upload; after a restart of the hub it begins anew.");
    return shown(upload);
  }

  /**
   * Whether a piece of `bytes` may come now; asked before it is read.
   * @throws Problem `not_found`, `conflict` when it is not the next or too much
   */
  checkPiece(id: string, offset: number, bytes: number): Upload {
    const upload = this.get(id);
    if (offset !== upload.received)
      throw new Problem(
        "conflict",
        { code: "conflict.uploadNext", received: upload.received },
        {
          fields: { received: upload.received },
        },
      );
    if (offset + bytes > upload.bytes) throw new Problem("conflict", { code: "conflict.uploadTooMuch" });
    return upload;
  }

  /**
   * Adds the next piece; resolves once it is on disk, so that unsynced data never grows enough to block the next
   * writer.
   * @throws Problem `not_found`, `conflict` when it is not the next, too much, or another is being added,
   *   `storage_full`
   */
  async add(id: string, offset: number, piece: Buffer): Promise<Upload> {
    this.checkPiece(id, offset, piece.length);
    if (this.#adding.has(id)) throw new Problem("conflict", { code: "conflict.uploadStoring" });
    this.#adding.add(id);
    try {
      await append(this.#file(id), offset, piece);
      const next = { ...this.get(id), received: offset + piece.length, touchedMono: this.#options.clock.mono() };
      this.#uploads.set(id, next);
      return shown(next);
    } catch (error) {
      throw fileProblem(error, "file") ?? error;
    } finally {
      this.#adding.delete(id);
    }
  }

  /** The whole file of an upload. @throws Problem `not_found`, `conflict` while pieces are missing */
  finished(id: string, kind: UploadKind): string {
    const upload = this.get(id);
    if (upload.kind !== kind) throw new Problem("conflict", { code: "conflict.uploadKind", kind });
    if (upload.received < upload.bytes)
      throw new Problem("conflict", { code: "conflict.uploadPieces", received: upload.received, bytes: upload.bytes });
    return this.#file(id);
  }

  /** Forgets an upload and deletes its file. */
  discard(id: string): void {
    this.#uploads.delete(id);
    rmSync(this.#file(id), { force: true });
  }

  /**
   * Removes uploads without a new piece for an hour, and files left by an earlier run. Run hourly: one file may take
   * gigabytes.
   */
  sweep(): void {
    const { folder, clock } = this.#options;
    for (const [id, { touchedMono }] of this.#uploads) if (clock.mono() - touchedMono > FORGET_MS) this.discard(id);
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder)) if (!this.#uploads.has(name)) rmSync(join(folder, name), { force: true });
  }

  #file(id: string): string {
    return join(this.#options.folder, id);
  }
}

async function append(file: string, offset: number, piece: Buffer): Promise<void> {
  const handle = await openFile(file, "r+");
  try {
    for (let done = 0; done < piece.length; )
      done += (await handle.write(piece, done, piece.length - done, offset + done)).bytesWritten;
    await withDiskSlot(() => handle.datasync());
  } finally {
    await handle.close();
  }
}

function shown({ id, kind, bytes, received }: Upload): Upload {
  return { id, kind, bytes, received };
}
