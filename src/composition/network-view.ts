import { hostname } from "node:os";
import type { NetworkView } from "../http/routes/console-network.js";
import type { HttpServer } from "../http/server.js";
import { localAddresses } from "../platform/network.js";
import type { HubParts } from "./parts.js";

/** The name in force, which another number follows where a neighbour had it first. */
export function networkName({ mdns }: Pick<HubParts["box"], "mdns">): string | null {
  return mdns?.hostName ?? null;
}

/** Where the hub is reached, from the listeners themselves: a port in the settings may be 0. */
export function networkView({ broker, box }: Pick<HubParts, "broker" | "box">, server: () => HttpServer): NetworkView {
  const { port, tlsPort } = server();
  const known = (value: number | null): number | null => (value === null || value === 0 ? null : value);
  return {
    name: networkName(box),
    hostname: hostname(),
    addresses: localAddresses(),
    httpPort: known(port),
    httpsPort: known(tlsPort),
    mqttPort: known(broker.port),
    mqttsPort: known(broker.tlsPort),
  };
}
