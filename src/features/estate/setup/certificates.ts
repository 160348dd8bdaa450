import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";

/** A certificate with its key, PEM. */
export interface CertificateWithKey {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/**
 * Hubs trust this authority for their estate's servers and for nothing else, so an early expiry that takes everybody by
 * surprise gains nothing.
 */
const YEARS = 20;
/** The clock of a box without a battery may have been behind when it was made, or may be when it is checked. */
const BACKDATE_DAYS = 730;

// Node's implementation of the browsers' interface, whose types are not in scope here
x509.cryptoProvider.set(webcrypto as never);

/** Makes the certificate authority of an estate's servers. */
export async function makeServerAuthority(estate: string): Promise<CertificateWithKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Estate ${estate}`,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: certificate.toString("pem"), key: await pemOf(keys.privateKey) };
}

/** Makes the certificate of one server: for its hubs, and for the other servers of its cluster. */
export async function makeServerCertificate(
  authority: CertificateWithKey,
  hosts: readonly string[],
): Promise<CertificateWithKey> {
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await webcrypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decodeFirst(authority.key),
    ALGORITHM,
    false,
    ["sign"],
  );
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${hosts[0] ?? "server"}`,
    issuer: issuer.subject,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((value) => ({ type: isIP(value) === 0 ? ("dns" as const) : ("ip" as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { cert: `${certificate.toString("pem")}\n`, key: await pemOf(keys.privateKey) };
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATE_DAYS * DAY_MS), notAfter: new Date(now + YEARS * 365 * DAY_MS) };
}

function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f; // RFC 5280 §4.1.2.2: a positive integer
  return Buffer.from(bytes).toString("hex");
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)), "PRIVATE KEY");
}
