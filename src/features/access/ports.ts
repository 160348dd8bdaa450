import type { Role } from "../../core/api/roles.ts";

/** The author of an action, for the audit list. */
export interface Actor {
  /** Null: the host itself (command line). */
  readonly accountId: number | null;
  /** `session:3`, `cli`, `hub`. */
  readonly actor: string;
  /** Their role at the time of the request; absent where only the account determines it. */
  readonly role?: Role;
}

/** The command line on the host. */
export const CLI_ACTOR: Actor = { accountId: null, actor: "cli" };
