import { type Diagnostic, LogDestination, LogFormat, Logger, LogLevel } from "@matter/main";
import type { PartContext } from "./part.ts";

/** Lines in one period; further ones are only counted. A peer that provokes warnings must not keep the hub busy. */
const MOST_LINES = 100;
const PERIOD_MS = 10_000;

/** Sends matter.js' log to the hub, whose levels and rules for secrets apply to it. */
export function logToHub(link: PartContext["link"], level: PartContext["about"]["logLevel"]): void {
  const format = LogFormat(LogFormat.PLAIN);
  const paced = { since: performance.now(), lines: 0 };
  const destination = LogDestination({
    name: "hub",
    level: levelOf(level),
    add(message: Diagnostic.Message): void {
      const now = performance.now();
      if (now - paced.since > PERIOD_MS) {
        if (paced.lines > MOST_LINES) tell("warn", "log", `${paced.lines - MOST_LINES} more lines were left out`);
        paced.since = now;
        paced.lines = 0;
      }
      paced.lines += 1;
      if (paced.lines > MOST_LINES) return;
      const text = format({ ...message, prefix: "" });
      // Its own head (time, level, facility) is passed in fields.
      const line = text.slice(text.indexOf(message.facility) + message.facility.length).trim() || text;
      tell(wordOf(message.level), message.facility, line);
    },
  });
  const tell = (word: "debug" | "info" | "warn" | "error", facility: string, text: string): void => {
    // the link is down: nowhere to log
    link.call("host.log", { level: word, facility: facility.slice(0, 80), text: text.slice(0, 2_000) }).catch(() => {});
  };
  for (const name of Object.keys(Logger.destinations)) delete Logger.destinations[name];
  Logger.destinations.hub = destination;
}

function levelOf(level: PartContext["about"]["logLevel"]): LogLevel {
  // Its info level is many lines for each message: debug for the hub.
  if (level === "debug") return LogLevel.INFO;
  return level === "error" ? LogLevel.ERROR : LogLevel.WARN;
}

function wordOf(level: LogLevel): "debug" | "info" | "warn" | "error" {
  if (level >= LogLevel.ERROR) return "error";
  if (level >= LogLevel.WARN) return "warn";
  return level >= LogLevel.INFO ? "info" : "debug";
}
