/**
 * Random sequences of acts that grant and revoke rights, carried out by the real classes on a real database and by a
 * plain model of docs/threat-model.md, "Authority". The effective rights are compared after every act.
 */
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Access } from "../../src/features/access/access.ts";
import { leastRoleWith } from "../../src/features/access/roles.ts";
import type { Limits } from "../../src/features/access/rules/limits.ts";
import { GuestPassTable } from "../../src/features/gate/tables/guest-pass.ts";
import { PlateRuleTable } from "../../src/features/gate/tables/plate-rule.ts";
import { WebhookTable } from "../../src/features/webhooks/tables/webhook.ts";
import { testBase } from "./base.ts";
import { openDatabase } from "./database.ts";
import { FakeClock } from "./fake-clock.ts";

/** Possible acts; one that makes no sense in its place is skipped. */
export const ACTS = [
  "invite owner",
  "invite gatekeeper",
  "invite member",
  "invite as a gatekeeper",
  "join",
  "withdraw",
  "make key",
  "pair app",
  "pair app for plates",
  "revoke key",
  "widen key",
  "narrow key",
  "rotate key",
  "allow plate",
  "allow plate by app",
  "switch plate off",
  "switch plate on",
  "give pass",
  "make webhook",
  "switch webhook off",
  "switch webhook on",
  "sign in",
  "sign out",
  "demote",
  "make gatekeeper",
  "promote",
  "remove",
  "remove and keep",
  "remove and keep owners",
  "remove with whom they let in",
  "shed an end",
  "give an end",
  "give no end",
  "invite until",
  "invite limited",
  "limit",
  "end all",
  "new password",
  "back up",
  "restore",
] as const;

/** One act; `a` and `b` choose its person and object. */
export interface Act {
  readonly what: (typeof ACTS)[number];
  readonly a: number;
  readonly b: number;
}

/** The least first. */
const ROLES = ["member", "gatekeeper", "owner"] as const;
type Role = (typeof ROLES)[number];
interface ModelPerson {
  readonly id: number;
  role: Role;
  alive: boolean;
  /** From when on they may not act; null: never. */
  endsAt: number | null;
  /** Whether that has come; only an owner takes it back. */
  hasEnded: boolean;
  /** What they may open while they are a member, and when; null: everything, at any time. */
  limits: ModelLimits | null;
  generation: number;
  /** Who let the person in, and who made them an owner or a gatekeeper; null: the household. */
  invitedBy: number | null;
  madeOwnerBy: number | null;
  madeGatekeeperBy: number | null;
}
/** `never`: at times that are days away; `always`: at times that cover the week. */
interface ModelLimits {
  readonly times: "never" | "always" | null;
  readonly gate: (typeof GATES)[number] | null;
}
interface ModelGrant {
  /** Null: the household. */
  issuer: number | null;
  /** The role that it was issued with; it stands with a higher one too. */
  role: Role;
  ended: boolean;
}
/** An allowed plate, which has ended while it is off, or a guest's pass. */
interface ModelPlate extends ModelGrant {
  readonly id: number;
}
interface ModelKey extends ModelGrant {
  readonly id: number;
  readonly secret: string;
  /** The member or gatekeeper whose app it is; null: the household's. */
  readonly member: number | null;
  scopes: Scope[];
  /** Who added a scope to another person's key. */
  readonly addedBy: Map<Scope, number>;
  /** Scopes that were removed and not added again. */
  readonly out: Set<Scope>;
  rotated: boolean;
}
/** A webhook; it has ended while it is off. */
interface ModelWebhook extends ModelGrant {
  readonly id: number;
}
interface ModelInvitation extends ModelGrant {
  readonly id: number;
  readonly code: string;
  readonly gives: Role;
  /** Of the access that it gives, and of the invitation; null: none. */
  readonly endsAt: number | null;
  readonly limits: ModelLimits | null;
  generation: number;
}
interface ModelSession {
  readonly id: number;
  readonly token: string;
  readonly person: number;
  ended: boolean;
}
interface Model {
  persons: ModelPerson[];
  keys: ModelKey[];
  invitations: ModelInvitation[];
  sessions: ModelSession[];
  webhooks: ModelWebhook[];
  rules: ModelPlate[];
  passes: ModelPlate[];
}
/** The decision about a person's grants; what is missing ends, but people whom they let in stay. */
interface Decision {
  readonly keepsKeys?: boolean;
  readonly keepsOwners?: boolean;
  readonly takesOut?: boolean;
}

type Scope = (typeof SCOPES)[number];

/** Devices that limits name. */
const GATES = ["front-gate", "back-gate"] as const;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const DAY_MS = 86_400_000;

/** Those that the model knows, and who may have an app with them. */
const SCOPES = ["devices:read", "events:read", "scenes:read", "plates:write"] as const;
const NEEDED: Readonly<Record<Scope, Role>> = {
  "devices:read": "member",
  "events:read": "member",
  "scenes:read": "member",
  "plates:write": "gatekeeper",
};
const AUTHOR = { master: "owner", passId: null } as const;
const CHEAPEST = { ln: 4, r: 8, p: 1 };
const PASSWORD = "violin-gravel-47-otter";
const ASIDE = "before-restore-1";

/** The real parts and the model of one household. */
export class AuthoritySequence {
  #model: Model = { persons: [], keys: [], invitations: [], sessions: [], webhooks: [], rules: [], passes: [] };
  #backup: Model | null = null;
  readonly #folder: string;
  readonly #clock = new FakeClock();
  #access: Access;
  #database: Database;
  #webhooks: WebhookTable;
  #rules: PlateRuleTable;
  #passes: GuestPassTable;
  #headId = 0;
  #nth = 0;
  /** The highest ids issued so far. */
  readonly #highest = { account: 0, key: 0, session: 0 };
  /** Acts that did something, or were refused as they have to be, by kind. */
  readonly done = new Map<string, number>();

  private constructor(folder: string, database: Database) {
    this.#folder = folder;
    this.#database = database;
    this.#webhooks = new WebhookTable(database);
    this.#rules = new PlateRuleTable(testBase(database, new FakeClock()));
    this.#passes = new GuestPassTable(database);
    this.#access = this.#build();
  }

  /** Begins with a household of one, on an empty folder. */
  static async begin(folder: string): Promise<AuthoritySequence> {
    const sequence = new AuthoritySequence(folder, await openDatabase(folder));
    await sequence.#start();
    await sequence.newHousehold();
    return sequence;
  }

  /**
   * A further household of four on the same database: a new database for each sequence would cost more than the
   * sequence.
   */
  async newHousehold(): Promise<void> {
    this.#nth += 1;
    const passwordHash = await this.#access.passwords.hash(PASSWORD);
    const head = this.#database.writeNow(() =>
      this.#access.accounts.create(
        { email: `head${this.#nth}@example.org`, name: `Head ${this.#nth}`, passwordHash },
        { accountId: null, actor: "cli" },
      ),
    );
    this.#headId = head.id;
    this.#given("account", head.id);
    this.#backup = null;
    this.#model = {
      persons: [
        {
          id: head.id,
          role: "owner",
          alive: true,
          endsAt: null,
          hasEnded: false,
          limits: null,
          generation: head.generation,
          invitedBy: null,
          madeOwnerBy: null,
          madeGatekeeperBy: null,
        },
      ],
      keys: [],
      invitations: [],
      sessions: [],
      webhooks: [],
      rules: [],
      passes: [],
    };
    for (const what of ["invite owner", "invite gatekeeper", "invite member"] as const) {
      await this.act({ what, a: 0, b: 0 });
      await this.act({ what: "join", a: this.#model.invitations.length - 1, b: 0 });
    }
  }

  async end(): Promise<void> {
    await this.#access.ends.stop();
    await this.#database.stop();
  }

  /** Carries out one act both ways. @throws Error naming the difference */
  async act({ what, a, b }: Act): Promise<void> {
    this.#clock.advance(1_000);
    this.#endDue();
    const before = this.#count();
    await this.#do(what, a, b);
    if (this.#count() !== before) this.done.set(what, (this.done.get(what) ?? 0) + 1);
    this.#compare(what);
  }

  /** Tries every invitation, which uses it up. @throws Error naming the difference */
  async tryInvitations(): Promise<void> {
    for (const invitation of this.#model.invitations) await this.#join(invitation);
  }

  #build(): Access {
    const database = this.#database;
    // at once, without a timer between: a hundred thousand sequences have millions of acts
    database.write = async <Result>(job: () => Result): Promise<Result> => database.writeNow(job);
    const access = new Access({
      database,
      clock: this.#clock,
      logger: silentLogger,
      hubKey: new HubKey(Buffer.alloc(32, 7)),
      recordFeedItem: () => {},
      dataFolder: this.#folder,
      newSite: { name: "Home", timeZone: "Asia/Kolkata" },
      sessionIdleDays: 14,
      sessionMaxDays: 90,
      hadOwner: () => false,
      claimFromAnywhere: false,
      passwordCost: CHEAPEST,
    });
    access.limits.timeKnownBy({ state: () => "trusted" });
    access.persons.gatesKnownBy((_siteId, id) => GATES.some((gate) => gate === id));
    access.grants.endsBy("webhook", ({ row }) => this.#switchWebhook(row, false));
    access.grants.endsBy("plate_rule", ({ row }) => this.#switchRule(row, false));
    access.grants.endsBy("guest_pass", ({ row }) => this.#passes.remove(row));
    return access;
  }

  async #start(): Promise<void> {
    await this.#access.revocations.start();
    await this.#access.keys.start();
    await this.#access.watch.start();
    await this.#access.ends.start();
    await this.#access.grants.start();
  }

  async #do(what: Act["what"], a: number, b: number): Promise<void> {
    const { persons, keys, invitations, sessions } = this.#model;
    const access = this.#access;
    const known = persons.filter(({ alive }) => alive);
    const living = known.filter(({ hasEnded }) => !hasEnded);
    const owner = pick(
      living.filter(({ role }) => role === "owner"),
      a,
    );
    const person = pick(living, b);
    const other = pick(
      known.filter(({ id }) => id !== this.#headId),
      b,
    );
    if (owner === undefined || person === undefined) return;
    const by = { accountId: owner.id, actor: `session:${2 ** 41}` };
    const keeper = pick(
      living.filter(({ role }) => role !== "member"),
      a,
    );
    switch (what) {
      case "invite owner":
      case "invite gatekeeper":
      case "invite member": {
        if (known.length + invitations.length > 20) return;
        const gives = what === "invite owner" ? "owner" : what === "invite member" ? "member" : "gatekeeper";
        const made = await this.#invite({ role: gives }, owner);
        if (made === null) return;
        const { invitation, code } = made;
        const issued = { issuer: owner.id, role: "owner", ended: false, generation: owner.generation } as const;
        invitations.push({ id: invitation.id, code, gives, endsAt: null, limits: null, ...issued });
        return;
      }
      case "invite until": {
        if (known.length + invitations.length > 20) return;
        const gives = ROLES[a % 3] ?? "member";
        const endsAt = this.#clock.now() + (1 + (b % 9)) * 1_000;
        const made = await this.#invite({ role: gives, endsAt }, owner);
        if (made === null) return;
        const { invitation, code } = made;
        const issued = { issuer: owner.id, role: "owner", ended: false, generation: owner.generation } as const;
        invitations.push({ id: invitation.id, code, gives, endsAt, limits: null, ...issued });
        return;
      }
      case "invite limited": {
        if (known.length + invitations.length > 20) return;
        const gives = ROLES[a % 3] ?? "member";
        const limits = modelLimits(a, b);
        const made = await this.#invite({ role: gives, limits }, owner);
        if (made === null) return;
        const { invitation, code } = made;
        const issued = { issuer: owner.id, role: "owner", ended: false, generation: owner.generation } as const;
        invitations.push({ id: invitation.id, code, gives, endsAt: null, limits, ...issued });
        return;
      }
      case "limit": {
        if (other !== undefined) await this.#limit(other, modelLimits(a, b), owner);
        return;
      }
      case "give an end":
      case "give no end": {
        if (other === undefined) return;
        const endsAt = what === "give no end" ? null : this.#clock.now() + (1 + (a % 4)) * 1_000;
        await this.#giveEnd(other, endsAt, owner);
        return;
      }
      case "invite as a gatekeeper": {
        const guard = pick(
          living.filter(({ role }) => role === "gatekeeper"),
          a,
        );
        if (guard === undefined || known.length + invitations.length > 20) return;
        const actor = { accountId: guard.id, actor: `session:${2 ** 41}` };
        const invited = access.persons.invite(this.#headId, { name: "Guest", role: "member" }, actor);
        const refusal: unknown = await invited.then(
          () => null,
          (error: unknown) => error,
        );
        if (!(refusal instanceof Problem) || refusal.code !== "forbidden")
          throw new Error("a gatekeeper invited somebody");
        this.done.set(what, (this.done.get(what) ?? 0) + 1); // to refuse is what it has to do
        return;
      }
      case "join": {
        const invitation = pick(invitations, a);
        if (invitation !== undefined) await this.#join(invitation);
        return;
      }
      case "withdraw": {
        const invitation = pick(
          invitations.filter((one) => !one.ended && !this.#isOver(one)),
          b,
        );
        if (invitation === undefined) return;
        await access.persons.withdraw(this.#headId, invitation.id, by);
        invitation.ended = true;
        return;
      }
      case "make key": {
        const scopes: Scope[] = b % 2 === 0 ? ["devices:read"] : ["devices:read", "plates:write"];
        const { key, secret } = await access.keys.create(this.#headId, { ...newKey(), scopes }, by);
        this.#given("key", key.id);
        const issued = { issuer: owner.id, role: "owner", ended: false } as const;
        keys.push({ id: key.id, secret, member: null, ...issued, ...newScopes(), scopes });
        return;
      }
      case "pair app":
      case "pair app for plates": {
        const role = what === "pair app" ? "member" : "gatekeeper";
        const someone = role === "member" ? person : keeper;
        if (someone === undefined || someone.role === "owner") return; // an owner's app is the household's
        const actor = { accountId: someone.id, actor: `session:${2 ** 41}` };
        const scopes: Scope[] = role === "member" ? ["devices:read"] : ["devices:read", "plates:write"];
        const { key, secret } = await access.keys.create(someone.id, { ...newKey(), scopes }, actor);
        this.#given("key", key.id);
        const issued = { issuer: someone.id, role, ended: false } as const;
        keys.push({ id: key.id, secret, member: someone.id, ...issued, ...newScopes(), scopes });
        return;
      }
      case "widen key": {
        const key = pick(
          keys.filter((one) => this.#works(one) && this.#addable(one).length > 0),
          b,
        );
        const scope = key === undefined ? undefined : this.#addable(key)[a % this.#addable(key).length];
        if (key === undefined || scope === undefined) return;
        const scopes = [...key.scopes, scope];
        await access.keys.edit(this.#headId, key.id, { scopes }, by);
        this.#setScopes(key, scopes);
        if (key.issuer !== owner.id) key.addedBy.set(scope, owner.id);
        return;
      }
      case "narrow key": {
        const key = pick(
          keys.filter((one) => this.#works(one) && one.scopes.length > 1), // a key has at least one
          b,
        );
        if (key === undefined) return;
        const scopes = key.scopes.filter((_scope, nth) => nth !== a % key.scopes.length);
        await access.keys.edit(this.#headId, key.id, { scopes }, by);
        this.#setScopes(key, scopes);
        return;
      }
      case "rotate key": {
        const key = pick(
          keys.filter((one) => this.#works(one) && !one.rotated),
          b,
        );
        if (key === undefined) return;
        const made = await access.keys.rotate(this.#headId, key.id, by);
        this.#given("key", made.key.id);
        key.rotated = true;
        const { member, scopes } = key;
        const issued =
          member === null
            ? ({ issuer: owner.id, role: "owner", ended: false } as const)
            : { issuer: member, role: leastRoleWith(scopes), ended: false };
        keys.push({ id: made.key.id, secret: made.secret, member, ...issued, ...newScopes(), scopes: [...scopes] });
        return;
      }
      case "allow plate":
        if (keeper !== undefined) this.#makePlate("rule", keeper.id, `session:${2 ** 41}`, keeper.role);
        return;
      case "give pass":
        if (keeper !== undefined) this.#makePlate("pass", keeper.id, `session:${2 ** 41}`, keeper.role);
        return;
      case "allow plate by app": {
        const key = pick(
          keys.filter((one) => this.#works(one) && one.scopes.includes("plates:write")),
          b,
        );
        if (key === undefined) return;
        const behind = persons.find(({ id }) => id === key.issuer);
        this.#makePlate("rule", null, `api_key:${key.id}`, behind?.role ?? "owner", key.issuer);
        return;
      }
      case "switch plate off":
      case "switch plate on": {
        const isOn = what === "switch plate on";
        const rule = pick(
          this.#model.rules.filter(({ ended }) => ended === isOn),
          b,
        );
        if (rule === undefined || keeper === undefined) return;
        this.#database.writeNow(() => {
          this.#switchRule(rule.id, isOn);
          const actor = { accountId: keeper.id, actor: `session:${2 ** 41}` };
          const action = "plate_rule.edited";
          const detail = { id: rule.id, ...(isOn ? { widened: true } : {}) };
          access.audit.record({ ...actor, action, target: "", detail, at: this.#clock.now() });
        });
        rule.ended = !isOn;
        if (isOn) Object.assign(rule, { issuer: keeper.id, role: atLeast("gatekeeper", keeper.role) });
        return;
      }
      case "make webhook": {
        const id = this.#makeWebhook(by);
        this.#model.webhooks.push({ id, issuer: owner.id, role: "owner", ended: false });
        return;
      }
      case "switch webhook off":
      case "switch webhook on": {
        const isOn = what === "switch webhook on";
        const webhook = pick(
          this.#model.webhooks.filter(({ ended }) => ended === isOn),
          b,
        );
        if (webhook === undefined) return;
        this.#database.writeNow(() => {
          this.#switchWebhook(webhook.id, isOn);
          const action = isOn ? "webhook.enabled" : "webhook.disabled";
          access.audit.record({ ...by, action, target: "", detail: { id: webhook.id }, at: this.#clock.now() });
        });
        webhook.ended = !isOn;
        if (isOn) webhook.issuer = owner.id;
        return;
      }
      case "revoke key": {
        const key = pick(
          keys.filter((one) => this.#works(one)),
          b,
        );
        if (key === undefined) return;
        await access.keys.revoke(this.#headId, key.id, by);
        key.ended = true;
        return;
      }
      case "sign in": {
        const { id, token } = this.#database.writeNow(() =>
          access.sessions.open(person.id, { address: "10.0.0.1", userAgent: "" }),
        );
        this.#given("session", id);
        sessions.push({ id, token, person: person.id, ended: false });
        return;
      }
      case "sign out": {
        const session = pick(
          sessions.filter((one) => this.#isSignedIn(one)),
          b,
        );
        if (session === undefined) return;
        await access.sessions.revoke(session.person, session.id, by.actor);
        session.ended = true;
        return;
      }
      case "demote":
      case "make gatekeeper":
      case "promote": {
        if (other === undefined) return;
        const role = what === "demote" ? "member" : what === "promote" ? "owner" : "gatekeeper";
        await this.#setRole(other, role, owner);
        return;
      }
      case "remove":
      case "remove and keep":
      case "remove and keep owners":
      case "remove with whom they let in": {
        if (other === undefined) return;
        await this.#removeBy(owner, other, what);
        return;
      }
      case "shed an end": {
        await this.#shed(a, b);
        return;
      }
      case "end all":
        await this.#decide(access.persons.endGrants(this.#headId, person.id, {}, by), () =>
          this.#settle(person, {}, owner, "asked"),
        );
        return;
      case "new password": {
        const next = `${PASSWORD}-${person.generation + 1}`;
        await access.signIn.changePassword(person.id, { next, sessionId: 0 });
        person.generation += 1;
        for (const one of sessions) if (one.person === person.id) one.ended = true;
        for (const one of invitations) if (one.issuer === person.id) one.ended = true;
        return;
      }
      case "back up":
        this.#database.raw.pragma("wal_checkpoint(TRUNCATE)");
        copyFileSync(join(this.#folder, "gatehouse.db"), join(this.#folder, "copy.db"));
        this.#backup = structuredClone(this.#model);
        return;
      case "restore":
        if (this.#backup !== null) await this.#restore(this.#backup);
    }
  }

  async #setRole(person: ModelPerson, role: Role, owner: ModelPerson): Promise<void> {
    const by = { accountId: owner.id, actor: `session:${2 ** 41}` };
    await this.#decide(this.#access.persons.setRole(this.#headId, person.id, role, by), () => {
      this.#refuseShed(person, owner);
      const maker = owner === person ? person.madeOwnerBy : owner.id;
      if (role !== person.role && role === "owner") person.madeOwnerBy = owner.id;
      if (role !== person.role && role === "gatekeeper") person.madeGatekeeperBy = maker;
      this.#giveRole(person, role, owner);
    });
  }

  /** Owners make owners, one of them gets an end, and the last decides about somebody to whom they answer. */
  async #shed(a: number, b: number): Promise<void> {
    const isHead = ({ id }: ModelPerson): boolean => id === this.#headId;
    const living = this.#model.persons.filter(({ alive, hasEnded }) => alive && !hasEnded);
    const head = living.find(isHead);
    let last = head;
    for (let left = 2 + (a % 3); left > 0 && last !== undefined; left--) {
      const maker: ModelPerson = last;
      const chain = this.#chain(maker);
      const rest = living.filter((one) => !chain.includes(one) && one.role !== "owner");
      const next = pick(rest, b);
      if (next === undefined) break;
      await this.#setRole(next, "owner", maker);
      last = next;
    }
    if (head === undefined || last === undefined) return;
    const above = this.#chain(last).filter((one) => one !== last && !isHead(one));
    const [ending, target] = [pick(above, a + b), pick(above, b)];
    if (ending === undefined || target === undefined) return;
    await this.#giveEnd(ending, this.#clock.now() + (2 + (b % 9)) * 1_000, head);
    const ways = ["remove", "remove and keep", "remove with whom they let in", "member", "gatekeeper"] as const;
    const way = ways[(a + b) % ways.length] ?? "remove";
    if (way === "member" || way === "gatekeeper") await this.#setRole(target, way, last);
    else await this.#removeBy(last, target, way);
  }

  async #removeBy(
    owner: ModelPerson,
    person: ModelPerson,
    what: Extract<Act["what"], `remove${string}`>,
  ): Promise<void> {
    const by = { accountId: owner.id, actor: `session:${2 ** 41}` };
    const keepsKeys = what === "remove and keep";
    const keepsOwners = what === "remove and keep owners";
    const takesOut = what === "remove with whom they let in";
    const keeps = keepsKeys || keepsOwners;
    const fates = {
      ...(keepsKeys
        ? ({
            api_key: "keep",
            invitation: "keep",
            key_scope: "keep",
            plate_rule: "keep",
            guest_pass: "keep",
          } as const)
        : {}),
      ...(keepsOwners ? ({ owner: "keep", gatekeeper: "keep" } as const) : {}),
      ...(takesOut ? ({ member: "end" } as const) : {}),
    };
    const removed = this.#access.persons.remove(this.#headId, person.id, by, fates);
    if (keeps && person.id === owner.id) {
      const refusal: unknown = await removed.then(
        () => null,
        (error: unknown) => error,
      );
      if (!(refusal instanceof Problem)) throw new Error("a person confirmed their own grants");
      return;
    }
    await this.#decide(removed, () => this.#remove(person, { keepsKeys, keepsOwners, takesOut }, owner));
  }

  async #join(invitation: ModelInvitation): Promise<void> {
    this.#nth += 1;
    const issuer = this.#model.persons.find(({ id }) => id === invitation.issuer);
    const isGood =
      !this.#isOver(invitation) &&
      this.#stands(invitation) &&
      (issuer === undefined || issuer.generation === invitation.generation);
    const request = {
      code: invitation.code,
      name: `Person ${this.#nth}`,
      email: `p${this.#nth}@example.org`,
      password: PASSWORD,
    };
    try {
      const from = { address: `10.${this.#nth}`, userAgent: "" };
      const { account, sessionId, token } = await this.#access.persons.join(request, from);
      if (!isGood) throw new Error(`an ended invitation gave the role ${account.role}`);
      if (account.role !== invitation.gives) throw new Error(`it gave the role ${account.role}`);
      this.#given("account", account.id);
      this.#given("session", sessionId);
      const { id, role, generation } = account;
      const makers = {
        invitedBy: invitation.issuer,
        madeOwnerBy: role === "owner" ? invitation.issuer : null,
        madeGatekeeperBy: role === "gatekeeper" ? invitation.issuer : null,
      };
      const { endsAt, limits } = invitation;
      this.#model.persons.push({ id, role, alive: true, endsAt, hasEnded: false, limits, generation, ...makers });
      this.#model.sessions.push({ id: sessionId, token, person: account.id, ended: false });
      invitation.ended = true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (isGood) throw new Error(`a good invitation was refused: ${error.code}`);
    }
  }

  #makeWebhook(by: { readonly accountId: number; readonly actor: string }): number {
    const at = this.#clock.now();
    return this.#database.writeNow(() => {
      const id = this.#webhooks.insert({
        siteId: this.#access.accounts.siteIdOf(this.#headId, "live"),
        url: "https://example.org/",
        label: "",
        events: '["device.state"]',
        secret: Buffer.alloc(1),
        probe: 0,
        createdAt: at,
      });
      this.#access.audit.record({ ...by, action: "webhook.created", target: "", detail: { id }, at });
      return id;
    });
  }

  /** A plate or a pass by a person, or by an app for which `issuer` answers. */
  #makePlate(what: "rule" | "pass", accountId: number | null, actor: string, had: Role, issuer = accountId): void {
    const at = this.#clock.now();
    const siteId = this.#access.accounts.siteIdOf(this.#headId, "live");
    const shared = { siteId, label: "", deviceId: null, validFrom: null, windows: null, createdAt: at };
    this.#nth += 1;
    const id = this.#database.writeNow(() => {
      const plate = `MH12AB${this.#nth}`;
      const made =
        what === "rule"
          ? this.#rules.insert(
              { ...shared, plate, formatted: plate, kind: "allow", validTo: null, enabled: 1, earns: null },
              AUTHOR,
            )
          : this.#passes.insert({
              ...shared,
              ruleId: null,
              tokenHash: `token ${this.#nth}`,
              validTo: at + 365 * 86_400_000,
              triesLeft: 0,
              createdBy: actor,
              openedAt: null,
            });
      const action = what === "rule" ? "plate_rule.created" : "guest_pass.created";
      this.#access.audit.record({ accountId, actor, action, target: "", detail: { id: made }, at });
      return made;
    });
    const list = what === "rule" ? this.#model.rules : this.#model.passes;
    list.push({ id, issuer, role: atLeast("gatekeeper", had), ended: false });
  }

  #switchRule(id: number, isOn: boolean): void {
    const row = this.#rules.find(this.#access.accounts.siteIdOf(this.#headId, "live"), id);
    if (row !== null) this.#rules.update({ ...row, enabled: isOn ? 1 : 0 }, AUTHOR);
  }

  /** Scopes that may be added to a key: an app has at most those of its person. */
  #addable(key: ModelKey): Scope[] {
    const role = this.#model.persons.find(({ id }) => id === key.member)?.role ?? "owner";
    return SCOPES.filter((scope) => !key.scopes.includes(scope) && isAtLeast(role, NEEDED[scope]));
  }

  /** Gives a role; with a lesser one the person loses what it may not issue, and their apps what it may not do. */
  #giveRole(person: ModelPerson, role: Role, by: ModelPerson | null, settling = new Set<number>()): void {
    if (!isAtLeast(role, person.role)) {
      this.#settle(person, {}, by, { demotedTo: role }, settling);
      person.role = role;
      this.#confine(person);
    }
    person.role = role;
  }

  #confine({ id, role }: ModelPerson): void {
    for (const key of this.#model.keys)
      if (key.member === id && !key.ended)
        for (const scope of key.scopes.filter((one) => !isAtLeast(role, NEEDED[one]))) this.#takeOutScope(key, scope);
  }

  #switchWebhook(id: number, isOn: boolean): void {
    const off = isOn ? null : this.#clock.now();
    this.#webhooks.setActive({ id, active: isOn ? 1 : 0, disabledAt: off, disabledReason: isOn ? null : "owner" });
  }

  #setScopes(key: ModelKey, scopes: Scope[]): void {
    for (const scope of key.scopes) if (!scopes.includes(scope)) key.out.add(scope);
    for (const scope of scopes) if (!key.scopes.includes(scope)) key.out.delete(scope);
    key.scopes = scopes;
    for (const scope of key.addedBy.keys()) if (!scopes.includes(scope)) key.addedBy.delete(scope);
  }

  /** Removes a scope added by a person who no longer has the right to. */
  #takeOutScope(key: ModelKey, scope: Scope): void {
    const rest = key.scopes.filter((one) => one !== scope);
    if (rest.length === 0) key.ended = true;
    else this.#setScopes(key, rest);
  }

  /** Those whose end has come, the earliest first: as if they were removed, except that they stay. */
  #endDue(): void {
    const due = this.#model.persons
      .filter(({ alive, hasEnded, endsAt }) => alive && !hasEnded && endsAt !== null && endsAt <= this.#clock.now())
      .sort((a, b) => (a.endsAt ?? 0) - (b.endsAt ?? 0) || a.id - b.id);
    for (const person of due) {
      person.hasEnded = true;
      this.#settle(person, {}, null, "removed");
      for (const key of this.#model.keys) if (key.member === person.id) key.ended = true;
      for (const session of this.#model.sessions) if (session.person === person.id) session.ended = true;
    }
  }

  /** Nobody lengthens their own access, nor that of a person whose fall would end their own ownership. */
  async #giveEnd(person: ModelPerson, endsAt: number | null, owner: ModelPerson): Promise<void> {
    const isSame = endsAt === person.endsAt;
    const isLonger =
      !isSame && (person.hasEnded || (person.endsAt !== null && (endsAt === null || endsAt > person.endsAt)));
    const isRefused = isLonger && this.#answersTo(owner, person);
    try {
      await this.#access.persons.edit(
        this.#headId,
        person.id,
        { endsAt },
        { accountId: owner.id, actor: `session:${2 ** 41}` },
      );
      if (isRefused) throw new Error("somebody lengthened their own access");
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "forbidden" || !isRefused) throw error;
      return;
    }
    person.endsAt = endsAt;
    if (!isSame) person.hasEnded = false;
    if (!isLonger) return;
    person.invitedBy = owner.id;
    if (person.role === "owner") person.madeOwnerBy = owner.id;
    if (person.role === "gatekeeper") person.madeGatekeeperBy = owner.id;
  }

  /** Invites somebody; null: rightly refused, to an owner who would give more than limits that rest, of theirs or of those because of whom they are one. */
  async #invite(
    { role, endsAt, limits = null }: { role: Role; endsAt?: number; limits?: ModelLimits | null },
    owner: ModelPerson,
  ): Promise<Awaited<ReturnType<Access["persons"]["invite"]>> | null> {
    const by = { accountId: owner.id, actor: `session:${2 ** 41}` };
    const isRefused = this.#chain(owner).some((one) => isModelWider(one.limits, limits));
    const who = { name: "Guest", role, ...(endsAt === undefined ? {} : { endsAt }), limits: this.#realLimits(limits) };
    try {
      const made = await this.#access.persons.invite(this.#headId, who, by);
      if (isRefused) throw new Error("an owner whose limits rest invited somebody who may open more");
      return made;
    } catch (error) {
      if (isRefused && error instanceof Problem && error.code === "forbidden") return null;
      throw error;
    }
  }

  /**
   * Nobody widens their own limits, nor those of a person whose fall would end their own ownership; whose own limits
   * rest widens nobody's.
   */
  async #limit(person: ModelPerson, limits: ModelLimits | null, owner: ModelPerson): Promise<void> {
    const isWider = isModelWider(person.limits, limits);
    const isRefused =
      isWider && (this.#chain(owner).some((one) => one.limits !== null) || this.#answersTo(owner, person));
    const by = { accountId: owner.id, actor: `session:${2 ** 41}` };
    const refusal: unknown = await this.#access.persons
      .edit(this.#headId, person.id, { limits: this.#realLimits(limits) }, by)
      .then(
        () => null,
        (error: unknown) => error,
      );
    if (refusal !== null && !(refusal instanceof Problem && refusal.code === "forbidden")) throw refusal;
    if (isRefused !== (refusal !== null))
      throw new Error(`limits that are ${isWider ? "" : "not "}wider were judged wrongly`);
    if (isRefused) return;
    person.limits = limits;
    if (!isWider) return;
    person.invitedBy = owner.id;
    if (person.role === "owner") person.madeOwnerBy = owner.id;
    if (person.role === "gatekeeper") person.madeGatekeeperBy = owner.id;
  }

  #realLimits(limits: ModelLimits | null): Limits | null {
    if (limits === null) return null;
    const { times, gate } = limits;
    const weekday = new Date(this.#clock.now() + 3 * DAY_MS).getUTCDay() || 7;
    const days = times === "never" ? [weekday] : EVERY_DAY;
    return {
      times: times === null ? [] : [{ days, from: "00:00", to: "00:00" }],
      gates: gate === null ? null : [gate],
    };
  }

  /** Which gates a person may open now. */
  #opens({ role, limits }: ModelPerson): string {
    if (role !== "member" || limits === null) return GATES.join();
    if (limits.times === "never") return "";
    return limits.gate ?? GATES.join();
  }

  #compareOpening(what: string): void {
    const siteId = this.#access.accounts.siteIdOf(this.#headId, "live");
    const real = (actor: string): string =>
      GATES.filter((gate) => {
        try {
          this.#access.limits.refuse(actor, siteId, gate);
          return true;
        } catch {
          return false;
        }
      }).join();
    const { persons, sessions, keys } = this.#model;
    for (const session of sessions) {
      const person = persons.find(({ id }) => id === session.person);
      if (person === undefined || !this.#isSignedIn(session)) continue;
      const opens = real(`session:${session.id}`);
      if (opens !== this.#opens(person)) throw new Error(`after "${what}": a session of ${person.id} opens "${opens}"`);
    }
    for (const key of keys) {
      const issuer = persons.find(({ id }) => id === key.issuer);
      if (!this.#works(key)) continue;
      const opens = real(`api_key:${key.id}`);
      if (opens !== (issuer === undefined ? GATES.join() : this.#opens(issuer)))
        throw new Error(`after "${what}": key ${key.id} opens "${opens}"`);
    }
  }

  /** An owner, who made them that, and so on. */
  #chain(owner: ModelPerson): ModelPerson[] {
    const chain: ModelPerson[] = [];
    for (let one: ModelPerson | undefined = owner; one !== undefined && !chain.includes(one); ) {
      chain.push(one);
      const maker: number | null = one.madeOwnerBy;
      one = this.#model.persons.find(({ id }) => id === maker);
    }
    return chain;
  }

  #answersTo(owner: ModelPerson, person: ModelPerson): boolean {
    return this.#chain(owner).includes(person);
  }

  /** Compares a decision about a person; one that would shed somebody's end is refused, and changes nothing. */
  async #decide(real: Promise<unknown>, plain: () => void): Promise<void> {
    const before = structuredClone(this.#model);
    let isShed = false;
    try {
      plain();
    } catch (error) {
      if (!(error instanceof Shed)) throw error;
      isShed = true;
      this.#model = before;
    }
    const refusal: unknown = await real.then(
      () => null,
      (error: unknown) => error,
    );
    const isRefused = refusal instanceof Problem && refusal.code === "forbidden";
    if (refusal !== null && !isRefused) throw refusal;
    if (isRefused !== isShed) throw new Error(isShed ? "somebody shed an end" : "a decision was refused");
    if (isShed) this.done.set("refused: an end shed", (this.done.get("refused: an end shed") ?? 0) + 1);
  }

  /** An owner because of somebody with an end decides nothing about that person. @throws Shed */
  #refuseShed(person: ModelPerson, by: ModelPerson | null): void {
    if (by !== null && by !== person && person.endsAt !== null && this.#answersTo(by, person)) throw new Shed();
  }

  #remove(person: ModelPerson, decision: Decision, by: ModelPerson | null, settling = new Set<number>()): void {
    this.#settle(person, decision, by, "removed", settling);
    for (const key of this.#model.keys) if (key.member === person.id) key.ended = true;
    person.alive = false;
  }

  /** The fate of a person's grants, as in docs/threat-model.md. */
  #settle(
    person: ModelPerson,
    decision: Decision,
    by: ModelPerson | null,
    why: "removed" | "asked" | { readonly demotedTo: Role },
    settling = new Set<number>(),
  ): void {
    if (why !== "asked") this.#refuseShed(person, by);
    settling.add(person.id);
    const { keepsKeys = false, keepsOwners = false, takesOut = false } = decision;
    const { keys, invitations, rules, passes } = this.#model;
    for (const grant of [...keys, ...invitations, ...rules, ...passes]) {
      if (grant.issuer !== person.id || grant.ended) continue;
      if (typeof why !== "string" && isAtLeast(why.demotedTo, grant.role)) continue;
      const isOwn = "secret" in grant && grant.role !== "owner" && why !== "asked";
      if (isOwn || !keepsKeys) grant.ended = true;
      else {
        grant.issuer = by?.id ?? null;
        grant.role = by?.role ?? grant.role;
        if ("generation" in grant && by !== null) grant.generation = by.generation;
      }
    }
    for (const key of this.#model.keys.filter(({ ended }) => !ended))
      for (const [scope, added] of [...key.addedBy]) {
        if (added !== person.id) continue;
        if (keepsKeys && by !== null) key.addedBy.set(scope, by.id);
        else this.#takeOutScope(key, scope);
      }
    for (const webhook of this.#model.webhooks) if (webhook.issuer === person.id) webhook.ended = true;
    this.#settlePeople(person, { keepsOwners, takesOut }, { by, why, settling });
    settling.delete(person.id);
  }

  #settlePeople(
    person: ModelPerson,
    { keepsOwners, takesOut }: Required<Omit<Decision, "keepsKeys">>,
    { by, why, settling }: { by: ModelPerson | null; why: unknown; settling: Set<number> },
  ): void {
    const alive = this.#model.persons.filter((one) => one.alive);
    const invited = alive.filter(({ invitedBy }) => invitedBy === person.id);
    const maker = { owner: "madeOwnerBy", gatekeeper: "madeGatekeeperBy" } as const;
    const made = alive.flatMap((one) => {
      const from = one.role === "member" ? null : one.role;
      return from !== null && one[maker[from]] === person.id ? [{ one, from }] : [];
    });
    for (const one of invited) {
      if (settling.has(one.id)) continue;
      if (one === by) {
        if (why !== "asked") one.invitedBy = this.#above(person, "invitedBy", settling);
      } else if (takesOut) {
        if (one.alive) this.#remove(one, {}, by, settling);
      } else if (why !== "asked") one.invitedBy = null;
    }
    for (const { one, from } of made) {
      if (settling.has(one.id)) continue;
      if (one === by) {
        if (why !== "asked") one.madeOwnerBy = this.#above(person, "madeOwnerBy", settling);
      } else if (keepsOwners) one[maker[from]] = by?.id ?? null;
      else if (one.alive && one.role === from) this.#giveRole(one, "member", by, settling);
    }
  }

  /** The first above a person who does not fall with them. */
  #above(person: ModelPerson, by: "invitedBy" | "madeOwnerBy", settling: ReadonlySet<number>): number | null {
    const left = new Set(settling);
    let above = person[by];
    while (above !== null && left.delete(above))
      above = this.#model.persons.find(({ id }) => id === above)?.[by] ?? null;
    return above;
  }

  async #restore(backup: Model): Promise<void> {
    await this.#access.ends.stop();
    await this.#access.revocations.stop();
    await this.#database.stop();
    const [aside, mark] = [join(this.#folder, ASIDE), join(this.#folder, "restored")];
    mkdirSync(aside, { recursive: true });
    for (const name of ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"])
      if (existsSync(join(this.#folder, name))) renameSync(join(this.#folder, name), join(aside, name));
    copyFileSync(join(this.#folder, "copy.db"), join(this.#folder, "gatehouse.db"));
    writeFileSync(mark, ASIDE);
    this.#database = await openDatabase(this.#folder);
    this.#webhooks = new WebhookTable(this.#database);
    this.#rules = new PlateRuleTable(testBase(this.#database, new FakeClock()));
    this.#passes = new GuestPassTable(this.#database);
    this.#access = this.#build();
    await this.#start();
    const now = this.#model;
    const next = structuredClone(backup);
    for (const person of next.persons)
      Object.assign(person, now.persons.find(({ id }) => id === person.id) ?? { alive: false });
    for (const session of next.sessions) session.ended = true;
    for (const key of next.keys) {
      const was = now.keys.find(({ id }) => id === key.id);
      // a key replaced since is dead at once, without a rotation's grace period
      key.ended ||= was === undefined || was.ended || was.rotated;
      const out = was?.out ?? new Set();
      for (const scope of key.scopes.filter((one) => out.has(one))) this.#takeOutScope(key, scope);
      for (const scope of out) key.out.add(scope);
    }
    for (const [list, was] of [
      [next.webhooks, now.webhooks],
      [next.rules, now.rules],
      [next.passes, now.passes],
    ] as const)
      for (const one of list) one.ended ||= was.find(({ id }) => id === one.id)?.ended ?? true;
    for (const invitation of next.invitations)
      invitation.ended ||= now.invitations.find(({ id }) => id === invitation.id)?.ended ?? true;
    this.#model = next;
    for (const person of next.persons) this.#confine(person);
    this.#settleGone();
    // grants whose issuer is gone end at the start
    for (const grant of [...next.keys, ...next.invitations, ...next.webhooks, ...next.rules, ...next.passes])
      if (!this.#stands(grant)) grant.ended = true;
    for (const key of next.keys.filter(({ ended }) => !ended))
      for (const [scope, added] of [...key.addedBy])
        if (!this.#stands({ issuer: added, role: "owner", ended: false })) this.#takeOutScope(key, scope);
    this.#backup = structuredClone(backup);
  }

  /** Nobody answers for an owner or gatekeeper whose promoter the backup does not know: they become members. */
  #settleGone(): void {
    const { persons } = this.#model;
    const isKnown = (id: number | null) => id === null || persons.some((one) => one.id === id && one.alive);
    for (const one of persons) if (!isKnown(one.invitedBy)) one.invitedBy = null;
    for (const one of persons) {
      const maker = one.role === "owner" ? one.madeOwnerBy : one.role === "gatekeeper" ? one.madeGatekeeperBy : null;
      if (one.alive && !isKnown(maker)) this.#giveRole(one, "member", null);
    }
  }

  #stands({ ended, issuer, role }: ModelGrant): boolean {
    if (ended) return false;
    const person = this.#model.persons.find(({ id }) => id === issuer);
    return issuer === null || (person?.alive === true && !person.hasEnded && isAtLeast(person.role, role));
  }

  #isOver({ endsAt }: ModelInvitation): boolean {
    return endsAt !== null && endsAt <= this.#clock.now();
  }

  #works(key: ModelKey): boolean {
    const member = this.#model.persons.find(({ id }) => id === key.member);
    return this.#stands(key) && (key.member === null || (member?.alive === true && !member.hasEnded));
  }

  #isSignedIn({ ended, person }: ModelSession): boolean {
    return !ended && this.#model.persons.some(({ id, alive, hasEnded }) => id === person && alive && !hasEnded);
  }

  #compare(what: string): void {
    this.#compareOpening(what);
    for (const key of this.#model.keys) {
      const match = this.#access.keys.match(key.secret);
      const works = match.kind === "active";
      if (works !== this.#works(key)) throw new Error(`after "${what}": key ${key.id} works: ${works}`);
      const scopes = match.kind === "active" ? [...match.caller.scopes].sort().join() : "";
      if (works && scopes !== [...key.scopes].sort().join())
        throw new Error(`after "${what}": key ${key.id} has ${scopes}`);
    }
    const siteId = this.#access.accounts.siteIdOf(this.#headId, "live");
    for (const { id, ended } of this.#model.rules)
      if ((this.#rules.find(siteId, id)?.enabled === 1) === ended) throw new Error(`after "${what}": plate ${id}`);
    for (const one of this.#model.passes) {
      const works =
        this.#passes.find(siteId, one.id) !== null && this.#access.grants.stands("guest_pass", String(one.id));
      if (works !== this.#stands(one)) throw new Error(`after "${what}": pass ${one.id} works: ${works}`);
    }
    for (const { id, ended } of this.#model.webhooks)
      if ((this.#webhooks.byId(id)?.active === 1) === ended) throw new Error(`after "${what}": webhook ${id}`);
    for (const session of this.#model.sessions) {
      const isOpen = this.#access.sessions.match(`gatehouse_session=${session.token}`).kind === "active";
      if (isOpen !== this.#isSignedIn(session)) throw new Error(`after "${what}": session ${session.id}: ${isOpen}`);
    }
    const real = this.#access.persons
      .list(this.#headId)
      .map(({ id, role, hasEnded, endsAt }) => `${id} ${role} ${hasEnded} ${endsAt}`);
    const wanted = this.#model.persons
      .filter(({ alive }) => alive)
      .map(({ id, role, hasEnded, endsAt }) => `${id} ${role} ${hasEnded} ${endsAt}`);
    if (real.sort().join() !== wanted.sort().join()) throw new Error(`after "${what}": persons ${real.join()}`);
  }

  /** @throws Error when an id is reused */
  #given(kind: "account" | "key" | "session", id: number): void {
    if (id <= this.#highest[kind]) throw new Error(`the id ${id} of a ${kind} was given before`);
    this.#highest[kind] = id;
  }

  /** Grows or changes with everything that an act does. */
  #count(): string {
    const plain = (_name: string, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...value] : value;
    return JSON.stringify([this.#model, this.#backup === null], plain);
  }
}

/** Thrown by the model where somebody would shed an end. */
class Shed extends Error {}

function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The higher of two roles. */
function atLeast(least: Role, role: Role): Role {
  return isAtLeast(role, least) ? role : least;
}

function pick<One>(list: readonly One[], nth: number): One | undefined {
  return list.length === 0 ? undefined : list[nth % list.length];
}

function newScopes(): Pick<ModelKey, "scopes" | "addedBy" | "out" | "rotated"> {
  return { scopes: ["devices:read"], addedBy: new Map(), out: new Set(), rotated: false };
}

function newKey() {
  return { name: "app", env: "live", scopes: ["devices:read"], origins: [], expiresAt: null } as const;
}

/** Limits by chance; null: none. */
function modelLimits(a: number, b: number): ModelLimits | null {
  const times = ([null, "always", "never"] as const)[(a + b) % 3] ?? null;
  const gate = ([null, ...GATES] as const)[(a * 2 + b) % 3] ?? null;
  return times === null && gate === null ? null : { times, gate };
}

function isModelWider(before: ModelLimits | null, next: ModelLimits | null): boolean {
  if (before === null) return false;
  if (next === null) return true;
  const isLonger = before.times !== null && before.times !== next.times && next.times !== "never";
  return isLonger || (before.gate !== null && before.gate !== next.gate);
}
