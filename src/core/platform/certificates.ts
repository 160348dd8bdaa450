import { createHash, webcrypto, X509Certificate } from "node:crypto";
import { lstatSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import type { FileTroubles } from "../kernel/file-troubles.ts";
import { makeFolderSync } from "../kernel/folder-below.ts";
import { moveAside, readSmallFile } from "../kernel/small-file.ts";
import {
  ALGORITHM,
  FOLLOWERS,
  keepCopy,
  type OpenAuthority,
  readAuthority,
  storeIfPossible,
} from "./authority-files.ts";
import { isPair } from "./key-pair.ts";
import { isPermitted, NAME_CONSTRAINTS, nameConstraints } from "./name-constraints.ts";

/** The certificate and key of a TLS listener, PEM. */
export interface ServerCertificate {
  /**
   * The leaf, followed by anything else in its file. The own authority is not sent: clients that trust it already have
   * it.
   */
  readonly cert: string;
  readonly key: string;
}

/** The hub's own authority: what phones and devices trust once. */
export interface Authority {
  /** PEM. */
  readonly cert: string;
  /** SHA-256 over the DER form, as colon-separated hex; for people to compare. */
  readonly fingerprint: string;
  /**
   * The same authority in a form for small devices, PEM: their libraries do not know name constraints and refuse a
   * certificate that insists on them. A client that knows them obeys them in this form too.
   */
  readonly deviceCert: string;
  /**
   * `own`: vouches for the home network only; `boundless`: made by an earlier version, for any name; `given`: the
   * installer's.
   */
  readonly kind: "own" | "boundless" | "given";
  /** Epoch milliseconds. */
  readonly notAfter: number;
}

/** What the hub's own certificates are made for. */
export interface CertificateWishes {
  /** Folder of the authority and the leaf; private keys are readable only by the hub's own user. */
  readonly folder: string;
  /** DNS names, such as `gatehouse.local`. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly nowMs: number;
  /**
   * Whether something vouches for that time. Only then a leaf that begins later was made by a wrong clock; otherwise it
   * may be the present clock that is wrong.
   */
  readonly isTimeKnown?: boolean;
  /** When this version was built, epoch milliseconds: no true time is earlier. Default: not known. */
  readonly builtAt?: number;
  /** The copy of the authority, certificate and key; default: none. */
  readonly copyFile?: string;
  /** Gets the files that could not be used. */
  readonly troubles?: FileTroubles;
}

const YEAR_MS = 365 * 86_400_000;
/**
 * Longer than a card lives. Each renewal has to be trusted again on every phone; a stolen key is useful only in the
 * home network.
 */
const AUTHORITY_YEARS = 10;
const AUTHORITY_NAME = "Gatehouse authority ";
/** Apple refuses leaves that are valid for more than 398 days. */
const LEAF_MS = 390 * 86_400_000;
const RENEW_BEFORE_MS = 60 * 86_400_000;
/**
 * The authority's validity begins before any correct clock: it cannot be recreated without everybody trusting it again,
 * and a host may be started for the first time while its clock is years ahead.
 */
const AUTHORITY_FROM_MS = Date.UTC(2020, 0, 1);
/** Apple refuses leaves of a private authority that are valid for more than 825 days. */
const MOST_BACKDATED_MS = 825 * 86_400_000 - LEAF_MS - 2 * 86_400_000;
/** No certificate can have a date after the year 9999. */
const LATEST_MS = Date.UTC(9980, 0, 1);
/** A box without a battery clock may start in the past. */
const BACKDATE_MS = 2 * YEAR_MS;

// Node's implementation of the browsers' interface, whose types are not in scope here
x509.cryptoProvider.set(webcrypto as never);

/**
 * The hub's own authority and a leaf for its names and addresses; created on the first call, the leaf again when it
 * nears its end or the names change. A leaf that is damaged is replaced; an authority is taken from its copy. Without a
 * usable one `authority` is null: another one, which everybody would have to trust again, is made only on a person's
 * request ({@link retireAuthority}). Until then the existing leaf is served, or a temporary one that nobody trusts, so
 * that a browser still reaches the hub after its warning. P-256: an RSA key takes minutes on a small board.
 */
export async function ownCertificates(
  given: CertificateWishes,
): Promise<{ server: ServerCertificate; authority: Authority | null; renewed: boolean }> {
  const wishes = { ...given, nowMs: Math.min(given.nowMs, LATEST_MS) };
  if (!isFolder(wishes.folder)) {
    moveAside(wishes.folder);
    wishes.troubles?.note({ file: "tls", reason: "content", instead: "anew" });
  }
  makeFolderSync(wishes.folder);
  const found = await readAuthority(wishes);
  if (found === "lost") return { server: await stopgap(wishes), authority: null, renewed: false };
  const authority = found === "none" ? await newAuthority(wishes) : found;
  const kept = keptLeaf(authority, wishes);
  const server = kept ?? (await newLeaf(authority, wishes));
  return { server, authority: await shown(authority, wishes), renewed: kept === null };
}

/**
 * Sets the authority aside, so that the next {@link ownCertificates} creates another, which has to be trusted again.
 */
export function retireAuthority(folder: string, copyFile?: string): void {
  const files = ["authority.crt", "authority.key", ...FOLLOWERS].map((name) => join(folder, name));
  for (const file of [...files, ...(copyFile === undefined ? [] : [copyFile])]) {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) continue;
    rmSync(`${file}.before`, { recursive: true, force: true });
    renameSync(file, `${file}.before`);
  }
}

/** See {@link Authority.kind}; `pem`: an authority's certificate. @throws Error if it is not one */
export function authorityKind(pem: string): Authority["kind"] {
  const certificate = new x509.X509Certificate(pem);
  if (isConstrained(certificate)) return "own";
  return certificate.subject.startsWith(`CN=${AUTHORITY_NAME}`) ? "boundless" : "given";
}

async function shown({ certificate, key }: OpenAuthority, { folder }: CertificateWishes): Promise<Authority> {
  const hex = createHash("sha256").update(Buffer.from(certificate.rawData)).digest("hex").toUpperCase();
  const cert = certificate.toString("pem");
  const kind = authorityKind(cert);
  return {
    cert,
    fingerprint: hex.match(/../g)?.join(":") ?? "",
    deviceCert: kind === "own" ? await deviceForm({ certificate, key }, join(folder, "authority-devices.crt")) : cert,
    kind,
    notAfter: certificate.notAfter.getTime(),
  };
}

/** Whether it has our constraints; what limits an installer's own authority is up to the installer. */
function isConstrained(certificate: x509.X509Certificate): boolean {
  const extension = certificate.getExtension(NAME_CONSTRAINTS);
  return extension !== null && Buffer.from(extension.value).equals(nameConstraints());
}

/** See {@link Authority.deviceCert}: stored, because a signature differs each time. */
async function deviceForm({ certificate, key }: OpenAuthority, file: string): Promise<string> {
  try {
    const found = readSmallFile(file);
    if (found.kind === "unusable") moveAside(file);
    const kept = new x509.X509Certificate(found.kind === "good" ? found.text : "");
    if (kept.subject === certificate.subject && (await kept.verify({ publicKey: certificate.publicKey })))
      return kept.toString("pem");
  } catch {
    // None yet, or half of one.
  }
  const { notBefore, notAfter, publicKey, subject } = certificate;
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject,
    issuer: subject,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey,
    signingKey: key,
    extensions: await authorityExtensions(publicKey, false),
  });
  await storeIfPossible(file, made.toString("pem"));
  return made.toString("pem");
}

async function authorityExtensions(publicKey: x509.PublicKeyType, insists: boolean): Promise<x509.Extension[]> {
  return [
    new x509.BasicConstraintsExtension(true, 0, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    // not valid for mail, programs or people
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.Extension(NAME_CONSTRAINTS, insists, nameConstraints()),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
  ];
}

/** The certificate served while there is no authority: the existing leaf, or a temporary one that is not stored. */
async function stopgap(wishes: CertificateWishes): Promise<ServerCertificate> {
  const { folder, nowMs } = wishes;
  const kept = readPair(join(folder, "server.crt"), join(folder, "server.key"));
  if (kept !== null && Date.parse(new X509Certificate(kept.cert).validTo) > nowMs) return kept;
  return makeLeaf(await makeAuthority(wishes), wishes);
}

async function newAuthority(wishes: CertificateWishes): Promise<OpenAuthority> {
  const { folder, copyFile } = wishes;
  const authority = await makeAuthority(wishes);
  const pair = { cert: authority.certificate.toString("pem"), key: await exportKey(authority.key) };
  if (copyFile !== undefined) await keepCopy(copyFile, pair, null); // first: it is whole or not there
  await storeIfPossible(join(folder, "authority.key"), pair.key);
  await storeIfPossible(join(folder, "authority.crt"), pair.cert);
  return authority;
}

async function makeAuthority({ nowMs }: CertificateWishes): Promise<OpenAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${AUTHORITY_NAME}${serial().slice(0, 6)}`,
    notBefore: new Date(Math.min(nowMs - BACKDATE_MS, AUTHORITY_FROM_MS)),
    notAfter: new Date(nowMs + AUTHORITY_YEARS * YEAR_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: await authorityExtensions(keys.publicKey, true),
  });
  return { certificate, key: keys.privateKey };
}

/**
 * A certificate (the first of its file) with its key; null when one is missing, damaged, or of another pair, as after a
 * power cut between the two files.
 */
function readPair(certFile: string, keyFile: string): ServerCertificate | null {
  try {
    const [cert, key] = [readSmallFile(certFile), readSmallFile(keyFile)];
    if (cert.kind !== "good" || key.kind !== "good") return null;
    const pair = { cert: cert.text, key: key.text };
    return isPair(pair.cert, pair.key) ? pair : null;
  } catch {
    return null;
  }
}

/** The names and addresses that the authority may vouch for. */
function within(
  { certificate }: OpenAuthority,
  { names, addresses }: CertificateWishes,
): { names: readonly string[]; addresses: readonly string[] } {
  return isConstrained(certificate)
    ? { names: names.filter(isPermitted), addresses: addresses.filter(isPermitted) }
    : { names, addresses };
}

function keptLeaf(authority: OpenAuthority, wishes: CertificateWishes): ServerCertificate | null {
  const { folder, nowMs, isTimeKnown = false } = wishes;
  const { names, addresses } = within(authority, wishes);
  const kept = readPair(join(folder, "server.crt"), join(folder, "server.key"));
  if (kept === null) return null;
  const served = new X509Certificate(kept.cert);
  if (!served.verify(new X509Certificate(authority.certificate.toString("pem")).publicKey)) return null;
  const leaf = new x509.X509Certificate(served.raw);
  const known = new Set(leaf.getExtension(x509.SubjectAlternativeNameExtension)?.names.items.map((name) => name.value));
  const hasBegun = !isTimeKnown || leaf.notBefore.getTime() <= nowMs;
  const isFresh = hasBegun && leaf.notAfter.getTime() - nowMs > RENEW_BEFORE_MS;
  return isFresh && [...names, ...addresses].every((name) => known.has(name)) ? kept : null;
}

async function newLeaf(authority: OpenAuthority, wishes: CertificateWishes): Promise<ServerCertificate> {
  const { folder } = wishes;
  const leaf = await makeLeaf(authority, wishes);
  await storeIfPossible(join(folder, "server.key"), leaf.key);
  await storeIfPossible(join(folder, "server.crt"), leaf.cert);
  return leaf;
}

/**
 * A time that nothing vouches for may be years ahead: the leaf then begins no later than this program was built, so that
 * it is valid when the time is right.
 */
function beginOf({ nowMs, isTimeKnown = false, builtAt = nowMs }: CertificateWishes): number {
  return (isTimeKnown ? nowMs : Math.max(Math.min(nowMs, builtAt), nowMs - MOST_BACKDATED_MS)) - 86_400_000;
}

async function makeLeaf(authority: OpenAuthority, wishes: CertificateWishes): Promise<ServerCertificate> {
  const { nowMs } = wishes;
  const { names, addresses } = within(authority, wishes);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const leaf = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0] ?? addresses[0] ?? "gatehouse"}`,
    issuer: authority.certificate.subject,
    notBefore: new Date(beginOf(wishes)),
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
  const cert = `${leaf.toString("pem")}\n`;
  return { cert, key: await exportKey(keys.privateKey) };
}

/** Also true for a path that does not exist yet. */
function isFolder(folder: string): boolean {
  try {
    return (
      (statSync(folder, { throwIfNoEntry: false }) ?? lstatSync(folder, { throwIfNoEntry: false }))?.isDirectory() ??
      true
    );
  } catch {
    return false; // a link to itself
  }
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
