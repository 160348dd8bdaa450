import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { NOT_TOLD_REASONS, OPENING_REASONS, OPENING_RESULTS } from "../../../core/plates/opening.ts";
import { ODDITIES } from "../../../core/plates/presented.ts";

/** Values of a read's decision. */
export const DECISIONS = ["allow", "deny", "watch", "unknown"] as const;

/** Values of a read's status. */
export const READ_STATUSES = ["recognised", "unrecognised"] as const;

/** What happened at the gate for a read. */
const GateOutcome = Type.Object(
  {
    deviceId: nullable(Type.String(), { description: "The gate; null where none was told." }),
    result: oneOf([...OPENING_RESULTS, "not_told"], {
      description:
        "`waiting`: told, nothing has come back yet. `opened`: its state shows it. `taken`: it acknowledged the command and does not report how it stands. `not_opened`, `not_told`: see `reason`. What the gate says later corrects it.",
    }),
    reason: nullable(oneOf([...OPENING_REASONS, ...NOT_TOLD_REASONS]), {
      description:
        "Of `not_opened`: `offline`, `no_answer`, `not_moved` (it has the command and did not move), `not_sent`. Of `not_told`: `no_rule`, `denied`, `beside_denied` (the same picture shows a denied vehicle), `watched`, `outside_hours` (a rule names the plate, at other times), `not_recognised`, `not_sure`, `late` (the picture came too late), `repeated` (the same picture was shown before), `no_gate` (this camera opens none), `same_pass` (it was told just before, for the same vehicle), `noted` (its plate is only noted), `asked` (somebody is asked, and has not answered yet), `unanswered` (nobody answered in time), `kept_shut` (somebody decided so), `next_vehicle` (another one came before the answer), `rule_changed` (its rule or the camera changed before the answer), `opened_otherwise` (the gate was opened meanwhile, for somebody else or by hand), `interrupted` (the hub stopped before an answer was recorded), `already_inside` (it came in and was not seen to leave), `elsewhere` (it was at another gate just now), `presented` (it seems not to come on a vehicle; see `odd`).",
    }),
    odd: Type.Array(oneOf(ODDITIES), {
      description:
        "What is odd about how a listed plate came; empty where nothing is, or it was not looked at. `seen_before`: its frames repeat earlier ones. `stands`: it stands still at first sight, where vehicles come. `one_picture`: only one frame shows it. `off_lane`: vehicles' plates are elsewhere here, or of another size. `track`: it does not move as a plate on a vehicle. `surroundings`: paper, a screen or a hand seems to be around it. `other_vehicle`: the vehicle looks unlike the one on which it came before. `unchecked`: its frames could not be looked at.",
    }),
    settledAt: nullable(dateTime(), { description: "When the result became known." }),
  },
  { title: "GateOutcome" },
);

/** One plate sighting (docs/spec/device-control-api.md §2). */
export const PlateRead = Type.Object(
  {
    id: integerId(),
    deviceId: Type.String({ description: "The camera." }),
    captureId: Type.Integer({
      description: "The burst of frames that this read comes from; several vehicles in one burst share it.",
    }),
    plate: nullable(Type.String(), { description: "Normalised: capital letters and digits only." }),
    formatted: nullable(Type.String(), { description: "Grouped for display." }),
    confidence: Type.Integer({ minimum: 0, maximum: 100 }),
    votes: Type.Integer({ minimum: 0, description: "Frames of the burst that produced this plate." }),
    samples: Type.Integer({ minimum: 0, description: "Frames that the recogniser was run on." }),
    plateKind: oneOf(["standard", "bharat", "legacy", "unknown"]),
    status: oneOf(READ_STATUSES),
    reason: nullable(oneOf(["no_recogniser", "no_plate", "invalid_format", "timeout", "provider_error"]), {
      description: "Why an unrecognised read failed; null for a recognised one.",
    }),
    decision: oneOf(DECISIONS, {
      description: "Deny wins over allow, allow over watch; unknown when no rule in force names the plate.",
    }),
    direction: nullable(oneOf(["in", "out"]), { description: "Null when it could not be resolved; never guessed." }),
    trigger: oneOf(["motion", "loop", "manual", "periodic"]),
    hasImage: Type.Boolean({ description: "False once the image has expired." }),
    imageUrl: nullable(Type.String({ format: "uri" })),
    at: dateTime(),
    gate: nullable(GateOutcome, {
      description:
        "An addition beyond the contract: whether the gate was told to open, and what became of it. Null for reads from before this was recorded.",
    }),
    label: Type.String({
      description:
        "An addition beyond the contract: the label of the rule that decided, such as whose vehicle it is. May be empty.",
    }),
  },
  { title: "PlateRead" },
);

/** A read as answers carry it. */
export type PlateRead = Static<typeof PlateRead>;
