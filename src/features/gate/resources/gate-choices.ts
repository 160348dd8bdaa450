import { Type } from "typebox";
import { closed, nullable, oneOf } from "../../../core/api/fields.ts";
import { PlateRuleWindow } from "../../../core/api/resources/week-window.ts";
import { EARNINGS, MOST_WINDOWS } from "../../../core/plates/decide.ts";
import { MOST_EARNS_DEFAULTS } from "../../../core/plates/earns.ts";

const deviceId = Type.String({ minLength: 1, maxLength: 64 });
const cameraId = nullable(deviceId, { description: "One camera; null: all of them." });
const field = Type.String({ minLength: 1, maxLength: 64, description: "Member of the device's state." });
const stateOfDevice = {
  deviceId,
  field,
  value: Type.Union([Type.Boolean(), Type.Number(), Type.String({ maxLength: 200 })]),
};

/** What a household has chosen for its gates. */
export const GateChoices = Type.Object(
  {
    defaults: Type.Array(
      Type.Object(
        {
          earns: oneOf(EARNINGS),
          deviceId: cameraId,
          windows: Type.Array(PlateRuleWindow, { maxItems: MOST_WINDOWS, description: "Empty: at all times." }),
          away: Type.Boolean({ description: "Only while the house is away." }),
        },
        { ...closed, title: "EarnsDefault" },
      ),
      {
        maxItems: MOST_EARNS_DEFAULTS,
        description:
          "What allowed plates earn whose rules do not say. Of those that hold the strictest counts; without any the gate opens.",
      },
    ),
    away: nullable(Type.Object(stateOfDevice, { ...closed, title: "StateOfDevice" }), {
      description: "The state that says that the house is away. Where it is not known, the house counts as away.",
    }),
    confirmedBy: Type.Array(
      Type.Union([
        Type.Object(
          { kind: Type.Literal("state"), cameraId, ...stateOfDevice },
          { ...closed, title: "ConfirmingState" },
        ),
        Type.Object(
          { kind: Type.Literal("event"), cameraId, deviceId, event: Type.String({ minLength: 1, maxLength: 64 }) },
          { ...closed, title: "ConfirmingEvent" },
        ),
        Type.Object(
          {
            kind: Type.Literal("pin"),
            cameraId,
            deviceId,
            field,
            pin: Type.Optional(
              Type.String({
                pattern: "^[0-9A-Za-z]{4,12}$",
                description: "Never answered. Absent: the one that stands for this device and field.",
              }),
            ),
          },
          { ...closed, title: "ConfirmingPin" },
        ),
      ]),
      { maxItems: 20, description: "Besides persons: what devices report that confirms." },
    ),
    whenInside: oneOf(["open", "ask", "refuse"], {
      description: "What follows when an allowed vehicle comes in that came in before and was not seen to leave.",
    }),
    followed: Type.Array(
      Type.Object(
        {
          gateId: deviceId,
          loop: nullable(Type.Object(stateOfDevice, { ...closed, title: "LoopBehindGate" }), {
            description: "A loop or light barrier behind the gate: each time it reports this, a vehicle has passed.",
          }),
        },
        { ...closed, title: "FollowedGate" },
      ),
      { maxItems: 20, description: "Gates at which vehicles that follow another one are counted (`gate.followed`)." },
    ),
    asksNearMisses: Type.Boolean({
      description:
        "Whether somebody is asked where a plate of no list may be a listed one that was misread, by what the reader saw. The gate never opens by itself for it.",
    }),
    elsewhere: nullable(
      Type.Object(
        { withinSeconds: Type.Integer({ minimum: 5, maximum: 3_600 }), follows: oneOf(["ask", "refuse"]) },
        { ...closed, title: "SeenElsewhere" },
      ),
      {
        description:
          "What follows when the same plate was at another gate, of this hub or of the estate, so shortly before that it cannot have driven. Null: nothing.",
      },
    ),
  },
  { ...closed, title: "GateChoices" },
);
