import { LOG_LEVELS } from "../../../core/api/log-levels.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { LogRing } from "../../../core/platform/log-ring.ts";
import { type LogLine, listLogs } from "../api/console-logs.ts";

/** The log of the hub in the console. */
export function logRoutes(log: LogRing): BoundRoute[] {
  return [
    bind(listLogs, ({ query }) => {
      const all = log.lines();
      const { level = "debug", part, text = "", limit = 200 } = query;
      const wanted = text.toLowerCase();
      const fits = (line: LogLine): boolean =>
        isAtLeast(line, level) &&
        (part === undefined || line.part === part) &&
        (wanted === "" || `${line.message} ${line.detail}`.toLowerCase().includes(wanted));
      const parts = [...new Set(all.flatMap((line) => (line.part === null ? [] : [line.part])))].sort();
      return { status: 200, body: { lines: all.filter(fits).slice(-limit), parts } };
    }),
  ];
}

/** Whether a line is of `level` or above. */
export function isAtLeast(line: LogLine, level: LogLine["level"]): boolean {
  return LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level);
}
