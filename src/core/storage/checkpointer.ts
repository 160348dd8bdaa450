import { Worker } from "node:worker_threads";
import type { Logger } from "../kernel/logger.ts";

/** An order to the thread; `rewrite`: see `rewriteLog`. */
export type CheckpointOrder =
  | { readonly kind: "copy" }
  | { readonly kind: "renew" }
  | { readonly kind: "rewrite"; readonly frames: number };

/** The thread's reply. */
export type CheckpointReply = { readonly done: boolean } | { readonly code: string; readonly text: string };

/** Frames after which the log is moved into the database file: 4 MB at SQLite's usual page. */
const MOVE_AT_FRAMES = 1_000;
/** The log is cut to this size when it starts over. Below it, it is overwritten in place, which costs the card less. */
const KEEP_BYTES = 16_777_216;
/** A thread with nothing to do for this long ends: the first one takes 13 to 17 MB, a further one 4 MB. */
const IDLE_MS = 60_000;
const HEAP_MEGABYTES = 16;

/**
 * Keeps the log short without blocking the event loop: a thread moves its pages into the database file while commits go
 * on. Commits are held only briefly, for the remaining pages and for the new log's header.
 *
 * It begins with a `PASSIVE` checkpoint, while commits go on. Then commits are held for the rest, which is little, and
 * for one row that the thread writes itself: that row restarts the log, so the thread rather than the loop waits for
 * SQLite to write the new header. From the `PASSIVE` checkpoint to the hold, an open read transaction of the thread
 * keeps the hub's own connection from restarting the log. All this only spares the event loop the wait: the order of
 * writes is always SQLite's own, even if another process runs a checkpoint. The log is overwritten in place, so that a
 * sync has no file size to record; it grows while a backup reads.
 */
export class Checkpointer {
  readonly #options: ConstructorParameters<typeof Checkpointer>[0];
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isMoving = false;
  #isStopped = false;
  /** Number of frames at which to look at the log again; more than {@link MOVE_AT_FRAMES} while a reader holds it. */
  #moveAt = MOVE_AT_FRAMES;

  constructor(options: {
    readonly file: string;
    /** Frames in the log now. */
    readonly frames: () => number;
    readonly log: {
      /** Runs a task while nothing is committed; writes wait meanwhile. */
      hold<Answer>(task: () => Promise<Answer>): Promise<Answer>;
    };
    /** SQLite found the file damaged. */
    readonly damaged: (error: Error) => void;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Call it after each commit: starts a move when the log has grown enough. */
  look(): void {
    if (this.#isMoving || this.#isStopped || this.#options.frames() < this.#moveAt) return;
    this.#isMoving = true;
    void this.#inTurn(() => this.#move()).finally(() => {
      this.#isMoving = false;
    });
  }

  /**
   * Writes all commits to the log again, and waits for it.
   * @throws Error with SQLite's or the system's code when it is not on the medium
   */
  rewrite(): Promise<void> {
    const { log, frames } = this.#options;
    return this.#inTurn(() => log.hold(async () => void (await this.#ask({ kind: "rewrite", frames: frames() }))));
  }

  /** Waits for work in progress and ends the thread. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last;
    await this.#end();
  }

  async #move(): Promise<void> {
    const { log, frames, damaged, logger } = this.#options;
    try {
      await this.#ask({ kind: "copy" });
      const isRenewed = await log.hold(() => this.#ask({ kind: "renew" }));
      this.#moveAt = isRenewed ? MOVE_AT_FRAMES : frames() + MOVE_AT_FRAMES;
    } catch (error) {
      this.#moveAt = frames() + MOVE_AT_FRAMES;
      if (!(error instanceof Error)) throw error;
      const code = "code" in error ? String(error.code) : "";
      if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) damaged(error);
      else logger.warn({ err: error }, "the log could not be moved into the database; it grows until it can");
    }
  }

  #inTurn<Answer>(task: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #ask(order: CheckpointOrder): Promise<boolean> {
    const thread = this.#started();
    thread.ref(); // waiting for an order keeps the process alive; an idle thread does not
    try {
      const reply = await new Promise<CheckpointReply>((resolve, reject) => {
        thread.once("message", resolve).once("error", reject);
        thread.once("exit", () => reject(new Error("the thread ended")));
        thread.postMessage(order);
      });
      if ("done" in reply) return reply.done;
      throw Object.assign(new Error(reply.text), { code: reply.code });
    } catch (error) {
      await this.#end(); // its connections may be in any state
      throw error;
    } finally {
      for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
      thread.on("error", () => {}).on("exit", () => this.#gone(thread));
      thread.unref();
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    }
  }

  #gone(thread: Worker): void {
    if (this.#thread === thread) this.#thread = null;
  }

  #started(): Worker {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#thread ??= new Worker(new URL("./checkpoint-worker.ts", import.meta.url), {
      workerData: { file: this.#options.file, keepBytes: KEEP_BYTES },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: 1 },
    });
    return this.#thread;
  }

  async #end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }
}
