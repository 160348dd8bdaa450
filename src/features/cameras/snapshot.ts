import { createHash, randomBytes } from "node:crypto";
import { pictureFormat } from "../../core/kernel/picture-format.ts";
import { DescribedError } from "../../core/text/described-error.ts";

/** Limits of a snapshot. */
export interface SnapshotLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** The camera did not deliver a picture; the message is for the owner. */
export class CameraTrouble extends DescribedError {
  override readonly name: string = "CameraTrouble";
}

/**
 * Pulls one picture over HTTP; anything that is no JPEG, PNG or WebP is trouble. User and password in the address are
 * sent as basic or digest authentication (RFC 7616, MD5 and SHA-256), whichever the camera asks for. Redirects are not
 * followed.
 * @throws CameraTrouble.
 */
export async function pullSnapshot(address: string, limits: SnapshotLimits): Promise<Uint8Array> {
  const url = new URL(address);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  url.username = "";
  url.password = "";
  const signal = AbortSignal.timeout(limits.timeoutMs);
  try {
    const first = await fetch(url, { signal, redirect: "manual" });
    const challenge = first.headers.get("www-authenticate");
    if (first.status !== 401 || challenge === null || user === "") return await readPicture(first, limits.maxBytes);
    await first.body?.cancel();
    const authorization = authorizationFor(challenge, { user, password, path: url.pathname + url.search });
    return await readPicture(
      await fetch(url, { signal, redirect: "manual", headers: { authorization } }),
      limits.maxBytes,
    );
  } catch (error) {
    if (error instanceof CameraTrouble) throw error;
    const late = error instanceof Error && error.name === "TimeoutError";
    throw new CameraTrouble({ code: late ? "camera.timeout" : "camera.unreachable" }, { cause: error });
  }
}

async function readPicture(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new CameraTrouble({ code: "camera.status", status: response.status });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    // a fetch body yields bytes
    size += chunk.length;
    if (size > maxBytes) throw new CameraTrouble({ code: "camera.pictureTooLarge" });
    chunks.push(chunk);
  }
  const picture = Buffer.concat(chunks);
  if (pictureFormat(picture) === null) throw new CameraTrouble({ code: "camera.notAPicture" });
  return picture;
}

interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly path: string;
  /** Of the request; default: GET. */
  readonly method?: string;
}

/** The `Authorization` header that a challenge asks for. @throws CameraTrouble for an unknown scheme */
export function authorizationFor(challenge: string, { user, password, path, method = "GET" }: Credentials): string {
  if (/^basic\b/i.test(challenge)) return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  if (!/^digest\b/i.test(challenge)) throw new CameraTrouble({ code: "camera.unsupportedSignIn" });
  const member = (name: string): string =>
    new RegExp(`\\b${name}=(?:"([^"]*)"|([^\\s,]+))`, "i").exec(challenge)?.slice(1).find(Boolean) ?? "";
  const [realm, nonce, algorithm] = [member("realm"), member("nonce"), member("algorithm") || "MD5"];
  const hash = (text: string): string =>
    createHash(/^sha-256/i.test(algorithm) ? "sha256" : "md5")
      .update(text)
      .digest("hex");
  const [cnonce, nc] = [randomBytes(8).toString("hex"), "00000001"];
  const secret = hash(`${user}:${realm}:${password}`);
  const request = hash(`${method}:${path}`);
  const withQop = member("qop")
    .split(",")
    .some((qop) => qop.trim() === "auth");
  const response = hash(
    withQop ? `${secret}:${nonce}:${nc}:${cnonce}:auth:${request}` : `${secret}:${nonce}:${request}`,
  );
  const opaque = member("opaque");
  const parts = [
    `username="${user}"`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri="${path}"`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
  ];
  if (opaque !== "") parts.push(`opaque="${opaque}"`);
  if (withQop) parts.push("qop=auth", `nc=${nc}`, `cnonce="${cnonce}"`);
  return `Digest ${parts.join(", ")}`;
}
