/**
 * Says what a limited person may open now. In: who acts, and the device. Out: a refusal that names when it is possible
 * again. Which commands open something is decided where they are sent (`features/devices/commands.ts`), the one place
 * that every way of opening goes through.
 */
import { type Clock, isoTime } from "../../core/kernel/clock.ts";
import type { ClockTrustView } from "../../core/kernel/clock-trust.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { RuleWindow } from "../../core/plates/decide.ts";
import type { Detail, Nested } from "../../core/text/keys.ts";
import type { Accounts } from "./accounts.ts";
import type { Grants } from "./grants.ts";
import { holdNow, type Limits, NOTHING, nextChange } from "./rules/limits.ts";
import type { Sessions } from "./sessions.ts";

/**
 * What decides whom a house lets in, and is moved by hand: a device that is no gate, lock or alarm itself, where a person
 * is, what the house is set to.
 */
export type Lever = `device:${string}` | `person:${number}` | "mode";

/** What a limited person may open, as their own pages show it. */
export interface Standing extends Limits {
  /** Whether they may open at this moment. */
  readonly now: boolean;
  /** How long until that is different; null: not before their limits change. */
  readonly changesInMs: number | null;
  /** The refusal that they get where they may not open. */
  readonly refusal: Detail;
  /** What is not theirs to move at this moment. */
  readonly levers: {
    readonly devices: readonly string[];
    readonly mode: boolean;
    /** Where they are. */
    readonly presence: boolean;
    readonly refusal: Detail;
  };
}

/** How far certain time may be behind the wall clock while that is not in doubt. */
const ROUNDING_MS = 1_000;

/** The limits of all persons, at the moment when somebody acts. */
export class PersonLimits {
  readonly #accounts: Pick<Accounts, "limitsOf" | "anyLimits" | "site" | "find">;
  readonly #sessions: Pick<Sessions, "personOf">;
  readonly #grants: Pick<Grants, "issuerOf">;
  readonly #clock: Pick<Clock, "now" | "certain" | "isDoubted">;
  #trust: Pick<ClockTrustView, "state"> = { state: () => "unknown" };
  /** Programs that act without a key of their own, by how their orders name them. */
  readonly #programs = new Map<string, () => boolean>();
  #leversOf: (siteId: number) => ReadonlySet<Lever> = () => new Set();

  constructor(parts: {
    readonly accounts: Pick<Accounts, "limitsOf" | "anyLimits" | "site" | "find">;
    readonly sessions: Pick<Sessions, "personOf">;
    readonly grants: Pick<Grants, "issuerOf">;
    readonly clock: Pick<Clock, "now" | "certain" | "isDoubted">;
  }) {
    this.#accounts = parts.accounts;
    this.#sessions = parts.sessions;
    this.#grants = parts.grants;
    this.#clock = parts.clock;
  }

  /** Until this is called, the time counts as unknown. */
  timeKnownBy(trust: Pick<ClockTrustView, "state">): void {
    this.#trust = trust;
  }

  /**
   * A feature says whether a program that acts without a key may open; while it may not, it counts as somebody who may
   * open nothing.
   */
  programMayOpen(kind: string, mayOpen: () => boolean): void {
    this.#programs.set(kind, mayOpen);
  }

  /** The feature that knows every rule says what decides whom a household lets in. */
  leversKnownBy(leversOf: (siteId: number) => ReadonlySet<Lever>): void {
    this.#leversOf = leversOf;
  }

  /**
   * Refuses to open a device for an actor who may not open it now. What a device does of itself, and what the household
   * decided (its rules, its plates), has no person behind it.
   * @throws Problem `forbidden`
   */
  refuse(actor: string, siteId: number, deviceId: string): void {
    const limits = this.#limitsOf(actor);
    if (limits === null) return;
    const { timeZone } = this.#accounts.site(siteId);
    const at = this.#timeNow();
    const isOther = limits.gates !== null && !limits.gates.includes(deviceId);
    const why: Detail | null = holdNow(limits, timeZone, at)
      ? isOther
        ? OTHER_GATE
        : null
      : outside(limits, timeZone, at);
    if (why !== null) throw new Problem("forbidden", why);
  }

  /**
   * Refuses to move what decides whom the household lets in, for an actor who may not open everything now: they would
   * open by it, or keep it from opening for others.
   * @throws Problem `forbidden`
   */
  refuseLever(actor: string, siteId: number, lever: Lever): void {
    if (this.isBound(actor, siteId) && this.#leversOf(siteId).has(lever)) throw new Problem("forbidden", LEVER);
  }

  /**
   * Refuses what does more than use a device: it may let somebody in by another way, and outlasts the right of who sends
   * it. It is an owner's, and a key's of the household, never a program's; what an owner has written others may have
   * sent, as far as they may open everything now.
   * @throws Problem `forbidden`
   */
  refuseUpkeep(actor: string, siteId: number, isWritten: boolean): void {
    if (isWritten ? this.isBound(actor, siteId) : this.#isNoOwner(actor)) throw new Problem("forbidden", UPKEEP);
  }

  /**
   * Whether there is something that an actor may not open now. What they set off opens nothing then: where a chain of
   * causes leads cannot be known when it begins.
   */
  isBound(actor: string, siteId: number): boolean {
    return this.#binds(this.#limitsOf(actor), siteId);
  }

  /** As {@link isBound}, of a person. */
  isPersonBound(personId: number, siteId: number): boolean {
    return this.#binds(this.#accounts.limitsOf(personId), siteId);
  }

  /** What a person may open; null: everything, at any time. */
  standing(personId: number, siteId: number): Standing | null {
    const limits = this.#accounts.limitsOf(personId);
    if (limits === null) return null;
    const { timeZone } = this.#accounts.site(siteId);
    const at = this.#timeNow();
    const changesAt = at === null ? null : nextChange(limits, timeZone, at);
    const changesInMs = at === null || changesAt === null ? null : changesAt - at;
    const now = holdNow(limits, timeZone, at);
    const levers = this.#binds(limits, siteId) ? this.#leversOf(siteId) : new Set<Lever>();
    return {
      ...limits,
      now,
      changesInMs,
      refusal: now ? OTHER_GATE : outside(limits, timeZone, at),
      levers: {
        devices: [...levers].flatMap((lever) => (lever.startsWith(DEVICE) ? [lever.slice(DEVICE.length)] : [])),
        mode: levers.has("mode"),
        presence: levers.has(`person:${personId}`),
        refusal: LEVER,
      },
    };
  }

  #binds(limits: Limits | null, siteId: number): boolean {
    if (limits === null) return false;
    return limits.gates !== null || !holdNow(limits, this.#accounts.site(siteId).timeZone, this.#timeNow());
  }

  /** Whether the one behind it is no owner, is gone, or is unknown to the hub. */
  #isNoOwner(actor: string): boolean {
    const [kind = "", id = ""] = actor.split(":");
    if (this.#programs.has(kind)) return true;
    if (kind === "session") return !this.#isOwner(this.#sessions.personOf(Number(id)));
    const issuer = kind === "api_key" ? this.#grants.issuerOf("api_key", id) : null;
    return issuer !== null && !this.#isOwner(issuer);
  }

  #isOwner(personId: number | null): boolean {
    return personId !== null && this.#accounts.find(personId)?.role === "owner";
  }

  /** Null: nobody limited is behind it. A session that is gone may open nothing if anybody is limited. */
  #limitsOf(actor: string): Limits | null {
    const [kind = "", id = ""] = actor.split(":");
    if (this.#programs.get(kind)?.() === false) return NOTHING;
    if (!this.#accounts.anyLimits) return null;
    if (kind === "session") {
      const person = this.#sessions.personOf(Number(id));
      return person === null ? NOTHING : this.#accounts.limitsOf(person);
    }
    const issuer = kind === "api_key" ? this.#grants.issuerOf("api_key", id) : null;
    return issuer === null ? null : this.#accounts.limitsOf(issuer);
  }

  /** The time, where it is certain; else null. */
  #timeNow(): number | null {
    const now = this.#clock.now();
    const { isDoubted } = this.#clock;
    // a clock that started behind what was saved is doubted, too, though all of its time has come
    return isDoubted || this.#trust.state() === "unknown" || now - this.#clock.certain() > ROUNDING_MS ? null : now;
  }
}

const DEVICE = "device:";
const LEVER: Detail = { code: "forbidden.lever" };
const UPKEEP: Detail = { code: "forbidden.upkeep" };
const OTHER_GATE: Detail = { code: "forbidden.otherGate" };

/** Why somebody may not open at a moment outside their times; `at` null: nobody knows what time it is. */
function outside(limits: Limits, timeZone: string, at: number | null): Detail {
  if (at === null) return { code: "forbidden.timeUnknown" };
  const next = nextChange(limits, timeZone, at);
  if (next === null) return { code: "forbidden.notAtAll" };
  return { code: "forbidden.outsideTimes", times: limits.times.map(timeWords), at: isoTime(next) };
}

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;

/** A time of the week in words that every language has. */
function timeWords({ days, from, to }: RuleWindow): Nested {
  const named = WEEKDAYS.filter((day) => days.includes(day)).map((day): Nested => ({ code: `weekday.${day}` }));
  const all = named.length === WEEKDAYS.length ? ({ code: "weekday.every" } as const) : named;
  if (from === to) return { code: "weekTime.wholeDay", days: all };
  return { code: "weekTime.between", days: all, from, to };
}
