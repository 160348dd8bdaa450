import { X509Certificate } from "node:crypto";
import type { Settings } from "../settings/schema.ts";
import type { OwnAddress } from "./own-address.ts";
import type { HubTls } from "./tls.ts";

/** Whether a host name is the hub's own: its certificate contains it, or the reverse proxy in front of it serves it. */
export type OwnNames = (name: string) => boolean;

/** See {@link OwnNames}. */
export function ownNames({
  tls,
  http,
  address,
}: {
  readonly tls: HubTls | null;
  readonly http: Pick<Settings["http"], "allowedHosts" | "trustProxy">;
  readonly address: Pick<OwnAddress, "name">;
}): OwnNames {
  const certificate = tls === null ? null : new X509Certificate(tls.server.cert);
  const proxied = new Set(http.trustProxy ? http.allowedHosts.map((name) => name.toLowerCase()) : []);
  return (name) => {
    if (proxied.has(name)) return true;
    if (certificate === null) return false;
    // the leaf was renewed for it meanwhile
    return certificate.checkHost(name) !== undefined || (tls?.authority !== null && name === address.name);
  };
}
