import { type Static, Type } from "typebox";
import { freeObject } from "../../../core/api/fields.ts";

const label = Type.String({ description: "In English, for who has no word of its own for the field." });
const field = Type.String({ description: "The key of the device's state that it shows and changes." });
const command = (description: string) => freeObject({ description, examples: [{ power: true }] });

/** One thing a person can do with a device, with the commands to send for it. */
export const Control = Type.Union([
  Type.Object(
    {
      kind: Type.Literal("toggle"),
      field,
      label,
      on: command("Sent to switch it on."),
      off: command("Sent to switch it off."),
    },
    { title: "Toggle" },
  ),
  Type.Object(
    {
      kind: Type.Literal("range"),
      field,
      label,
      min: Type.Number(),
      max: Type.Number(),
      step: Type.Number(),
      unit: Type.String(),
      key: Type.String({ description: "Key of the command that takes the number." }),
    },
    { title: "Range" },
  ),
  Type.Object(
    {
      kind: Type.Literal("choice"),
      field,
      label,
      options: Type.Array(Type.Object({ value: Type.Unknown(), label, command: command("Sent to choose it.") })),
    },
    { title: "Choice" },
  ),
  Type.Object(
    {
      kind: Type.Literal("button"),
      name: Type.String({ description: "`open`, `close`, `stop`, `lock`, `unlock`, `capture`; an open list." }),
      label,
      command: command("Sent when it is pressed."),
      confirm: Type.Boolean({ description: "Ask before sending: it lets somebody in." }),
    },
    { title: "Button" },
  ),
]);

/** A control as the API returns it. */
export type Control = Static<typeof Control>;

/** Everything an app needs to draw a device without knowing its type. */
export const Capabilities = Type.Object(
  {
    icon: Type.String(),
    barrier: Type.Boolean({
      description: "It lets somebody in: ask before sending what does not close, lock or stop it.",
    }),
    movesGates: Type.Optional(
      Type.Literal(true, {
        description:
          "A relay or a shutter by its make, which may be what moves a gate: with the type `gate` it is handled as one.",
      }),
    ),
    metrics: Type.Array(Type.String(), { description: "Names for the energy series." }),
    controls: Type.Array(Control),
    readings: Type.Array(Type.Object({ field, label, unit: Type.String() }), {
      description: "Values of the state worth showing large.",
    }),
  },
  { title: "Capabilities", description: "For drawing the device without knowing its type." },
);
