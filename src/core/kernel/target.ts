import type { LookupAddress, LookupOptions } from "node:dns";
import { isIPv4, isIPv6 } from "node:net";
import { detailEnglish } from "../text/english.ts";
import type { Detail } from "../text/keys.ts";

/** The allowed targets of a call. */
export interface TargetPolicy {
  /** Receivers on this machine are allowed (never the hub's own ports). */
  readonly allowLoopback: boolean;
  /** Ports the hub itself listens on. */
  readonly ownPorts: () => readonly number[];
  /** Addresses of this machine. */
  readonly ownAddresses: () => readonly string[];
}

/** Why something may not be called, in words that every language has. */
export type WhyNot = Extract<Detail, { readonly code: `refusal.address.${string}` }>;

/**
 * Why an address is refused; null when it may be called. Local network addresses may: receivers at home are the point.
 */
export function refusedAddress(address: string, port: number, policy: TargetPolicy): WhyNot | null {
  const plain = (address.split("%")[0] ?? "").replace(/^\[|\]$/g, "");
  const bytes = isIPv4(plain) ? plain.split(".").map(Number) : embeddedIPv4(plain);
  const loopback = bytes === null ? /^0*:[0:]*:0*1$/.test(plain) : bytes[0] === 127;
  if (loopback && !policy.allowLoopback) return { code: "refusal.address.loopback" };
  const kind = loopback ? null : bytes === null ? refusedIPv6(plain) : refusedIPv4(bytes);
  if (kind !== null) return kind;
  const own = loopback || policy.ownAddresses().some((mine) => sameAddress(mine, plain));
  return own && policy.ownPorts().includes(port) ? { code: "refusal.address.hub" } : null;
}

/** Why a URL cannot be a receiver; null when it can. Names are judged when they are resolved. */
export function refusedUrl(text: string, policy: TargetPolicy): WhyNot | null {
  if (text.length > 2_000) return { code: "refusal.address.tooLong" };
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { code: "refusal.address.noAddress" };
  if (url.protocol !== "http:" && url.protocol !== "https:") return { code: "refusal.address.scheme" };
  if (url.username !== "" || url.password !== "") return { code: "refusal.address.signIn" };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (/^localhost\.?$|\.localhost\.?$/i.test(host) && !policy.allowLoopback)
    return { code: "refusal.address.loopback" };
  return isIPv4(host) || isIPv6(host) ? refusedAddress(host, portOf(url), policy) : null;
}

/** The port a URL names or implies. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Resolves a name to all its addresses; `dns.lookup` with `all` fits. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The callback of a socket's `lookup`, which wants one address or all. */
type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * A `lookup` for sockets that lets only allowed addresses through. The socket connects to the address returned here
 * without another lookup, so a name cannot change its meaning between check and use.
 */
export function filteringLookup(resolve: Resolve, port: number, policy: TargetPolicy) {
  return (hostname: string, options: LookupOptions, done: LookupDone): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, "");
      const allowed = addresses.filter((entry) => refusedAddress(entry.address, port, policy) === null);
      const first = allowed[0];
      if (first === undefined) {
        const reason = addresses
          .map((entry) => refusedAddress(entry.address, port, policy))
          .find((why) => why !== null);
        return done(
          Object.assign(
            new Error(`refused: ${reason === undefined ? "the name has no address" : detailEnglish(reason)}`),
            { code: "ETARGET" },
          ),
          "",
        );
      }
      return options.all === true ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}

function refusedIPv4(bytes: readonly number[]): WhyNot | null {
  const [a = 0, b = 0] = bytes;
  if (a === 0) return { code: "refusal.address.unspecified" };
  if (a === 169 && b === 254) return { code: "refusal.address.linkLocal" };
  if (a >= 224) return { code: "refusal.address.multicast" };
  return null;
}

function refusedIPv6(address: string): WhyNot | null {
  const [first = 0, ...rest] = groups(address);
  if (first === 0 && rest.every((group) => group === 0)) return { code: "refusal.address.unspecified" };
  if ((first & 0xffc0) === 0xfe80) return { code: "refusal.address.linkLocal" };
  if ((first & 0xff00) === 0xff00) return { code: "refusal.address.multicast" };
  return null;
}

/** The IPv4 address inside an IPv4-mapped, -compatible, translated (64:ff9b::/96) or 6to4 address. */
function embeddedIPv4(address: string): number[] | null {
  const all = groups(address);
  const [g0 = 0, g1 = 0, g2 = 0, g3 = 0, g4 = 0, g5 = 0, g6 = 0, g7 = 0] = all;
  const bytes = (high: number, low: number): number[] => [high >> 8, high & 255, low >> 8, low & 255];
  if (g0 === 0x2002) return bytes(g1, g2);
  const head = g0 === 0 && g1 === 0 && g2 === 0 && g3 === 0;
  if (head && g4 === 0 && g5 === 0xffff) return bytes(g6, g7);
  if (head && g4 === 0xffff && g5 === 0) return bytes(g6, g7);
  if (head && g4 === 0 && g5 === 0 && (g6 !== 0 || g7 > 1)) return bytes(g6, g7);
  if (g0 === 0x64 && g1 === 0xff9b && g2 === 0 && g3 === 0 && g4 === 0 && g5 === 0) return bytes(g6, g7);
  return null;
}

/** The eight groups of an IPv6 address. */
function groups(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text =
    dotted === null
      ? address
      : `${dotted[1]}${(Number(dotted[2]) * 256 + Number(dotted[3])).toString(16)}:${(Number(dotted[4]) * 256 + Number(dotted[5])).toString(16)}`;
  const [left = "", right] = text.split("::");
  const parse = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const head = parse(left);
  if (right === undefined) return head;
  const tail = parse(right);
  return [...head, ...new Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
}

function sameAddress(left: string, right: string): boolean {
  if (left === right) return true;
  const bytes = isIPv6(right) ? embeddedIPv4(right) : null;
  if (bytes !== null && isIPv4(left)) return bytes.join(".") === left;
  return isIPv6(left) && isIPv6(right) && groups(left.split("%")[0] ?? "").join() === groups(right).join();
}
