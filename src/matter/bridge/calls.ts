import type { TSchema } from "typebox";

/** What the hub asks of the bridge in the Matter process. */
export const BRIDGE_TO_PROCESS = {} satisfies Record<string, { input: TSchema; output: TSchema }>;

/** What the bridge asks of the hub. */
export const BRIDGE_TO_HUB = {} satisfies Record<string, { input: TSchema; output: TSchema }>;
