import type { ResponsePacket } from "multicast-dns";

/** One resource record as it goes over the wire. */
export type DnsRecord = NonNullable<ResponsePacket["answers"]>[number];

/** A service that is announced, without `.local`. */
export interface AnnouncedService {
  /** For example `_http._tcp`. */
  readonly type: string;
  readonly port: number;
  /** Key and value pairs of its TXT record. */
  readonly txt: Readonly<Record<string, string>>;
}

/** What is announced to the network. */
export interface Announcement {
  /** Host name without `.local`. */
  readonly host: string;
  /** Name that people see in lists of services; may contain spaces. */
  readonly instance: string;
  readonly services: readonly AnnouncedService[];
}

/** One address of an interface. */
export interface InterfaceAddress {
  readonly address: string;
  readonly netmask: string;
  readonly family: "IPv4" | "IPv6";
  /** Interface, such as `eth0`. */
  readonly name: string;
}

/** Seconds for which others may cache records about a host, and all other records (RFC 6762 §10). */
const HOST_TTL = 120;
const OTHER_TTL = 4_500;
const ALL_SERVICES = "_services._dns-sd._udp.local";

/** Every record of the hub on one interface; `ttl` 0 withdraws them. */
export function recordsOf(
  { host, instance, services }: Announcement,
  addresses: readonly InterfaceAddress[],
  ttl?: 0,
): DnsRecord[] {
  const hostName = `${host}.local`;
  const address = ({ address: data, family }: InterfaceAddress): DnsRecord => ({
    type: family === "IPv4" ? "A" : "AAAA",
    name: hostName,
    ttl: ttl ?? HOST_TTL,
    flush: true,
    data,
  });
  const service = ({ type, port, txt }: AnnouncedService): DnsRecord[] => {
    const name = `${instance}.${type}.local`;
    const text = Object.entries(txt).map(([key, value]) => `${key}=${value}`);
    return [
      { type: "PTR", name: ALL_SERVICES, ttl: ttl ?? OTHER_TTL, data: `${type}.local` },
      { type: "PTR", name: `${type}.local`, ttl: ttl ?? OTHER_TTL, data: name },
      {
        type: "SRV",
        name,
        ttl: ttl ?? HOST_TTL,
        flush: true,
        data: { port, target: hostName, priority: 0, weight: 0 },
      },
      { type: "TXT", name, ttl: ttl ?? OTHER_TTL, flush: true, data: text.length === 0 ? [""] : text },
    ];
  };
  return [...addresses.map(address), ...services.flatMap(service)];
}

/** The records that answer one question, and those that the asker will want next. */
export function answersTo(
  question: { readonly name: string; readonly type: string },
  records: readonly DnsRecord[],
): { answers: DnsRecord[]; additionals: DnsRecord[] } {
  const name = question.name.toLowerCase();
  const answers = records.filter(
    (record) => record.name.toLowerCase() === name && (question.type === "ANY" || record.type === question.type),
  );
  const wanted = new Set<string>();
  for (const answer of answers) {
    if (answer.type === "PTR") wanted.add(answer.data.toLowerCase());
    if (answer.type === "SRV") wanted.add(answer.data.target.toLowerCase());
  }
  // Follows one level of references: a reader of an instance needs its host too.
  for (const record of records)
    if (record.type === "SRV" && wanted.has(record.name.toLowerCase())) wanted.add(record.data.target.toLowerCase());
  const additionals =
    answers.length === 0
      ? []
      : records.filter(
          (record) => wanted.has(record.name.toLowerCase()) && record.type !== "PTR" && !answers.includes(record),
        );
  return { answers, additionals };
}

/**
 * Which of two hosts that claim one name at the same moment gets it (RFC 6762 §8.2, reduced to the first in its order,
 * the IPv4 addresses): above 0 the first, below 0 the second, 0 if both are the same.
 */
export function compareClaims(own: readonly DnsRecord[], other: readonly DnsRecord[]): number {
  const keys = (records: readonly DnsRecord[]): string[] =>
    records
      .flatMap((record) => (record.type === "A" ? [(asNumber(record.data) >>> 0).toString(16).padStart(8, "0")] : []))
      .sort();
  const [ours, theirs] = [keys(own), keys(other)];
  if (theirs.length === 0) return -1; // every other type comes later
  const at = ours.findIndex((key, index) => key !== theirs[index]);
  if (at === -1) return ours.length - theirs.length;
  const key = theirs[at];
  return key === undefined || (ours[at] ?? "") > key ? 1 : -1;
}

/** Seconds for which a record may be cached; undefined for records without a TTL. */
export function ttlOf(record: DnsRecord): number | undefined {
  return "ttl" in record ? record.ttl : undefined;
}

/** Whether two IPv4 addresses are in one network. */
export function inNetwork(address: string, { address: own, netmask }: InterfaceAddress): boolean {
  const mask = asNumber(netmask);
  return (asNumber(address) & mask) === (asNumber(own) & mask);
}

function asNumber(address: string): number {
  return address.split(".").reduce((sum, part) => (sum << 8) | Number(part), 0);
}
