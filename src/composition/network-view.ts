import { hostname } from "node:os";
import type { NetworkView } from "../http/routes/console-network.js";
import type { HttpServer } from "../http/server.js";
import { localAddresses } from "../platform/network.js";
import type { Base } from "./base.js";
import type { HubParts } from "./parts.js";

/** Where the hub is reached, from the listeners themselves: a port in the settings may be 0. */
export function networkView(base: Base, { broker }: Pick<HubParts, "broker">, server: () => HttpServer): NetworkView {
  const { discovery } = base.settings();
  const { port, tlsPort } = server();
  const known = (value: number | null): number | null => (value === null || value === 0 ? null : value);
  return {
    name: discovery.mdns ? `${discovery.name}.local` : null,
    hostname: hostname(),
    addresses: localAddresses(),
    httpPort: known(port),
    httpsPort: known(tlsPort),
    mqttPort: known(broker.port),
    mqttsPort: known(broker.tlsPort),
  };
}
