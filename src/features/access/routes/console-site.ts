import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { isTimeZone } from "../../../core/settings/load.ts";
import type { Accounts, Site } from "../accounts.ts";
import { getSite, updateSite } from "../api/console-site.ts";

/** The household's name, time zone, place and capacity. */
export function siteRoutes(accounts: Accounts): BoundRoute[] {
  return [
    bind(getSite, ({ caller }) => ({ status: 200, body: { site: shown(accounts.site(caller.siteId), accounts) } })),
    bind(updateSite, async ({ caller, body }) => {
      if (body.timeZone !== undefined && !isTimeZone(body.timeZone)) {
        const message = "is not a known IANA time zone";
        throw new Problem("invalid_body", `timeZone ${message}.`, {
          details: [{ field: "/timeZone", code: "unknown_zone", message }],
        });
      }
      const site = await accounts.editSite(caller.siteId, body, caller);
      const { capacity: _own, ...shared } = body;
      if (Object.keys(shared).length > 0)
        await accounts.editSite(accounts.siteIdOf(caller.accountId, "test"), testEdit(shared), caller);
      return { status: 200, body: { site: shown(site, accounts) } };
    }),
  ];
}

/** The test household lies in the same place; its name marks it as a test. */
function testEdit(edit: {
  readonly name?: string;
  readonly timeZone?: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
}): typeof edit {
  return edit.name === undefined ? edit : { ...edit, name: `${edit.name} (test)` };
}

function shown({ id, name, timeZone, latitude, longitude, capacity }: Site, accounts: Accounts) {
  return { id, name, timeZone, timeZoneGiven: accounts.isZoneGiven(id), latitude, longitude, capacity };
}
