/** Levels of a log line, the least first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
