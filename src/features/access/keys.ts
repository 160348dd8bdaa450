/**
 * Owns the API keys: makes them, ends them, and knows all of them by hash, so that checking one is a look-up in memory.
 * In: names, scopes, origins. Out: the key text once, at creation, and never again. Must never know HTTP.
 */

import type { Caller, Env } from "../../core/api/caller.ts";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Scope } from "../../core/api/scopes.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { sha256Hex } from "../../core/kernel/ids.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import { isKeyText, makeKeyText, shownPartsOf } from "./key-format.ts";
import { callerOf, infoOf, isActive, type KeyInfo } from "./key-info.ts";
import { isExactOrigin } from "./origins.ts";
import type { Actor } from "./ports.ts";
import type { RightsWatch } from "./rights-watch.ts";
import { leastRoleWith, scopesWithin } from "./roles.ts";
import { type ApiKeyRow, ApiKeyTable } from "./tables/api-key.ts";
import { IssuedTable } from "./tables/issued.ts";

/** An owner's input for a new key. */
export interface NewKey {
  readonly name: string;
  readonly env: Env;
  readonly scopes: readonly Scope[];
  readonly origins: readonly string[];
  /** Epoch milliseconds; null = never. */
  readonly expiresAt: number | null;
}

/** The editable members of a key. */
export type KeyEdit = Partial<Pick<NewKey, "name" | "scopes" | "origins">>;

/** The result of checking a key text. */
export type KeyMatch =
  | { readonly kind: "unknown" }
  | { readonly kind: "revoked" | "expired" }
  | { readonly kind: "active"; readonly caller: Caller };

/** Most active keys of an account. */
export const MAX_KEYS = 50;
/** How long the old key of a rotation stays valid. */
export const ROTATION_GRACE_MS = 24 * 3_600_000;
/** The last use is written at most this often for each key. */
const LAST_USE_STEP_MS = 60_000;
/** More successors of one key than anybody makes. */
const MAX_ROTATIONS = 1_000;
/** Ended keys are listed this long, then forgotten. */
const KEEP_ENDED_MS = 90 * 86_400_000;

interface LoadedKey {
  info: KeyInfo;
  readonly hash: string;
  caller: Caller;
  /** The epoch of rights in which the key's issuer was last found to stand; null: not yet. */
  stoodIn: number | null;
}

/** All API keys of the hub. */
export class Keys {
  readonly name = "keys";
  readonly #options: ConstructorParameters<typeof Keys>[0];
  readonly #table: ApiKeyTable;
  readonly #issued: IssuedTable;
  readonly #byHash = new Map<string, LoadedKey>();
  readonly #byId = new Map<number, LoadedKey>();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly accounts: Accounts;
    readonly audit: Audit;
    readonly watch: RightsWatch;
    readonly recordFeedItem: RecordFeedItem;
  }) {
    this.#options = options;
    this.#table = new ApiKeyTable(options.database);
    this.#issued = new IssuedTable(options.database);
  }

  /** Forgets keys that ended long ago and loads the others. */
  async start(): Promise<void> {
    const { database, clock } = this.#options;
    if (database.state === "ok")
      database.writeNow(() => {
        this.#table.purge(clock.certain() - KEEP_ENDED_MS);
        this.#confineAll();
      });
    for (const row of this.#table.all()) this.#remember(row);
  }

  /** Forgets what was loaded. */
  async stop(): Promise<void> {
    this.#byHash.clear();
    this.#byId.clear();
  }

  /** Looks a key text up, in memory only. */
  match(text: string): KeyMatch {
    if (!isKeyText(text)) return { kind: "unknown" };
    const entry = this.#byHash.get(sha256Hex(text));
    if (entry === undefined) return { kind: "unknown" };
    const { info } = entry;
    if (info.revokedAt !== null || !this.#stands(entry)) return { kind: "revoked" };
    const now = this.#options.clock.now();
    if (info.expiresAt !== null && info.expiresAt <= this.#options.clock.certain()) return { kind: "expired" };
    if (info.lastUsedAt === null || Math.abs(now - info.lastUsedAt) >= LAST_USE_STEP_MS) this.#noteUse(entry, now);
    return { kind: "active", caller: entry.caller };
  }

  /** The present caller behind a key; null when the key has ended. */
  callerOf(id: number): Caller | null {
    const entry = this.#byId.get(id);
    // another job of the same group may have ended it, which memory follows after the commit
    if (this.#options.database.isInJob && this.#table.find(id)?.revokedAt !== null) return null;
    return entry !== undefined && this.#works(entry) ? entry.caller : null;
  }

  /** Whether a key is valid now: neither ended, nor void with its issuer. */
  #works(entry: LoadedKey): boolean {
    return isActive(entry.info, this.#options.clock.now()) && this.#stands(entry);
  }

  /** Asks the table only if rights have changed since the last time: the question costs more than all other checks. */
  #stands(entry: LoadedKey): boolean {
    const { epoch } = this.#options.watch;
    if (epoch !== null && entry.stoodIn === epoch) return true;
    const at = this.#options.clock.certain();
    const stands = this.#issued.stands("api_key", String(entry.info.id), at) && this.#fit(entry);
    entry.stoodIn = stands ? epoch : null;
    return stands;
  }

  /** Gives a person's app at most the scopes of the person, whose role may have changed; false if it then has none, or the person has ended. */
  #fit(entry: LoadedKey): boolean {
    const { info, caller } = entry;
    if (info.accountId === caller.householdId) return true;
    const person = this.#options.accounts.find(info.accountId);
    if (person === null || this.#options.accounts.hasEnded(person)) return false;
    const scopes = scopesWithin(person.role, info.scopes);
    if (scopes.length !== caller.scopes.length) entry.caller = callerOf({ ...info, scopes }, caller.householdId);
    return scopes.length > 0 || info.scopes.length === 0;
  }

  /**
   * Name of a key, and the present rights of the rules that it wrote: its scopes, or those of its successor; null when
   * it has ended. A rotation hands the rules on; revoking a key ends them too. The name of a deleted key is empty.
   */
  author(id: number): { readonly name: string; readonly scopes: readonly Scope[] | null } {
    let entry = this.#byId.get(id);
    const name = entry?.info.name ?? "";
    for (let steps = 0; entry !== undefined && steps < MAX_ROTATIONS; steps++) {
      if (entry.info.revokedAt !== null) break;
      if (entry.info.rotatedTo === null) return { name, scopes: this.#works(entry) ? entry.caller.scopes : null };
      entry = this.#byId.get(entry.info.rotatedTo);
    }
    return { name, scopes: null };
  }

  /** Whether any active key lists this exact origin: the answer to a preflight, which carries no credential. */
  listsOrigin(origin: string): boolean {
    const now = this.#options.clock.certain();
    for (const { info } of this.#byId.values()) if (isActive(info, now) && info.origins.includes(origin)) return true;
    return false;
  }

  /** Keys of a household, its members' too, oldest first, ended ones for some weeks. */
  list(householdId: number): KeyInfo[] {
    const recent = this.#options.clock.now() - KEEP_ENDED_MS;
    const isListed = (info: KeyInfo): boolean =>
      this.#belongsTo(info, householdId) && (info.revokedAt ?? info.expiresAt ?? recent) >= recent;
    return [...this.#byId.values()].map((entry) => entry.info).filter(isListed);
  }

  /** One key of an account. @throws Problem `not_found` */
  get(accountId: number, id: number): KeyInfo {
    return this.#entry(accountId, id).info;
  }

  /** Makes a key. `secret` is its text, returned only here. @throws Problem `limit_reached`, `invalid_body` */
  async create(accountId: number, key: NewKey, by: Actor): Promise<{ key: KeyInfo; secret: string }> {
    return this.#options.database.write(() => this.insert(accountId, key, by));
  }

  /** As {@link create}, inside a job. */
  insert(accountId: number, key: NewKey, by: Actor): { key: KeyInfo; secret: string } {
    checkOrigins(key.origins);
    const now = this.#options.clock.now();
    if (key.expiresAt !== null && key.expiresAt <= now) throw invalid("/expiresAt", "past", "must be in the future");
    const secret = makeKeyText(key.env);
    if (this.#table.countActive(accountId, now) >= MAX_KEYS)
      throw new Problem(
        "limit_reached",
        { code: "refusal.most.keys", limit: MAX_KEYS },
        { fields: { limit: MAX_KEYS } },
      );
    return { key: this.#insert({ accountId, key, secret, by }), secret };
  }

  /** Changes name, scopes or origins. @throws Problem `not_found`, `invalid_body`, `conflict` on an ended key */
  async edit(accountId: number, id: number, edit: KeyEdit, by: Actor): Promise<KeyInfo> {
    return this.#options.database.write(() => this.update(accountId, id, edit, by));
  }

  /** As {@link edit}, inside a job. */
  update(accountId: number, id: number, edit: KeyEdit, by: Actor): KeyInfo {
    if (edit.origins) checkOrigins(edit.origins);
    const { clock, audit } = this.#options;
    const info = this.#active(accountId, id);
    const { name = info.name, scopes = info.scopes, origins = info.origins } = edit;
    const { role, householdId } = this.#options.accounts.personOf(info.accountId);
    if (householdId !== info.accountId && scopesWithin(role, scopes).length < scopes.length)
      throw invalid("/scopes", "not_yours", `are more than a ${role} has, whose app it is`);
    this.#table.edit(id, name, JSON.stringify(scopes), JSON.stringify(origins));
    const widened = scopes.filter((scope) => !info.scopes.includes(scope));
    audit.record({
      ...by,
      action: "key.edited",
      target: name,
      detail: { id, scopes, origins, ...(widened.length > 0 ? { widened } : {}) },
      at: clock.now(),
    });
    return this.#reload(id);
  }

  /** Ends a key at once. Ending an ended key changes nothing. @throws Problem `not_found` */
  async revoke(accountId: number, id: number, by: Actor): Promise<KeyInfo> {
    const { database, clock, audit, recordFeedItem, accounts } = this.#options;
    return database.write(() => {
      const { info } = this.#entry(accountId, id);
      if (info.revokedAt !== null) return info;
      const at = clock.now();
      this.#table.revoke(id, at);
      audit.record({ ...by, action: "key.revoked", target: info.name, detail: { id }, at });
      recordFeedItem({
        siteId: accounts.siteIdOf(accountId, "live"), // also of a test key: owners look there
        kind: "key.revoked",
        deviceId: null,
        text: { code: "key.revoked", name: info.name, key: `${info.prefix}…${info.lastFour}` },
        at,
      });
      return this.#reload(id);
    });
  }

  /**
   * Makes a successor with the same rights; the old key stays good for 24 hours, or less where it expires sooner. The
   * successor of a person's app is that person's, no matter who replaces it.
   * @throws Problem `not_found`, `conflict`
   */
  async rotate(accountId: number, id: number, by: Actor): Promise<{ key: KeyInfo; secret: string; previous: KeyInfo }> {
    const { database, clock } = this.#options;
    return database.write(() => {
      const info = this.#active(accountId, id);
      if (info.rotatedTo !== null) throw new Problem("conflict", { code: "conflict.keyReplaced" });
      const { name, env, scopes, origins, expiresAt } = info;
      const secret = makeKeyText(env);
      const key = this.#insert({
        accountId: info.accountId,
        key: { name, env, scopes, origins, expiresAt },
        secret,
        by,
      });
      const { householdId } = this.#options.accounts.personOf(info.accountId);
      if (householdId !== info.accountId)
        this.#issued.give({ kind: "api_key", id: String(key.id), issuer: info.accountId, role: leastRoleWith(scopes) });
      const end = clock.now() + ROTATION_GRACE_MS;
      this.#table.rotate(id, key.id, expiresAt === null ? end : Math.min(end, expiresAt));
      return { key, secret, previous: this.#reload(id) };
    });
  }

  /** Inside a write job: ends the keys of a person who leaves or ends, which must not stay valid in memory without their rows. */
  endOf(accountId: number, by: Actor): void {
    for (const { info } of this.#byId.values()) if (info.accountId === accountId) this.end(info.id, by);
  }

  /** Inside a write job: takes from a person's apps what the person's role does not have any more. */
  confine(accountId: number, by: Actor): void {
    const { role } = this.#options.accounts.get(accountId);
    for (const { info } of this.#byId.values()) {
      if (info.accountId !== accountId || info.revokedAt !== null) continue;
      const row = this.#table.find(info.id); // another job of the same group may have changed it
      const scopes = row === undefined || row.revokedAt !== null ? [] : infoOf(row).scopes;
      const held = scopesWithin(role, scopes);
      for (const part of scopes) if (!held.includes(part)) this.narrow({ row: info.id, part }, by);
    }
  }

  /** At the start, as {@link confine} for everybody: a restored database may have an app that its person outgrew. */
  #confineAll(): void {
    const { accounts, clock } = this.#options;
    for (const row of this.#table.all()) {
      const person = accounts.find(row.accountId);
      if (person === null || person.householdOf === null || row.revokedAt !== null) continue;
      const { name, scopes: before, origins } = infoOf(row);
      const scopes = scopesWithin(person.role, before);
      if (scopes.length === before.length) continue;
      if (scopes.length === 0) this.#table.revoke(row.id, clock.now());
      else this.#table.edit(row.id, name, JSON.stringify(scopes), JSON.stringify(origins));
    }
  }

  /** Inside a write job: ends a key. */
  end(id: number, by: Actor): void {
    const { audit, clock } = this.#options;
    const row = this.#table.find(id);
    if (row === undefined || row.revokedAt !== null) return;
    const at = clock.now();
    this.#table.revoke(id, at);
    audit.record({ ...by, action: "key.revoked", target: row.name, detail: { id }, at });
    this.#reload(id);
  }

  /** Inside a write job: takes a scope out of a key, which ends with its last one. */
  narrow({ row: id, part }: { readonly row: number; readonly part: string }, by: Actor): void {
    const { audit, clock } = this.#options;
    const row = this.#table.find(id);
    if (row === undefined) return;
    const { name, origins, scopes: before } = infoOf(row);
    const scopes = before.filter((scope) => scope !== part);
    if (scopes.length === 0) {
      this.end(id, by);
      return;
    }
    this.#table.edit(id, name, JSON.stringify(scopes), JSON.stringify(origins));
    audit.record({ ...by, action: "key.edited", target: name, detail: { id, scopes, origins }, at: clock.now() });
    this.#reload(id);
  }

  /** Name of the member whose key it is; null: it is the household's. */
  personIn({ accountId }: KeyInfo): string | null {
    const { householdId, name } = this.#options.accounts.personOf(accountId);
    return householdId === accountId ? null : name;
  }

  /** Whether a member or a gatekeeper makes an app of their own, which needs no more of them than it may do itself. */
  #isOwnApp(accountId: number, by: Actor): boolean {
    if (by.accountId !== accountId) return false;
    const { householdId, role } = this.#options.accounts.personOf(accountId);
    return householdId !== accountId && role !== "owner";
  }

  #belongsTo({ accountId }: KeyInfo, householdId: number): boolean {
    if (accountId === householdId) return true;
    try {
      return this.#options.accounts.personOf(accountId).householdId === householdId;
    } catch {
      return false; // the member has gone, and the key with them
    }
  }

  #insert({ accountId, key, secret, by }: { accountId: number; key: NewKey; secret: string; by: Actor }): KeyInfo {
    const { clock, audit, recordFeedItem, accounts } = this.#options;
    const at = clock.now();
    const { prefix, lastFour } = shownPartsOf(secret);
    const siteId = accounts.siteIdOf(accountId, key.env);
    const id = this.#table.insert({
      accountId,
      siteId,
      name: key.name,
      env: key.env,
      keyHash: sha256Hex(secret),
      prefix,
      lastFour,
      scopes: JSON.stringify(key.scopes),
      origins: JSON.stringify(key.origins),
      createdAt: at,
      expiresAt: key.expiresAt,
    });
    audit.record({
      ...by,
      ...(this.#isOwnApp(accountId, by) ? { role: leastRoleWith(key.scopes) } : {}),
      action: "key.created",
      target: key.name,
      detail: { id, env: key.env, scopes: key.scopes, origins: key.origins },
      at,
    });
    recordFeedItem({
      siteId: accounts.siteIdOf(accountId, "live"),
      kind: "key.created",
      deviceId: null,
      text: { code: "key.created", name: key.name, key: `${prefix}…${lastFour}`, n: key.scopes.length },
      at,
    });
    return this.#reload(id);
  }

  /** Reads a changed row back inside the job; memory follows once it is committed. */
  #reload(id: number): KeyInfo {
    const row = this.#table.find(id);
    if (row === undefined) throw new Error(`key ${id} vanished inside its own job`);
    this.#options.database.committed(() => this.#remember(row));
    return infoOf(row);
  }

  #remember(row: ApiKeyRow): void {
    const info = infoOf(row);
    const householdId =
      this.#byId.get(row.id)?.caller.householdId ?? this.#options.accounts.personOf(info.accountId).householdId;
    const entry: LoadedKey = { info, hash: row.keyHash, caller: callerOf(info, householdId), stoodIn: null };
    this.#byHash.set(row.keyHash, entry);
    this.#byId.set(row.id, entry);
  }

  #noteUse(entry: LoadedKey, now: number): void {
    entry.info = { ...entry.info, lastUsedAt: now };
    const { database, logger } = this.#options;
    database
      .write(() => this.#table.used(entry.info.id, now))
      .catch((error: unknown) => logger.debug({ err: error, key: entry.info.id }, "last use of a key not stored"));
  }

  #entry(householdId: number, id: number): LoadedKey {
    const entry = this.#byId.get(id);
    if (entry === undefined || !this.#belongsTo(entry.info, householdId))
      throw new Problem("not_found", "There is no such key.");
    return entry;
  }

  /** Inside a job, by its row: another job of the same group may have changed it, or ended it, already. */
  #active(accountId: number, id: number): KeyInfo {
    this.#entry(accountId, id);
    const row = this.#table.find(id);
    const info = row === undefined ? null : infoOf(row);
    if (info === null || !isActive(info, this.#options.clock.now()))
      throw new Problem("conflict", { code: "conflict.keyEnded" });
    return info;
  }
}

function checkOrigins(origins: readonly string[]): void {
  const bad = origins.findIndex((origin) => !isExactOrigin(origin));
  if (bad >= 0)
    throw invalid(
      `/origins/${bad}`,
      "not_an_origin",
      `must be an origin such as https://app.example.org, without path or final slash: ${JSON.stringify(origins[bad])}`,
    );
}

function invalid(field: string, code: string, message: string): Problem {
  return new Problem("invalid_body", `The body is not as expected: ${field} ${message}.`, {
    details: [{ field, code, message }],
  });
}
