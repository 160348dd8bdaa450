import { Type } from "typebox";
import { closed, nullable } from "../../../core/api/fields.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { MOST_WINDOWS } from "../../../core/plates/decide.ts";

/** What somebody may open, and when. */
export const Limits = Type.Object(
  {
    times: Type.Array(PlateRuleWindow, {
      maxItems: MOST_WINDOWS,
      description: "In the zone of the house. Empty: at any time.",
    }),
    gates: nullable(Type.Array(Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }), { minItems: 1, maxItems: 50 }), {
      description: "Gates, locks and alarms, by device id; null: all.",
    }),
  },
  { ...closed, title: "PersonLimits" },
);
