import type { RecordAudit } from "../gate/ports.ts";
import type { Access } from "./access.ts";

/**
 * Writes to the audit list. What happens in a simulated household is not recorded. The account is the household's: it does
 * not stand for a person whose session has ended.
 */
export function householdAudit(access: () => Access): RecordAudit {
  return ({ siteId, ...entry }) => {
    const { accountId, env } = access().accounts.site(siteId);
    if (env === "live") access().audit.record({ ...entry, accountId, personId: null, detail: { ...entry.detail } });
  };
}
