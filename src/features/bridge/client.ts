import type { BridgeClientRow } from "./tables/bridge-client.ts";

/** A credential; times are epoch milliseconds. */
export interface BridgeClient {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly family: string | null;
  /** The families for which it was accepted; for a waiting one, those that it has shown. `family` is the first. */
  readonly families: readonly string[];
  readonly status: "pending" | "accepted" | "refused";
  readonly origin: "paired" | "made";
  /** The client id of its last connection. */
  readonly clientId: string | null;
  readonly address: string | null;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
}

/** A row without the password, for others. */
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
