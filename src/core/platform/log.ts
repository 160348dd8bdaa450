import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";

/** Field names whose values never reach the log, at any depth. */
const SECRET_FIELDS = ["password", "secret", "token", "authorization", "cookie", "apiKey", "key", "totp"].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
);
const LEVEL_WORDS: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info ",
  40: "warn ",
  50: "ERROR",
  60: "FATAL",
};
/**
 * How often one message is written in one period; further ones are counted. A client that provokes it must not wear out
 * the card.
 */
const MOST_PER_PERIOD = 50;
const PERIOD_MS = 10_000;
const MOST_MESSAGES = 500;
/** Makes the hub's logger. */
export function createLogger(options: {
  readonly level: "debug" | "info" | "warn" | "error";
  /** `text` for people at a terminal, `json` (one object a line) for machines. */
  readonly format: "json" | "text";
  readonly write: (line: string) => void;
  /** Gets every line as JSON too, without secrets: for the console's log page. */
  readonly kept?: { take(json: string): void };
  /** Monotonic time in milliseconds, for limiting how often one message is written. */
  readonly mono: () => number;
}): PinoLogger {
  const stream: DestinationStream = {
    write: (line) => {
      options.write(options.format === "json" ? line : readable(line));
      options.kept?.take(line);
    },
  };
  const repeated = new Repeated(options.mono);
  return pino(
    {
      level: options.level,
      base: null,
      redact: { paths: SECRET_FIELDS, censor: "[hidden]" },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, method) {
          const [fields, message] = args as [unknown, unknown]; // the hub's own Logger: fields, then the message
          const left = repeated.take(typeof message === "string" ? message : String(fields));
          if (left === null) return;
          if (left > 0) method.apply(this, [{ more: left }, `${String(message)} (left out)`]);
          method.apply(this, args);
        },
      },
    },
    stream,
  );
}

/** Counts how often each message was written recently. */
class Repeated {
  readonly #mono: () => number;
  readonly #messages = new Map<string, { since: number; count: number }>();

  constructor(mono: () => number) {
    this.#mono = mono;
  }

  /** Null if the message has been written often enough; otherwise how many of it were left out before. */
  take(message: string): number | null {
    const now = this.#mono();
    const seen = this.#messages.get(message);
    if (seen !== undefined && now - seen.since < PERIOD_MS) {
      seen.count += 1;
      return seen.count > MOST_PER_PERIOD ? null : 0;
    }
    if (this.#messages.size >= MOST_MESSAGES) this.#messages.clear();
    this.#messages.set(message, { since: now, count: 1 });
    return Math.max(0, (seen?.count ?? 0) - MOST_PER_PERIOD);
  }
}

function readable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as {
    level: number;
    time: string;
    msg?: string;
    err?: { message?: string; stack?: string };
  } & Record<string, unknown>; // pino's own line
  const details = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const problem = err === undefined ? "" : `\n    ${(level >= 50 ? err.stack : err.message) ?? ""}`;
  return `${time.slice(11, 19)} ${LEVEL_WORDS[level] ?? level} ${msg ?? ""}${details.length > 0 ? `  ${details.join(" ")}` : ""}${problem}\n`;
}
