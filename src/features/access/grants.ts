/**
 * Owns the issuers of grants, and thereby whether each is still valid: a grant is void as soon as its issuer is removed,
 * has ended or has lost the role they issued it with, by whatever path; a higher one holds. Ends or hands on a person's
 * grants when the person is removed, ends, loses the role, or asks for it. The model is in docs/threat-model.md, "Authority".
 */
import { setImmediate } from "node:timers/promises";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import { isAtLeast, type Role } from "../../core/api/roles.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import type { FeedText } from "../../core/text/keys.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import { GRANT_KINDS, ISSUED_KINDS, type IssuedKind, leastRoleFor, proposedFate } from "./grant-kinds.ts";
import type { Actor } from "./ports.ts";
import { IssuedTable, type LiveGrantRow, NOBODY } from "./tables/issued.ts";

/** A grant in force, as shown to the person deciding about it. */
export type LiveGrant = LiveGrantRow & { readonly kind: IssuedKind };

/** What becomes of a kind of grants: it ends, or the person deciding reissues it. */
type Fate = "end" | "keep";

/** A person's decision; the proposal applies to a missing kind. */
export type Fates = Partial<Readonly<Record<IssuedKind, Fate>>>;

/** A person's grants of one kind. */
export interface GrantsOfKind {
  readonly kind: IssuedKind;
  readonly allows: (typeof GRANT_KINDS)[IssuedKind]["allows"];
  readonly proposed: Fate;
  readonly count: number;
  /** What people know them by, in order. */
  readonly names: readonly string[];
}

/** How many grants of which kinds ended or were kept. */
export interface Settled {
  readonly ended: Partial<Record<IssuedKind, number>>;
  readonly kept: Partial<Record<IssuedKind, number>>;
}

/** A grant that is to end. */
interface EndingGrant {
  readonly id: string;
  /** The id as a number, for kinds whose rows have one. */
  readonly row: number;
  /** The household that it is of; null for those of the whole hub. */
  readonly siteId: number | null;
}

/**
 * Ends one grant, inside a write job: it is switched off or loses its password. Nothing of it is deleted, so that it
 * can be issued again. Work of other hubs or processes follows after the commit. "pending": it has ended here, and other
 * hubs have yet to hear of it.
 */
export type EndGrant = (grant: EndingGrant, by: Actor) => unknown;

/** What has happened to the person whose grants are decided about. `asked`: nothing; `fallen`: the right is gone already. */
type Reason = "removed" | "ended" | "asked" | "fallen" | { readonly demotedTo: Role };

/** The actor for decisions without a person. */
const HUB: Actor = { accountId: null, actor: "hub" };
/** All kinds end. */
const NOTHING_KEPT: Fates = Object.fromEntries(ISSUED_KINDS.map((kind) => [kind, "end"]));
/** Plate rules that are switched off in one job; somebody may have made thousands. */
const AT_ONCE = 50;
/** Names shown of one kind. */
const MOST_NAMES = 50;

/** Who issued what. */
export class Grants {
  readonly name = "grants";
  readonly #options: ConstructorParameters<typeof Grants>[0];
  readonly #table: IssuedTable;
  /** Whose grants are being decided about: an owner who falls with another has made owners in turn. */
  readonly #settling = new Set<number>();
  readonly #ends = new Map<IssuedKind, EndGrant>();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly audit: Audit;
    readonly accounts: Accounts;
    readonly recordFeedItem: RecordFeedItem;
    readonly logger: Pick<Logger, "warn">;
  }) {
    this.#options = options;
    this.#table = new IssuedTable(options.database);
    options.audit.endsBy(this);
  }

  /** Whether a grant's issuer still exists, has not ended and has the role that it was issued with, or a higher one; true for the household's. */
  stands(kind: IssuedKind, id: string): boolean {
    return this.#table.stands(storedKind(kind), id, this.#options.clock.certain());
  }

  /** The person who issued it; null: the household. */
  issuerOf(kind: IssuedKind, id: string): number | null {
    return this.#table.find(storedKind(kind), id)?.issuer ?? null;
  }

  /**
   * The person who answers for what `actor` does, if it is no owner: they get a share of what is limited for all. Null: an
   * owner, or the household.
   */
  sharerBehind(actor: string): number | null {
    const person = this.#table.personBehind(actor, null);
    return person === null || this.#options.accounts.find(person)?.role === "owner" ? null : person;
  }

  /** A person's grants in force, by kind; with `remaining` those that this role may not issue. */
  madeBy(personId: number, remaining: Role | null = null): GrantsOfKind[] {
    const live = this.#live(personId).filter(({ role }) => remaining === null || !isAtLeast(remaining, role));
    return ISSUED_KINDS.flatMap((kind) => {
      const names = live.filter((grant) => grant.kind === kind).map(({ name }) => name);
      return names.length === 0
        ? []
        : [
            {
              kind,
              allows: GRANT_KINDS[kind].allows,
              proposed: proposedFate(kind),
              count: names.length,
              names: names.slice(0, MOST_NAMES),
            },
          ];
    });
  }

  /**
   * At the start, ends grants whose issuer fell without anybody having decided about them, which only a database from
   * elsewhere can hold; those that neither open, reveal nor grant anything become the household's. Call once every kind
   * can be ended.
   */
  async start(): Promise<void> {
    const { database, clock } = this.#options;
    const fallen = this.#table
      .fallenIssuers(clock.certain())
      .filter((issuer) => this.#live(issuer).some(({ kind, id }) => !this.stands(kind, id)));
    if (fallen.length === 0 || database.state !== "ok") return;
    await database.write(() => {
      for (const issuer of fallen) this.settle(issuer, {}, HUB, "fallen");
    });
  }

  /**
   * Inside a write job, by the stored kind of a grant that was just issued: if its issuer has lost the right to issue it,
   * everything that they issued without that right ends, devices included.
   */
  endIfFallen(kind: string, id: string): void {
    const issuer = this.#table.fallenIssuer(kind, id, this.#options.clock.certain());
    if (issuer !== null) this.settle(issuer, NOTHING_KEPT, HUB, "fallen");
  }

  /** Nothing runs that has to end. */
  async stop(): Promise<void> {}

  /**
   * Inside a write job: decides about everything that a person issued. A grant kept by a person's decision is issued by
   * that person from now on; one kept by default is the household's. With `why` "asked" the person stays, and kept
   * grants stay theirs; a demoted person keeps what the remaining role may issue. An owner or gatekeeper whom the person
   * made is demoted in turn, and so on. The deciding person never falls by this: if the settled person made them, that
   * person's own issuer answers for them from then on.
   * @throws Problem `conflict` when somebody who stops being an owner decides to keep something; `forbidden` as
   * {@link refuseBound}, also about somebody who would fall in turn
   */
  settle(personId: number, fates: Fates, by: Actor, reason: Reason): Settled {
    const { clock, audit, accounts, recordFeedItem } = this.#options;
    const why = typeof reason === "string" ? reason : "demoted";
    const remaining = typeof reason === "string" ? null : reason.demotedTo;
    if (by.accountId === personId && why !== "asked" && keepsMore(fates))
      throw new Problem("conflict", { code: "conflict.keepsOwn" });
    if (why !== "asked") this.refuseBound(personId, by);
    const at = clock.now();
    const ended: Partial<Record<IssuedKind, number>> = {};
    const kept: Partial<Record<IssuedKind, number>> = {};
    const names: string[] = [];
    const pending: string[] = [];
    const devices: string[] = [];
    const later: LiveGrant[] = [];
    this.#settling.add(personId);
    try {
      for (const grant of this.#live(personId)) {
        const { kind, id, role } = grant;
        if (why === "fallen" && this.stands(kind, id)) continue;
        if (isPerson(kind) && this.#settling.has(Number(id))) continue;
        if (isPerson(kind) && Number(id) === by.accountId) {
          if (why !== "asked") this.#table.inherit(kind, id, { kind, id: this.#lastToFall(kind, personId) });
          continue;
        }
        if (remaining !== null && isAtLeast(remaining, role)) continue;
        const isOwn = kind === "api_key" && role !== "owner" && why !== "asked"; // a person's app belongs to nobody else
        if (isOwn || (fates[kind] ?? proposedFate(kind)) === "end") {
          const isLater = kind === "plate_rule" && (ended[kind] ?? 0) >= AT_ONCE;
          if (isLater) later.push(grant);
          // those that are switched off later are listed with the others: gates elsewhere follow for all of them, or
          // for none
          const isPending = isLater ? pending.length > 0 : this.#end(grant, by) === "pending";
          ended[kind] = (ended[kind] ?? 0) + 1;
          (isPending ? pending : names).push(grant.name);
        } else {
          const isTaken = fates[kind] === "keep" && by.accountId !== personId;
          if (why !== "asked") this.#handOn(grant, isTaken ? by.accountId : null);
          kept[kind] = (kept[kind] ?? 0) + 1;
          if (kind === "device" && why === "ended") devices.push(grant.name);
        }
      }
    } finally {
      this.#settling.delete(personId);
    }
    this.#endLater(later, by);
    const person = accounts.find(personId);
    const household = person ?? accounts.owner();
    const isAny = Object.keys(ended).length + Object.keys(kept).length > 0;
    if (isAny)
      audit.record({ ...by, action: "grants.settled", target: person?.name ?? "", detail: { why, ended, kept }, at });
    const tell = (text: FeedText): void => {
      if (household === null) return;
      const siteId = accounts.siteIdOf(household.id, "live");
      recordFeedItem({ siteId, kind: "security.grants_ended", deviceId: null, text, at });
    };
    const all = { n: names.length, list: shortList(names) };
    if (names.length > 0)
      tell(
        person === null
          ? { code: "security.grants_ended_gone", ...all }
          : { code: "security.grants_ended", name: person.name, ...all },
      );
    if (pending.length > 0) tell({ code: "security.grants_ended_here", n: pending.length, list: shortList(pending) });
    if (devices.length > 0 && person !== null) {
      const list = devices.join(", "); // all of them: each is to be decided about
      tell({ code: "security.grants_ended_devices", name: person.name, list });
    }
    return { ended, kept };
  }

  /** Of those who fall together, the one above this person whose own issuer stays. */
  #lastToFall(kind: IssuedKind, personId: number): string {
    const seen = new Set<number>();
    let last = personId;
    for (let above = this.issuerOf(kind, String(last)); above !== null; above = this.issuerOf(kind, String(last))) {
      if (!this.#settling.has(above) || seen.has(above)) break;
      seen.add(above);
      last = above;
    }
    return String(last);
  }

  /** Inside a write job: ends everything of one kind that a person issued. */
  endKind(personId: number, kind: IssuedKind, by: Actor): void {
    for (const grant of this.#live(personId)) if (grant.kind === kind) this.#end(grant, by);
  }

  /**
   * Inside a write job: nobody answers for these plate rules from now on, so they let nobody in; they are switched off
   * after it, some at a time, so that a gate's command waits for no more than a few of them.
   */
  #endLater(rules: readonly LiveGrant[], by: Actor): void {
    if (rules.length === 0) return;
    const { database, logger } = this.#options;
    this.#table.disownAll("plate_rule", JSON.stringify(rules.map(({ id }) => id)));
    const endSome = (some: readonly LiveGrant[]): void => {
      // somebody may have taken one over meanwhile, switched it off or deleted it
      const left = this.#table.liveRules(
        NOBODY,
        some.map(({ id }) => id),
      );
      for (const rule of some) if (left.has(rule.id)) this.#end(rule, by);
    };
    const endAll = async (): Promise<void> => {
      for (let from = 0; from < rules.length; from += AT_ONCE) {
        if (from > 0) await setImmediate();
        await database.write(() => endSome(rules.slice(from, from + AT_ONCE)));
      }
    };
    database.committed(() => {
      void endAll().catch((error: unknown) =>
        // nobody answers for them: they let nobody in, and are switched off at the next start
        logger.warn({ err: error }, "plate rules that have ended could not all be switched off"),
      );
    });
  }

  #end(grant: LiveGrant, by: Actor): "ended" | "pending" {
    const { audit, clock } = this.#options;
    const { kind, id, name } = grant;
    const end = this.#ends.get(kind);
    if (end === undefined) throw new Error(`nothing ends a ${kind}`);
    const pending = end({ id, row: Number(id), siteId: grant.siteId }, by) === "pending";
    const detail = { kind, id, ...(pending ? { pending } : {}) };
    audit.record({ ...by, action: "grant.ended", target: name, detail, at: clock.now() });
    return pending ? "pending" : "ended";
  }

  /** Inside a write job: notes that a person joined by an invitation, and answers to its issuer. */
  joined(personId: number, role: Role, invitationId: number): void {
    const from = { kind: "invitation", id: String(invitationId) };
    this.#table.inherit("member", String(personId), from);
    if (role !== "member") this.#table.inherit(role, String(personId), from);
  }

  /** Inside a write job: notes who answers for a person from now on, and for the role that they have. */
  admittedBy({ id, role }: { readonly id: number; readonly role: Role }, { actor, accountId }: Actor): void {
    const by = { id: String(id), actor, personId: accountId, role: null };
    for (const kind of role === "member" ? (["member"] as const) : (["member", role] as const))
      this.#table.put({ kind, ...by, least: leastRoleFor(kind) });
  }

  /** Whether an owner is that person, or an owner because of them: made one by them, by an owner whom they made, and so on. */
  answersTo(ownerId: number, personId: number): boolean {
    return this.ownersBehind(ownerId).has(personId);
  }

  /** An owner, who made them one, who made that person one, and so on: with the last of them, all of them fall. */
  ownersBehind(ownerId: number): ReadonlySet<number> {
    const behind = new Set<number>();
    for (let id: number | null = ownerId; id !== null && !behind.has(id); id = this.issuerOf("owner", String(id)))
      behind.add(id);
    return behind;
  }

  /**
   * Refuses an owner who answers to a person whose access has an end: deciding about that person would shed the end.
   * What people decide about themselves is not refused here.
   * @throws Problem `forbidden`
   */
  refuseBound(personId: number, by: Actor): void {
    if (by.accountId === null || by.accountId === personId) return;
    const person = this.#options.accounts.find(personId);
    if (person === null || person.endsAt === null || !this.answersTo(by.accountId, personId)) return;
    throw new Problem("forbidden", { code: "forbidden.boundByEnd", name: person.name });
  }

  /** Inside a write job: notes that an owner became a gatekeeper of their own accord, and answers to the same person. */
  steppedDown(personId: number): void {
    this.#table.inherit("gatekeeper", String(personId), { kind: "owner", id: String(personId) });
  }

  /** Inside a write job: from now on who answers for one grant answers for another. */
  inherits(kind: IssuedKind, id: string, from: { readonly kind: IssuedKind; readonly id: string }): void {
    this.#table.inherit(storedKind(kind), id, { kind: storedKind(from.kind), id: from.id });
  }

  /** Registers how a kind ends; its feature calls this when the hub is built. */
  endsBy(kind: IssuedKind, end: EndGrant): void {
    this.#ends.set(kind, end);
  }

  /** Inside a write job: removes its issuer, for grants that have no switch or take a while to end. */
  disown(kind: IssuedKind, id: string): void {
    this.#table.handOn(storedKind(kind), id, NOBODY);
  }

  #handOn({ kind, id }: LiveGrant, issuer: number | null): void {
    const stored = storedKind(kind);
    if (issuer === null) this.#table.forget(stored, id);
    else this.#table.handOn(stored, id, issuer);
  }

  #live(personId: number): LiveGrant[] {
    return this.#table.liveOf(personId, this.#options.clock.now()).filter(isKnown);
  }
}

/** Whether a decision keeps grants that would end by default. */
function keepsMore(fates: Fates): boolean {
  return ISSUED_KINDS.some((kind) => fates[kind] === "keep" && proposedFate(kind) === "end");
}

function isKnown(row: LiveGrantRow): row is LiveGrant {
  return ISSUED_KINDS.some((kind) => kind === row.kind);
}

function isPerson(kind: IssuedKind): boolean {
  return kind === "owner" || kind === "gatekeeper" || kind === "member";
}

/** Cameras are devices; a device's kind may change, its issuer stays. */
function storedKind(kind: IssuedKind): string {
  return kind === "camera" ? "device" : kind;
}

const LISTED = 5;

function shortList(names: readonly string[]): string {
  return names.slice(0, LISTED).join(", ") + (names.length > LISTED ? ", …" : "");
}
