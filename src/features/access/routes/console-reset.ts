import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Access } from "../access.ts";
import { factoryReset, restartHub } from "../api/console-reset.ts";
import type { AuditNote } from "./console-audit.ts";

/** A restart, and the way back to a box as new: a fresh proof for both, and the site's name typed for the second. */
export function resetRoutes({
  accounts,
  reset,
  restart,
  note,
}: {
  readonly accounts: Pick<Access["accounts"], "site">;
  /** Has everything deleted at the next start, and restarts; false where nothing would start the hub again. */
  readonly reset: () => Promise<boolean>;
  /** Restarts once the answer is out; false where nothing would start the hub again. */
  readonly restart: () => boolean;
  readonly note: AuditNote;
}): BoundRoute[] {
  return [
    bind(restartHub, async ({ caller }) => {
      await note(caller, "hub.restarted", "");
      return { status: 202, body: { restarts: restart() } };
    }),
    bind(factoryReset, async ({ caller, body }) => {
      if (body.site.trim() !== accounts.site(caller.siteId).name) {
        const message = "is not the name of this site";
        throw new Problem("invalid_body", `site ${message}.`, {
          details: [{ field: "/site", code: "different", message }],
        });
      }
      return { status: 202, body: { restarts: await reset() } };
    }),
  ];
}
