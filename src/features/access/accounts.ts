/**
 * Owns the accounts and their two households (live and test, made together). Passwords come here hashed; who may sign
 * in is decided in sign-in.ts. Must never know HTTP.
 */

import { randomBytes } from "node:crypto";
import type { Env } from "../../core/api/caller.ts";
import { ROLES, type Role } from "../../core/api/roles.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";
import type { Language } from "../../core/text/render.ts";
import type { Audit } from "./audit.ts";
import type { Actor } from "./ports.ts";
import { type Limits, NOTHING, storedLimits } from "./rules/limits.ts";
import { personNameKey } from "./rules/person-name.ts";
import { type AccountRow, AccountTable } from "./tables/account.ts";
import { type SiteRow, SiteTable } from "./tables/site.ts";

/** A household that was just made. */
interface NewHousehold {
  readonly accountId: number;
  readonly siteId: number;
  readonly testSiteId: number;
  readonly language: Language;
}

/** A household as its owner sees it. */
export type Site = SiteRow;

/** The editable members of a household. */
export type SiteEdit = Partial<Pick<Site, "name" | "timeZone" | "latitude" | "longitude" | "capacity">>;

/** A new account; the password is hashed already. */
export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  /** The time zone of the household's creator: used until one is set, if the settings have none. */
  readonly timeZone?: string | undefined;
  /** In which they read the console; English unless given. */
  readonly language?: Language | undefined;
}

/** All accounts of the hub. */
export class Accounts {
  readonly #options: ConstructorParameters<typeof Accounts>[0];
  readonly #table: AccountTable;
  readonly #siteIds = new Map<string, number>();
  readonly #sites: SiteTable;
  /** Ends that have come but could not be noted yet, by account: a clock that is set back does not undo them. */
  readonly #late = new Map<number, number>();
  readonly #onCreating: ((made: NewHousehold) => void)[] = [];
  readonly #onCreated: ((made: NewHousehold) => void)[] = [];
  readonly #onSiteEdited: ((siteId: number) => void)[] = [];

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly audit: Audit;
    /** The initial values of a new household. */
    readonly newSite: { readonly name: string; readonly timeZone: string };
  }) {
    this.#options = options;
    this.#sites = new SiteTable(options.database);
    this.#table = new AccountTable(options.database);
  }

  /** Calls `listener` inside the job that makes an account and its households. */
  onCreating(listener: (made: NewHousehold) => void): void {
    this.#onCreating.push(listener);
  }

  /** Notifies `listener` of each new household once it is stored. */
  onCreated(listener: (made: NewHousehold) => void): void {
    this.#onCreated.push(listener);
  }

  /** Notifies `listener` when the name, zone, place or capacity of a household was edited. */
  onSiteEdited(listener: (siteId: number) => void): void {
    this.#onSiteEdited.push(listener);
  }

  /** Whether anybody owns the hub. */
  get claimed(): boolean {
    return this.#table.any();
  }

  /** The household of the hub's owner; null without an owner. */
  household(): Site | null {
    return this.sites().find(({ env }) => env === "live") ?? null;
  }

  /** One account. @throws Problem `not_found` */
  get(accountId: number): AccountRow {
    const row = this.#table.find(accountId);
    if (row === undefined) throw new Problem("not_found", "There is no such account.");
    return row;
  }

  /** One account; null when there is none. */
  find(accountId: number): AccountRow | null {
    return this.#table.find(accountId) ?? null;
  }

  /** Household, role, name and limits of a person. @throws Problem `not_found` */
  personOf(accountId: number): {
    readonly householdId: number;
    readonly role: Role;
    readonly name: string;
    /** As they are stored; null: without. */
    readonly limits: string | null;
  } {
    const { householdOf, role, name, limits } = this.get(accountId);
    return { householdId: householdOf ?? accountId, role, name, limits };
  }

  /** The account of an e-mail address, compared without case; null when there is none. */
  byEmail(email: string): AccountRow | null {
    return this.#table.byEmail(email.trim()) ?? null;
  }

  /** The owner of the hub: the first account; null before the hub is claimed. */
  owner(): AccountRow | null {
    return this.#table.all().find((row) => row.householdOf === null) ?? null;
  }

  /**
   * Makes an account with its live and its test household, inside a write job.
   * @throws Problem `conflict` when the e-mail address is taken
   */
  create(account: NewAccount, by: Actor): AccountRow {
    const { database, clock, audit, newSite } = this.#options;
    const email = account.email.trim();
    if (this.#table.byEmail(email) !== undefined) throw new Problem("conflict", { code: "conflict.emailTaken" });
    const at = clock.now();
    const accountId = this.#table.insert({
      email,
      name: account.name.trim(),
      passwordHash: account.passwordHash,
      role: "owner",
      householdOf: null,
      uid: newUid(),
      endsAt: null,
      limits: null,
      at,
    });
    const timeZone = newSite.timeZone || account.timeZone || Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
    const shared = { accountId, timeZone, latitude: null, longitude: null, capacity: null };
    const siteId = this.#sites.insert({ ...shared, env: "live", name: newSite.name });
    const testSiteId = this.#sites.insert({ ...shared, env: "test", name: `${newSite.name} (test)` });
    audit.record({ accountId, actor: by.actor, action: "account.created", target: email, at });
    const made = { accountId, siteId, testSiteId, language: account.language ?? "en" };
    for (const add of this.#onCreating) add(made);
    database.committed(() => this.#onCreated.forEach((hear) => void hear(made)));
    return this.get(accountId);
  }

  /**
   * Adds a person to an existing household, inside a write job.
   * @throws Problem `conflict` when the e-mail address or the name is taken
   */
  createPerson(
    person: NewAccount & {
      readonly role: Role;
      readonly householdId: number;
      readonly endsAt?: number | null;
      readonly limits?: string | null;
    },
  ): AccountRow {
    const email = person.email.trim();
    if (this.#table.byEmail(email) !== undefined) throw new Problem("conflict", { code: "conflict.emailTaken" });
    const { passwordHash, role, householdId, endsAt = null, limits = null } = person;
    const name = person.name.trim();
    this.#refuseTakenName(householdId, name, null);
    return this.get(
      this.#table.insert({
        email,
        name,
        passwordHash,
        role,
        householdOf: householdId,
        uid: newUid(),
        endsAt,
        limits,
        at: this.#options.clock.now(),
      }),
    );
  }

  /** A person of a household is recognised by name, in the feed and beside every action. */
  #refuseTakenName(householdId: number, name: string, ownId: number | null): void {
    const key = personNameKey(name);
    const isTaken = this.#table
      .ofHousehold(householdId)
      .some((row) => row.id !== ownId && personNameKey(row.name) === key);
    if (isTaken) throw new Problem("conflict", { code: "conflict.nameTaken" });
  }

  /** All persons of a household: its head first, then the others, oldest first. */
  ofHousehold(householdId: number): AccountRow[] {
    return this.#table.ofHousehold(householdId);
  }

  /** All persons of a site's household, as {@link ofHousehold}. @throws Problem `not_found` */
  personsOf(siteId: number): AccountRow[] {
    return this.ofHousehold(this.site(siteId).accountId);
  }

  /** Gives another role, inside a write job. */
  setRole(accountId: number, role: Role): void {
    this.#table.setRole(accountId, role, this.#options.clock.now());
  }

  /** Whether a person's access has ended, by its end and the time that has certainly come. */
  hasEnded({ id, endsAt, endedAt }: Pick<AccountRow, "id" | "endsAt" | "endedAt">): boolean {
    if (endedAt !== null || endsAt === null) return endedAt !== null;
    if (endsAt > this.#options.clock.certain()) return this.#late.get(id) === endsAt;
    this.#late.set(id, endsAt);
    return true;
  }

  /** As {@link hasEnded}, by the account's id; nobody has ended who does not exist. */
  readonly isEnded = (accountId: number): boolean => {
    const row = this.find(accountId);
    return row !== null && this.hasEnded(row);
  };

  /** Persons whose end has come and is not noted yet. */
  due(): { readonly id: number; readonly endsAt: number }[] {
    return this.#table.due(this.#options.clock.certain());
  }

  /** The earliest end that is not noted yet, epoch milliseconds; null without one. */
  nextEnd(): number | null {
    return this.#table.nextEnd();
  }

  /** Gives another end, null for none, inside a write job; a person who had ended may act again. */
  setEnd(id: number, endsAt: number | null): void {
    this.#late.delete(id);
    this.#table.setEnd({ id, endsAt, at: this.#options.clock.now() });
  }

  /** Whether anybody may open only at some times, or some gates. */
  get anyLimits(): boolean {
    return this.#table.anyLimits();
  }

  /**
   * What a person may open, and when; null: everything, at any time. Limits of a person with a
   * higher role than the least do not count; a person who is gone may open nothing.
   */
  limitsOf(id: number): Limits | null {
    const row = this.#table.find(id);
    if (row === undefined) return NOTHING;
    return row.role === ROLES[0] ? storedLimits(row.limits) : null;
  }

  /** Gives a person other limits as they are stored, null for none, inside a write job. */
  setLimits(id: number, limits: string | null): void {
    this.#table.setLimits({ id, limits, at: this.#options.clock.now() });
  }

  /** Notes that a person's end has come, inside a write job. */
  putEnded(id: number): void {
    this.#table.putEnded({ id, at: this.#options.clock.now() });
  }

  /** Removes a person who is not the head of a household, inside a write job. */
  removePerson(accountId: number): void {
    this.#table.removePerson(accountId);
    this.#options.database.committed(() => this.#siteIds.clear());
  }

  /** Changes name or e-mail address. @throws Problem `conflict` when the address or the name is taken */
  async edit(
    accountId: number,
    edit: { readonly email?: string | undefined; readonly name?: string | undefined },
    by: Actor,
  ): Promise<AccountRow> {
    return this.#options.database.write(() => this.update(accountId, edit, by));
  }

  /** As {@link edit}, inside a write job. */
  update(
    accountId: number,
    edit: { readonly email?: string | undefined; readonly name?: string | undefined },
    by: Actor,
  ): AccountRow {
    const { clock, audit } = this.#options;
    const row = this.get(accountId);
    const { email = row.email } = edit;
    const name = edit.name?.trim() ?? row.name;
    if (name !== row.name) this.#refuseTakenName(row.householdOf ?? accountId, name, accountId);
    const holder = this.#table.byEmail(email);
    if (holder !== undefined && holder.id !== accountId) throw new Problem("conflict", { code: "conflict.emailTaken" });
    this.#table.edit(accountId, email, name, clock.now());
    audit.record({
      accountId,
      actor: by.actor,
      action: "account.edited",
      target: email,
      detail: { ...edit },
      at: clock.now(),
    });
    return this.get(accountId);
  }

  /** Stores another hash of the password that the account has, inside a write job. */
  setHash(accountId: number, hash: string): void {
    this.#table.setHash(accountId, hash, this.#options.clock.now());
  }

  /** Sets the hash of a new password, inside a write job. */
  setPassword(accountId: number, hash: string): void {
    this.#table.setPassword(accountId, hash, this.#options.clock.now());
  }

  /** Sets or removes the sealed second factor, inside a write job. */
  setTotp(accountId: number, sealed: Buffer | null): void {
    this.#table.setTotp(accountId, sealed, this.#options.clock.now());
  }

  /** Uses a 30 s step up, inside a write job; false when its code was used before. */
  useTotpStep(accountId: number, step: number): boolean {
    return this.#table.useTotpStep(accountId, step);
  }

  /** Row id of the household of (account, env), for any of its persons. @throws Problem `not_found` */
  readonly siteIdOf = (accountId: number, env: Env): number => {
    const key = `${accountId} ${env}`;
    const known =
      this.#siteIds.get(key) ?? this.#sites.of(this.#table.find(accountId)?.householdOf ?? accountId, env)?.id;
    if (known === undefined) throw new Problem("not_found", "There is no such account.");
    this.#siteIds.set(key, known);
    return known;
  };

  /** The zone of a household's home. @throws Problem `not_found` */
  timeZoneOf(householdId: number): string {
    return this.site(this.siteIdOf(householdId, "live")).timeZone;
  }

  /** One household. @throws Problem `not_found` */
  site(siteId: number): Site {
    const row = this.#sites.byId(siteId);
    if (row === null) throw new Problem("not_found", "There is no such site.");
    return row;
  }

  /**
   * Whether somebody has chosen the household's time zone. An unchosen UTC is a machine's default, hardly anybody's
   * home.
   */
  isZoneGiven(siteId: number): boolean {
    const { database, newSite } = this.#options;
    return (
      newSite.timeZone !== "" ||
      !MACHINE_ZONES.has(this.site(siteId).timeZone) ||
      new HubTable(database).get(zoneMark(siteId)) !== null
    );
  }

  /** All households of the hub. */
  sites(): Site[] {
    return this.#sites.all();
  }

  /** Changes a household. @throws Problem `invalid_body` when only one of latitude and longitude is known */
  async editSite(siteId: number, edit: SiteEdit, by: Actor): Promise<Site> {
    return this.#options.database.write(() => this.updateSite(siteId, edit, by));
  }

  /** Inside a write job: the household's owner has been there since then (epoch ms); a made-up past is theirs too. */
  recordPast(accountId: number, since: number): void {
    this.#table.setCreated(since, accountId);
  }

  /** As {@link editSite}, inside a write job. */
  updateSite(siteId: number, edit: SiteEdit, by: Actor): Site {
    const { database, clock, audit } = this.#options;
    const before = this.site(siteId);
    const site = { ...before, ...edit };
    if ((site.latitude === null) !== (site.longitude === null))
      throw new Problem("invalid_body", "A place needs both latitude and longitude.", {
        details: [{ field: "/longitude", code: "required", message: "goes together with latitude" }],
      });
    const { name, latitude, longitude, capacity, env } = site;
    if (edit.timeZone !== undefined) new HubTable(database).set(zoneMark(siteId), "given");
    this.#sites.update({
      id: siteId,
      accountId: site.accountId,
      env,
      name,
      timeZone: site.timeZone,
      latitude,
      longitude,
      capacity,
    });
    audit.record({
      accountId: site.accountId,
      actor: by.actor,
      action: "site.edited",
      target: name,
      detail: {
        ...edit,
        before: Object.fromEntries(Object.keys(edit).map((key) => [key, before[key as keyof SiteEdit]])), // its own keys
      },
      at: clock.now(),
    });
    database.committed(() => this.#onSiteEdited.forEach((hear) => void hear(siteId)));
    return this.site(siteId);
  }

  /** For the caller of {@link create} whose job failed: its households do not exist. */
  forgetSites(): void {
    this.#siteIds.clear();
  }
}

/** 128 random bits. */
function newUid(): string {
  return randomBytes(16).toString("base64url");
}

/** Zones of a machine whose zone was never set. */
const MACHINE_ZONES: ReadonlySet<string> = new Set(["UTC", "Etc/UTC", "GMT", "Etc/GMT"]);

/** The key in the table of the hub's facts that records that a household's zone was chosen. */
function zoneMark(siteId: number): string {
  return `zone_of_site_${siteId}`;
}
