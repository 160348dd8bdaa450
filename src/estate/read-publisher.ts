import type { EstateReadRow } from "../storage/tables/estate-read.js";
import type { Forgetting } from "./forgetting.js";
import { hubSubjects } from "./names.js";
import type { EstateBase } from "./ports.js";
import type { ReadBook } from "./read-book.js";
import type { Session } from "./session.js";
import { encodeRead } from "./wire.js";

/** Messages on their way at a time. */
const AT_ONCE = 200;
/** How long to wait where nothing calls for it: what a call could have missed. */
const IDLE_MS = 5_000;
const AGAIN_MS = 1_000;

/**
 * Sends this hub's reads, the oldest change first. The servers know a message that comes twice by its id, and every hub
 * knows it for ever by its number and version. A row counts as sent when it came back from the stream.
 */
export class ReadPublisher {
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #forgetting: Forgetting;
  /** Versions up to here were taken by the servers in this session. */
  #after = 0;
  #isCalled = false;
  #wake = (): void => {};

  constructor(base: EstateBase, book: ReadBook, forgetting: Forgetting) {
    this.#base = base;
    this.#book = book;
    this.#forgetting = forgetting;
  }

  /** There is something to send. */
  call(): void {
    this.#isCalled = true;
    this.#wake();
  }

  /** Everything that is marked as not sent is sent, also what went out in this session. */
  beginAgain(): void {
    this.#after = 0;
    this.call();
  }

  /** Sends for as long as the session lasts. */
  async run(session: Session): Promise<void> {
    this.#after = 0;
    while (!session.isOver()) {
      this.#isCalled = false;
      try {
        if (await this.#forgetting.tell(session)) this.#after = 0;
        if (await this.#sendSome(session)) continue;
        if (!this.#isCalled)
          await session.pause(IDLE_MS, (wake) => {
            this.#wake = wake;
          });
      } catch (error) {
        if (!session.isOver())
          this.#base.logger.debug({ err: error }, "the servers of the estate did not take a read; it is sent again");
        await session.pause(AGAIN_MS);
      }
    }
  }

  async #sendSome(session: Session): Promise<boolean> {
    const rows = this.#book.reads.unsent(this.#after, AT_ONCE);
    if (rows.length === 0) return false;
    const sent = await Promise.allSettled(rows.map((row) => this.#send(session, row)));
    for (const [index, result] of sent.entries()) {
      if (result.status === "rejected") throw result.reason;
      this.#after = rows[index]?.version ?? this.#after;
    }
    return true;
  }

  #send({ stream }: Session, row: EstateReadRow): Promise<unknown> {
    const { estate, hub } = this.#base.config;
    return stream.publish(hubSubjects(estate, hub).read(row.token, row.uid), encodeRead(row), {
      msgID: `${hub}.${row.uid}.${row.version}`,
    });
  }
}
