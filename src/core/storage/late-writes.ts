import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";

const STOPPING = "unavailable.stopping";

/** The refusal of a write that comes while, or after, the database stops; it says whose write that was. */
export function stopping(): Problem {
  const problem = new Problem("unavailable", { code: STOPPING });
  Error.captureStackTrace(problem, stopping);
  return problem;
}

/**
 * What the process does with a rejection that nobody handles. A part that is late to stop may still write, and whoever
 * does not wait for a write does not hear that it was refused: what it was for is over, so it is logged with whose it
 * was, and the stop goes on. Every other one ends the process, as without this listener. @throws the error
 */
export function lateWrites(logger: Logger): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Problem) || error.words?.code !== STOPPING) throw error;
    logger.warn({ err: error }, "a write came after the stop, and nothing waited for it");
  };
}
