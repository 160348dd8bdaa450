import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Authority, ServerCertificate } from "../platform/certificates.js";
import { localAddresses } from "../platform/network.js";
import type { Settings } from "../settings/schema.js";

/** What encrypted listeners serve. */
export interface HubTls {
  readonly server: ServerCertificate;
  /** The hub's own authority; null with the owner's own certificate files. */
  readonly authority: Authority | null;
}

/**
 * The certificates that the settings ask for; null while TLS is off. The leaf of the own authority is renewed here, at each
 * start and twice a day while the hub runs, when it nears its end or the box has a new name or address.
 * @throws Error of the system when the owner's own files cannot be read
 */
export async function openTls(settings: Settings, dataFolder: string, nowMs: number, furtherNames: readonly string[] = []): Promise<HubTls | null> {
  const { tls, discovery, http } = settings;
  if (tls.mode === "off") return null;
  if (tls.mode === "files") return { server: { cert: readFileSync(tls.certificateFile, "utf8"), key: readFileSync(tls.keyFile, "utf8") }, authority: null };
  const { ownCertificates } = await import("../platform/certificates.js"); // and its ASN.1 library, only where there is something to sign
  const names = [...new Set([`${discovery.name}.local`, hostname(), "localhost", ...http.allowedHosts, ...furtherNames])];
  const { server, authority } = await ownCertificates({ folder: join(dataFolder, "tls"), names, addresses: ["127.0.0.1", "::1", ...localAddresses()], nowMs });
  return { server, authority };
}
