import type { BridgeClientRow } from "../storage/tables/bridge-client.js";

/** A credential; times are epoch milliseconds. */
export interface BridgeClient {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly family: string | null;
  /** The families that it was accepted for; of one that waits: that it has shown. `family` is the first. */
  readonly families: readonly string[];
  readonly status: "pending" | "accepted" | "refused";
  readonly origin: "paired" | "made";
  /** Of its last connection. */
  readonly clientId: string | null;
  readonly address: string | null;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
}

/** What others see of a row: all but the password. */
export function shown(row: BridgeClientRow): BridgeClient {
  const { id, username, name, family, status, origin, address } = row;
  const families = [
    ...(family === null ? [] : [family]),
    ...row.families.split(" ").filter((one) => one !== "" && one !== family),
  ];
  return {
    id,
    username,
    name,
    family,
    families,
    status,
    origin,
    clientId: row.mqttClientId,
    address,
    firstSeen: row.firstSeen,
    lastSeen: row.lastSeen,
  };
}
