/** Impossible values: a firmware's value outside the word's range is not a value of it. */
import type { JsonObject } from "../src/core/kernel/json-object.ts";

/** Words that every family uses for a percentage (family.ts), also of one output or phase. */
const PERCENT = /^(battery|brightness|white|position|tilt|signal)([A-C]|\d{1,2})?$/;

/** The values without those that are beyond their word's range; everything but numbers stays. */
export function withinRange<Values extends JsonObject>(values: Values): Values {
  const wrong = Object.entries(values).filter(
    ([word, value]) => typeof value === "number" && (value < 0 || value > 100) && PERCENT.test(word),
  );
  if (wrong.length === 0) return values;
  const left = { ...values };
  for (const [word] of wrong) delete left[word];
  return left;
}
