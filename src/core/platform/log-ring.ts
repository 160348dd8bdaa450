/** A line of the log as people read it. */
export interface KeptLine {
  /** Counts up from 1. */
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly part: string | null;
  readonly message: string;
  /** The other fields as text. */
  readonly detail: string;
}

/** Lines that are kept. */
const MOST_LINES = 1_000;
/** The most that a single line may take. */
const MOST_DETAIL_CHARACTERS = 2_000;
/** Passwords in addresses, and keys: secrets that the logger's list of fields does not name. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/:\/\/[^/\s:@"]+:[^/\s@"]+@/g, "://[hidden]@"],
  [/\bgth_(live|test)_[0-9A-Za-z]+/g, "gth_$1_[hidden]"],
  [/\bwhsec_[0-9A-Za-z+/=]+/g, "whsec_[hidden]"],
];

/** The latest lines of the log in memory, for the console; a bounded ring. */
export class LogRing {
  readonly #lines: KeptLine[] = [];
  readonly #listeners = new Set<(line: KeptLine) => void>();
  #lastId = 0;

  /** Takes in one line as the logger writes it (JSON). */
  take(json: string): void {
    const { level, time, msg, part, err, ...fields } = JSON.parse(json) as {
      level: number;
      time: string;
      msg?: string;
      part?: string;
      err?: { message?: string; stack?: string };
    } & Record<string, unknown>; // pino's own line
    const words = Object.entries(fields).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    if (err !== undefined) words.push((level >= 50 ? err.stack : err.message) ?? "");
    this.#lastId += 1;
    const line: KeptLine = {
      id: this.#lastId,
      at: time,
      level: level >= 50 ? "error" : level >= 40 ? "warn" : level >= 30 ? "info" : "debug",
      part: part ?? null,
      message: hidden(msg ?? ""),
      detail: hidden(words.join(" ")).slice(0, MOST_DETAIL_CHARACTERS),
    };
    this.#lines.push(line);
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    for (const listener of this.#listeners) listener(line);
  }

  /** Oldest first. */
  lines(): readonly KeptLine[] {
    return this.#lines;
  }

  /** Calls `listener` for each new line; returns what ends it. A listener must not log. */
  follow(listener: (line: KeptLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function hidden(text: string): string {
  return SECRETS.reduce((left, [secret, instead]) => left.replace(secret, instead), text);
}
