/** Devices of other makes as the hub answers them (`features/bridge/api/console-bridge.ts`). */
import type { AnswerTo } from "../../../console/operations.ts";

/** A firmware family. */
export type BridgeFamily = AnswerTo<"GET", "/api/bridge/families">["families"][number];

/** Whether unknown clients are let in. */
export type BridgePairing = AnswerTo<"GET", "/api/bridge/pairing">["pairing"];

/** A client of another make. */
export type BridgeClient = AnswerTo<"GET", "/api/bridge/clients">["clients"][number];

/** A credential that was made, with the lines to paste. */
export type MadeClient = AnswerTo<"POST", "/api/bridge/clients">;

/** A device that a client announces. */
export type BridgedDevice = AnswerTo<"GET", "/api/bridge/devices">["devices"][number];

/** A message that could not be understood. */
export type BridgeProblem = AnswerTo<"GET", "/api/bridge/problems">["problems"][number];

/** Retained messages that belong to no device. */
export type OrphanedTopics = AnswerTo<"GET", "/api/bridge/ghosts">;
