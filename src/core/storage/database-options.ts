import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";

/**
 * Where a start reads its rows from. `usual`: the file, checked as its last end asks for; `checked`: the file, after
 * every check; `memory`: what can be read of the file, in memory; `copy`: an earlier copy, in memory. A start that
 * fails because of its data is tried again with the next.
 */
export const SOURCES = ["usual", "checked", "memory", "copy"] as const;
export type Source = (typeof SOURCES)[number];

/** An unpacked copy of the database; `discard` removes what was unpacked to read it. */
export interface EarlierCopy {
  readonly file: string;
  readonly discard: () => void;
}

/** What a `Database` needs. */
export interface DatabaseOptions {
  readonly file: string;
  readonly migrationsFolder: string;
  /** Least time between two group commits; the first write after a quiet time commits at once. */
  readonly commitIntervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Whether a database with an owner was here: then an empty or missing file is a loss, not a first start. Default: no.
   */
  readonly isExpected?: () => boolean;
  /** An earlier copy that has the owner's account, for when the file no longer does. Default: none. */
  readonly earlierCopy?: () => Promise<EarlierCopy | null>;
  /**
   * Called once when a running hub reads a damaged page, just before writes are refused: the last chance to note it.
   */
  readonly onDamage?: (reason: string) => void;
  /** Default: `usual`. */
  readonly source?: Source;
  /** Why the source is not the usual one, for the state's reason. */
  readonly because?: string;
}
