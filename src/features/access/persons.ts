/**
 * Owns the persons of a household: invites people by a one-time code, lets them join, assigns and withdraws roles, says
 * until when they may act, ends sessions. The first owner is the household's head and cannot be removed, and never ends. Must never know HTTP; a role's rights are
 * defined in roles.ts and at the routes.
 */

import { randomInt } from "node:crypto";
import { lessThan } from "../../core/api/role-refusal.ts";
import { isAtLeast, type Role } from "../../core/api/roles.ts";
import { shareOf } from "../../core/kernel/admission.ts";
import { type Clock, isoTime, isoTimeOrNull } from "../../core/kernel/clock.ts";
import { sha256Hex } from "../../core/kernel/ids.ts";
import { bodyRefused, Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import type { Fates, Grants, GrantsOfKind, Settled } from "./grants.ts";
import type { Keys } from "./keys.ts";
import type { Passwords } from "./password.ts";
import { checkPassword } from "./password-policy.ts";
import type { Actor } from "./ports.ts";
import type { Proofs } from "./proof.ts";
import { areWider, type Limits, limitsText, storedLimits } from "./rules/limits.ts";
import type { SessionInfo, Sessions } from "./sessions.ts";
import type { OpenedSession, SignIn, SignInSource } from "./sign-in.ts";
import type { AccountRow } from "./tables/account.ts";
import { type InvitationRow, InvitationTable } from "./tables/invitation.ts";

/** A person of a household. Times are epoch milliseconds. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** The first owner. */
  readonly isHead: boolean;
  /** From when on they may not act; null: never. */
  readonly endsAt: number | null;
  /** Whether that has come. */
  readonly hasEnded: boolean;
  /** What they may open, and when, while they are a member; null: everything, at any time. */
  readonly limits: Limits | null;
  readonly hasSecondFactor: boolean;
  readonly createdAt: number;
  /** Null without a living session. */
  readonly lastSeenAt: number | null;
  readonly sessions: number;
}

/** An invitation that waits; its code is stored nowhere. */
export interface Invitation {
  readonly id: number;
  readonly name: string;
  readonly role: Role;
  /** The end of the access that it gives; null: none. */
  readonly endsAt: number | null;
  /** The limits of the access that it gives; null: none. */
  readonly limits: Limits | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An invitation as the invited person sees it. */
export interface InvitationView {
  readonly household: string;
  /** Null if nobody of the house invited them. */
  readonly inviter: string | null;
  readonly name: string;
  readonly role: Role;
  readonly endsAt: number | null;
  /** When they may open; none: at any time. */
  readonly times: Limits["times"];
  readonly timeZone: string;
}

/** What an owner changes about a person. */
export interface PersonEdit {
  readonly role?: Role | undefined;
  /** Null: no end. A person who had ended may act again. */
  readonly endsAt?: number | null | undefined;
  /** Null: no limits. */
  readonly limits?: Limits | null | undefined;
}

/** What an invited person submits. */
export interface JoinRequest {
  readonly code: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Crockford's base32: no I, L, O, U. Twelve of them are 60 bits. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 12;
/** How long an invitation is valid. */
const INVITATION_MS = 3 * 86_400_000;
/** Persons and waiting invitations of one household. */
const MAX_PERSONS = 30;
const TRIES = { quota: 10, periodMs: 10 * 60_000, burst: 10 };

/** The persons of all households. */
export class Persons {
  readonly #options: ConstructorParameters<typeof Persons>[0];
  readonly #invitations: InvitationTable;
  readonly #tries = new TokenBuckets(TRIES);
  #isGate: (siteId: number, deviceId: string) => boolean = () => false;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly accounts: Accounts;
    readonly sessions: Sessions;
    readonly passwords: Passwords;
    readonly signIn: SignIn;
    readonly audit: Audit;
    readonly proofs: Proofs;
    readonly grants: Grants;
    readonly keys: Pick<Keys, "confine" | "endOf">;
  }) {
    this.#options = options;
    this.#invitations = new InvitationTable(options.database);
  }

  /** The devices that limits may name: those that let people in, or guard the house. */
  gatesKnownBy(isGate: (siteId: number, deviceId: string) => boolean): void {
    this.#isGate = isGate;
  }

  /** All persons of a household, its head first. */
  list(householdId: number): Person[] {
    return this.#options.accounts.ofHousehold(householdId).map((row) => this.#person(row));
  }

  /** Invitations that wait, newest first. */
  invitations(householdId: number): Invitation[] {
    return this.#invitations.ofHousehold(householdId, this.#options.clock.certain()).map(shownInvitation);
  }

  /**
   * Invites somebody. `code` is returned only here. The invitation is valid while its issuer may invite and keeps their
   * current password, and no longer than the access that it gives.
   * @throws Problem `limit_reached`, `forbidden`, `invalid_body` for an end that has passed
   */
  async invite(
    householdId: number,
    who: {
      readonly name: string;
      readonly role: Role;
      readonly endsAt?: number | null;
      readonly limits?: Limits | null;
    },
    by: Actor,
  ): Promise<{ invitation: Invitation; code: string }> {
    const { database, clock, audit, accounts } = this.#options;
    const { name, role, endsAt = null } = who;
    const limits = limitsText(who.limits ?? null);
    const plain = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
    const invitation = await database.write(() => {
      this.#askAgain(by);
      this.#checkEnd(endsAt);
      this.#checkGates(householdId, who.limits ?? null);
      this.#refuseFreeing(by, (own) => areWider(own, storedLimits(limits)));
      const at = clock.now();
      this.#invitations.purge(at);
      if (
        accounts.ofHousehold(householdId).length + this.#invitations.ofHousehold(householdId, at).length >=
        MAX_PERSONS
      )
        throw new Problem(
          "limit_reached",
          { code: "refusal.most.persons", limit: MAX_PERSONS },
          {
            fields: { limit: MAX_PERSONS },
          },
        );
      const row = {
        accountId: householdId,
        name,
        role,
        endsAt,
        limits,
        codeHash: sha256Hex(plain),
        generation: by.accountId === null ? null : accounts.get(by.accountId).generation,
        createdAt: at,
        expiresAt: Math.min(clock.certain() + INVITATION_MS, endsAt ?? Number.POSITIVE_INFINITY),
      };
      const id = this.#invitations.insert(row);
      const detail = { id, role, ...(endsAt === null ? {} : { until: isoTime(endsAt) }), ...limitsIn(limits) };
      audit.record({ ...by, action: "person.invited", target: name, detail, at });
      return shownInvitation({ id, ...row });
    });
    return { invitation, code: plain.replace(/(.{4})(?=.)/g, "$1-") };
  }

  /** Takes an invitation back. @throws Problem `not_found` */
  async withdraw(householdId: number, id: number, by: Actor): Promise<void> {
    const { database, clock, audit } = this.#options;
    await database.write(() => {
      this.#askAgain(by);
      const row = this.#invitations.ofHousehold(householdId, clock.certain()).find((known) => known.id === id);
      if (row === undefined) throw new Problem("not_found", "There is no such invitation.");
      this.#invitations.remove(householdId, id);
      audit.record({ ...by, action: "person.invitation_withdrawn", target: row.name, detail: { id }, at: clock.now() });
    });
  }

  /** What an invited person sees of an invitation. @throws Problem `invalid_code`, `rate_limited` */
  look(code: string, from: Pick<SignInSource, "address">): InvitationView {
    const { accounts, grants } = this.#options;
    const { row } = this.#tried(code, from);
    const issuer = grants.issuerOf("invitation", String(row.id));
    const { name: household, timeZone } = accounts.site(accounts.siteIdOf(row.accountId, "live"));
    return {
      household,
      inviter: issuer === null ? null : accounts.get(issuer).name,
      name: row.name,
      role: row.role,
      endsAt: row.endsAt,
      times: row.role === "member" ? (storedLimits(row.limits)?.times ?? []) : [],
      timeZone,
    };
  }

  /**
   * Makes the account of an invited person and opens its session.
   * @throws Problem `invalid_code`, `weak_password`, `conflict`, `rate_limited`
   */
  async join(request: JoinRequest, from: SignInSource): Promise<OpenedSession> {
    const { database, clock, accounts, passwords, signIn, audit } = this.#options;
    const { codeHash } = this.#tried(request.code, from);
    checkPassword(request.password, { hasTotp: false, known: [request.email, request.name] });
    const passwordHash = await passwords.hash(request.password);
    return database.write(() => {
      const at = clock.now();
      const invitation = this.#open(codeHash);
      if (invitation === null) throw wrongCode(); // used, or ended with its issuer, while the password was hashed
      const { name, email } = request;
      const account = accounts.createPerson({
        name,
        email,
        passwordHash,
        role: invitation.role,
        householdId: invitation.accountId,
        endsAt: invitation.endsAt,
        limits: invitation.limits,
      });
      this.#options.grants.joined(account.id, invitation.role, invitation.id);
      this.#invitations.remove(invitation.accountId, invitation.id);
      const session = signIn.openFor(account, from);
      const actor = `session:${session.sessionId}`;
      audit.record({
        accountId: account.id,
        actor,
        action: "person.joined",
        target: account.email,
        detail: { role: account.role, invitedAs: invitation.name },
        at,
      });
      return session;
    });
  }

  /** A person's grants in force, by kind; with `remaining` those that this role may not issue. @throws Problem `not_found` */
  grants(householdId: number, personId: number, remaining: Role | null = null): GrantsOfKind[] {
    return this.#options.grants.madeBy(this.#find(householdId, personId).id, remaining);
  }

  /**
   * Ends the grants of a person who stays: after a break-in, or to find out who has what.
   * @throws Problem `not_found`
   */
  async endGrants(householdId: number, personId: number, fates: Fates, by: Actor): Promise<Settled> {
    const { database, grants } = this.#options;
    return database.write(() => {
      if (by.accountId !== personId) this.#askAgain(by);
      return grants.settle(this.#find(householdId, personId).id, fates, by, "asked");
    });
  }

  /**
   * Gives a person another role. With a lesser one the person loses the grants that it may not issue: they end or are
   * handed on.
   * @throws Problem `not_found`, `conflict` for the head, `forbidden` as {@link Grants.refuseBound}
   */
  async setRole(
    householdId: number,
    personId: number,
    role: Role,
    by: Actor,
    fates: Fates = {},
  ): Promise<{ readonly person: Person; readonly settled: Settled }> {
    const { database, accounts } = this.#options;
    return database.write(() => {
      this.#askAgain(by);
      const settled = this.#giveRole(this.#other(householdId, personId), role, by, fates);
      return { person: this.#person(accounts.get(personId)), settled };
    });
  }

  /**
   * Gives a person another role, as {@link setRole} does without a decision, another end and other limits.
   * @throws Problem `not_found`, `forbidden`, `conflict` for the head, `invalid_body` for an end that has passed, or an unknown gate
   */
  async edit(householdId: number, personId: number, { role, endsAt, limits }: PersonEdit, by: Actor): Promise<Person> {
    const { database, accounts } = this.#options;
    return database.write(() => {
      this.#askAgain(by);
      if (personId === householdId && role === undefined)
        throw new Problem("conflict", { code: "conflict.firstOwnerStays" });
      const row = this.#other(householdId, personId);
      if (role !== undefined) this.#giveRole(row, role, by, {});
      if (endsAt !== undefined && endsAt !== row.endsAt) this.#setEnd(accounts.get(personId), endsAt, by);
      if (limits !== undefined) this.#setLimits(householdId, accounts.get(personId), limits, by);
      return this.#person(accounts.get(personId));
    });
  }

  /** Who lengthens an access, or gives it again, answers for it from then on, as for what they issue. */
  #setEnd(row: AccountRow, endsAt: number | null, by: Actor): void {
    const { accounts, audit, clock, grants } = this.#options;
    this.#checkEnd(endsAt);
    const hadEnded = accounts.hasEnded(row);
    const isLonger = hadEnded || (row.endsAt !== null && (endsAt === null || endsAt > row.endsAt));
    if (isLonger && by.accountId !== null && grants.answersTo(by.accountId, row.id))
      throw new Problem("forbidden", { code: "forbidden.ownEnd" });
    accounts.setEnd(row.id, endsAt);
    if (isLonger) grants.admittedBy(row, by);
    const detail = {
      id: row.id,
      until: isoTimeOrNull(endsAt),
      before: { until: isoTimeOrNull(row.endsAt) },
      ...(hadEnded ? { again: true } : {}),
    };
    audit.record({ ...by, action: "person.edited", target: row.name, detail, at: clock.now() });
  }

  /** A person who widens what somebody may open answers for it from then on, like one who lengthens an access. */
  #setLimits(householdId: number, row: AccountRow, wanted: Limits | null, by: Actor): void {
    const { accounts, audit, clock, grants } = this.#options;
    const limits = limitsText(wanted);
    if (limits === row.limits) return;
    this.#checkGates(householdId, wanted);
    const isWider = areWider(storedLimits(row.limits), storedLimits(limits));
    if (isWider && by.accountId !== null && grants.answersTo(by.accountId, row.id))
      throw new Problem("forbidden", { code: "forbidden.ownLimits" });
    this.#refuseFreeing(by, () => isWider);
    accounts.setLimits(row.id, limits);
    if (isWider) grants.admittedBy(row, by);
    const detail = { id: row.id, limits: storedLimits(limits), before: { limits: storedLimits(row.limits) } };
    audit.record({ ...by, action: "person.limited", target: row.name, detail, at: clock.now() });
  }

  /**
   * A person with limits that do not count at present may not widen what others may open, and neither may an owner whom
   * they made: the role may be taken away again, and what was widened would stay.
   * @throws Problem `forbidden`
   */
  #refuseFreeing({ accountId }: Actor, frees: (own: Limits) => boolean): void {
    const { accounts, grants } = this.#options;
    for (const id of accountId === null ? [] : grants.ownersBehind(accountId)) {
      const own = storedLimits(accounts.find(id)?.limits ?? null);
      if (own !== null && frees(own)) throw new Problem("forbidden", { code: "forbidden.limitsRest" });
    }
  }

  /** @throws Problem `invalid_body` for a gate that the household does not have */
  #checkGates(householdId: number, limits: Limits | null): void {
    const siteId = this.#options.accounts.siteIdOf(householdId, "live");
    for (const [index, id] of (limits?.gates ?? []).entries())
      if (!this.#isGate(siteId, id))
        throw bodyRefused(`/limits/gates/${index}`, "unknown_device", { code: "refusal.noGate", id });
  }

  /** @throws Problem `invalid_body` for an end that is not to come */
  #checkEnd(endsAt: number | null): void {
    if (endsAt === null || endsAt > this.#options.clock.now()) return;
    throw bodyRefused("/until", "past", { code: "refusal.untilPast" }, "/until must be in the future.");
  }

  #giveRole(row: AccountRow, role: Role, by: Actor, fates: Fates): Settled {
    const { clock, audit, accounts, proofs, grants, keys } = this.#options;
    const isDemoted = !isAtLeast(role, row.role);
    grants.refuseBound(row.id, by);
    const settled = isDemoted ? grants.settle(row.id, fates, by, { demotedTo: role }) : { ended: {}, kept: {} };
    accounts.setRole(row.id, role);
    if (isDemoted) keys.confine(row.id, by);
    proofs.forget(row.id); // proofs were given for the lesser role
    const isNew = role !== row.role;
    const detail = { id: row.id, role, ...(isNew && role === "owner" ? { promoted: true } : {}) };
    const isOwn = by.accountId === row.id;
    if (isNew && role === "gatekeeper" && isOwn) grants.steppedDown(row.id);
    const action = isNew && role === "gatekeeper" && !isOwn ? "person.made_gatekeeper" : "person.role_changed";
    audit.record({ ...by, action, target: row.name, detail, at: clock.now() });
    return settled;
  }

  /**
   * Removes a person with all sessions and apps; everything that they issued ends or is handed on.
   * @throws Problem `not_found`, `conflict` for the head, `forbidden` as {@link Grants.refuseBound}
   */
  async remove(householdId: number, personId: number, by: Actor, fates: Fates = {}): Promise<Settled> {
    return this.#options.database.write(() => {
      this.#askAgain(by);
      return this.#takeOut(this.#other(householdId, personId), by, fates);
    });
  }

  /** Inside the job: the one who acts may have been lowered or removed, or have ended, since they asked. @throws Problem `forbidden` */
  #askAgain({ accountId, actor }: Actor): void {
    if (accountId === null || !actor.startsWith("session:")) return;
    const { accounts } = this.#options;
    const row = accounts.find(accountId);
    if (row === null || row.role !== "owner" || accounts.hasEnded(row)) throw lessThan("owner");
  }

  #takeOut({ id, name, email }: AccountRow, by: Actor, fates: Fates): Settled {
    const { clock, audit, accounts, grants, keys } = this.#options;
    const settled = grants.settle(id, fates, by, "removed");
    keys.endOf(id, by);
    audit.record({ ...by, action: "person.removed", target: name, detail: { email }, at: clock.now() });
    accounts.removePerson(id);
    return settled;
  }

  /** Inside a write job: makes a member of an owner or a gatekeeper whose promoter is no longer an owner. */
  stepDown(id: number, from: Role, by: Actor): void {
    const row = this.#options.accounts.find(id);
    if (row !== null && row.householdOf !== null && row.role === from) this.#giveRole(row, "member", by, {});
  }

  /** Inside a write job: removes a person whose inviter is no longer an owner. */
  takeOut(id: number, by: Actor): void {
    const row = this.#options.accounts.find(id);
    if (row !== null && row.householdOf !== null) this.#takeOut(row, by, {});
  }

  /** Living sessions of a person. @throws Problem `not_found` */
  sessions(householdId: number, personId: number): SessionInfo[] {
    return this.#options.sessions.list(this.#find(householdId, personId).id);
  }

  /** Ends one session of a person. @throws Problem `not_found` */
  async endSession(householdId: number, personId: number, sessionId: number, by: Actor): Promise<void> {
    await this.#options.sessions.revoke(this.#find(householdId, personId).id, sessionId, by.actor);
  }

  /** Inside a write job: ends an invitation. */
  end(id: number): void {
    this.#invitations.end(id);
  }

  /** The invitation of a code that somebody submits; a wrong one costs a try. @throws Problem `invalid_code`, `rate_limited` */
  #tried(code: string, from: Pick<SignInSource, "address">): { codeHash: string; row: InvitationRow } {
    const share = shareOf(from.address);
    const verdict = this.#tries.take(share, this.#options.clock.mono());
    if (!verdict.allowed) {
      const headers = { "Retry-After": String(verdict.retryAfterSeconds) };
      throw new Problem("rate_limited", "Too many wrong codes; wait some minutes.", {
        fields: { retryAfterSeconds: verdict.retryAfterSeconds },
        headers,
      });
    }
    const codeHash = sha256Hex(readable(code));
    const row = this.#open(codeHash);
    if (row === null) throw wrongCode();
    this.#tries.giveBack(share); // it was no guess
    return { codeHash, row };
  }

  /** The invitation of a code, if it is valid: its issuer may still give that role, with the password of that time. */
  #open(codeHash: string): InvitationRow | null {
    const { clock, accounts, grants } = this.#options;
    const row = this.#invitations.byHash(codeHash, clock.certain());
    if (row === undefined || !grants.stands("invitation", String(row.id))) return null;
    const issuer = grants.issuerOf("invitation", String(row.id));
    if (issuer === null) return row;
    const { role, generation } = accounts.get(issuer);
    return generation === row.generation && (row.role === "member" || role === "owner") ? row : null;
  }

  #find(householdId: number, personId: number): AccountRow {
    const row = this.#options.accounts.ofHousehold(householdId).find(({ id }) => id === personId);
    if (row === undefined) throw new Problem("not_found", "There is no such person.");
    return row;
  }

  #other(householdId: number, personId: number): AccountRow {
    if (personId === householdId) throw new Problem("conflict", { code: "conflict.firstOwner" });
    return this.#find(householdId, personId);
  }

  #person(row: AccountRow): Person {
    const { id, name, email, role, householdOf, endsAt, totpSecret, createdAt } = row;
    const living = this.#options.sessions.list(id);
    const lastSeenAt = living.reduce<number | null>(
      (latest, { lastUsedAt }) => Math.max(latest ?? 0, lastUsedAt),
      null,
    );
    const isHead = householdOf === null;
    return {
      id,
      name,
      email,
      role,
      isHead,
      endsAt,
      hasEnded: this.#options.accounts.hasEnded(row),
      limits: storedLimits(row.limits),
      hasSecondFactor: totpSecret !== null,
      createdAt,
      lastSeenAt,
      sessions: living.length,
    };
  }
}

function shownInvitation({ id, name, role, endsAt, limits, createdAt, expiresAt }: InvitationRow): Invitation {
  return { id, name, role, endsAt, limits: storedLimits(limits), createdAt, expiresAt };
}

/** Limits as a member of an audit line; none: without. */
function limitsIn(limits: string | null): { readonly limits?: Limits | null } {
  return limits === null ? {} : { limits: storedLimits(limits) };
}

/** A person's input, in the code's own letters. */
function readable(code: string): string {
  return code.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");
}

function wrongCode(): Problem {
  const message = "is not good, or was used";
  return new Problem("invalid_code", "The invitation is not good any more; ask for a new one.", {
    details: [{ field: "/code", code: "wrong_code", message }],
  });
}
