import type { Caller } from "../../../core/api/caller.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { Accounts } from "../../access/accounts.ts";
import { getHouse, putHouseMode, putOwnPresence, putPresenceSources } from "../api/console-house.ts";
import type { HouseModes } from "../house-modes.ts";
import type { Presence } from "../presence.ts";

/** What the routes of the house use. */
interface HouseServices {
  readonly modes: HouseModes;
  readonly presence: Presence;
  readonly accounts: Pick<Accounts, "get">;
  /** Whether everybody of the household sees who is home. */
  readonly isShared: () => boolean;
}

/** What the house is set to, and who is home. */
export function houseRoutes({ modes, presence, accounts, isShared }: HouseServices): BoundRoute[] {
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
      const { name } = accounts.get(caller.accountId);
      await modes.set(caller.siteId, body.mode, { actor: caller.actor, name });
      return shown(caller);
    }),
    bind(putOwnPresence, async ({ caller, body }) => {
      await presence.say(caller.accountId, body.is);
      return shown(caller);
    }),
    bind(putPresenceSources, async ({ caller, params, body }) => {
      await presence.choose(caller.siteId, params.id, body, caller.actor);
      return { status: 200, body: { done: true } };
    }),
  ];
}
