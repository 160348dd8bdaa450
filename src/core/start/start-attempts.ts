/** How a start continues when a part of the hub is unusable, and what is reported when it cannot. */
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import { SOURCES, type Source } from "../storage/database-options.ts";

interface Startable {
  start(): Promise<void>;
}

/**
 * Starts a hub from the first source that lets it serve. If a part throws because of a row it reads, what runs is
 * stopped; the next hub is built on a database that was checked whole, then on the readable part of it in memory, then
 * on an earlier copy. A hub that stores nothing and reports so is better than none: it has a gate to open.
 * @throws Error of the first attempt if stored data did not cause it, else of the last
 */
export async function startFromAny<Hub extends Startable>(
  open: (source: Source, because: string) => Promise<Hub>,
  logger: Logger,
): Promise<Hub> {
  let because = "";
  for (const source of SOURCES) {
    try {
      const hub = await open(source, because);
      await hub.start();
      return hub;
    } catch (error) {
      if (source === SOURCES.at(-1) || !mayBeStored(error)) throw error;
      because = error instanceof Error ? error.message : String(error);
      logger.error({ source, err: error }, "the hub could not start from its database; trying another source");
    }
  }
  throw new Error("there is no source to start from");
}

/** Whether stored data may have caused an error: not a system error (a port, a limit), nor a newer database. */
function mayBeStored(error: unknown): boolean {
  if (error instanceof Problem) return error.code !== "database_newer";
  if (!(error instanceof Error)) return true;
  const code = "code" in error ? String(error.code) : "";
  return !("syscall" in error) && !/^(ERR_DLOPEN_FAILED|.*MODULE_NOT_FOUND)$/.test(code);
}
