import { Problem } from "../kernel/problem.ts";
import type { Role } from "./roles.ts";

/** The refusal of somebody with a lesser role than an act takes. */
export function lessThan(least: Role): Problem {
  return new Problem("forbidden", {
    code: least === "owner" ? "forbidden.ownersOnly" : "forbidden.gatekeepersOnly",
  });
}
