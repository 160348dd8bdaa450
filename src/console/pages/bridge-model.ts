/** Devices of other makes as the hub answers them (`contract/routes/console-bridge.ts`). */

/** A firmware family. */
export interface BridgeFamily {
  readonly name: string;
  readonly label: string;
  readonly prefix: string | null;
  readonly devices: number;
}

/** Whether unknown clients are let in. */
export interface BridgePairing {
  readonly open: boolean;
  readonly until: string | null;
  readonly waiting: number;
}

/** A client of another make. */
export interface BridgeClient {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly status: "pending" | "accepted" | "refused";
  readonly family: string | null;
  /** What it was accepted for; of one that waits: what it has shown. */
  readonly families: readonly string[];
  /** Ids of its devices. */
  readonly devices: readonly string[];
  /** What one that waits would bring. */
  readonly announces: readonly { readonly family: string; readonly name: string }[];
  readonly address: string | null;
  readonly connected: boolean;
  readonly lastSeen: string | null;
  readonly topics: readonly string[];
}

/** A credential that was made, with the lines to paste. */
export interface MadeClient {
  readonly client: BridgeClient;
  readonly username: string;
  readonly password: string;
  readonly steps: readonly { readonly title: string; readonly kind: "url" | "command" | "file" | "form"; readonly text: string }[];
}

/** A device that speaks through a client. */
export interface BridgedDevice {
  readonly deviceId: string;
  readonly family: string;
  readonly name: string;
  readonly online: boolean;
  readonly manufacturer: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly alsoSeenBy: readonly string[];
  readonly estimatedEnergy: boolean;
}

/** A message that should have meant something. */
export interface BridgeProblem {
  readonly family: string;
  readonly topic: string;
  readonly reason: string;
  readonly count: number;
  readonly lastAt: string;
}

/** Retained messages that belong to no device. */
export interface BridgeGhosts {
  readonly ghosts: readonly { readonly topic: string; readonly bytes: number }[];
  readonly total: number;
}
