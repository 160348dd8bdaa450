import format, { type CompiledMessage } from "icu-minify/format";

/** A language that texts are in. */
export type Language = "en" | "hi";

/** The values of a text once they are words and numbers. */
export type Values = Readonly<Record<string, string | number>>;

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
