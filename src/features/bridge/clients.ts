/**
 * The credentials under which devices of other makes connect: which are accepted, waiting or refused, and for how long
 * unknown ones may try. In: logins from the broker, decisions of the owner. Out: whether and as what a client is
 * accepted. Must never know: MQTT packets, topics, or the messages of any firmware.
 */
import { shareOf } from "../../core/kernel/admission.ts";
import type { Clock, Timer } from "../../core/kernel/clock.ts";
import { randomBase62 } from "../../core/kernel/ids.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import { type BridgeClient, shown } from "./client.ts";
import { ClientPasswords } from "./client-password.ts";
import { type BridgeClientRow, BridgeClientTable } from "./tables/bridge-client.ts";

/** A connection that asks for admission. */
export interface ClientLogin {
  readonly username: string;
  readonly password: string;
  /** Null if the client gave none. */
  readonly mqttClientId: string | null;
  readonly address: string;
}

/** Names of families; the first is what the client is. */
export type Families = readonly [string, ...string[]];

/** A credential to be created. */
export interface NewClient {
  readonly name: string;
  readonly families: Families;
  /** Derived from the family when absent. */
  readonly username?: string | undefined;
  /** Random when absent. */
  readonly password?: string | undefined;
}

const MOST_WAITING = 50;
const USERNAME = /^[\x21-\x7e][\x20-\x7e]{0,99}$/;
const PASSWORD_LENGTH = 24;

/** Writes in the job of an act what belongs to it. */
type Beside = (client: BridgeClient) => void;

/** All clients that may connect besides the native devices. */
export class BridgeClients {
  readonly name = "bridge-clients";
  readonly #options: ConstructorParameters<typeof BridgeClients>[0];
  readonly #table: BridgeClientTable;
  readonly #passwords = new ClientPasswords();
  /** User names of waiting clients under which others came with other passwords: their owner cannot be determined. */
  readonly #contested = new Set<string>();
  readonly #rows = new Map<string, BridgeClientRow>();
  #window: { readonly untilMono: number; readonly until: number; readonly timer: Timer } | null = null;
  #lastId = 0;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly maxClients: () => number;
    /** Whether the person who accepted or made a client is still an owner. */
    readonly issuerStands: (clientId: number) => boolean;
    /**
     * `accepted`: it may do what its families may, and its connections have to start over. `renewed`: its password has
     * changed. `cut`: it has no rights now, and all its state is removed: it was refused, or was waiting when the window
     * closed. `forgotten`: the same, and it no longer exists.
     */
    readonly changed: (client: BridgeClient, what: "accepted" | "renewed" | "cut" | "forgotten") => void;
  }) {
    this.#options = options;
    this.#table = new BridgeClientTable(options.database);
  }

  async start(): Promise<void> {
    this.#lastId = this.#table.lastId();
    for (const row of this.#table.all()) this.#rows.set(row.username, row);
  }

  async stop(): Promise<void> {
    this.#window?.timer.stop();
    this.#window = null;
  }

  /** When the pairing window closes, epoch ms; null while it is closed. */
  get pairingUntil(): number | null {
    return this.#isOpen ? (this.#window?.until ?? null) : null;
  }

  /** Lets unknown clients in for some minutes; an open window starts its time again. */
  openPairing(minutes: number): void {
    const { clock } = this.#options;
    this.#window?.timer.stop();
    const forMs = minutes * 60_000;
    this.#window = {
      untilMono: clock.mono() + forMs,
      until: clock.now() + forMs,
      timer: clock.after(forMs, () => this.closePairing()),
    };
  }

  /** Stops accepting new clients: waiting clients are disconnected, and can still be accepted. */
  closePairing(): void {
    if (this.#window === null) return;
    this.#window.timer.stop();
    this.#window = null;
    for (const row of this.#rows.values()) if (row.status === "pending") this.#options.changed(shown(row), "cut");
  }

  /** Why a client is refused, as a code that is counted; null if it is admitted. */
  refusal(login: ClientLogin): string | null {
    const row = this.#rows.get(login.username);
    if (row === undefined) return this.#knock(login);
    if (row.status === "refused") return "refused_client";
    if (row.status === "accepted" && !this.#options.issuerStands(row.id)) return "refused_client";
    if (row.status === "pending" && !this.#isOpen) return "waiting_client";
    if (!this.#passwords.matches(login.password, row.passwordHash)) {
      if (row.status === "pending") this.#contested.add(row.username);
      return "wrong_credential";
    }
    const now = this.#options.clock.now();
    this.#seen({
      ...row,
      mqttClientId: login.mqttClientId,
      address: login.address,
      firstSeen: row.firstSeen ?? now,
      lastSeen: now,
    });
    return null;
  }

  /** A client's connection has ended. */
  left(username: string): void {
    const row = this.#rows.get(username);
    if (row !== undefined) this.#seen({ ...row, lastSeen: this.#options.clock.now() });
  }

  /** A client by its user name; null when there is none. */
  find(username: string): BridgeClient | null {
    const row = this.#rows.get(username);
    return row === undefined ? null : shown(row);
  }

  /** The user name of a client by id; null when there is none. */
  usernameOf(id: number): string | null {
    for (const row of this.#rows.values()) if (row.id === id) return row.username;
    return null;
  }

  /** A client by id. @throws Problem `not_found`. */
  get(id: number): BridgeClient {
    return shown(this.#row(id));
  }

  /** All of them; waiting ones first, then by name. */
  list(): BridgeClient[] {
    const rank = { pending: 0, accepted: 1, refused: 2 } as const;
    return [...this.#rows.values()]
      .map(shown)
      .sort((a, b) => rank[a.status] - rank[b.status] || a.name.localeCompare(b.name));
  }

  /**
   * Creates a credential that works at once. The password is returned only this once. @throws Problem `limit_reached`
   */
  async create(input: {
    readonly family: string;
    readonly name: string;
  }): Promise<{ client: BridgeClient; password: string }> {
    return this.#options.database.write(() => this.insert({ name: input.name, families: [input.family] }));
  }

  /**
   * Like {@link create}, inside a job, also for several families and with a given user name and password.
   * @throws Problem `limit_reached`, `conflict`, `invalid_body`
   */
  insert(input: NewClient): { client: BridgeClient; password: string } {
    const [family, ...others] = input.families;
    const { username = `${family}-${randomBase62(6).toLowerCase()}`, password = randomBase62(PASSWORD_LENGTH) } = input;
    if (!USERNAME.test(username)) throw new Problem("invalid_body", { code: "refusal.bridge.userName", username });
    const rows = this.#table.all();
    if (rows.some((row) => row.username === username))
      throw new Problem("conflict", { code: "conflict.userNameTaken", username });
    this.#refuseFull(rows.length);
    const row: BridgeClientRow = {
      ...this.#blank(username, password),
      name: input.name,
      family,
      families: others.join(" "),
      status: "accepted",
      origin: "made",
    };
    this.#write(row, "accepted");
    return { client: shown(row), password };
  }

  /**
   * Inside a job: accepts a client under a name for these families, with another password if one is given. Returns
   * whether that changed anything.
   * @throws Problem `not_found`
   */
  update(
    id: number,
    to: { readonly name: string; readonly families: Families; readonly password?: string | undefined },
  ): boolean {
    const row = this.#stored(id);
    const [family, ...others] = to.families;
    const { password } = to;
    const isNewPassword = password !== undefined && !this.#passwords.matches(password, row.passwordHash);
    const next = { ...row, status: "accepted" as const, name: to.name, family, families: others.join(" ") };
    const isSame =
      next.name === row.name &&
      next.family === row.family &&
      next.families === row.families &&
      row.status === "accepted";
    if (isSame && !isNewPassword) return false;
    this.#write(
      isNewPassword ? { ...next, passwordHash: this.#passwords.hash(password) } : next,
      isSame ? "renewed" : "accepted",
    );
    return true;
  }

  /** Gives a client a new password; its connections end. @throws Problem `not_found`. */
  async renewPassword(id: number, beside?: Beside): Promise<{ client: BridgeClient; password: string }> {
    const password = randomBase62(PASSWORD_LENGTH);
    const renewed = (row: BridgeClientRow): BridgeClientRow => {
      if (row.status !== "accepted") throw new Problem("conflict", { code: "conflict.clientNotAccepted" });
      return { ...row, passwordHash: this.#passwords.hash(password) };
    };
    const client = await this.#change(id, "renewed", renewed, beside);
    return { client, password };
  }

  /**
   * Accepts a client, or an accepted one for other families. The first family is its own make.
   * @throws Problem `not_found`; `conflict` for one that waits while others connect under its name with other
   * passwords:
   *   the first to come need not be the household's
   */
  async accept(
    id: number,
    as: { readonly name?: string; readonly families: Families },
    beside?: Beside,
  ): Promise<BridgeClient> {
    const [family, ...others] = as.families;
    const families = others.join(" ");
    const accepted = (row: BridgeClientRow): BridgeClientRow => {
      if (row.status === "pending" && this.#contested.has(row.username))
        throw new Problem("conflict", { code: "conflict.clientContested", name: row.username });
      return { ...row, status: "accepted", name: as.name ?? row.name, family, families };
    };
    return this.#change(id, "accepted", accepted, beside);
  }

  /** Refuses a client and ends its connections. @throws Problem `not_found`. */
  async refuse(id: number, beside?: Beside): Promise<BridgeClient> {
    return this.#change(id, "cut", (row) => ({ ...row, status: "refused" }), beside);
  }

  /** As {@link refuse}, inside a job. @throws Problem `not_found` */
  cutOff(id: number): void {
    this.#write({ ...this.#stored(id), status: "refused" }, "cut");
  }

  /** Forgets a client and ends its connections. @throws Problem `not_found`. */
  async remove(id: number, beside: Beside = () => {}): Promise<BridgeClient> {
    const { database, changed } = this.#options;
    return database.write(() => {
      const row = this.#stored(id);
      this.#table.remove(id);
      beside(shown(row));
      database.committed(() => {
        this.#rows.delete(row.username);
        this.#contested.delete(row.username);
        changed(shown(row), "forgotten");
      });
      return shown(row);
    });
  }

  /** Notes a family that a waiting client has shown. That does not change what it may do. */
  showed(id: number, family: string): void {
    const row = [...this.#rows.values()].find((candidate) => candidate.id === id);
    if (row?.status !== "pending" || shown(row).families.includes(family)) return;
    const next = row.family === null ? { ...row, family } : { ...row, families: `${row.families} ${family}`.trim() };
    this.#save(next, () => this.#table.showed(next));
  }

  /** An unknown client: it waits for the owner while the window is open. */
  #knock(login: ClientLogin): string | null {
    if (!this.#isOpen) return "unknown_client";
    if (!USERNAME.test(login.username)) return "unusable_username";
    if (this.#rows.size >= this.#options.maxClients() || !this.#hasPlace(login.address)) return "too_many_clients";
    const now = this.#options.clock.now();
    const row = this.#blank(login.username, login.password);
    const seen = { mqttClientId: login.mqttClientId, address: login.address, firstSeen: now, lastSeen: now };
    this.#save({ ...row, ...seen }, () => this.#table.put({ ...row, ...seen }));
    return null;
  }

  /**
   * Whether one more may wait. If all places are taken, the address with most loses one: no address can keep the others
   * out by using many names.
   */
  #hasPlace(address: string): boolean {
    const waiting = [...this.#rows.values()].filter(({ status }) => status === "pending");
    if (waiting.length < MOST_WAITING) return true;
    const of = (from: string | null): BridgeClientRow[] =>
      waiting.filter((row) => shareOf(row.address ?? "") === shareOf(from ?? ""));
    const most = waiting
      .map((row) => of(row.address))
      .reduce((one, other) => (other.length > one.length ? other : one), []);
    const [oldest] = most;
    if (oldest === undefined || most.length <= of(address).length + 1) return false;
    this.#rows.delete(oldest.username);
    this.#contested.delete(oldest.username);
    this.#options.database
      .write(() => this.#table.remove(oldest.id))
      .catch((error: unknown) =>
        this.#options.logger.warn({ username: oldest.username, err: error }, "a bridge client could not be forgotten"),
      );
    this.#options.changed(shown(oldest), "forgotten");
    return true;
  }

  #blank(username: string, password: string): BridgeClientRow {
    this.#lastId += 1;
    const unseen = { mqttClientId: null, address: null, firstSeen: null, lastSeen: null };
    const passwordHash = this.#passwords.hash(password);
    return {
      id: this.#lastId,
      username,
      passwordHash,
      name: username,
      family: null,
      families: "",
      status: "pending",
      origin: "paired",
      ...unseen,
    };
  }

  #row(id: number): BridgeClientRow {
    for (const row of this.#rows.values()) if (row.id === id) return row;
    throw noSuchClient();
  }

  /** Inside a job: the row as earlier jobs of the same group have left it. A waiting one may have none yet. */
  #stored(id: number): BridgeClientRow {
    const row = this.#table.find(id);
    if (row !== null) return row; // one that was made in the same group has not reached memory yet
    const known = this.#row(id);
    if (known.status !== "pending") throw noSuchClient();
    return known;
  }

  async #change(
    id: number,
    what: "accepted" | "renewed" | "cut",
    change: (row: BridgeClientRow) => BridgeClientRow,
    beside: Beside = () => {},
  ): Promise<BridgeClient> {
    return this.#options.database.write(() => {
      const row = change(this.#stored(id));
      this.#write(row, what);
      beside(shown(row));
      return shown(row);
    });
  }

  #refuseFull(count: number): void {
    const most = this.#options.maxClients();
    if (count >= most) throw new Problem("limit_reached", { code: "refusal.most.clients", limit: most });
  }

  get #isOpen(): boolean {
    return this.#window !== null && this.#options.clock.mono() < this.#window.untilMono;
  }

  /** Inside a job. */
  #write(row: BridgeClientRow, what: "accepted" | "renewed" | "cut"): void {
    this.#table.put(row);
    this.#options.database.committed(() => {
      this.#rows.set(row.username, row);
      this.#options.changed(shown(row), what);
    });
  }

  #seen(row: BridgeClientRow): void {
    this.#save(row, () => this.#table.seen(row));
  }

  /**
   * For changes that are not awaited: memory first, the disk when it can. `job` writes only new values: in the same
   * group the client may have been refused, renewed or forgotten.
   */
  #save(row: BridgeClientRow, job: () => void): void {
    this.#rows.set(row.username, row);
    this.#options.database.write(job).catch((error: unknown) => {
      this.#options.logger.warn({ username: row.username, err: error }, "a bridge client could not be stored");
    });
  }
}

function noSuchClient(): Problem {
  return new Problem("not_found", "There is no such client.");
}
