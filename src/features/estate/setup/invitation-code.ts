import { isIPv6 } from "node:net";

/** The content of an invitation's code: where the inviting hub is, how to recognise it, and the secret. */
export interface InvitationCode {
  /** Hosts with ports, the most likely first. */
  readonly addresses: readonly string[];
  /** The first half of the SHA-256 of its certificate, base64url. */
  readonly pin: string;
  readonly secret: string;
}

const PIN_BYTES = 16;
const MOST_ADDRESSES = 8;
const CODE = /^gatehouse-estate:([^/\s]{1,400})\/([\w-]{22})\/([\w-]{24})$/;
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/;

/** The text of a code: one word without any character that is special to a shell. */
export function codeText({ addresses, pin, secret }: InvitationCode): string {
  return `gatehouse-estate:${addresses.join(",")}/${pin}/${secret}`;
}

/** A typed or scanned code; null if it is invalid. */
export function readCode(text: string): InvitationCode | null {
  const [, list = "", pin = "", secret = ""] = CODE.exec(text.trim()) ?? [];
  const addresses = list.split(",");
  if (pin === "" || addresses.length > MOST_ADDRESSES || !addresses.every(isAddress)) return null;
  return { addresses, pin, secret };
}

/** How a code identifies a certificate. `fingerprint`: SHA-256 as Node gives it, hex with colons. */
export function pinOf(fingerprint: string): string {
  return Buffer.from(fingerprint.replaceAll(":", ""), "hex").subarray(0, PIN_BYTES).toString("base64url");
}

/** Host and port of an address in a code. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const [, host = "", port = ""] = ADDRESS.exec(address) ?? [];
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function isAddress(text: string): boolean {
  const { host, port } = hostAndPort(text);
  return port >= 1 && port <= 65_535 && (!text.startsWith("[") || isIPv6(host));
}
