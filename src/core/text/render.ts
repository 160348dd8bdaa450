/**
 * Renders texts, for the hub and for the console: ICU messages with values, and codes with the values that were
 * recorded. It knows no catalogue: a {@link Reading} says where messages come from.
 */
import format, { type CompiledMessage } from "icu-minify/format";

/** A language that texts are in. */
export type Language = "en" | "hi";

/** Texts by key: ICU messages, every language side by side. */
export type Texts = Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The values of a text once they are words and numbers. */
export type Values = Readonly<Record<string, string | number>>;

/** A code with its text's values, as the database and the API carry it: one object, `{ "code": …, …values }`. */
export interface Recorded {
  readonly code: string;
  readonly [name: string]: string | number | Recorded | readonly Recorded[];
}

/** How texts are read: in which language, and with moments in which form. */
export interface Reading {
  /** The message under a key, and the language that it is in; null if there is none. */
  find(key: string): { readonly message: CompiledMessage; readonly language: Language } | null;
  /** A moment (ISO form) in words. */
  moment(iso: string): string;
}

/** The text under `key`. @throws RangeError when there is none, or a value that it needs is missing */
export function textOf(reading: Reading, key: string, values: Values = {}): string {
  const found = reading.find(key);
  if (found === null) throw new RangeError(`there is no text ${key}`);
  return fill(found.message, found.language, values);
}

/**
 * The text under `key` with recorded values: moments and reasons among them become words.
 * @throws RangeError when there is no such text or a value is missing, unless `otherwise` is to be shown then (recorded
 * by a version with other texts); inside of it, such a reason is shown as its code
 */
export function recordedTextOf(
  reading: Reading,
  key: string,
  recorded: Readonly<Record<string, Recorded[string]>>,
  otherwise?: string,
): string {
  const reason = (detail: Recorded): string =>
    recordedTextOf(reading, `detail.${detail.code}`, detail, otherwise === undefined ? undefined : detail.code);
  const words = (name: string, value: Recorded[string]): string | number => {
    if (name === "at") return reading.moment(String(value));
    if (typeof value !== "object") return value;
    return isOne(value) ? reason(value) : value.map(reason).join(", ");
  };
  try {
    const values = Object.entries(recorded).map(([name, value]) => [name, words(name, value)] as const);
    return textOf(reading, key, Object.fromEntries(values));
  } catch (error) {
    if (otherwise !== undefined && error instanceof RangeError) return otherwise;
    throw error;
  }
}

function isOne(value: Recorded | readonly Recorded[]): value is Recorded {
  return "code" in value;
}

/** Of plurals and numbers. */
const LOCALES: Readonly<Record<Language, string>> = { en: "en", hi: "hi-IN" };
const plurals = new Map<string, Intl.PluralRules>();
const numbers = new Map<string, Intl.NumberFormat>();

const formatters = {
  getPluralRules: (locale?: Intl.LocalesArgument): Intl.PluralRules =>
    kept(plurals, String(locale), (name) => new Intl.PluralRules(name)),
  getNumberFormat: (locale?: Intl.LocalesArgument): Intl.NumberFormat =>
    kept(numbers, String(locale), (name) => new Intl.NumberFormat(name)),
  getDateTimeFormat: (...options: ConstructorParameters<typeof Intl.DateTimeFormat>): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(...options),
};

/** Fills a compiled ICU message. @throws RangeError when a value that it needs is missing */
export function fill(message: CompiledMessage, language: Language, values: Values): string {
  return typeof message === "string"
    ? message
    : String(format(message, LOCALES[language], new Proxy(values, COMPLETE), { formatters }));
}

const COMPLETE: ProxyHandler<Values> = {
  get(values, name) {
    const value = values[String(name)];
    if (value === undefined) throw new RangeError(`the text needs a value for ${String(name)}`);
    return value;
  },
};

function kept<Made>(made: Map<string, Made>, name: string, make: (name: string) => Made): Made {
  const known = made.get(name) ?? make(name);
  made.set(name, known);
  return known;
}
