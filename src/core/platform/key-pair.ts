import { createPrivateKey, sign, verify, X509Certificate } from "node:crypto";

const PROBE = Buffer.from("a signature to be verified");

/**
 * Whether a key signs what its certificate verifies; both as PEM. `checkPrivateKey` only compares the public halves,
 * and a flipped bit of the private half leaves those as they are: every handshake would fail.
 * @throws Error for a certificate or key that cannot be read
 */
export function isPair(cert: string, key: string): boolean {
  const certificate = new X509Certificate(cert);
  const own = createPrivateKey(key);
  if (!certificate.checkPrivateKey(own)) return false;
  const digest = own.asymmetricKeyType?.startsWith("ed") === true ? null : "sha256";
  return verify(digest, PROBE, certificate.publicKey, sign(digest, PROBE, own));
}
