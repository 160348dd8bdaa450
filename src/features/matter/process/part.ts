import type { Environment } from "@matter/main";
import type { Static } from "typebox";
import type { TO_HUB, TO_PROCESS } from "../calls.ts";
import type { Link } from "../link.ts";

/** What a part in the Matter process works with. */
export interface PartContext {
  /** The process's only environment: storage below its folder, one mDNS responder for all nodes. */
  readonly environment: Environment;
  /** For calls to the hub, and results to it. */
  readonly link: Link<typeof TO_HUB, typeof TO_PROCESS>;
  readonly about: Static<(typeof TO_PROCESS)["host.start"]["input"]>;
}

/** A part: the bridge, the controller. */
export interface ProcessPart {
  readonly name: string;
  /** Serves its calls and opens its nodes. */
  start(): Promise<void>;
  /** Closes its nodes in an orderly way. */
  stop(): Promise<void>;
}
