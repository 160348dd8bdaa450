import { Problem } from "./problem.ts";

/** Bounds of a text field that a person fills in. */
export interface TextBounds {
  /** JSON pointer of the field, for the error. */
  readonly field: string;
  readonly min: number;
  /** Counted in Unicode code points. */
  readonly max: number;
}

/**
 * Trims a text and checks its length.
 * @throws Problem `invalid_body` naming the field when too short, too long or with control characters
 */
export function plainText(value: string, bounds: TextBounds): string {
  const text = value.trim();
  const length = [...text].length;
  if (length < bounds.min)
    throw refusal(
      bounds,
      { code: "too_short", limit: bounds.min },
      bounds.min === 1 ? "must not be empty" : `must have at least ${bounds.min} characters`,
    );
  if (length > bounds.max)
    throw refusal(bounds, { code: "too_long", limit: bounds.max }, `must have at most ${bounds.max} characters`);
  if (/\p{Cc}/u.test(text)) throw refusal(bounds, { code: "control_character" }, "must not contain control characters");
  return text;
}

function refusal({ field }: TextBounds, { code, limit }: { code: string; limit?: number }, message: string): Problem {
  return new Problem("invalid_body", `${field} ${message}.`, {
    details: [{ field, code, message, ...(limit === undefined ? {} : { values: { limit } }) }],
  });
}

/** The form in which names are compared: without case and in one Unicode normal form. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
