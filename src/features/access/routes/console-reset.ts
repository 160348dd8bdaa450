import type { Base } from "../../../core/base.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { stageFactoryReset } from "../../../core/platform/factory-reset.ts";
import type { Accounts } from "../accounts.ts";
import { factoryReset, restartHub } from "../api/console-reset.ts";
import type { AuditNote } from "./console-audit.ts";

/** Lets the response reach the person before the restart. */
const RESTART_AFTER_MS = 500;

/** A restart, and the way back to a box as new: a fresh proof for both, and the site's name typed for the second. */
export function resetRoutes(accounts: Accounts, { clock, dataFolder, restart }: Base, note: AuditNote): BoundRoute[] {
  /** Restarts once the answer is out; false where nothing would start the hub again. */
  const restarts = (): boolean => {
    if (restart !== null) clock.after(RESTART_AFTER_MS, restart);
    return restart !== null;
  };
  return [
    bind(restartHub, async ({ caller }) => {
      await note(caller, "hub.restarted", "");
      return { status: 202, body: { restarts: restarts() } };
    }),
    bind(factoryReset, async ({ caller, body }) => {
      if (body.site.trim() !== accounts.site(caller.siteId).name) {
        const message = "is not the name of this site";
        throw new Problem("invalid_body", `site ${message}.`, {
          details: [{ field: "/site", code: "different", message }],
        });
      }
      await stageFactoryReset(dataFolder);
      return { status: 202, body: { restarts: restarts() } };
    }),
  ];
}
