import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { type Clock, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { TokenBuckets } from "../../../core/kernel/token-bucket.ts";
import type { Accounts } from "../../access/accounts.ts";
import type { PersonLimits } from "../../access/person-limits.ts";
import { getHouse, putHouseMode, putOwnPresence, putPresenceSources } from "../api/console-house.ts";
import type { HouseModes } from "../house-modes.ts";
import type { Presence } from "../presence.ts";

/** Settings of one person: more than anybody needs, too few to wear out the rules that follow them. */
const ACTS = { quota: 10, periodMs: 60_000, burst: 20 };

/** What the routes of the house use. */
interface HouseServices {
  readonly modes: HouseModes;
  readonly presence: Presence;
  readonly accounts: Pick<Accounts, "get">;
  readonly limits: Pick<PersonLimits, "refuseLever">;
  /** Whether everybody of the household sees who is home. */
  readonly isShared: () => boolean;
  readonly clock: Pick<Clock, "mono">;
}

/** What the house is set to, and who is home. */
export function houseRoutes({ modes, presence, accounts, limits, isShared, clock }: HouseServices): BoundRoute[] {
  const acts = new TokenBuckets(ACTS);
  const pace = ({ accountId }: Caller): void => {
    const { allowed, retryAfterSeconds } = acts.take(String(accountId), clock.mono());
    if (!allowed)
      throw new Problem("rate_limited", "The house is set too often.", {
        fields: { retryAfterSeconds },
        headers: { "Retry-After": String(retryAfterSeconds) },
      });
  };
  const shown = ({ siteId, accountId, role }: Caller) => {
    const { mode, since, name } = modes.now(siteId);
    const persons = presence
      .of(siteId)
      .filter(({ id }) => id === accountId || role === "owner" || isShared())
      .map(({ since: from, plate, deviceId, ...one }) => {
        const isOwn = one.id === accountId || role === "owner";
        const sources = isOwn ? { plate, deviceId } : { plate: null, deviceId: null };
        return { ...one, ...sources, you: one.id === accountId, since: isoTimeOrNull(from) };
      });
    return { status: 200 as const, body: { house: { mode, since: isoTimeOrNull(since), by: name, persons } } };
  };
  return [
    bind(getHouse, ({ caller }) => shown(caller)),
    bind(putHouseMode, async ({ caller, body }) => {
      pace(caller);
      const { name } = accounts.get(caller.accountId);
      await modes.set(caller.siteId, body.mode, { actor: caller.actor, name });
      return shown(caller);
    }),
    bind(putOwnPresence, async ({ caller, body }) => {
      pace(caller);
      limits.refuseLever(caller.actor, caller.siteId, `person:${caller.accountId}`);
      await presence.say(caller.accountId, body.is);
      return shown(caller);
    }),
    bind(putPresenceSources, async ({ caller, params, body }) => {
      await presence.choose(caller.siteId, params.id, body, caller.actor);
      return { status: 200, body: { done: true } };
    }),
  ];
}
