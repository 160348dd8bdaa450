/**
 * This hub's place in an estate: several hubs that share plate rules, reads and visits through NATS JetStream
 * (docs/decisions/0011-estate.md). In: recorded changes of this hub's own reads and rules, and messages of the others.
 * Out: this hub's copy of the rules, from which the gate decides, and the reads and visits of all gates. The gate never
 * waits for it, and without an estate none of it is loaded.
 */
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Database } from "../../core/storage/database.ts";
import { type EstateConfig, isEstateName } from "./config.ts";
import { Entries } from "./entries.ts";
import { EstateView } from "./estate-view.ts";
import { follow } from "./follow.ts";
import { Forgetting } from "./forgetting.ts";
import { OpenRequests } from "./open-requests.ts";
import { OwnReads } from "./own-reads.ts";
import { Peers } from "./peers.ts";
import { plateTokens } from "./plate-token.ts";
import type { EstateBase, EstatePorts } from "./ports.ts";
import { ReadBook } from "./read-book.ts";
import { ReadIntake } from "./read-intake.ts";
import { ReadPublisher } from "./read-publisher.ts";
import { RuleCheck } from "./rule-check.ts";
import { keepSessions, pause, type Session } from "./session.ts";
import { SharedRules } from "./shared-rules.ts";
import { EstateTable } from "./tables/estate.ts";
import { Tallies } from "./tallies.ts";
import type { EstateHealth } from "./views.ts";

const DAY_MS = 86_400_000;
/** Days for which the estate's reads are kept, until the servers have answered. */
const KEEP_DAYS = 90;
const KEEP = "keepMs";
const PLACE = "place";
const SWEEP_MS = 3_600_000;
const SWEEP_ROWS = 500;
/** Without an owner the hub has nothing to share. */
const OWNERLESS_MS = 250;
/** A clock that differs by less is not corrected: a car takes longer from one gate to the next. */
const TOLERATED_MS = 1_000;
const ASK_MS = 5_000;
/** At most this many messages are on their way through this hub at any time. */
const NEARLY = 500;
/** Unanswered questions in a row after which a server is left. */
const MOST_SILENT = 3;

/** The estate from one hub's point of view. */
export class Estate implements Service {
  readonly name = "estate";
  readonly rules: SharedRules;
  /** The view of all gates. */
  readonly view: EstateView;
  readonly #options: ConstructorParameters<typeof Estate>[0];
  readonly #base: EstateBase;
  readonly #table: EstateTable;
  readonly #book: ReadBook;
  readonly #own: OwnReads;
  readonly #intake: ReadIntake;
  readonly #entries: Entries;
  readonly #ruleCheck: RuleCheck;
  readonly #forgetting: Forgetting;
  readonly #publisher: ReadPublisher;
  readonly #tallies: Tallies;
  readonly #peers: Peers;
  readonly #openings: OpenRequests;
  readonly #ended = new AbortController();
  #running: Promise<void> | null = null;
  #sweeps: { stop(): void } | null = null;
  #session: Session | null = null;
  #state: { readonly since: number | null; readonly error: string | null } = { since: null, error: null };
  #currentAt: number | null = null;

  constructor(
    options: Pick<EstateBase, "bus" | "siteId" | "recordFeed"> &
      EstatePorts & {
        readonly config: EstateConfig;
        readonly database: Database;
        readonly clock: Clock;
        readonly logger: Logger;
        readonly random: () => number;
      },
  ) {
    const { config, database, bus, clock, logger, siteId, recordFeed, deviceName } = options;
    this.#options = options;
    const table = new EstateTable(database);
    const clockOffMs = (): number => {
      const off = Number(table.state("clockOff") ?? 0);
      return Math.abs(off) < TOLERATED_MS ? 0 : off;
    };
    const base: EstateBase = {
      config,
      database,
      bus,
      clock,
      logger,
      siteId,
      tokenOf: plateTokens(config.plateKey),
      recordFeed,
      clockOffMs,
    };
    this.#base = base;
    this.#table = table;
    this.#book = new ReadBook(database);
    this.#own = new OwnReads(base, this.#book, deviceName);
    this.#peers = new Peers(base, {
      card: () => ({
        name: config.name,
        part: config.part,
        role: config.role,
        version: options.version,
        gates: options.gates() ?? [],
      }),
      pulse: () => ({
        waiting: this.#waiting(),
        behind: this.#behind(),
        clockOffMs: this.#peers.clockOffMs,
        tallies: this.#tallies.own(),
        lacks: this.#tallies.lacks(),
        rules: this.#ruleCheck.own(),
      }),
      counted: (hub, counted) => {
        this.#tallies.heard(hub, counted);
        this.#ruleCheck.heard(hub, counted.rules);
      },
    });
    this.#intake = new ReadIntake(base, this.#book, this.#peers, {
      toForget: () => this.#forget(),
      streamLost: () => {
        this.#book.reads.markUnsent(config.hub, clock.now() - this.#keepMs());
        database.committed(() => this.#publisher.beginAgain());
      },
    });
    this.#entries = new Entries(base, { ready: () => this.#entriesReady(), deviceName });
    this.rules = new SharedRules(base, this.#entries);
    this.#ruleCheck = new RuleCheck(base, this.#entries);
    this.#forgetting = new Forgetting(base, this.#book, this.#own, options.forgetHere);
    this.#publisher = new ReadPublisher(base, this.#book, this.#forgetting, () => this.#intake.behind === 0);
    this.#tallies = new Tallies(base, this.#book, this.#publisher, {
      keepMs: () => this.#keepMs(),
      isNearlyCurrent: () => (this.#intake.behind ?? Number.POSITIVE_INFINITY) < NEARLY,
    });
    this.view = new EstateView(base, { book: this.#book, entries: this.#entries, peers: this.#peers });
    this.#openings = new OpenRequests(base, {
      ...options,
      roleOf: (hub) => this.#peers.list().find((peer) => peer.hub === hub)?.role ?? null,
    });
  }

  async start(): Promise<void> {
    if (this.#base.database.isFallback) return; // nothing announced now would be kept
    // the storage refuses writes: nothing received could be kept either
    if (!(await this.#forgetOtherEstate())) return;
    this.#peers.load();
    this.#currentAt = Number(this.#table.state("currentAt") ?? 0) || null;
    this.#sweeps = this.#base.clock.every(SWEEP_MS, () => void this.sweep());
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#sweeps?.stop();
    this.#ended.abort();
    await Promise.all([this.#running, this.#own.stop()]);
  }

  /** A person at this hub has a plate forgotten. Called inside the job that deletes what this hub itself has. */
  forgotten(plate: string): void {
    const { database, clock, clockOffMs } = this.#base;
    this.#forgetting.order(plate, clock.now() - clockOffMs());
    database.committed(() => this.#publisher.call());
  }

  health(): EstateHealth {
    const { estate, hub, name, part, role, servers } = this.#base.config;
    const connected = this.#session !== null;
    return {
      estate,
      hub,
      name,
      part,
      role,
      connected,
      since: this.#state.since,
      currentAt: connected && this.#behind() === 0 ? this.#base.clock.now() : this.#currentAt,
      waiting: this.#waiting(),
      behind: connected ? this.#behind() : null,
      clockOffMs: this.#peers.clockOffMs,
      error: this.#state.error,
      refusal: this.#publisher.refusal ?? this.rules.refusal,
      servers,
    };
  }

  /**
   * Names a part of the site and its capacity in vehicles; null: its occupancy is not managed.
   * @throws Problem invalid_body, estate_unreachable, conflict
   */
  async setPart(
    part: string,
    { name, capacity }: { readonly name: string; readonly capacity: number | null },
  ): Promise<void> {
    if (!isEstateName(part) || name.trim() === "" || name.length > 80)
      throw new Problem("invalid_body", { code: "refusal.estate.partName" });
    if (capacity !== null && (!Number.isSafeInteger(capacity) || capacity < 0 || capacity > 1_000_000))
      throw new Problem("invalid_body", { code: "refusal.estate.capacity" });
    await this.rules.setPart({ part, name: name.trim(), capacity });
  }

  /** Has another hub's gate opened. @throws Problem estate_unreachable, forbidden, device_not_found, conflict */
  openGate(hub: string, deviceId: string, why: { readonly actor: string; readonly reason: string }): Promise<void> {
    return this.#openings.open(hub, deviceId, why);
  }

  /** Deletes what is older than the estate keeps it. Returns how many reads. */
  async sweep(): Promise<number> {
    const before = this.#base.clock.certain() - this.#keepMs();
    let gone = 0;
    for (let count = 1; count > 0; gone += count)
      count =
        (await this.#base.database.writeIfPossible(() => {
          this.#book.visits.purge(before, SWEEP_ROWS);
          this.#table.purgeForgotten(before);
          this.#table.purgeGoneEntries(before);
          return this.#book.reads.purge(before, SWEEP_ROWS);
        })) ?? 0;
    return gone;
  }

  async #run(): Promise<void> {
    const { database, clock, logger } = this.#base;
    const siteOfOwner = await this.#whenOwned();
    if (siteOfOwner === null) return;
    this.#table.watch(
      siteOfOwner,
      () => !this.#entries.isApplying,
      () =>
        database.committed(() => {
          this.#own.collect();
          void this.rules.offer();
        }),
    );
    this.#own.start(this.#publisher);
    this.#forget();
    const { config, random } = this.#options;
    const changed = (error: string | null): void => {
      if (this.#state.since === null || (this.#state.error === null) !== (error === null)) {
        this.#state = { since: clock.now(), error };
        if (error === null) logger.info({ estate: config.estate }, "joined to the estate");
        else logger.warn({ reason: error }, "disconnected from the estate; the gate continues with local data");
      } else this.#state = { ...this.#state, error };
    };
    await keepSessions(
      { config, clock, logger, random, work: (session) => this.#work(session), changed },
      this.#ended.signal,
    );
  }

  /** Forgets what was received in another estate, or under another name. */
  async #forgetOtherEstate(): Promise<boolean> {
    const { estate, hub } = this.#base.config;
    const place = `${estate} ${hub}`;
    if (this.#table.state(PLACE) === place) return true;
    const isDone = await this.#base.database.writeIfPossible(() => {
      this.#table.clear();
      this.#table.setState(PLACE, place);
      return true;
    });
    return isDone === true;
  }

  /** This hub's household; null if the hub stops before it has one. */
  async #whenOwned(): Promise<number | null> {
    const { clock, siteId } = this.#base;
    while (!this.#ended.signal.aborted) {
      const id = siteId();
      if (id !== null) return id;
      await pause(clock, OWNERLESS_MS, this.#ended.signal);
    }
    return null;
  }

  async #work(session: Session): Promise<void> {
    const { logger, database } = this.#base;
    this.#session = session;
    this.#openings.begin(session);
    try {
      await this.#peers.tellCard(session).catch((error: unknown) => {
        // repeated with the first heartbeat; but an edit records when it was made
        if (!this.#peers.knowsClock) throw error;
      });
      await this.#learnKeepTime(session);
      // before reads are received: reads that this hub sent before it was restored from a backup are recognised later
      const earlier = this.#own.takeEarlier(this.#base.clock.now() - this.#keepMs());
      await Promise.all([
        earlier.then(() => follow(session, this.#intake, logger)),
        follow(session, this.#entries, logger),
        follow(session, this.#peers, logger),
        this.#peers.run(session),
        this.#intake.whenCaughtUp().then(() => this.#publisher.run(session)),
        this.rules.keepOffering(session),
        this.#keepAsking(session),
        session.connection.closed().then(() => this.#ending()),
      ]);
    } finally {
      this.#ending();
      const currentAt = this.#currentAt;
      this.#session = null;
      this.rules.end();
      this.#ruleCheck.end();
      this.#openings.end();
      // the hub may be stopping
      await database.writeIfPossible(() => this.#table.setState("currentAt", String(currentAt ?? 0))).catch(() => null);
    }
  }

  /** The session is over: from here on, this hub's knowledge ages. */
  #ending(): void {
    if (this.#intake.behind === 0) this.#currentAt = this.#base.clock.now();
    this.#intake.ended();
  }

  /** The estate keeps its reads for as long as the stream does. */
  async #learnKeepTime(session: Session): Promise<void> {
    const { config } = await session.manager.streams.info(this.#intake.stream);
    const keepMs = Math.floor(config.max_age / 1e6);
    if (keepMs > 0) await this.#base.database.write(() => this.#table.setState(KEEP, String(keepMs)));
  }

  #keepMs(): number {
    return Number(this.#table.state(KEEP) ?? KEEP_DAYS * DAY_MS);
  }

  #entriesReady(): void {
    if (this.#session === null) return;
    this.rules.begin(this.#session);
    this.#ruleCheck.begin(this.#session);
    void this.rules.offer();
  }

  /** Polls the stream's length; a server that can no longer report it is replaced by another. */
  async #keepAsking(session: Session): Promise<void> {
    for (let silent = 0; !session.isOver(); ) {
      await session.pause(ASK_MS);
      if (session.isOver()) return;
      try {
        this.#intake.noteEnd((await session.manager.streams.info(this.#intake.stream)).state.last_seq);
        silent = 0;
      } catch {
        silent += 1;
      }
      if (silent >= MOST_SILENT) await session.connection.close();
    }
  }

  #forget(): void {
    this.#forgetting
      .apply()
      .then(() => this.#publisher.call())
      .catch((error: unknown) =>
        this.#base.logger.warn({ err: error }, "a plate could not be forgotten here yet; the next start tries again"),
      );
  }

  /** Messages to be taken, and ranges of reads in which others differ; null while that is unknown. */
  #behind(): number | null {
    const { behind } = this.#intake;
    return behind === null ? null : behind + this.#tallies.lacks().length;
  }

  #waiting(): number {
    return this.#book.reads.countUnsent() + this.#table.countNoted();
  }
}
