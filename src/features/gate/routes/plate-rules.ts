import { type Caller, holds } from "../../../core/api/caller.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { createPlateRule, deletePlateRule, listPlateRules } from "../api/plate-rules.ts";
import type { AskAgain, PlateRules, Rule } from "../plate-rules.ts";
import type { PlateRule } from "../resources/plate-rule.ts";

/** Whether a caller still keeps the gate, asked inside the job of what they do. */
export type KeepsGate = (caller: Caller) => AskAgain;

/** The plate-rule routes of /v1. */
export function plateRuleRoutes(rules: PlateRules, keepsGate: KeepsGate): BoundRoute[] {
  return [
    bind(listPlateRules, ({ caller }) => ({
      status: 200,
      body: { rules: rules.list(caller.siteId).map(shownRule) },
    })),
    bind(createPlateRule, async ({ caller, body }) => {
      const validFrom = moment(body.validFrom);
      const validTo = moment(body.validTo);
      if (validFrom !== null && validTo !== null && validFrom >= validTo) {
        const message = "must lie after validFrom";
        throw new Problem("invalid_body", "validFrom must lie before validTo.", {
          details: [{ field: "/validTo", code: "before_start", message }],
        });
      }
      const { plate, kind = "allow", label = "", deviceId = null, windows, earns } = body;
      const rule = await rules
        .create(caller.siteId, { plate, kind, label, deviceId, validFrom, validTo, windows, earns }, caller.actor, {
          askAgain: keepsGate(caller),
        })
        .catch((error: unknown) => {
          throw shownTo(caller, error);
        });
      return { status: 201, body: { rule: shownRule(rule) }, headers: { Location: `/v1/plate-rules/${rule.id}` } };
    }),
    bind(deletePlateRule, async ({ caller, params }) => {
      await rules.remove(caller.siteId, params.id, caller.actor, keepsGate(caller));
      return { status: 200, body: { deleted: true } };
    }),
  ];
}

/**
 * A refusal names the list and the rule that stands. Who may write rules but not read them learns only that there is
 * none to be made.
 */
function shownTo(caller: Caller, error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== "plate_already_listed" || holds(caller, "plates:read"))
    return error;
  return new Problem("plate_already_listed", "No rule can be made for this plate and scope.");
}

function moment(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}

/** A rule in the shape of the contract. */
export function shownRule(rule: Rule): PlateRule {
  return {
    id: rule.id,
    plate: rule.plate,
    formatted: rule.formatted,
    kind: rule.kind,
    label: rule.label,
    deviceId: rule.deviceId,
    validFrom: isoTimeOrNull(rule.validFrom),
    validTo: isoTimeOrNull(rule.validTo),
    windows: rule.windows.map(({ days, from, to }) => ({ days: [...days], from, to })),
    earns: rule.earns,
    enabled: rule.enabled,
    hits: rule.hits,
  };
}
