import type { Access } from "./access.ts";

/** Writes a line of the audit list for a household. Called inside a job of the database. */
export type RecordAudit = (entry: {
  readonly siteId: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: object;
  readonly at: number;
}) => void;

/**
 * Writes to the audit list. Events in a simulated household are not recorded. The account is the household's: it does
 * not stand for a person whose session has ended.
 */
export function householdAudit({ accounts, audit }: Pick<Access, "accounts" | "audit">): RecordAudit {
  return ({ siteId, ...entry }) => {
    const { accountId, env } = accounts.site(siteId);
    if (env === "live") audit.record({ ...entry, accountId, personId: null, detail: { ...entry.detail } });
  };
}
