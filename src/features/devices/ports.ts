import type { ChangeSource } from "../../core/api/facts.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";

/** The possible sources of a command. */
export type CommandSource = Exclude<ChangeSource, "device">;

/** A webhook delivery to be made; `data` as in docs/spec/interface.md §30. */
export interface DeliveryDraft {
  readonly siteId: number;
  readonly event: "device.state" | "device.online" | "device.offline" | "device.event" | "command.failed";
  readonly deviceId: string;
  readonly data: JsonObject;
  readonly at: number;
}

/** Puts a delivery into the outbox of every webhook that wants it. Called inside a job of the database. */
export type EnqueueDelivery = (draft: DeliveryDraft) => void;

/** The command that a state change answers. */
export interface AnsweredCommand {
  readonly source: CommandSource;
  /** The command's sender. */
  readonly actor: string;
}

/**
 * Finds who caused a state change, and notes the change as the answer to that command. Called inside a job of the
 * database.
 */
export type NoteAnswer = (deviceId: string, changed: readonly string[], at: number) => AnsweredCommand | null;
