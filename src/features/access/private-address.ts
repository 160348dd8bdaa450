import { BlockList, isIP } from "node:net";

/**
 * Whether an address belongs to the home or the machine itself: loopback, RFC 1918, link-local, unique local (RFC
 * 4193), and the shared range that private overlays use (RFC 6598).
 */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  const version = isIP(plain);
  return version !== 0 && privateRanges().check(plain, version === 4 ? "ipv4" : "ipv6");
}

function privateRanges(): BlockList {
  const ranges = new BlockList();
  ranges.addSubnet("127.0.0.0", 8, "ipv4");
  ranges.addSubnet("10.0.0.0", 8, "ipv4");
  ranges.addSubnet("172.16.0.0", 12, "ipv4");
  ranges.addSubnet("192.168.0.0", 16, "ipv4");
  ranges.addSubnet("169.254.0.0", 16, "ipv4");
  ranges.addSubnet("100.64.0.0", 10, "ipv4");
  ranges.addAddress("::1", "ipv6");
  ranges.addSubnet("fe80::", 10, "ipv6");
  ranges.addSubnet("fc00::", 7, "ipv6");
  return ranges;
}
