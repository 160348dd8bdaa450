import { constants } from "node:crypto";
import type { SecureContextOptions } from "node:tls";

/**
 * What every TLS listener of the hub serves with: TLS 1.2 and later, and no second handshake on a connection, which a
 * client could ask for again and again to keep the processor busy. A renewed certificate needs them too: Node replaces
 * the whole context.
 */
export function serverTls(material: Pick<SecureContextOptions, "cert" | "key">): SecureContextOptions {
  return {
    ...material,
    minVersion: "TLSv1.2",
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_CIPHER_SERVER_PREFERENCE,
  };
}
