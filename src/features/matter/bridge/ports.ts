import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { PersonLimits } from "../../access/person-limits.ts";
import type { BridgeableDevice, BridgeableScene } from "./part.ts";

/** The hub's services that the bridge uses. */
export interface BridgePorts {
  /** The household that is shown; null without an owner. */
  siteId(): number | null;
  devices(siteId: number): readonly BridgeableDevice[];
  readonly commands: {
    /** Whether a command may open something or disarm an alarm, of whatever device of the household. */
    opens(deviceId: string, command: JsonObject): boolean;
  };
  readonly scenes: {
    list(siteId: number): readonly BridgeableScene[];
    /** @throws Problem as scenes do */
    activate(siteId: number, sceneId: number, actor: string): Promise<unknown>;
  };
  /** Sends a command on behalf of `actor`. @throws Problem as commands do */
  send(order: {
    readonly siteId: number;
    readonly deviceId: string;
    readonly command: string;
    readonly actor: string;
    readonly isAdmitted: boolean;
  }): Promise<unknown>;
  /** Where a home that has joined may not open without more, it neither opens nor moves a lever by whatever it orders. */
  readonly limits: Pick<PersonLimits, "programMayOpen">;
  /** Writes a line of the audit log. Called inside a write job. */
  audit(entry: {
    readonly siteId: number;
    readonly actor: string;
    readonly action: string;
    readonly target: string;
  }): void;
}
