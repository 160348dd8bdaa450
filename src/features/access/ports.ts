import type { Role } from "./roles.ts";

/** Who does something, for the audit list. */
export interface Actor {
  /** Null: the box itself (command line). */
  readonly accountId: number | null;
  /** `session:3`, `cli`, `hub`. */
  readonly actor: string;
  /** The role that they had when they asked for it; absent where only the account says. */
  readonly role?: Role;
}

/** The command line on the box. */
export const CLI_ACTOR: Actor = { accountId: null, actor: "cli" };
