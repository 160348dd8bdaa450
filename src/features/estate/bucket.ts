import type { JsMsg } from "@nats-io/jetstream";
import { type Edit, type Entry, editOf } from "./edits.ts";
import { estateNames, streamOfBucket } from "./names.ts";
import type { Session } from "./session.ts";

/** JetStream's errors for an edit that was not made from the latest revision. */
const WRONG_REVISION = new Set([10071, 10164]);
/** The header in which NATS buckets mark deletions. */
const OPERATION = "KV-Operation";
const DELETED = "DEL";

/** The bucket of shared entries, as the leader of its stream has it. */
export class RuleBucket {
  readonly stream: string;
  readonly #prefix: string;

  constructor(estate: string) {
    const { rules } = estateNames(estate);
    this.stream = streamOfBucket(rules);
    this.#prefix = `$KV.${rules}.`;
  }

  /** The entry in a message of the stream. */
  entryOf(message: JsMsg): Entry {
    return {
      key: message.subject.slice(this.#prefix.length),
      revision: message.info.streamSequence,
      ...editOf(message.string(), message.headers?.has(OPERATION) ?? false, takenAt(message)),
    };
  }

  /** All keys, including those of deleted entries. @throws if the servers do not answer */
  async keys({ manager }: Session): Promise<string[]> {
    const { state } = await manager.streams.info(this.stream, { subjects_filter: `${this.#prefix}>` });
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(this.#prefix.length));
  }

  /** The latest edit of a key and when the servers took it; null: they have none. @throws like {@link keys} */
  async latest({ manager }: Session, key: string): Promise<{ readonly entry: Entry; readonly takenAt: number } | null> {
    const message = await manager.streams.getMessage(this.stream, { last_by_subj: this.#prefix + key });
    if (message === null) return null;
    const at = message.time.getTime();
    const edit = editOf(message.string(), message.header?.has(OPERATION) ?? false, at);
    return { entry: { key, revision: message.seq, ...edit }, takenAt: at };
  }

  /**
   * Writes an edit over the given revision; 0: a new key. Returns the new revision; null if the bucket has another one.
   * @throws if the servers do not answer
   */
  async put({ stream }: Session, key: string, edit: Edit, revision: number): Promise<number | null> {
    const { headers } = await import("@nats-io/transport-node");
    const fields = headers();
    fields.set("Nats-Expected-Last-Subject-Sequence", String(revision));
    if (edit.isGone) fields.set(OPERATION, DELETED);
    try {
      return (await stream.publish(this.#prefix + key, edit.text, { headers: fields })).seq;
    } catch (error) {
      if (isWrongRevision(error)) return null;
      throw error;
    }
  }
}

/** When the servers took a message, epoch milliseconds: the same on each of them. */
export function takenAt(message: JsMsg): number {
  return Math.floor(message.info.timestampNanos / 1e6);
}

function isWrongRevision(error: unknown): boolean {
  return error instanceof Error && "code" in error && WRONG_REVISION.has(Number(error.code));
}
