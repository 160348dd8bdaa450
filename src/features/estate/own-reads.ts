import { PlateReadTable } from "../gate/tables/plate-read.ts";
import { VisitTable } from "../gate/tables/visit.ts";
import type { EstateBase } from "./ports.ts";
import type { ReadBook } from "./read-book.ts";
import { EstateTable } from "./tables/estate.ts";
import type { EstateReadRow } from "./tables/estate-read.ts";

/** Rows per job: a gate must not have to wait for them. */
const BATCH = 100;

/** This hub's own reads on their way into the estate: recorded changes become rows that have to be sent. */
export class OwnReads {
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #table: EstateTable;
  readonly #reads: PlateReadTable;
  readonly #visits: VisitTable;
  readonly #deviceName: (deviceId: string) => string;
  #publisher: { call(): void } | null = null;
  /** Numbers increase with time, so that none is used twice, even after an older database was restored. */
  #lastNumber = 0;
  #run: Promise<void> | null = null;
  #isDue = false;
  #isStopped = false;
  #hasEarlier = false;

  constructor(base: EstateBase, book: ReadBook, deviceName: (deviceId: string) => string) {
    this.#base = base;
    this.#book = book;
    this.#table = new EstateTable(base.database);
    this.#reads = new PlateReadTable(base.database);
    this.#visits = new VisitTable(base.database);
    this.#deviceName = deviceName;
  }

  /** Starts with the recorded changes; `publisher` sends what becomes of them. */
  start(publisher: { call(): void }): void {
    this.#publisher = publisher;
    this.#lastNumber = this.#book.reads.highest(this.#base.config.hub);
    this.collect();
  }

  /**
   * Takes over reads never recorded since `since`: those seen before this hub joined. None of them is sent before the
   * stream has been read to its end: a database from before then may belong to a hub that has already sent them all.
   */
  async takeEarlier(since: number): Promise<void> {
    const siteId = this.#base.siteId();
    if (siteId === null) return;
    try {
      if (!this.#hasEarlier) await this.#noteEarlier(siteId, since);
      this.#hasEarlier = true;
    } catch (error) {
      this.#base.logger.warn(
        { err: error },
        "earlier reads are not in the estate yet; the next connection tries again",
      );
    }
    this.collect();
    await this.#run;
  }

  async #noteEarlier(siteId: number, since: number): Promise<void> {
    const earlier = ([0, 1] as const).flatMap((kind) =>
      this.#book.reads.unnoted(kind, siteId, since).map((id) => [kind, id] as const),
    );
    for (let from = 0; from < earlier.length; from += BATCH)
      await this.#base.database.write(() => {
        for (const [kind, id] of earlier.slice(from, from + BATCH)) this.#table.note(kind, id);
      });
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#run ?? Promise.resolve();
  }

  /**
   * A number that this hub has never used, above another one: this hub's clock may have been ahead when that was
   * assigned.
   */
  nextNumber(above = 0): number {
    this.#lastNumber = Math.max(this.#lastNumber + 1, above + 1, this.#base.clock.now());
    return this.#lastNumber;
  }

  /** Takes over what is noted, soon. */
  collect(): void {
    this.#isDue = true;
    this.#run ??= this.#collectAll().finally(() => {
      this.#run = null;
    });
  }

  async #collectAll(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false;
      try {
        while ((await this.#base.database.write(() => this.#collectSome(), "patient")) > 0 && !this.#isStopped);
      } catch (error) {
        this.#book.abandon();
        this.#base.logger.warn(
          { err: error },
          "reads for the estate could not be taken over; the next change tries again",
        );
      }
    }
  }

  #collectSome(): number {
    const siteId = this.#base.siteId();
    if (siteId === null) return 0;
    const passes = this.#table.noted(0, BATCH);
    for (const id of passes) {
      this.#takePass(siteId, id);
      this.#table.unnote(0, id);
    }
    const closures = this.#table.noted(1, BATCH);
    for (const id of closures) {
      this.#takeClosure(siteId, id);
      this.#table.unnote(1, id);
    }
    this.#book.pair();
    const count = passes.length + closures.length;
    if (count > 0) this.#base.database.committed(() => this.#publisher?.call());
    return count;
  }

  #takePass(siteId: number, id: number): void {
    const row = this.#reads.find(siteId, id);
    if (row === null || row.plate === null || row.formatted === null) return;
    const { plate, formatted, direction, decision, confidence } = row;
    this.#take(0, id, {
      plate,
      formatted,
      deviceId: row.deviceId,
      camera: this.#deviceName(row.deviceId).slice(0, 80),
      direction,
      opensVisit: row.opensVisit,
      decision,
      confidence,
      label: row.label ?? "",
      at: row.at,
      lastAt: row.lastAt,
    });
  }

  #takeClosure(siteId: number, id: number): void {
    const row = this.#visits.closure(siteId, id);
    if (row === null) return;
    const { plate, at } = row;
    const nothing = {
      deviceId: "",
      camera: "",
      direction: null,
      opensVisit: 0,
      decision: "unknown",
      confidence: 0,
      label: "",
    } as const;
    this.#take(1, id, { plate, formatted: plate, ...nothing, at, lastAt: at });
  }

  #take(
    kind: 0 | 1,
    localId: number,
    seen: Omit<EstateReadRow, "hub" | "uid" | "version" | "kind" | "part" | "token" | "localId" | "sent">,
  ): void {
    const { config, tokenOf } = this.#base;
    const standing = this.#book.reads.own(kind, localId);
    const token = tokenOf(seen.plate);
    const off = this.#base.clockOffMs();
    const at = seen.at - off;
    const forgotten = this.#table.forgotten(token);
    if (forgotten !== null && at <= forgotten.at) {
      if (standing !== null) this.#book.remove(standing);
      return;
    }
    const version = this.nextNumber(standing?.version);
    const uid = standing?.uid ?? version;
    const row: EstateReadRow = {
      ...seen,
      hub: config.hub,
      uid,
      version,
      kind,
      part: standing?.part ?? config.part,
      token,
      at,
      lastAt: seen.lastAt - off,
      localId,
      sent: 0,
    };
    this.#book.put(row, standing);
  }
}
