import type { Clock } from "../src/core/kernel/clock.ts";
import type { Logger } from "../src/core/kernel/logger.ts";
import type { QuietWrites } from "../src/core/kernel/quiet-writes.ts";
import type { Credential } from "./credential-context.ts";
import type { Family } from "./family.ts";
import type { BridgeBroker, BridgeDevices, BridgeMemory, CommandResultSink, Speaker } from "./ports.ts";

/** What the bridge needs. */
export interface BridgeOptions {
  /** In order of preference. */
  readonly families: readonly Family[];
  /** Base topics that the owner changed, by family. */
  readonly prefixes: ReadonlyMap<string, string>;
  readonly devices: BridgeDevices;
  readonly memory: BridgeMemory;
  readonly broker: BridgeBroker;
  readonly commandResults: CommandResultSink;
  /** The credentials accepted at the start; later ones come by `Bridge.admit`. */
  readonly credentials: () => readonly Credential[];
  /** Whether the hub is connected to the site's own broker, where devices may be too. */
  readonly hasOutside: () => boolean;
  /** First level of the topics of the hub's own devices. */
  readonly native: string;
  readonly maxDevices: () => number;
  readonly clock: Clock;
  readonly quietWrites: Pick<QuietWrites, "add">;
  readonly logger: Logger;
}

/** A message with what the bridge must know about its sender. */
export interface ArrivingMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** The sender waits until the message is on disk. */
  readonly durable: boolean;
  /** Another broker had kept it: it reports a state, not that something happened. */
  readonly retained?: boolean;
  /** An accepted client; null: the message came through another broker. */
  readonly speaker: Speaker | null;
}
