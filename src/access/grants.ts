/**
 * Owns who issued what, and with that whether it still stands: a grant is dead as soon as the person who issued it is gone
 * or has lost the role that they issued it with, whatever path led there. Ends or hands on what a person issued when the
 * person is removed or loses the role, and when they ask for it. The model is in docs/threat-model.md, "Authority".
 */
import type { RecordFeedItem } from "../contract/feed-kinds.js";
import type { Clock } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import { IssuedTable, type LiveGrantRow, NOBODY } from "../storage/tables/issued.js";
import type { Accounts } from "./accounts.js";
import type { Audit } from "./audit.js";
import { GRANT_KINDS, ISSUED_KINDS, type IssuedKind, proposedFate } from "./grant-kinds.js";
import type { Actor } from "./ports.js";

/** A grant that is in force, as a person is asked about it. */
export type LiveGrant = LiveGrantRow & { readonly kind: IssuedKind };

/** What becomes of a kind of grants: it ends, or whoever decides issues it anew. */
type Fate = "end" | "keep";

/** What somebody decided; for a kind that is missing the proposal holds. */
export type Fates = Partial<Readonly<Record<IssuedKind, Fate>>>;

/** What a person issued of one kind. */
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

/** What {@link Grants} works with. */
export interface GrantsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly accounts: Accounts;
  readonly recordFeedItem: RecordFeedItem;
  /** Ends one, inside a write job; `by`: on whose decision. */
  readonly end: (grant: LiveGrant, by: Actor) => void;
}

/** Whose decision it is when nobody is there to decide. */
const HUB: Actor = { accountId: null, actor: "hub" };
/** All kinds end. */
const NOTHING_KEPT: Fates = Object.fromEntries(ISSUED_KINDS.map((kind) => [kind, "end"]));
/** Names shown of one kind. */
const MOST_NAMES = 50;

/** Who issued what. */
export class Grants {
  readonly name = "grants";
  readonly #options: GrantsOptions;
  readonly #table: IssuedTable;
  /** Whose grants are being decided about: an owner who falls with another has made owners in turn. */
  readonly #settling = new Set<number>();

  constructor(options: GrantsOptions) {
    this.#options = options;
    this.#table = new IssuedTable(options.database);
  }

  /** Whether a grant's issuer still exists and has the role that it was issued with; true for the household's. */
  stands(kind: IssuedKind, id: string): boolean {
    return this.#table.stands(storedKind(kind), id);
  }

  /** The person who issued it; null: the household. */
  issuerOf(kind: IssuedKind, id: string): number | null {
    return this.#table.find(storedKind(kind), id)?.issuer ?? null;
  }

  /** What a person issued and what is in force, by kind. */
  madeBy(personId: number): GrantsOfKind[] {
    const live = this.#live(personId);
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
   * Ends at the start what fell with its issuer without anybody having decided about it, which only a database from
   * elsewhere can hold; what neither opens, tells nor grants is the household's. Needs everything that ends grants.
   */
  async start(): Promise<void> {
    const { database } = this.#options;
    const fallen = this.#table
      .fallenIssuers()
      .filter((issuer) => this.#live(issuer).some(({ kind, id }) => !this.stands(kind, id)));
    if (fallen.length === 0 || database.state !== "ok") return;
    await database.write(() => {
      for (const issuer of fallen) this.settle(issuer, {}, HUB, "fallen");
    });
  }

  /** Inside a write job: ends what somebody issued in the moment in which they lost the right to, devices too. */
  endFallen(issuer: number): void {
    this.settle(issuer, NOTHING_KEPT, HUB, "fallen");
  }

  /** Nothing runs. */
  async stop(): Promise<void> {}

  /**
   * Inside a write job: decides about everything that a person issued. What is kept on somebody's word is issued by them
   * from now on; what is kept because nobody said anything is the household's. With `why` "asked" the person stays, and
   * what is kept stays theirs. An owner whom the person made stops being one like somebody who is demoted, and so on.
   * Whoever decides never falls by it: whoever made the person answers for them from then on.
   * @throws Problem `conflict` when somebody who stops being an owner wants to keep something on their own word
   */
  settle(personId: number, fates: Fates, by: Actor, why: "removed" | "demoted" | "asked" | "fallen"): Settled {
    const { clock, audit, accounts, recordFeedItem } = this.#options;
    if (by.accountId === personId && why !== "asked" && keepsMore(fates))
      throw new Problem("conflict", { code: "conflict.keepsOwn" });
    const at = clock.now();
    const ended: Partial<Record<IssuedKind, number>> = {};
    const kept: Partial<Record<IssuedKind, number>> = {};
    const names: string[] = [];
    this.#settling.add(personId);
    try {
      for (const grant of this.#live(personId)) {
        const { kind, id, role } = grant;
        if (why === "fallen" && this.stands(kind, id)) continue;
        if (isPerson(kind) && this.#settling.has(Number(id))) continue;
        if (isPerson(kind) && Number(id) === by.accountId) {
          if (why !== "asked") this.#table.inherit(kind, id, { kind, id: String(personId) });
          continue;
        }
        if (role === "member" && why === "demoted") continue; // what they may have as a member
        const isOwn = role === "member" && why === "removed"; // a member's app is nobody else's
        if (isOwn || (fates[kind] ?? proposedFate(kind)) === "end") {
          this.#end(grant, by);
          ended[kind] = (ended[kind] ?? 0) + 1;
          names.push(grant.name);
        } else {
          const isTaken = fates[kind] === "keep" && by.accountId !== personId;
          if (why !== "asked") this.#handOn(grant, isTaken ? by.accountId : null);
          kept[kind] = (kept[kind] ?? 0) + 1;
        }
      }
    } finally {
      this.#settling.delete(personId);
    }
    const person = accounts.find(personId);
    const household = person ?? accounts.owner();
    audit.record({ ...by, action: "grants.settled", target: person?.name ?? "", detail: { why, ended, kept }, at });
    if (names.length > 0 && household !== null) {
      const list = shortList(names);
      recordFeedItem({
        siteId: accounts.siteIdOf(household.id, "live"),
        kind: "security.grants_ended",
        deviceId: null,
        text:
          person === null
            ? { code: "security.grants_ended_gone", n: names.length, list }
            : { code: "security.grants_ended", name: person.name, n: names.length, list },
        at,
      });
    }
    return { ended, kept };
  }

  /** Inside a write job: ends everything of one kind that a person issued. */
  endKind(personId: number, kind: IssuedKind, by: Actor): void {
    for (const grant of this.#live(personId)) if (grant.kind === kind) this.#end(grant, by);
  }

  #end(grant: LiveGrant, by: Actor): void {
    const { audit, clock } = this.#options;
    const { kind, id, name } = grant;
    this.#options.end(grant, by);
    audit.record({ ...by, action: "grant.ended", target: name, detail: { kind, id }, at: clock.now() });
  }

  /** Inside a write job: notes that a person came by an invitation, and answers to whoever issued it. */
  joined(personId: number, role: "owner" | "member", invitationId: number): void {
    const from = { kind: "invitation", id: String(invitationId) };
    this.#table.inherit("member", String(personId), from);
    if (role === "owner") this.#table.inherit("owner", String(personId), from);
  }

  /** Inside a write job: nobody stands for it any more, for what has no switch or takes a while to end. */
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

/** Whether somebody wants to keep what would end without a word. */
function keepsMore(fates: Fates): boolean {
  return ISSUED_KINDS.some((kind) => fates[kind] === "keep" && proposedFate(kind) === "end");
}

function isKnown(row: LiveGrantRow): row is LiveGrant {
  return ISSUED_KINDS.some((kind) => kind === row.kind);
}

function isPerson(kind: IssuedKind): boolean {
  return kind === "owner" || kind === "member";
}

/** Cameras are devices; what a device is may change, its issuer stays. */
function storedKind(kind: IssuedKind): string {
  return kind === "camera" ? "device" : kind;
}

const LISTED = 5;

function shortList(names: readonly string[]): string {
  return names.slice(0, LISTED).join(", ") + (names.length > LISTED ? ", …" : "");
}
