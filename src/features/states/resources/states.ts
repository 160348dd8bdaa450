import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "../../../core/api/fields.ts";
import { SENDER_KINDS } from "../rules/sender.ts";

const StateValue = nullable(Type.Union([Type.Boolean(), Type.String()]), {
  description: "Null: not known, such as before a device has reported it.",
});

const StateSender = Type.Object(
  {
    kind: oneOf(SENDER_KINDS, { description: "`plate`: the gate's own decision; `home`: another home platform." }),
    name: nullable(Type.String(), { description: "Of the person, the key, the rule, the scene or the vehicle." }),
    readId: nullable(integerId(), { description: "The plate read that a gate opened for." }),
  },
  { title: "StateSender" },
);

/** A state over a stretch of time. */
export const StateLine = Type.Object(
  {
    deviceId: Type.String(),
    key: Type.String({ description: "Key of the device's state; `online` is its presence." }),
    before: nullable(Type.Object({ value: StateValue, since: dateTime() }, { title: "StateBefore" }), {
      description: "How it was at the beginning; null if nothing was recorded before.",
    }),
    changes: Type.Array(
      Type.Object(
        {
          at: dateTime(),
          value: StateValue,
          by: nullable(StateSender, { description: "Whose command it answers; null: of itself, or by hand." }),
        },
        { title: "StateChange" },
      ),
      { description: "Oldest first." },
    ),
  },
  { title: "StateLine" },
);

/** What states were over a stretch of time. */
export const StateStretch = Type.Object(
  {
    from: dateTime(),
    to: dateTime(),
    timeZone: Type.String(),
    states: Type.Array(StateLine),
    off: Type.Array(Type.Object({ from: dateTime(), to: nullable(dateTime()) }, { title: "HubOff" }), {
      description: "When the hub was off and recorded nothing.",
    }),
    cutAt: nullable(dateTime(), { description: "There were more than 20,000 changes: the answer ends here." }),
  },
  { title: "StateStretch" },
);

/** A state as the API returns it. */
export type StateLine = Static<typeof StateLine>;

/** A stretch as the API returns it. */
export type StateStretch = Static<typeof StateStretch>;
