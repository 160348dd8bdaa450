import type { JsMsg } from "@nats-io/jetstream";
import type { Timer } from "../../core/kernel/clock.ts";
import { takenAt } from "./bucket.ts";
import { isEstateName } from "./config.ts";
import type { Follower } from "./follow.ts";
import { estateNames } from "./names.ts";
import type { Peers } from "./peers.ts";
import { isPlateToken } from "./plate-token.ts";
import type { EstateBase } from "./ports.ts";
import type { ReadBook } from "./read-book.ts";
import { EstateTable } from "./tables/estate.ts";
import type { EstateReadRow } from "./tables/estate-read.ts";
import { decodeRead, isCount, isText, objectOf } from "./wire.ts";

/** What {@link ReadIntake} reports. */
export interface IntakeListener {
  /** A plate has to be forgotten; the order is in the table. */
  readonly toForget: () => void;
  /** The servers lack this hub's messages: all of them have to be sent again. Called inside a job. */
  readonly streamLost: () => void;
}

/** How long a job with its commit may block other work, and how many messages that allows. */
const TURN_MS = 3;
const FEWEST = 10;
const MOST = 250;
/**
 * How long a message may wait to share a commit with others: a visit is not urgent, and the gate has the disk to itself
 * meanwhile.
 */
const GATHER_MS = 250;
/** A read from further in the future is a mistake: it would sort after all later reads. */
const FUTURE_MS = 86_400_000;
/**
 * Servers of a cluster may number the same messages differently, by as many as they have lost: each start goes back by
 * this many.
 */
const OVERLAP = 500;
/** How often in a row the servers have to report the stream's length without any of it arriving. */
const STILL = 3;
/** Maximum difference between two times of one read: a clock is corrected separately each time. */
const TWIN_MS = 2_000;
const POSITION = "reads.position";
const CREATED = "reads.createdAt";

/**
 * Takes the estate's reads: a batch of messages is one write job, with the position after them in the same transaction.
 * So nothing is lost or counted twice, wherever the hub, the connection or the servers stop; a database restored from a
 * backup continues from its own position.
 */
export class ReadIntake implements Follower {
  readonly stream: string;
  readonly hub: string;
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #table: EstateTable;
  readonly #peers: Peers;
  readonly #listener: IntakeListener;
  #size = 50;
  #target = 0;
  #position = 0;
  /** Whether any message has come since the start. */
  #hasHeard = false;
  #isBegun = false;
  #caughtUp: (() => void)[] = [];
  #figures = { taken: 0, refused: 0 };
  #gathered: JsMsg[] = [];
  #timer: Timer | null = null;
  #isBroken = false;
  /** This hub's position when the servers last reported the stream's length, and how often in a row it was the same. */
  #still = { position: 0, times: 0 };

  constructor(base: EstateBase, book: ReadBook, peers: Peers, listener: IntakeListener) {
    this.#base = base;
    this.#book = book;
    this.#table = new EstateTable(base.database);
    this.#peers = peers;
    this.#listener = listener;
    this.stream = estateNames(base.config.estate).reads;
    this.hub = base.config.hub;
  }

  /** Messages taken and ignored since the start. */
  get figures(): { readonly taken: number; readonly refused: number } {
    return this.#figures;
  }

  /** Messages known to be in the stream but not taken yet; null before the servers have reported how many. */
  get behind(): number | null {
    return this.#isBegun ? Math.max(0, this.#target - this.#position) : null;
  }

  /**
   * Takes the stream's length as the servers report it: a server other than the one this hub is connected to may number
   * differently. The number of pending messages may include some that were replaced meanwhile and never come. So a few
   * that are long overdue do not count; tallies reveal what is missing.
   */
  noteEnd(seq: number): void {
    if (seq > this.#target + OVERLAP || seq < this.#target) this.#target = Math.max(seq, this.#position);
    const isStill = this.#still.position === this.#position;
    this.#still = { position: this.#position, times: isStill ? this.#still.times + 1 : 0 };
    if (this.#still.times >= STILL && this.#target <= this.#position + OVERLAP) this.#target = this.#position;
    if (this.behind === 0) for (const listener of this.#caughtUp.splice(0)) listener();
  }

  from(): number {
    return Math.max(0, this.#stored() - OVERLAP) + 1;
  }

  batchSize(): number {
    return this.#size;
  }

  async begun({ createdAt, lastSeq }: { readonly createdAt: string; readonly lastSeq: number }): Promise<void> {
    this.#gathered = []; // messages after the position come again
    this.#isBroken = false;
    const position = this.#stored();
    const known = this.#table.state(CREATED);
    this.#target = Math.max(lastSeq, position); // until the first message reveals it
    this.#position = this.from() - 1;
    this.#hasHeard = false;
    this.#still = { position: this.#position, times: 0 };
    if (known === createdAt && lastSeq >= position - OVERLAP) {
      this.#isBegun = true;
      return;
    }
    await this.#base.database.write(() => {
      this.#table.setState(CREATED, createdAt);
      if (known === null && position === 0) return;
      this.#table.setState(POSITION, "0");
      this.#listener.streamLost();
    });
    this.#position = 0;
    this.#isBegun = true;
    if (known !== null)
      this.#base.logger.warn(
        { known, createdAt },
        "the estate's stream was recreated or truncated; this hub sends its reads again",
      );
  }

  async caughtUp(): Promise<void> {
    if (!this.#hasHeard) this.#target = this.#position; // nothing is stored
    if (this.#caughtUp.length > 0) await this.#flush();
    for (const listener of this.#caughtUp.splice(0)) listener();
  }

  /** The session is over: what the servers reported about the stream is no longer valid. */
  ended(): void {
    this.#isBegun = false;
    this.#timer?.stop();
    this.#timer = null;
    this.#gathered = []; // they come again
    for (const listener of this.#caughtUp.splice(0)) listener();
  }

  /** Resolves when everything that was there has been taken, or the session is over. */
  whenCaughtUp(): Promise<void> {
    if (this.behind === 0) return Promise.resolve();
    return new Promise((resolve) => this.#caughtUp.push(resolve));
  }

  /**
   * Lets a few messages wait for others to share their commit with; nothing can be lost, since the position is before
   * them.
   */
  async take(messages: readonly JsMsg[]): Promise<void> {
    if (this.#isBroken) throw new Error("earlier messages could not be stored");
    this.#gathered.push(...messages);
    const last = messages.at(-1);
    this.#hasHeard = true;
    if (last !== undefined) this.#target = last.info.streamSequence + last.info.pending;
    if (this.#gathered.length >= this.#size || this.#caughtUp.length > 0) await this.#flush();
    else this.#timer ??= this.#base.clock.after(GATHER_MS, () => void this.#flush().catch(() => undefined)); // the next message finds it broken, and all come again
  }

  /** Resolves once everything gathered is committed; the disk confirms it while the next batch is under way. */
  #flush(): Promise<void> {
    this.#timer?.stop();
    this.#timer = null;
    const messages = this.#gathered.splice(0);
    const { database } = this.#base;
    if (messages.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const job = (): void => {
        const began = performance.now();
        const last = this.#takeAll(messages);
        database.committed(() => {
          this.#resize(messages.length, performance.now() - began);
          this.#position = last;
          this.#figures.taken += messages.length;
          resolve();
        });
      };
      database.write(job, messages.length < this.#size ? "prompt" : "large").catch((error: unknown) => {
        this.#book.abandon();
        this.#isBroken = true; // later messages must not move the position past these
        reject(error);
      });
    });
  }

  #resize(count: number, ms: number): void {
    const fits = Math.round((count * TURN_MS) / Math.max(ms, 0.1));
    this.#size = Math.min(MOST, Math.max(FEWEST, Math.min(fits, this.#size * 2)));
  }

  #takeAll(messages: readonly JsMsg[]): number {
    let last = 0;
    let hasOrder = false;
    for (const message of messages) {
      last = message.info.streamSequence;
      const [, , hub = "", what = "", token = "", uid = ""] = message.subject.split(".");
      if (!isEstateName(hub)) continue;
      if (hub !== this.hub) this.#peers.heard(hub, takenAt(message));
      if (what === "forget") hasOrder = this.#takeOrder(hub, message) || hasOrder;
      else if (message.data.length > 0) this.#takeRead(hub, { token, uid }, message); // an empty message replaces a forgotten read
    }
    this.#book.pair();
    this.#table.setState(POSITION, String(last));
    if (hasOrder) this.#base.database.committed(() => this.#listener.toForget());
    return last;
  }

  #stored(): number {
    return Number(this.#table.state(POSITION) ?? 0);
  }

  #takeRead(hub: string, { token, uid }: { readonly token: string; readonly uid: string }, message: JsMsg): void {
    const read = decodeRead(message.data);
    if (
      read === null ||
      String(read.uid) !== uid ||
      this.#base.tokenOf(read.plate) !== token ||
      Math.max(read.at, read.lastAt) > takenAt(message) + FUTURE_MS
    ) {
      this.#figures.refused += 1;
      return;
    }
    const standing = this.#book.reads.find(hub, read.uid);
    if (standing !== null && standing.version >= read.version) {
      if (hub === this.hub) this.#book.reads.markSent(hub, read.uid, read.version);
      return;
    }
    const forgotten = this.#table.forgotten(token);
    if (forgotten !== null && read.at <= forgotten.at) {
      if (standing !== null) this.#book.remove(standing);
      return;
    }
    const twin = standing === null && hub === this.hub ? this.#twinOf(token, read) : null;
    if (twin !== null) this.#book.remove(twin);
    const row: EstateReadRow = { ...read, hub, token, localId: (standing ?? twin)?.localId ?? null, sent: 1 };
    this.#book.put(row, standing);
  }

  /**
   * The backup this hub was restored from does not know the number under which it sent this read: it has assigned
   * another one, and has not sent that, since it listens first.
   */
  #twinOf(
    token: string,
    { kind, deviceId, at }: Pick<EstateReadRow, "kind" | "deviceId" | "at">,
  ): EstateReadRow | null {
    return this.#book.reads.unsentTwin({ hub: this.hub, token, kind, deviceId, at, within: TWIN_MS });
  }

  #takeOrder(hub: string, message: JsMsg): boolean {
    const order = objectOf(message.data);
    if (order === null || !isText(order.token, 32) || !isPlateToken(order.token) || !isCount(order.at)) {
      this.#figures.refused += 1;
      return false;
    }
    const { token } = order;
    const at = Math.min(order.at, takenAt(message)); // a future read cannot be forgotten in advance
    const standing = this.#table.forgotten(token);
    if (hub === this.hub && standing?.told === 0 && standing.at === order.at)
      this.#table.putForgotten({ ...standing, told: 1 });
    if (standing !== null && standing.at >= at) return false;
    this.#book.forget(token, at);
    this.#table.putForgotten({ token, at, told: 1, applied: 0, erased: 0 });
    return true;
  }
}
