import { networkInterfaces } from "node:os";
import makeMulticastDns, { type MulticastDNS, type QueryPacket, type ResponsePacket } from "multicast-dns";
import type { Clock, Timer } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { Service } from "../kernel/service.ts";
import { TokenBuckets } from "../kernel/token-bucket.ts";
import {
  type AnnouncedService,
  type Announcement,
  answersTo,
  compareClaims,
  type DnsRecord,
  type InterfaceAddress,
  inNetwork,
  recordsOf,
  ttlOf,
} from "./mdns-records.ts";

interface Link {
  readonly own: InterfaceAddress;
  readonly mdns: MulticastDNS;
  /** When each record was last multicast here. */
  readonly toldMono: Map<string, number>;
}

const PORT = 5_353;
/** RFC 6762 §8.1: three questions, a quarter of a second apart. */
const PROBES = 3;
const PROBE_GAP_MS = 250;
const ANNOUNCE_GAP_MS = 1_000;
/** RFC 6762 §8.2: the loser of a tie probes again after this. */
const DEFER_MS = 1_000;
/** A name that is disputed again within this time is given up. */
const CONTEST_MS = 10_000;
const LOOK_MS = 5_000;
const MOST_NAMES = 50;
/** Maximum questions of a packet that are answered. */
const MOST_QUESTIONS = 32;
/**
 * RFC 6762 §6: a record that was just multicast is not repeated; a host that is about to claim a name learns sooner
 * that it is taken.
 */
const REPEAT_MS = { question: 1_000, probe: 250 };
/**
 * Limits answers to one address: its packets could be forged to direct the hub's many records at a victim (RFC 6762
 * §6.7 asks for few).
 */
const DIRECT = { quota: 20, periodMs: 10_000, burst: 20 };
const MOST_ADDRESSES = 1_000;

/**
 * Answers for the hub's name and services on the local network (RFC 6762, 6763), on each interface with the addresses
 * of that interface. Owns the names; appends a number when another host has the name. Never throws once started: a
 * missing network, or another program on the port, is retried.
 */
export class MdnsResponder implements Service {
  readonly name = "mdns";
  readonly #options: ConstructorParameters<typeof MdnsResponder>[0];
  #links: Link[] = [];
  #number: number;
  #phase: "stopped" | "probing" | "announced" = "stopped";
  #known: string | null = null;
  #timers: Timer[] = [];
  #round = 0;
  #contestedMono = Number.NEGATIVE_INFINITY;
  readonly #direct = new TokenBuckets(DIRECT, MOST_ADDRESSES);

  constructor(options: {
    /** Desired host name, without `.local`; if taken, it gets a number. */
    readonly host: string;
    /** Name that people see. */
    readonly title: string;
    /** Distinguishes this hub from every other; the TXT record of each service has it as `id`. */
    readonly id: string;
    /** Read at every answer. */
    readonly services: () => readonly AnnouncedService[];
    readonly addresses: () => readonly InterfaceAddress[];
    /**
     * The number that this host's name last had, 1 for none: two hubs keep their names when they start in another order
     * (RFC 6762 §9).
     */
    readonly number?: number;
    /** The name was checked, and has this number. */
    readonly settled?: (number: number) => void;
    /** The name in force, or the addresses, have changed. */
    readonly changed: (hostName: string) => void;
    readonly port?: number;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#number = options.number ?? 1;
  }

  /** The name in force, with `.local`. */
  get hostName(): string {
    return `${this.#announcement().host}.local`;
  }

  /** Whether the name was checked and is announced. */
  get announced(): boolean {
    return this.#phase === "announced";
  }

  /** Opens a socket on each interface and begins to look for others with the same name. */
  async start(): Promise<void> {
    this.#look();
    this.#timers = [this.#options.clock.every(LOOK_MS, () => this.#look())];
  }

  /** Withdraws the records, so that no host caches them, and closes the sockets. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
    this.#round += 1;
    if (this.#phase === "announced") await this.#farewell();
    this.#phase = "stopped";
    await this.#close();
    this.#known = null;
  }

  /** Announces again, after the hub was claimed or a port changed. */
  announce(): void {
    if (this.#phase !== "announced") return;
    for (const link of this.#links) link.mdns.respond({ answers: this.#records(link) });
  }

  /** Looks for new addresses, cables and networks every few seconds. */
  #look(): void {
    const addresses = this.#options.addresses();
    const known = addresses
      .map(({ name, address }) => `${name} ${address}`)
      .sort()
      .join(", ");
    if (known === this.#known) return;
    const isFirst = this.#known === null;
    this.#known = known;
    void this.#close().then(() => {
      this.#links = addresses.filter(({ family }) => family === "IPv4").flatMap((own) => this.#open(own));
      this.#options.logger.info(
        { addresses: known || "none", name: this.hostName },
        isFirst ? "announcing on the local network" : "the network has changed",
      );
      this.#probe();
      if (!isFirst) this.#options.changed(this.hostName);
    });
  }

  #open(own: InterfaceAddress): Link[] {
    // Bound to no address: a socket that is bound to one receives no multicast.
    const mdns = makeMulticastDns({
      interface: own.address,
      bind: "0.0.0.0",
      port: this.#options.port ?? PORT,
      reuseAddr: true,
      loopback: true,
    });
    const link = { own, mdns, toldMono: new Map<string, number>() };
    mdns.on("error", (error: unknown) =>
      this.#options.logger.warn({ err: error, interface: own.name }, "names cannot be announced here"),
    );
    mdns.on("warning", () => {}); // packets of others that cannot be read
    mdns.on("query", (packet, from) => this.#answer(link, packet, from));
    mdns.on("response", (packet) => this.#hear(packet));
    return [link];
  }

  #probe(): void {
    this.#phase = "probing";
    const round = ++this.#round;
    const { clock } = this.#options;
    const step = (count: number): void => {
      if (round !== this.#round) return;
      if (count === PROBES) {
        this.#settle(round);
        return;
      }
      for (const link of this.#links) {
        // the types leave ANY out
        const questions = [this.hostName, ...this.#instances()].map((name) => ({ name, type: "ANY" as never }));
        link.mdns.query({ questions, authorities: this.#claim(link) });
      }
      clock.after(PROBE_GAP_MS, () => step(count + 1));
    };
    step(0);
  }

  /** The name is free: announced twice (RFC 6762 §8.3). */
  #settle(round: number): void {
    this.#phase = "announced";
    this.announce();
    this.#options.clock.after(ANNOUNCE_GAP_MS, () => {
      if (round === this.#round) this.announce();
    });
    this.#options.settled?.(this.#number);
    if (this.#number > 1) this.#options.changed(this.hostName);
  }

  /**
   * Another host probes for the same name at the same moment: one of the two waits, and then receives the other's
   * announcement.
   */
  #yield(link: Link, { authorities }: QueryPacket, from: { address: string }): void {
    if (this.#phase !== "probing" || this.#options.addresses().some(({ address }) => address === from.address)) return;
    const theirs = (authorities ?? []).filter((record) => record.name.toLowerCase() === this.hostName.toLowerCase());
    if (theirs.length === 0 || compareClaims(this.#claim(link), theirs) >= 0) return;
    const round = ++this.#round;
    this.#options.clock.after(DEFER_MS, () => {
      if (round === this.#round) this.#probe();
    });
  }

  #answer(link: Link, packet: QueryPacket, from: { address: string; port: number }): void {
    this.#yield(link, packet, from);
    if (this.#phase !== "announced" || !inNetwork(from.address, link.own)) return;
    const records = this.#records(link);
    const questions = (packet.questions ?? []).slice(0, MOST_QUESTIONS);
    const found = questions.map((question) => answersTo(question, records));
    const known = packet.answers ?? [];
    const answers = [...new Set(found.flatMap((part) => part.answers))].filter(
      (answer) => !known.some((other) => isSame(answer, other)),
    );
    if (answers.length === 0) return;
    const additionals = [...new Set(found.flatMap((part) => part.additionals))].filter(
      (record) => !answers.includes(record),
    );
    // RFC 6762 §6.7: it wants its own id and question back
    const isPlainResolver = from.port !== (this.#options.port ?? PORT);
    const now = this.#options.clock.mono();
    if (isPlainResolver) {
      if (!this.#direct.take(from.address, now).allowed) return;
      const reply = {
        id: "id" in packet ? packet.id : 0,
        questions,
        answers: answers.map(withoutFlush),
        additionals: additionals.map(withoutFlush),
      };
      // the library takes any address and port
      link.mdns.respond(reply as Parameters<MulticastDNS["respond"]>[0], { ...from, family: "IPv4", size: 0 } as never);
      return;
    }
    const repeatMs = (packet.authorities ?? []).length > 0 ? REPEAT_MS.probe : REPEAT_MS.question;
    const fresh = answers.filter(
      (record) => now - (link.toldMono.get(keyOf(record)) ?? Number.NEGATIVE_INFINITY) >= repeatMs,
    );
    if (fresh.length === 0) return;
    for (const record of fresh) link.toldMono.set(keyOf(record), now);
    link.mdns.respond({ answers: fresh, additionals });
  }

  /** Another host's records under this hub's names: another address for the host, another hub for the service. */
  #hear(packet: ResponsePacket): void {
    if (this.#phase === "stopped") return;
    const hostName = this.hostName.toLowerCase();
    const instances = this.#instances();
    const own = new Set(this.#options.addresses().map(({ address }) => address));
    const isTaken = [...(packet.answers ?? []), ...(packet.additionals ?? [])].some((record) => {
      if (ttlOf(record) === 0) return false;
      const name = record.name.toLowerCase();
      if (name === hostName && record.type === "A") return !own.has(record.data);
      return (
        record.type === "TXT" && instances.includes(name) && !textOf(record.data).includes(`id=${this.#options.id}`)
      );
    });
    if (isTaken) this.#contest();
  }

  /**
   * A hub that has just announced the name probes again: the other may have started at the same moment. Otherwise it
   * gives up the name.
   */
  #contest(): void {
    const { clock, logger } = this.#options;
    const isFirst = this.#phase === "announced" && clock.mono() - this.#contestedMono > CONTEST_MS;
    const taken = this.hostName;
    if (isFirst) this.#contestedMono = clock.mono();
    else if (this.#number < MOST_NAMES) this.#number += 1;
    else return;
    logger.warn({ taken, now: this.hostName }, "another machine has this name");
    this.#probe();
  }

  /** The host's own address records on one interface. */
  #claim(link: Link): DnsRecord[] {
    return this.#records(link).filter(({ type }) => type === "A" || type === "AAAA");
  }

  #records({ own }: Link, ttl?: 0): DnsRecord[] {
    const here = this.#options.addresses().filter(({ name }) => name === own.name);
    return recordsOf(this.#announcement(), here, ttl);
  }

  #announcement(): Announcement {
    const suffix = this.#number === 1 ? "" : `-${this.#number}`;
    const { host, title, id } = this.#options;
    // Each service carries the id: without it the hub would mistake its own packets, which it also receives, for
    // another host's.
    const services = this.#options.services().map((service) => ({ ...service, txt: { ...service.txt, id } }));
    return { host: `${host}${suffix}`, instance: `${title}${suffix}`, services };
  }

  #instances(): string[] {
    const { instance, services } = this.#announcement();
    return services.map(({ type }) => `${instance}.${type}.local`.toLowerCase());
  }

  async #farewell(): Promise<void> {
    await Promise.all(
      this.#links.map(
        (link) =>
          new Promise<void>((done) => link.mdns.respond({ answers: this.#records(link, 0) }, undefined, () => done())),
      ),
    );
  }

  async #close(): Promise<void> {
    const links = this.#links;
    this.#links = [];
    await Promise.all(links.map(({ mdns }) => new Promise<void>((done) => mdns.destroy(() => done()))));
  }
}

/**
 * Addresses of this machine that others can reach, with their interfaces; including link-local IPv4: two boxes on one
 * cable.
 */
export function interfaceAddresses(): InterfaceAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    (addresses ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith("fe80"))
      .map(({ address, netmask, family }) => ({ name, address, netmask, family })),
  );
}

function isSame(one: DnsRecord, other: DnsRecord): boolean {
  return (
    one.type === other.type &&
    one.name === other.name &&
    one.type === "PTR" &&
    other.type === "PTR" &&
    one.data === other.data &&
    (ttlOf(other) ?? 0) > 2_000
  );
}

function keyOf(record: DnsRecord): string {
  return `${record.type} ${record.name} ${"data" in record ? JSON.stringify(record.data) : ""}`;
}

function withoutFlush(record: DnsRecord): DnsRecord {
  return "flush" in record ? { ...record, flush: false } : record;
}

function textOf(data: unknown): string[] {
  return (Array.isArray(data) ? data : [data]).map(String);
}
