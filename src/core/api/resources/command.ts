import { type Static, Type } from "typebox";
import { dateTime, integerId, nullable, oneOf } from "../fields.ts";

/** The status of a command. */
export const COMMAND_STATUSES = ["pending", "sent", "acknowledged", "failed", "expired"] as const;
/** Why a command failed. */
export const COMMAND_REASONS = ["device_away", "no_answer", "not_done"] as const;

/** The outcome of a command. An addition beyond the contract. */
export const Command = Type.Object(
  {
    id: integerId({ description: "`commandId` of the answer to the command.", examples: [812] }),
    deviceId: Type.String({ examples: ["plug-kitchen"] }),
    status: oneOf(COMMAND_STATUSES, {
      description:
        "`pending`: it waits for a device that is away. `sent`: it went to the device's connection. `acknowledged`: the device has it (MQTT PUBACK), or its state shows that it was carried out. `failed`, `expired`: see `reason`. The last three are final.",
    }),
    reason: nullable(oneOf(COMMAND_REASONS), {
      description:
        "`device_away`: the device did not come in time. `no_answer`: it was sent, and nothing came back in time; whether it was carried out is not known. `not_done`: as far as its state shows the device did not carry it out.",
    }),
    at: dateTime({ description: "When it was accepted." }),
    expiresAt: dateTime({ description: "It is not delivered after this." }),
    acknowledgedAt: nullable(dateTime()),
    answeredAt: nullable(dateTime(), { description: "The device's next change of state." }),
    changed: nullable(Type.Array(Type.String()), { description: "Keys of the state that changed then." }),
  },
  { title: "Command" },
);

/** A command's outcome as the API returns it. */
export type Command = Static<typeof Command>;
/** The status of a command. */
export type CommandOutcomeStatus = Command["status"];
/** Why it failed; null if it has not. */
export type CommandReason = Command["reason"];
