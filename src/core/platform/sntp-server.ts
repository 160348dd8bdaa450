/**
 * The time for devices without internet: answers SNTP on the LAN (RFC 4330, the server's side of RFC 5905). In:
 * requests by UDP. Out: the hub's wall time while it is trustworthy, otherwise an answer marked as unsynchronised;
 * never longer than the request. Must never know what the time is used for, or set any clock.
 */
import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { BlockList } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import type { ClockTrustState } from "../kernel/clock-trust.ts";
import type { Logger } from "../kernel/logger.ts";
import type { Service } from "../kernel/service.ts";
import { TokenBuckets } from "../kernel/token-bucket.ts";
import { reasonEnglish } from "../text/described-error.ts";
import type { Detail } from "../text/keys.ts";

/** Figures since start. */
export interface SntpFigures {
  /** Null while it does not serve. */
  readonly port: number | null;
  /** Why it does not serve; null while it does. */
  readonly reason: string | Detail | null;
  readonly served: number;
  /** Answers that reported an unknown time. */
  readonly unsynchronised: number;
  /** Requests beyond the rate of their address, from outside the LAN, or malformed. */
  readonly ignored: number;
}

const PACKET = 48;
const LONGEST_REQUEST = 256;
const CLIENT = 3;
const SERVER = 4;
/** Seconds from 1900, where NTP begins to count, to 1970. */
const EPOCH_OFFSET_S = 2_208_988_800;
const ALARM = 3;
const UNSYNCHRONISED = 16;
/**
 * What keeps the hub's time right is unknown here: far enough from a reference clock that a real server is preferred.
 */
const STRATUM = 5;
/** 127.127.1.1: a local clock, by the convention of ntpd. */
const LOCAL_CLOCK = 0x7f7f0101;
/** 2^-10 s: the wall clock is read in milliseconds. */
const PRECISION = -10;
/** Root dispersion, seconds: how wrong the time may be. */
const DISPERSION: Readonly<Record<"trusted" | "holdover", number>> = { trusted: 0.1, holdover: 1 };
/** Firmware asks a few times at its start and then every hour or less. */
const RATE = { quota: 12, periodMs: 60_000, burst: 8 };
const KISS = { quota: 1, periodMs: 60_000, burst: 1 };
const MOST_ADDRESSES = 2_000;
/** For all addresses together: senders' addresses can be forged, and no household asks this often. */
const RATE_IN_ALL = { quota: 200, periodMs: 1_000, burst: 400 };

/** An SNTP server on the LAN. */
export class SntpServer implements Service {
  readonly name = "sntp";
  readonly #options: ConstructorParameters<typeof SntpServer>[0];
  readonly #rates = new TokenBuckets(RATE, MOST_ADDRESSES);
  readonly #inAll = new TokenBuckets(RATE_IN_ALL, 1);
  readonly #kisses = new TokenBuckets(KISS, MOST_ADDRESSES);
  readonly #lan = lan();
  #socket: Socket | null = null;
  #port: number | null = null;
  #reason: string | Detail | null = { code: "sntp.notStarted" };
  #figures = { served: 0, unsynchronised: 0, ignored: 0 };

  constructor(options: {
    readonly host: string;
    /** 0 takes any free one. */
    readonly port: number;
    readonly trust: { state(): ClockTrustState };
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** The current state. */
  get figures(): SntpFigures {
    return { port: this.#port, reason: this.#reason, ...this.#figures };
  }

  /**
   * Binds the port. A port that is not available does not keep the hub from starting: {@link figures} has the reason.
   */
  async start(): Promise<void> {
    const { host, port, logger } = this.#options;
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    socket.on("message", (request, from) => this.#answer(socket, request, from));
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once("error", reject);
        socket.bind(port, host, resolve);
      });
      socket.removeAllListeners("error");
      socket.on("error", (error) => logger.warn({ err: error }, "the time server had a network error"));
      socket.unref();
      this.#socket = socket;
      this.#port = socket.address().port;
      this.#reason = null;
    } catch (error) {
      socket.close();
      this.#reason = whyNot(error, port);
      logger.info({ port, reason: reasonEnglish(this.#reason) }, "the time is not served to the LAN");
    }
  }

  /** Releases the port. */
  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    this.#port = null;
    this.#reason = { code: "sntp.stopped" };
    if (socket !== null) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  #answer(socket: Socket, request: Buffer, from: RemoteInfo): void {
    const receivedAt = this.#options.clock.now();
    const reply = this.#reply(request, from, receivedAt);
    if (reply === null) this.#figures.ignored += 1;
    else socket.send(reply, from.port, from.address, () => {}); // a client that has left asks again
  }

  #reply(request: Buffer, { address, family, port }: RemoteInfo, receivedAt: number): Buffer | null {
    const first = request[0] ?? 0;
    const version = (first >> 3) & 7;
    if (
      request.length < PACKET ||
      request.length > LONGEST_REQUEST ||
      (first & 7) !== CLIENT ||
      version < 1 ||
      version > 4
    )
      return null;
    if (port === 0 || !this.#lan.check(address.replace(/%.*$/, ""), family === "IPv6" ? "ipv6" : "ipv4")) return null;
    const { clock, trust } = this.#options;
    if (!this.#inAll.take("", clock.mono()).allowed) return null;
    if (!this.#rates.take(address, clock.mono()).allowed) {
      return this.#kisses.take(address, clock.mono()).allowed ? kiss(request, version, "RATE") : null;
    }
    const state = trust.state();
    if (state === "unknown") {
      this.#figures.unsynchronised += 1;
      return unsynchronised(request, version);
    }
    this.#figures.served += 1;
    return timed(request, version, { receivedAt, sentAt: clock.now(), dispersion: DISPERSION[state] });
  }
}

/** Fields that every answer has: mode and version, the client's poll interval and its own timestamp. */
function header(request: Buffer, version: number, fields: { readonly leap: number; readonly stratum: number }): Buffer {
  const reply = Buffer.alloc(PACKET);
  reply[0] = (fields.leap << 6) | (version << 3) | SERVER;
  reply[1] = fields.stratum;
  reply[2] = request[2] ?? 0;
  reply.writeInt8(PRECISION, 3);
  request.copy(reply, 24, 40, 48);
  return reply;
}

/** "Unsynchronised" by leap indicator and stratum, with no time in it that anybody could take. */
function unsynchronised(request: Buffer, version: number): Buffer {
  return header(request, version, { leap: ALARM, stratum: UNSYNCHRONISED });
}

/** A kiss-o'-death (RFC 5905 §7.4): ask less often. */
function kiss(request: Buffer, version: number, code: string): Buffer {
  const reply = header(request, version, { leap: ALARM, stratum: 0 });
  reply.write(code, 12, "ascii");
  return reply;
}

function timed(
  request: Buffer,
  version: number,
  times: { readonly receivedAt: number; readonly sentAt: number; readonly dispersion: number },
): Buffer {
  const reply = header(request, version, { leap: 0, stratum: STRATUM });
  reply.writeUInt32BE(Math.round(times.dispersion * 65_536), 8);
  reply.writeUInt32BE(LOCAL_CLOCK, 12);
  writeTimestamp(reply, 16, times.receivedAt);
  writeTimestamp(reply, 32, times.receivedAt);
  writeTimestamp(reply, 40, times.sentAt);
  return reply;
}

/** Seconds since 1900 and their fraction, 32 bits each; the count restarts in 2036 (RFC 4330 §3). */
function writeTimestamp(packet: Buffer, offset: number, epochMs: number): void {
  const seconds = Math.floor(epochMs / 1000);
  packet.writeUInt32BE((seconds + EPOCH_OFFSET_S) % 2 ** 32, offset);
  packet.writeUInt32BE(Math.floor(((epochMs - seconds * 1000) / 1000) * 2 ** 32), offset + 4);
}

/** Addresses of a LAN; others get no answer. */
function lan(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of [
    ["10.0.0.0", 8],
    ["172.16.0.0", 12],
    ["192.168.0.0", 16],
    ["169.254.0.0", 16],
    ["127.0.0.0", 8],
  ] as const)
    list.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of [
    ["fc00::", 7],
    ["fe80::", 10],
    ["::1", 128],
  ] as const)
    list.addSubnet(network, prefix, "ipv6");
  return list;
}

function whyNot(error: unknown, port: number): string | Detail {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EACCES") return { code: "sntp.notAllowed", port };
  if (code === "EADDRINUSE") return { code: "sntp.portTaken" };
  return error instanceof Error ? error.message : String(error);
}
