import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { ASKED_FOR } from "../../../core/plates/doubts.ts";
import { QUESTION_STATES } from "../../../core/plates/opening.ts";
import { ODDITIES } from "../../../core/plates/presented.ts";

/** A vehicle about which somebody is asked whether it may come in. */
export const GateQuestion = Type.Object(
  {
    id: Type.String({ description: "Cannot be guessed, and is never used again." }),
    deviceId: Type.String({ description: "The camera." }),
    gateId: Type.String({ description: "The gate that opens if the answer is yes." }),
    readId: integerId({ description: "The plate read." }),
    plate: Type.String(),
    formatted: Type.String({ description: "Grouped for display." }),
    label: Type.String({ description: "Of its rule, such as whose vehicle it is. May be empty." }),
    kind: oneOf(["confirm", "ask"], {
      description: "`confirm`: a PIN, a tag or a button of the household may answer too. `ask`: only a person.",
    }),
    askedFor: oneOf(ASKED_FOR, {
      description:
        "`earns`: the household chose so for this plate. `already_inside`: it came in and was not seen to leave. `elsewhere`: it was at another gate just now. `presented`: it seems not to come on a vehicle, see `odd`. `near_miss`: it is on no list, and `meant` may have been misread.",
    }),
    odd: Type.Array(oneOf(ODDITIES), { description: "What is odd about how the plate came, as a read has it." }),
    meant: nullable(Type.String(), { description: "The listed plate that may be meant, grouped for display." }),
    state: oneOf(QUESTION_STATES, {
      description:
        "`asked`: nobody has answered yet. `opened`: the gate was told to open. Else why it stayed shut: `kept_shut` (somebody decided so), `unanswered`, `next_vehicle` (another one came before the answer), `rule_changed`; or `opened_otherwise` (the gate was opened meanwhile).",
    }),
    askedAt: dateTime(),
    expiresAt: dateTime({ description: "No answer counts later." }),
    imageUrl: nullable(Type.String({ format: "uri" }), { description: "The picture, while the question waits." }),
  },
  { title: "GateQuestion" },
);

/** A question as answers carry it. */
export type GateQuestion = Static<typeof GateQuestion>;
