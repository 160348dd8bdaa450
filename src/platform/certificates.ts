import { createHash, webcrypto } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";

/** What a TLS listener serves, PEM. */
export interface ServerCertificate {
  /** Leaf first, then the authority. */
  readonly cert: string;
  readonly key: string;
}

/** The hub's own authority: what phones and devices trust once. */
export interface Authority {
  /** PEM. */
  readonly cert: string;
  /** SHA-256 over the DER form, as colon-separated hex; what a person compares. */
  readonly fingerprint: string;
}

/** What the own certificates are made for. */
export interface CertificateWishes {
  /** Folder that keeps authority and leaf; private keys are readable by the hub's own user only. */
  readonly folder: string;
  /** DNS names, such as `gatehouse.local`. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly nowMs: number;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const YEAR_MS = 365 * 86_400_000;
const AUTHORITY_YEARS = 20;
/** Phones refuse leaves that are valid for more than 398 days. */
const LEAF_MS = 390 * 86_400_000;
const RENEW_BEFORE_MS = 60 * 86_400_000;
/** A box without a clock battery may start in the past: certificates begin well before it. */
const BACKDATE_MS = 2 * YEAR_MS;

x509.cryptoProvider.set(webcrypto as never); // Node's implementation of the browsers' interface, whose types are not in scope here

/**
 * The hub's own authority and a leaf for its names and addresses; made at the first call, the leaf again when it nears its end or
 * the names change. P-256: an RSA key takes minutes on a small board.
 */
export async function ownCertificates(wishes: CertificateWishes): Promise<{ server: ServerCertificate; authority: Authority; renewed: boolean }> {
  mkdirSync(wishes.folder, { recursive: true, mode: 0o700 });
  const authority = await openAuthority(wishes);
  const kept = keptLeaf(wishes);
  const server = kept ?? (await newLeaf(authority, wishes));
  const der = Buffer.from(authority.certificate.rawData);
  const hex = createHash("sha256").update(der).digest("hex").toUpperCase();
  return { server, authority: { cert: authority.certificate.toString("pem"), fingerprint: hex.match(/../g)?.join(":") ?? "" }, renewed: kept === null };
}

interface OpenAuthority {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

async function openAuthority({ folder, nowMs }: CertificateWishes): Promise<OpenAuthority> {
  const [certFile, keyFile] = [join(folder, "authority.crt"), join(folder, "authority.key")];
  if (existsSync(certFile) && existsSync(keyFile)) {
    return { certificate: new x509.X509Certificate(readFileSync(certFile, "utf8")), key: await importKey(readFileSync(keyFile, "utf8")) };
  }
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=Gatehouse authority ${serial().slice(0, 6)}`,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + AUTHORITY_YEARS * YEAR_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  writePrivate(keyFile, await exportKey(keys.privateKey));
  writePrivate(certFile, certificate.toString("pem"));
  return { certificate, key: keys.privateKey };
}

function keptLeaf({ folder, names, addresses, nowMs }: CertificateWishes): ServerCertificate | null {
  const [certFile, keyFile] = [join(folder, "server.crt"), join(folder, "server.key")];
  if (!existsSync(certFile) || !existsSync(keyFile)) return null;
  const cert = readFileSync(certFile, "utf8");
  const leaf = new x509.X509Certificate(cert.slice(0, cert.indexOf("-----END CERTIFICATE-----") + 25));
  const known = new Set(leaf.getExtension(x509.SubjectAlternativeNameExtension)?.names.items.map((name) => name.value));
  const isFresh = leaf.notAfter.getTime() - nowMs > RENEW_BEFORE_MS;
  return isFresh && [...names, ...addresses].every((name) => known.has(name)) ? { cert, key: readFileSync(keyFile, "utf8") } : null;
}

async function newLeaf(authority: OpenAuthority, { folder, names, addresses, nowMs }: CertificateWishes): Promise<ServerCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0] ?? addresses[0] ?? "gatehouse"}`,
    issuer: authority.certificate.subject,
    notBefore: new Date(nowMs - 86_400_000),
    notAfter: new Date(nowMs + LEAF_MS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: "dns" as const, value })),
        ...addresses.map((value) => ({ type: "ip" as const, value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  });
  const cert = `${leaf.toString("pem")}\n${authority.certificate.toString("pem")}\n`;
  const key = await exportKey(keys.privateKey);
  writePrivate(join(folder, "server.key"), key);
  writePrivate(join(folder, "server.crt"), cert);
  return { cert, key };
}

function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f; // RFC 5280 §4.1.2.2: a positive integer
  return Buffer.from(bytes).toString("hex");
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  return x509.PemConverter.encode(der, "PRIVATE KEY");
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), ALGORITHM, true, ["sign"]);
}

/** By rename, so that a power cut leaves the old file or the new one. */
function writePrivate(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
