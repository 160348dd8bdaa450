import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import type { EarlierCopy } from "./fallback-database.js";

/** What a `Database` needs. */
export interface DatabaseOptions {
  readonly file: string;
  readonly migrationsFolder: string;
  /** Least time between two group commits; the first write after a quiet time commits at once. */
  readonly commitIntervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Whether there was a database here that had an owner: then an empty or missing file is a loss, not a beginning. No
   * unless given.
   */
  readonly isExpected?: () => boolean;
  /** An earlier copy that has the owner's account, for when the file has it no more; none unless given. */
  readonly earlierCopy?: () => Promise<EarlierCopy | null>;
  /**
   * Called once when a read of a running hub meets a damaged page, just before writes are refused: the last that can be
   * recorded.
   */
  readonly onDamage?: (reason: string) => void;
}
