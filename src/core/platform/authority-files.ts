/**
 * The authority's files: certificate, key, and a copy of both in one file with a check value. What proves itself counts,
 * and only that is copied.
 */
import { webcrypto, X509Certificate } from "node:crypto";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import type { FileTroubles } from "../kernel/file-troubles.ts";
import { checkedJson, jsonWithCheck, moveAside, readSmallFile, type SmallFile } from "../kernel/small-file.ts";
import { writeFileAtomic } from "../kernel/write-file-atomic.ts";
import { isPair } from "./key-pair.ts";

export const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Certificate and key as PEM. */
interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** An authority that can sign. */
export interface OpenAuthority {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/**
 * Why the authority of a folder is unusable, or that its copy differs, in words; null if all is well, or if there is
 * none.
 */
export async function authorityTrouble(folder: string, copyFile: string): Promise<string | null> {
  const [cert, key] = [readSmallFile(join(folder, "authority.crt")), readSmallFile(join(folder, "authority.key"))];
  if (cert.kind === "missing" && key.kind === "missing") return null;
  if (cert.kind !== "good" || key.kind !== "good") return reasonOf(cert.kind === "good" ? key : cert);
  const found = await asAuthority(cert.text, key.text);
  if (found === null) return "content";
  return differs(found, (await readCopy(copyFile)).authority) ? "its copy differs" : null;
}

/** Files made from an authority: if one of these exists, so did an authority. */
export const FOLLOWERS = ["authority-devices.crt", "server.crt", "server.key"];
const COPY_PURPOSE = "authority.copy";

/** The location of an authority; see `CertificateWishes`. */
interface AuthorityPlace {
  readonly folder: string;
  readonly copyFile?: string;
  readonly troubles?: FileTroubles;
}

/**
 * The authority of a folder, put back from its copy if need be; `none`: there never was one; `lost`: there was, and
 * neither its files nor the copy is usable.
 */
export async function readAuthority({
  folder,
  copyFile,
  troubles,
}: AuthorityPlace): Promise<OpenAuthority | "none" | "lost"> {
  const [certFile, keyFile] = [join(folder, "authority.crt"), join(folder, "authority.key")];
  const [cert, key] = [readSmallFile(certFile), readSmallFile(keyFile)];
  const found = cert.kind === "good" && key.kind === "good" ? await asAuthority(cert.text, key.text) : null;
  const { copy, pair: second, authority: restored } = await readCopy(copyFile);
  if (found !== null && isProved(found, restored) && cert.kind === "good" && key.kind === "good") {
    if (differs(found, restored))
      troubles?.note({ file: "authority.copy", reason: "another authority", instead: "anew" });
    // proved: the key is this certificate's
    if (copyFile !== undefined) await keepCopy(copyFile, { cert: cert.text, key: key.text }, copy);
    return found;
  }
  if (restored !== null && second !== null) {
    const reason = [cert, key].map((file) => (file.kind === "good" ? "content" : reasonOf(file)))[
      cert.kind === "good" ? 1 : 0
    ];
    troubles?.note({ file: "tls/authority", reason: reason ?? "content", instead: "copy" });
    for (const [file, was, text] of [
      [certFile, cert, second.cert],
      [keyFile, key, second.key],
    ] as const) {
      if (was.kind === "good" && was.text === text) continue;
      if (was.kind !== "missing") moveAside(file);
      await storeIfPossible(file, text);
    }
    return restored;
  }
  // a lone key was left by a power cut at the first start: its certificate was never trusted
  const traces = [
    cert,
    ...(copy === null ? [] : [copy]),
    ...FOLLOWERS.map((name) => readSmallFile(join(folder, name))),
  ];
  if (traces.every(({ kind }) => kind === "missing")) return "none";
  troubles?.note({ file: "tls/authority", reason: reasonOf(cert.kind === "good" ? key : cert), instead: "without" });
  return "lost";
}

/** The copy of an authority, as far as it proves itself. */
async function readCopy(file: string | undefined): Promise<{
  readonly copy: SmallFile | null;
  readonly pair: Pair | null;
  readonly authority: OpenAuthority | null;
}> {
  const copy = file === undefined ? null : readSmallFile(file);
  const kept = copy?.kind === "good" ? checkedJson(COPY_PURPOSE, copy.text) : null;
  const pair =
    typeof kept?.cert === "string" && typeof kept.key === "string" ? { cert: kept.cert, key: kept.key } : null;
  return { copy, pair, authority: pair === null ? null : await asAuthority(pair.cert, pair.key) };
}

/** Whether the copy is one of another key. */
function differs(found: OpenAuthority, copy: OpenAuthority | null): boolean {
  const keyOf = ({ certificate }: OpenAuthority) => new X509Certificate(Buffer.from(certificate.rawData)).publicKey;
  return copy !== null && !keyOf(found).equals(keyOf(copy));
}

/**
 * A certificate that its own key signed proves itself. An installer's may be signed by another authority, and so does
 * one look in which a bit of a name was flipped: beside a copy of the same key only a later one is believed.
 */
function isProved(found: OpenAuthority, copy: OpenAuthority | null): boolean {
  const own = new X509Certificate(Buffer.from(found.certificate.rawData));
  if (own.verify(own.publicKey) || copy === null) return true;
  const kept = new X509Certificate(Buffer.from(copy.certificate.rawData));
  return !kept.publicKey.equals(own.publicKey) || own.raw.equals(kept.raw) || own.validFromDate > kept.validFromDate;
}

function reasonOf(file: SmallFile): string {
  return file.kind === "good" ? "content" : file.kind === "missing" ? "missing" : file.reason;
}

/** Keeps a copy of a proved pair; `copy`: the existing one. */
export async function keepCopy(file: string, pair: Pair, copy: SmallFile | null): Promise<void> {
  const text = jsonWithCheck(COPY_PURPOSE, pair);
  if (copy?.kind === "good" && copy.text === text) return;
  if (copy?.kind === "unusable") moveAside(file);
  await storeIfPossible(file, text);
}

/** An authority whose key signs what its certificate verifies; null for anything else. */
async function asAuthority(cert: string, key: string): Promise<OpenAuthority | null> {
  try {
    const parsed = new X509Certificate(cert);
    if (!isPair(cert, key)) return null;
    // one of the hub's own is self-signed; an installer's may be signed by another
    if (parsed.issuer === parsed.subject && !parsed.verify(parsed.publicKey)) return null;
    return { certificate: new x509.X509Certificate(cert), key: await importKey(key) };
  } catch {
    return null;
  }
}

/**
 * Files derived from the authority can be made again at the next start: a disk that refuses writes, which health
 * reports, must not keep a hub whose address has changed from starting.
 */
export async function storeIfPossible(file: string, content: string): Promise<void> {
  if (readSmallFile(file).kind === "unusable") moveAside(file); // a folder cannot be written over
  await writeFileAtomic(file, content).catch(() => undefined);
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), ALGORITHM, true, ["sign"]);
}
