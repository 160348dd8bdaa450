import { Backoff } from "./backoff.ts";
import type { Forgetting } from "./forgetting.ts";
import { hubSubjects } from "./names.ts";
import type { EstateBase } from "./ports.ts";
import type { ReadBook } from "./read-book.ts";
import type { Session } from "./session.ts";
import type { EstateReadRow } from "./tables/estate-read.ts";
import { encodeRead } from "./wire.ts";

/** Messages on their way at once. */
const AT_ONCE = 200;
/** How long to wait without a call: for events that a call could have missed. */
const IDLE_MS = 5_000;
/** Wait after a refusal, doubled each time: servers may lack room for days, and they log each message. */
const AGAIN_MS = { first: 1_000, most: 16_000 };
/** A message that the servers took but that has not come back from the stream by then is sent again. */
const BACKOFF = { firstMs: 15_000, most: 100 };

/**
 * Sends this hub's reads, the oldest change first. Every hub recognises a read that comes twice by its number and
 * version, so messages have no ids: with ids, servers of a cluster that disagree about what they have would drop a
 * repeated message, and an attacker could block a message by sending its id first. A row counts as sent once it came
 * back from the stream: a cluster whose leader was killed may have confirmed a message that it lost. A row that does
 * not come back is sent again.
 */
export class ReadPublisher {
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #forgetting: Forgetting;
  readonly #hasAll: () => boolean;
  /** Versions up to this one were taken by the servers in this session. */
  #after = 0;
  /** For reads that were taken and have not come back, by version; the oldest each time. */
  readonly #backoff: Backoff<number>;
  #isCalled = false;
  #refusal: string | null = null;
  #wake = (): void => {};

  /** `hasAll`: everything that the stream has was taken in here. */
  constructor(base: EstateBase, book: ReadBook, forgetting: Forgetting, hasAll: () => boolean) {
    this.#base = base;
    this.#book = book;
    this.#forgetting = forgetting;
    this.#hasAll = hasAll;
    this.#backoff = new Backoff(base.clock, BACKOFF);
  }

  /** Why the servers refuse this hub's messages, in their words; null while they accept them. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** Announces that there is something to send. */
  call(): void {
    this.#isCalled = true;
    this.#wake();
  }

  /** Sends everything that is marked as not sent, including what went out in this session. */
  beginAgain(): void {
    this.#after = 0;
    this.call();
  }

  /** Sends for as long as the session lasts. */
  async run(session: Session): Promise<void> {
    this.#after = 0;
    let again = AGAIN_MS.first;
    while (!session.isOver()) {
      this.#isCalled = false;
      try {
        if (await this.#forgetting.tell(session)) this.#after = 0;
        const isSent = await this.#sendSome(session);
        this.#refusal = null;
        again = AGAIN_MS.first;
        if (isSent) continue;
        if (this.#isSomethingLost()) continue;
        if (!this.#isCalled)
          await session.pause(IDLE_MS, (wake) => {
            this.#wake = wake;
          });
      } catch (error) {
        if (!session.isOver()) this.#refused(error);
        await session.pause(again);
        again = Math.min(AGAIN_MS.most, again * 2);
      }
    }
    this.#refusal = null;
  }

  #refused(error: unknown): void {
    const isNew = this.#refusal === null;
    this.#refusal = error instanceof Error ? error.message : String(error);
    this.#base.logger[isNew ? "warn" : "debug"](
      { err: error },
      "the servers of the estate did not take what this hub sends; it is sent again",
    );
  }

  /** Whether a message that the servers took has not come back although all others have; then it is sent again. */
  #isSomethingLost(): boolean {
    const [first] = this.#book.reads.unsent(0, 1);
    if (first === undefined || first.version > this.#after) return false;
    if (!this.#backoff.knows(first.version)) this.#backoff.tried(first.version);
    if (!this.#backoff.isDue(first.version) || !this.#hasAll()) return false;
    this.#base.logger.warn(
      { uid: first.uid },
      "the servers of the estate lost a read that they had taken; it is sent again",
    );
    this.#backoff.tried(first.version);
    this.#after = 0;
    return true;
  }

  async #sendSome(session: Session): Promise<boolean> {
    const rows = this.#book.reads.unsent(this.#after, AT_ONCE);
    if (rows.length === 0) return false;
    await this.#base.database.durable(); // others must not have what a power cut takes back here
    const sent = await Promise.allSettled(rows.map((row) => this.#send(session, row)));
    for (const [index, result] of sent.entries()) {
      if (result.status === "rejected") throw result.reason;
      this.#after = rows[index]?.version ?? this.#after;
    }
    return true;
  }

  #send({ stream }: Session, row: EstateReadRow): Promise<unknown> {
    const { estate, hub } = this.#base.config;
    return stream.publish(hubSubjects(estate, hub).read(row.token, row.uid), encodeRead(row));
  }
}
