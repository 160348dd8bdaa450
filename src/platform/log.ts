import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

/** How the log looks and how much of it there is. */
export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  /** `text` for people at a terminal, `json` (one object a line) for machines. */
  readonly format: "json" | "text";
  readonly write: (line: string) => void;
  /** Gets every line as JSON too, secrets hidden: the console's log page. */
  readonly keep?: (json: string) => void;
}

/** Field names whose values never reach the log, wherever they stand. */
const SECRET_FIELDS = ["password", "secret", "token", "authorization", "cookie", "apiKey", "key", "totp"].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
const LEVEL_WORDS: Readonly<Record<number, string>> = { 20: "debug", 30: "info ", 40: "warn ", 50: "ERROR", 60: "FATAL" };

/** Makes the hub's logger. */
export function createLogger(options: LogOptions): PinoLogger {
  const stream: DestinationStream = {
    write: (line) => {
      options.write(options.format === "json" ? line : readable(line));
      options.keep?.(line);
    },
  };
  return pino({ level: options.level, base: null, redact: { paths: SECRET_FIELDS, censor: "[hidden]" }, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

function readable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as {
    level: number;
    time: string;
    msg?: string;
    err?: { message?: string; stack?: string };
  } & Record<string, unknown>; // pino's own line
  const details = Object.entries(fields).map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const problem = err === undefined ? "" : `\n    ${(level >= 50 ? err.stack : err.message) ?? ""}`;
  return `${time.slice(11, 19)} ${LEVEL_WORDS[level] ?? level} ${msg ?? ""}${details.length > 0 ? `  ${details.join(" ")}` : ""}${problem}\n`;
}
