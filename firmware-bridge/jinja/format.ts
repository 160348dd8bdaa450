/**
 * Formatting of texts as Python does it with `%` and `str.format`: the few conversions that templates use. Widths are
 * bounded.
 */
import { arithmetic, type Budget, checkedText, missing, textOf } from "./values.ts";

const WIDEST = 64;

/** `"%02x%02x" % (1, 2)`; %s %d %i %f %x %X %o %% with flags 0 and -, width and precision. */
export function percentFormat(pattern: string, values: readonly unknown[], budget: Budget): string {
  let next = 0;
  budget.spend(pattern.length); // each character may start a conversion
  const text = pattern.replaceAll(
    /%([-0 +]{0,3})(\d{0,3})(?:\.(\d{1,2}))?([sdifxXo%])/g,
    (_, flags: string, width: string, precision: string | undefined, kind: string) => {
      if (kind === "%") return "%";
      if (next >= values.length) throw missing("a value for a format");
      const body = converted(values[next++], { kind, precision }, budget);
      const plus = kind === "s" || body.startsWith("-") ? "" : (/[+ ]/.exec(flags)?.[0] ?? "");
      return padded(plus + body, { flags, width: Math.min(WIDEST, Number(width)) });
    },
  );
  return checkedText(text);
}

/** The content of `str.format`'s braces: position, alignment, width, precision and type. */
const BRACED = /^(\d{0,2})(?::([<>]?)(0?)(\d{0,3})(?:\.(\d{1,2}))?([sdfxX]?))?$/;

/** `"{:02x}".format(5)`, `"{0} {1:.1f}".format(a, b)`. */
export function braceFormat(pattern: string, values: readonly unknown[], budget: Budget): string {
  let next = 0;
  budget.spend(pattern.length); // each character may start a conversion
  const text = pattern.replaceAll(/\{([^{}]*)\}/g, (_, inner: string) => {
    const parts = BRACED.exec(inner);
    if (parts === null) throw missing("a format that is understood");
    const [, index = "", side = "", zero = "", width = "", precision, kind = ""] = parts;
    const position = index === "" ? next++ : Number(index);
    if (position >= values.length) throw missing("a value for a format");
    const value = values[position];
    const body = converted(
      value,
      { kind: kind === "" ? (precision === undefined ? "s" : "f") : kind, precision },
      budget,
    );
    const isLeft = side === "<" || (side === "" && typeof value === "string");
    return padded(body, { flags: isLeft ? "-" : zero, width: Math.min(WIDEST, Number(width)) });
  });
  return checkedText(text);
}

function converted(value: unknown, how: { kind: string; precision: string | undefined }, budget: Budget): string {
  if (how.kind === "s") return textOf(value, budget);
  const number = arithmetic(value);
  budget.spend(8);
  if (!Number.isFinite(number)) throw missing("a number for a format");
  if (how.kind === "f") return number.toFixed(Math.min(15, Number(how.precision ?? 6)));
  const whole = Math.trunc(number);
  if (how.kind === "x") return whole.toString(16);
  if (how.kind === "X") return whole.toString(16).toUpperCase();
  return how.kind === "o" ? whole.toString(8) : String(whole);
}

function padded(body: string, how: { flags: string; width: number }): string {
  if (how.flags.includes("-")) return body.padEnd(how.width);
  return how.flags.includes("0") ? zeroFilled(body, how.width) : body.padStart(how.width);
}

/** A number as text, with zeros behind its sign. */
export function zeroFilled(text: string, width: number): string {
  const sign = /^[+ -]/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(Math.min(WIDEST, Math.max(0, width)) - sign.length, "0");
}
