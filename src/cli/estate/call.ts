import { controlSocketFile } from "../../core/platform/control-socket-file.ts";
import type { CliIo, openPlace, readArguments } from "../command.ts";
import { hubRuns, socketCalls } from "../control-socket.ts";

/** Options of `gatehouse estate`. */
export const ESTATE_OPTIONS = {
  hub: { type: "string" },
  title: { type: "string" },
  part: { type: "string" },
  address: { type: "string", multiple: true },
  cluster: { type: "string" },
  out: { type: "string" },
  "keep-days": { type: "string" },
  "store-gb": { type: "string" },
  store: { type: "string" },
  listen: { type: "string" },
  port: { type: "string" },
  "cluster-port": { type: "string" },
  manager: { type: "boolean" },
  valid: { type: "string" },
} as const;

/** The arguments of a verb. */
export interface EstateCall {
  readonly io: CliIo;
  readonly dataFolder: string;
  readonly settings: ReturnType<typeof openPlace>["settings"]["current"];
  readonly values: ReturnType<typeof readArguments<typeof ESTATE_OPTIONS>>["values"];
  /** What follows the verb; absent if nothing does. */
  readonly subject: string | undefined;
}

/** What a verb has done: for `--json`, and for people. */
export interface EstateOutcome {
  readonly shown: object;
  readonly text: string;
}

/**
 * Restarts the hub if it runs, so that it takes up its membership of the estate, or gives it up. Says what happened.
 */
export async function restarted(dataFolder: string): Promise<string> {
  const socketFile = controlSocketFile(dataFolder);
  if (!(await hubRuns(socketFile))) return "It takes effect when the hub starts.";
  // features/access/api/console-reset.ts
  const { restarts } = (await socketCalls(socketFile).call("POST", "/api/restart")) as { restarts: boolean };
  return restarts ? "The hub restarts now." : "Restart the hub: it takes effect then.";
}
