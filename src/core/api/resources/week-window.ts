import { Type } from "typebox";
import { clockTime, closed } from "../fields.ts";

/** A time of the week at which something holds. */
export const PlateRuleWindow = Type.Object(
  {
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      description: "1 = Monday … 7 = Sunday: the day on which it opens.",
      examples: [[1, 2, 3, 4, 5]],
    }),
    from: clockTime("Inclusive, by the clock of the household."),
    to: clockTime("Exclusive. At or before `from` it reaches over midnight; from 00:00 to 00:00 is the whole day."),
  },
  { ...closed, title: "PlateRuleWindow" }, // the contract's name: plate rules had them first
);
