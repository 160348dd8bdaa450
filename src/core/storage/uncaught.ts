import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import { isOfFile } from "./storage-state.ts";

const STOPPING = "unavailable.stopping";

/** The refusal of a write during or after the database's stop; it names the writer. */
export function stopping(): Problem {
  const problem = new Problem("unavailable", { code: STOPPING });
  Error.captureStackTrace(problem, stopping);
  return problem;
}

/**
 * Handles errors that nobody caught. Two kinds end nothing. A part that is late to stop may still write without
 * awaiting the refusal: its purpose is over, so the refusal is logged with the writer's name. And a read that the
 * database's file did not let through may have been anybody's, in a timer or an announcement: the storage has noted it
 * (`watchFailures`), health reports it, and a hub that continues opens the gate. Any other ends the process, as without
 * this listener. @throws the error
 */
export function uncaught(logger: Logger): (error: unknown) => void {
  return (error) => {
    if (error instanceof Problem && error.words?.code === STOPPING)
      logger.warn({ err: error }, "a write was refused after the stop, and nothing awaited it");
    else if (isOfFile(error))
      logger.error({ err: error }, "the database did not answer, and what asked for it was left undone");
    else throw error;
  };
}
