import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";

const STOPPING = "unavailable.stopping";

/** The refusal of a write during or after the database's stop; it names the writer. */
export function stopping(): Problem {
  const problem = new Problem("unavailable", { code: STOPPING });
  Error.captureStackTrace(problem, stopping);
  return problem;
}

/**
 * Handles unhandled rejections. A part that is late to stop may still write without awaiting the refusal. Its purpose
 * is over, so the rejection is logged with the writer's name and the stop continues. Any other rejection ends the
 * process, as without this listener. @throws the error
 */
export function lateWrites(logger: Logger): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Problem) || error.words?.code !== STOPPING) throw error;
    logger.warn({ err: error }, "a write was refused after the stop, and nothing awaited it");
  };
}
