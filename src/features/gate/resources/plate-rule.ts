import { type Static, Type } from "typebox";
import { closed, dateTime, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { EARNINGS, LONGEST_LABEL, MOST_WINDOWS } from "../../../core/plates/decide.ts";

/** Values of a rule's kind. */
export const RULE_KINDS = ["allow", "deny", "watch"] as const;

const WINDOWS =
  "An addition beyond the contract: the rule holds in these times of the week only, within validFrom and validTo. Empty: at all times.";

const EARNS =
  "An addition beyond the contract: what the plate of an `allow` rule earns at the gate. `open`: it opens. `confirm`: it opens after somebody has confirmed. `ask`: a person decides, who sees the picture. `note`: the gate stays shut. Null: what the defaults of the household say, and without any it opens.";
/** What a plate earns, where a rule says it. */
export const RuleEarns = nullable(oneOf(EARNINGS), { description: EARNS });

/** A plate on the allow, deny or watch list (docs/spec/device-control-api.md §2). */
export const PlateRule = Type.Object(
  {
    id: integerId(),
    plate: Type.String({
      description: "Normalised by the analyser that camera reads pass through.",
      examples: ["MH12AB1234"],
    }),
    formatted: Type.String({ examples: ["MH 12 AB 1234"] }),
    kind: oneOf(RULE_KINDS),
    label: Type.String({ description: "May be empty." }),
    deviceId: nullable(Type.String(), { description: "One camera, or null for every camera of the account." }),
    validFrom: nullable(dateTime()),
    validTo: nullable(dateTime()),
    windows: Type.Array(PlateRuleWindow, { description: WINDOWS }),
    earns: RuleEarns,
    enabled: Type.Boolean(),
    hits: Type.Integer({ minimum: 0, description: "Reads that this rule decided." }),
  },
  { title: "PlateRule" },
);

/** A rule as answers carry it. */
export type PlateRule = Static<typeof PlateRule>;

/** What `POST /v1/plate-rules` takes. */
export const PlateRuleInput = Type.Object(
  {
    plate: text(32, { description: "Spacing, dashes and letter case do not matter.", examples: ["MH 12 AB 1234"] }),
    kind: Type.Optional(oneOf(RULE_KINDS, { description: "`allow` unless given." })),
    label: Type.Optional(text(LONGEST_LABEL, { minLength: 0 })),
    deviceId: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 64 }), {
        description: "A camera of the account; null or absent for all.",
      }),
    ),
    validFrom: Type.Optional(nullable(dateTime(), { description: "Must lie before validTo." })),
    validTo: Type.Optional(nullable(dateTime(), { description: "For a contractor or visitor." })),
    windows: Type.Optional(Type.Array(PlateRuleWindow, { maxItems: MOST_WINDOWS, description: WINDOWS })),
    earns: Type.Optional(RuleEarns),
  },
  { ...closed, title: "PlateRuleInput", description: "Unknown fields are refused." },
);

/** A new rule as the handler gets it. */
export type PlateRuleInput = Static<typeof PlateRuleInput>;
