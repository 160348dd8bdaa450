import { type Logger, silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";

/**
 * Drops everything but the hub's internal errors, with the stack: a test sees a mere 500, and an error that occurs in
 * one of a hundred runs is found by that line alone.
 */
export const faultLogger: Logger = {
  ...silentLogger,
  error: (fields, message) => {
    const { err } = fields as { err?: unknown }; // as the hub's errors are logged
    if (message === "request failed" && err instanceof Error && !(err instanceof Problem))
      process.stderr.write(`# the hub failed to answer: ${err.stack}\n`);
  },
  child: () => faultLogger,
};
