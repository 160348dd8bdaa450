import { createHash, randomBytes, randomUUID } from "node:crypto";
import { authorizationFor, CameraTrouble } from "../snapshot.ts";
import { ANSWER_LIMITS, BadXml, escaped, first, parseXml, textOf, type XmlElement } from "./xml.ts";

/** Where requests go and who sends them. */
export interface SoapPeer {
  readonly url: string;
  /** Empty: requests are not signed. */
  readonly user: string;
  readonly password: string;
  /** The camera's clock minus the hub's: cameras refuse a signature with a wrong time. */
  readonly clockShiftMs: number;
}

/** One request. */
export interface SoapRequest {
  /** The action's address (https://www.onvif.org/specs/core/ONVIF-Core-Specification.pdf). */
  readonly action: string;
  /** What stands inside the SOAP body. */
  readonly body: string;
  readonly timeoutMs: number;
  /** Ends the request early. */
  readonly signal?: AbortSignal | undefined;
  /** What the subscription wants repeated in the header, as XML. */
  readonly header?: string;
}

/** The camera understood the request and refused it; the message is its own. */
export class SoapFault extends CameraTrouble {
  override readonly name = "SoapFault";
}

const WSSE = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const WSU = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const DIGEST = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest";
const BASE64 = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";

/**
 * Asks a camera and returns the content of its answer's body. Signs with a digest of the password, as ONVIF requires,
 * and, if the camera asks for it, over HTTP too. Redirects are not followed, and an answer is limited to
 * {@link ANSWER_LIMITS}.
 * @throws CameraTrouble when there is no usable answer; SoapFault when the camera refuses
 */
export async function callSoap(peer: SoapPeer, request: SoapRequest): Promise<XmlElement> {
  const url = new URL(peer.url);
  const body = envelope(peer, request);
  const late = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal === undefined ? late : AbortSignal.any([late, request.signal]);
  const headers = { "content-type": `application/soap+xml; charset=utf-8; action="${request.action}"` };
  const post = (more: Record<string, string>) =>
    fetch(url, { method: "POST", redirect: "manual", signal, body, headers: { ...headers, ...more } });
  try {
    const answer = await post({});
    const challenge = answer.headers.get("www-authenticate");
    if (answer.status !== 401 || challenge === null || peer.user === "")
      return read(answer.status, await bounded(answer));
    await answer.body?.cancel();
    const { user, password } = peer;
    const authorization = authorizationFor(challenge, {
      user,
      password,
      path: url.pathname + url.search,
      method: "POST",
    });
    const signed = await post({ authorization });
    return read(signed.status, await bounded(signed));
  } catch (error) {
    if (error instanceof CameraTrouble) throw error;
    if (error instanceof BadXml) throw new CameraTrouble({ code: "camera.notOnvif" }, { cause: error });
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw new CameraTrouble({ code: isLate ? "camera.timeout" : "camera.unreachable" }, { cause: error });
  }
}

function envelope(peer: SoapPeer, { action, body, header = "" }: SoapRequest): string {
  const addressing = `<a:Action>${action}</a:Action><a:MessageID>urn:uuid:${randomUUID()}</a:MessageID><a:To>${escaped(peer.url)}</a:To>`;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://www.w3.org/2005/08/addressing">' +
    `<s:Header>${addressing}${header}${security(peer)}</s:Header><s:Body>${body}</s:Body></s:Envelope>`
  );
}

/**
 * base64(sha1(nonce + created + password)):
 * https://docs.oasis-open.org/wss/v1.1/wss-v1.1-spec-os-UsernameTokenProfile.pdf §3.1.
 */
function security({ user, password, clockShiftMs }: SoapPeer): string {
  if (user === "") return "";
  const nonce = randomBytes(16);
  // the shift was measured against this box's wall clock
  const created = new Date(Date.now() + clockShiftMs).toISOString();
  const digest = createHash("sha1").update(nonce).update(created).update(password).digest("base64");
  return (
    `<w:Security xmlns:w="${WSSE}" s:mustUnderstand="1"><w:UsernameToken><w:Username>${escaped(user)}</w:Username>` +
    `<w:Password Type="${DIGEST}">${digest}</w:Password><w:Nonce EncodingType="${BASE64}">${nonce.toString("base64")}</w:Nonce>` +
    `<u:Created xmlns:u="${WSU}">${created}</u:Created></w:UsernameToken></w:Security>`
  );
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return "";
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    // a fetch body yields bytes
    size += chunk.length;
    if (size > ANSWER_LIMITS.characters) throw new CameraTrouble({ code: "camera.answerTooLarge" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function read(status: number, text: string): XmlElement {
  if (status === 401 || status === 403) throw new SoapFault({ code: "camera.refused" });
  const body = status < 300 || text.includes("Envelope") ? first(parseXml(text), "Body") : null;
  if (body === null) throw new CameraTrouble({ code: "camera.status", status });
  const fault = first(body, "Fault");
  if (fault === null) return body;
  const said = textOf(fault, "Text") ?? textOf(fault, "faultstring") ?? "no reason given";
  if (/NotAuthorized|FailedAuthentication/i.test(JSON.stringify(fault)))
    throw new SoapFault({ code: "camera.refused" });
  throw new SoapFault({ code: "camera.fault", said: said.slice(0, 200) });
}
