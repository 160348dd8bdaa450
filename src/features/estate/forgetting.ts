import { PlateRuleTable } from "../gate/tables/plate-rule.ts";
import { VehicleTable } from "../gate/tables/vehicle.ts";
import { Backoff } from "./backoff.ts";
import { estateNames, hubSubjects } from "./names.ts";
import type { OwnReads } from "./own-reads.ts";
import type { EstateBase, EstatePorts } from "./ports.ts";
import type { ReadBook } from "./read-book.ts";
import type { Session } from "./session.ts";
import { EstateTable } from "./tables/estate.ts";

/** Most plates searched for those that an order means. */
const MOST_PLATES = 200_000;
/** An order that has not come back from the stream is sent again. */
const BACKOFF = { firstMs: 15_000, most: 20_000 };

/**
 * Plates to be forgotten everywhere. An order names a plate only by its hash; each hub deletes its data and erases its
 * own messages from the stream, and only then sends anything else.
 */
export class Forgetting {
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #table: EstateTable;
  readonly #vehicles: VehicleTable;
  readonly #rules: PlateRuleTable;
  readonly #forgetHere: EstatePorts["forgetHere"];
  readonly #own: OwnReads;
  /** For orders that have not come back yet. */
  readonly #backoff: Backoff<string>;
  #applying: Promise<void> | null = null;

  constructor(base: EstateBase, book: ReadBook, own: OwnReads, forgetHere: EstatePorts["forgetHere"]) {
    this.#base = base;
    this.#book = book;
    this.#table = new EstateTable(base.database);
    this.#vehicles = new VehicleTable(base.database);
    this.#rules = new PlateRuleTable(base);
    this.#forgetHere = forgetHere;
    this.#own = own;
    this.#backoff = new Backoff(base.clock, BACKOFF);
  }

  /** A person at this hub has a plate forgotten. Called inside the job that deletes what this hub itself has. */
  order(plate: string, at: number): void {
    const token = this.#base.tokenOf(plate);
    this.#book.forget(token, at);
    this.#book.pair();
    this.#table.putForgotten({ token, at, told: 0, applied: 1, erased: 0 });
  }

  /** Deletes this hub's own reads of plates that others have forgotten. */
  apply(): Promise<void> {
    this.#applying ??= this.#applyAll().finally(() => {
      this.#applying = null;
    });
    return this.#applying;
  }

  /**
   * Notifies the other hubs, and erases this hub's messages from the stream. Returns whether anything has to be sent
   * again.
   * @throws when the servers do not answer
   */
  async tell(session: Session): Promise<boolean> {
    const { config, database } = this.#base;
    const subjects = hubSubjects(config.estate, config.hub);
    let isAnythingLeft = false;
    for (const row of this.#table.forgetting()) {
      const { token, at } = row;
      // counts as delivered once it came back from the stream: servers may lose what they confirmed
      if (row.told === 0 && this.#backoff.isDue(`${token} ${at}`)) {
        await session.stream.publish(subjects.forget, JSON.stringify({ token, at }));
        this.#backoff.tried(`${token} ${at}`);
      }
      if (row.erased === 1) continue;
      await this.#erase(session, subjects.read(token, "*"));
      await database.write(() => {
        const latest = this.#table.forgotten(token);
        if (latest === null || latest.at !== at) return; // there is a newer order
        this.#table.putForgotten({ ...latest, erased: 1 });
        isAnythingLeft = this.#sendAgain(token) || isAnythingLeft;
      });
    }
    return isAnythingLeft;
  }

  /**
   * Replaces each of this hub's reads by an empty message; the servers' other means (roll-up, purge) would let a hub
   * erase those of others.
   */
  async #erase({ manager, stream }: Session, filter: string): Promise<void> {
    const { state } = await manager.streams.info(estateNames(this.#base.config.estate).reads, {
      subjects_filter: filter,
    });
    for (const subject of Object.keys(state.subjects ?? {})) await stream.publish(subject, "");
  }

  /** Reads after the order were erased with the rest: they are sent as new versions, since others know the old ones. */
  #sendAgain(token: string): boolean {
    const rows = this.#book.reads.ownOf(this.#base.config.hub, token);
    for (const row of rows) this.#book.reads.put({ ...row, version: this.#own.nextNumber(row.version), sent: 0 });
    return rows.length > 0;
  }

  async #applyAll(): Promise<void> {
    const siteId = this.#base.siteId();
    if (siteId === null) return;
    for (let open = this.#open(); open.length > 0; open = this.#open()) {
      const plates = this.#platesOf(siteId, new Set(open.map(({ token }) => token)));
      for (const order of open) {
        const plate = plates.get(order.token);
        if (plate !== undefined) await this.#forgetHere(siteId, plate, "estate");
        await this.#base.database.write(() => {
          const latest = this.#table.forgotten(order.token);
          if (latest?.at === order.at) this.#table.putForgotten({ ...latest, applied: 1 });
        });
      }
    }
  }

  #open() {
    return this.#table.forgetting().filter(({ applied }) => applied === 0);
  }

  #platesOf(siteId: number, tokens: ReadonlySet<string>): Map<string, string> {
    const plates = [...this.#vehicles.list(siteId, 0, MOST_PLATES, null), ...this.#rules.list(siteId)].map(
      ({ plate }) => plate,
    );
    const found = plates.map((plate) => [this.#base.tokenOf(plate), plate] as const);
    return new Map(found.filter(([token]) => tokens.has(token)));
  }
}
