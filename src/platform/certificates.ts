import { createHash, createPrivateKey, webcrypto, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import { writeWhole } from "../kernel/write-whole.js";

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
 * the names change. Files that are damaged or do not belong together are replaced. P-256: an RSA key takes minutes on a small board.
 */
export async function ownCertificates(wishes: CertificateWishes): Promise<{ server: ServerCertificate; authority: Authority; renewed: boolean }> {
  mkdirSync(wishes.folder, { recursive: true, mode: 0o700 });
  const authority = await openAuthority(wishes);
  const kept = keptLeaf(authority, wishes);
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
  const kept = readPair(certFile, keyFile);
  if (kept !== null) return { certificate: new x509.X509Certificate(kept.cert), key: await importKey(kept.key) };
  // A hub that starts with a new authority is better than one that does not start; the old files may still be of use to somebody.
  for (const file of [certFile, keyFile]) if (existsSync(file)) renameSync(file, `${file}.unusable`);
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
  writeWhole(keyFile, await exportKey(keys.privateKey));
  writeWhole(certFile, certificate.toString("pem"));
  return { certificate, key: keys.privateKey };
}

/** A certificate (the first of its file) with its own key; null when one is missing, damaged, or of another pair, as a power cut between two files leaves them. */
function readPair(certFile: string, keyFile: string): ServerCertificate | null {
  try {
    const pair = { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
    return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)) ? pair : null;
  } catch {
    return null;
  }
}

function keptLeaf({ certificate }: OpenAuthority, { folder, names, addresses, nowMs }: CertificateWishes): ServerCertificate | null {
  const kept = readPair(join(folder, "server.crt"), join(folder, "server.key"));
  if (kept === null) return null;
  const served = new X509Certificate(kept.cert);
  if (!served.verify(new X509Certificate(certificate.toString("pem")).publicKey)) return null;
  const leaf = new x509.X509Certificate(served.raw);
  const known = new Set(leaf.getExtension(x509.SubjectAlternativeNameExtension)?.names.items.map((name) => name.value));
  const isFresh = leaf.notAfter.getTime() - nowMs > RENEW_BEFORE_MS;
  return isFresh && [...names, ...addresses].every((name) => known.has(name)) ? kept : null;
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
  writeWhole(join(folder, "server.key"), key);
  writeWhole(join(folder, "server.crt"), cert);
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
