/** The browser's formatters, each made once: making one takes longer than everything that a page writes with it. */
import { withHalves } from "./unbroken.ts";

/** Writes dates and times. */
export type DateFormat = Pick<Intl.DateTimeFormat, "format" | "formatRange" | "formatToParts" | "resolvedOptions">;

const dates = new Map<string, DateFormat>();
const numbers = new Map<string, Intl.NumberFormat>();

/** A formatter of dates and times; none of them breaks before its am or pm. @param locale BCP 47 */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): DateFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = dates.get(key) ?? unbreakable(new Intl.DateTimeFormat(locale, options));
  dates.set(key, known);
  return known;
}

function unbreakable(own: Intl.DateTimeFormat): DateFormat {
  return {
    format: (at) => withHalves(own.format(at)),
    formatRange: (from, to) => withHalves(own.formatRange(from, to)),
    formatToParts: (at) => own.formatToParts(at),
    resolvedOptions: () => own.resolvedOptions(),
  };
}

/** A formatter of numbers. @param locale BCP 47 */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = numbers.get(key) ?? new Intl.NumberFormat(locale, options);
  numbers.set(key, known);
  return known;
}
