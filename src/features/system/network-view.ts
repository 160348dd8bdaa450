import { hostname } from "node:os";
import type { Json } from "../../core/api/route.ts";
import type { HttpServer } from "../../core/http/server.ts";
import { isPermitted } from "../../core/platform/name-constraints.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { HubTls } from "../../core/platform/tls.ts";
import type { Settings } from "../../core/settings/schema.ts";
import type { Network } from "./api/console-network.ts";
import type { HubParts } from "./parts.ts";

/** The name in force, which has a number if a neighbour had it first. */
export function networkName({ mdns }: Pick<HubParts["box"], "mdns">): string | null {
  return mdns?.hostName ?? null;
}

/** Whether devices can connect, encrypted or not. */
export function isListening({ port, tlsPort }: Pick<HubParts["broker"], "port" | "tlsPort">): boolean {
  return port !== null || tlsPort !== null;
}

/** Whether plain http only leads to https. */
export function isPlainHttpClosed(settings: Settings, tls: HubTls | null): boolean {
  if (tls === null) return false;
  const { plainHttp } = settings.tls;
  return (plainHttp === "auto" ? tls.plainHttpByDefault : plainHttp) === "closed";
}

/** Where the hub can be reached, from the listeners themselves: a port in the settings may be 0. */
export function networkView(
  { broker, box }: Pick<HubParts, "broker" | "box">,
  server: () => HttpServer,
  { settings, tls }: { readonly settings: Settings; readonly tls: HubTls | null },
): Json<Network> {
  const { port, tlsPort } = server();
  const known = (value: number | null): number | null => (value === null || value === 0 ? null : value);
  const authority = tls?.authority ?? null;
  const addresses = localAddresses();
  return {
    name: networkName(box),
    hostname: hostname(),
    addresses,
    certifiedAddresses: authority?.kind === "own" ? addresses.filter(isPermitted) : addresses,
    httpPort: known(port),
    httpsPort: known(tlsPort),
    mqttPort: known(broker.port),
    mqttsPort: known(broker.tlsPort),
    plainHttp: isPlainHttpClosed(settings, tls) ? "closed" : "open",
    authority:
      authority === null
        ? null
        : {
            kind: authority.kind,
            fingerprint: authority.fingerprint,
            notAfter: new Date(authority.notAfter).toISOString(),
          },
  };
}
