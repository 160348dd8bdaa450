/**
 * The configuration of an estate's NATS servers: one beside a hub, or each of a cluster. The files that it names are
 * beside it; a server has to be started in that folder.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { join } from "node:path";
import { expectSmallFile } from "../../../core/kernel/small-file.ts";
import { writeFileAtomicSync } from "../../../core/kernel/write-file-atomic.ts";
import type { EstateAuthority } from "./authority.ts";
import { type CertificateWithKey, makeServerCertificate } from "./certificates.ts";

/** Room for rules and cards besides the reads. */
const RULES_GB = 1;
/** Memory limit for in-memory streams, which an estate does not use. */
const MEMORY_MB = 16;

/**
 * Writes the folder of each server: `nats.conf`, its certificate and key, the authority. Readable by their owner only.
 * Returns the folders.
 */
export async function writeNatsFolders(folder: string, authority: EstateAuthority): Promise<string[]> {
  const { hosts } = authority.plan;
  const folders: string[] = [];
  for (const host of hosts) {
    const own = hosts.length === 1 ? folder : join(folder, host.replaceAll(":", "-"));
    // If a server is named by an address, Node's client compares its certificate with "localhost".
    const names = [...new Set([host, "localhost", "127.0.0.1"])];
    const { cert, key } =
      keptCertificate(own, authority.ca.cert, names) ?? (await makeServerCertificate(authority.ca, names));
    const files = {
      "ca.crt": authority.ca.cert,
      "server.key": key,
      "server.crt": cert,
      "nats.conf": natsConfig(authority, host),
    };
    for (const [name, text] of Object.entries(files)) writeFileAtomicSync(join(own, name), text);
    folders.push(own);
  }
  return folders;
}

/** The certificate that an earlier run made; null if it is not this authority's for these names. */
function keptCertificate(folder: string, ca: string, names: readonly string[]): CertificateWithKey | null {
  try {
    const [cert, key] = ["server.crt", "server.key"].map((name) =>
      expectSmallFile(join(folder, name)).toString("utf8"),
    );
    const known = new X509Certificate(cert ?? "");
    const isOurs =
      known.verify(new X509Certificate(ca).publicKey) && known.checkPrivateKey(createPrivateKey(key ?? ""));
    return isOurs && names.every((name) => (isIP(name) === 0 ? known.checkHost(name) : known.checkIP(name)))
      ? { cert: cert ?? "", key: key ?? "" }
      : null;
  } catch {
    return null; // none yet, or half of one
  }
}

/** The text of a server's `nats.conf`. */
function natsConfig(authority: EstateAuthority, host: string): string {
  const { estate, hosts, server: plan } = authority.plan;
  const { operator, system, systemKey, beginning, accountKey } = authority.claims();
  return `# NATS server of the estate ${estate}, written by "gatehouse estate create"; written anew by each further one.
# Who may take part stands in a signed claim that the server is sent and keeps: hubs are added and removed without a change here.
# One of a cluster asks the others every five seconds for what it has missed.
server_name: ${text(`${estate}-${host}`)}
host: ${text(plan.listen)}
port: ${plan.port}
max_connections: 1024
max_payload: 262144
max_pending: 16MB
write_deadline: "5s"
ping_interval: "20s"
ping_max: 2

tls { cert_file: "server.crt", key_file: "server.key", timeout: 5 }

jetstream { store_dir: ${text(join(plan.storeFolder, "jetstream"))}, max_memory_store: ${MEMORY_MB}MB, max_file_store: ${plan.storeGb + RULES_GB}GB }

operator: ${operator}
system_account: ${systemKey}
resolver { type: full, dir: ${text(join(plan.storeFolder, "claims"))}, allow_delete: false, interval: "5s", limit: 8 }
resolver_preload {
  ${systemKey}: ${system}
  ${accountKey}: ${beginning}
}
${hosts.length > 1 ? cluster(authority, host) : ""}`;
}

/** Servers recognise each other by certificates of the estate's authority, which no hub has. */
function cluster({ plan }: EstateAuthority, host: string): string {
  const { estate, hosts } = plan;
  const { listen, clusterPort } = plan.server;
  const routes = hosts
    .filter((other) => other !== host)
    .map((other) => text(`nats-route://${bracketed(other)}:${clusterPort}`));
  return `
cluster {
  name: ${text(`gatehouse-${estate}`)}
  listen: ${text(`${bracketed(listen)}:${clusterPort}`)}
  no_advertise: true
  tls { cert_file: "server.crt", key_file: "server.key", ca_file: "ca.crt", verify: true, timeout: 5 }
  routes: [ ${routes.join(", ")} ]
}
`;
}

/** A host as written in an address. */
function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function text(value: string): string {
  return JSON.stringify(value);
}
