/**
 * What the hub's own authority may vouch for (X.509 name constraints, RFC 5280 §4.2.1.10): names that no public
 * resolver answers for, and addresses that are not routed on the internet. The list is the same for every hub and never
 * follows its settings, so a renamed hub keeps its authority, and a thief of the authority's key cannot impersonate a
 * site on the internet.
 */
import { BlockList, isIP } from "node:net";

/** Name constraints, `id-ce-nameConstraints`. */
export const NAME_CONSTRAINTS = "2.5.29.30";

/** A name permits everything below it too. */
const NAMES = ["local", "localhost", "lan", "home.arpa", "internal"];
/** Private (RFC 1918), loopback, link-local; the same of IPv6. */
const RANGES: readonly (readonly [address: string, bits: number])[] = [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["127.0.0.0", 8],
  ["fc00::", 7],
  ["fe80::", 10],
  ["::1", 128],
];

const ranges = new BlockList();
for (const [address, bits] of RANGES) ranges.addSubnet(address, bits, isIP(address) === 4 ? "ipv4" : "ipv6");

/**
 * Whether the constraints permit a DNS name or an address. One that is not permitted would invalidate the whole
 * certificate.
 */
export function isPermitted(nameOrAddress: string): boolean {
  const family = isIP(nameOrAddress);
  if (family !== 0) return ranges.check(nameOrAddress, family === 4 ? "ipv4" : "ipv6");
  const name = nameOrAddress.toLowerCase();
  return NAMES.some((permitted) => name === permitted || name.endsWith(`.${permitted}`));
}

/** The extension's value in DER. */
export function nameConstraints(): Buffer {
  const subtrees = [
    ...NAMES.map((name) => der(0x82, Buffer.from(name))), // [2] dNSName
    ...RANGES.map(([address, bits]) =>
      der(0x87, Buffer.concat([bytesOf(address), maskOf(bits, isIP(address) === 4 ? 4 : 16)])),
    ), // [7] iPAddress
  ].map((base) => der(0x30, base));
  return der(0x30, der(0xa0, Buffer.concat(subtrees))); // [0] permittedSubtrees
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const zeros = new Array<number>(8 - groups(head).length - groups(tail).length).fill(0);
  return Buffer.from([...groups(head), ...zeros, ...groups(tail)].flatMap((group) => [group >> 8, group & 0xff]));
}

function maskOf(bits: number, length: number): Buffer {
  return Buffer.from(
    Array.from({ length }, (_, index) => 0xff & ~(0xff >> Math.min(8, Math.max(0, bits - index * 8)))),
  );
}
