import type { Clock } from "../kernel/clock.ts";
import { type LiveClient, saidGoodbye } from "./aedes/client.ts";
import { deviceOfClient } from "./authorise.ts";

const MAX_GOODBYES = 10_000;

/** The connected clients of each device, and since when the others have been away. */
export class DeviceConnections {
  readonly #clock: Clock;
  readonly #clients = new Map<string, Set<LiveClient>>();
  /** Monotonic time by client id: sessions without a connection. Counted from zero after a restart. */
  readonly #awaySince = new Map<string, number>();
  /** Clients whose last connection ended with DISCONNECT, the oldest first: none of their messages is in flight. */
  readonly #saidGoodbye = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The connected clients of a device. */
  of(deviceId: string): LiveClient[] {
    return [...(this.#clients.get(deviceId) ?? [])];
  }

  /** Every connected client. */
  all(): LiveClient[] {
    return [...this.#clients.values()].flatMap((clients) => [...clients]);
  }

  /** Connected devices. */
  get devices(): number {
    return this.#clients.size;
  }

  /** A known session without a connection. */
  away(clientId: string): void {
    this.#awaySince.set(clientId, this.#clock.mono());
  }

  /** Forgets a session that is no more. */
  gone(clientId: string): void {
    this.#awaySince.delete(clientId);
  }

  /** Whether a client that connects may send again what was in flight: its last connection broke, or is not known. */
  mayRepeat(clientId: string): boolean {
    return !this.#saidGoodbye.delete(clientId);
  }

  /** A client connected. Returns whether it is the device's first. */
  add(deviceId: string, client: LiveClient): boolean {
    this.#awaySince.delete(client.id);
    const clients = this.#clients.get(deviceId) ?? new Set();
    this.#clients.set(deviceId, clients);
    clients.add(client);
    return clients.size === 1;
  }

  /** A client has disconnected. Returns whether it was the device's last. */
  remove(deviceId: string, client: LiveClient): boolean {
    const clients = this.#clients.get(deviceId);
    if (!clients?.delete(client)) return false;
    if (!client.clean) this.away(client.id);
    if (saidGoodbye(client)) this.#goodbye(client.id);
    if (clients.size > 0) return false;
    this.#clients.delete(deviceId);
    return true;
  }

  #goodbye(clientId: string): void {
    this.#saidGoodbye.add(clientId);
    if (this.#saidGoodbye.size <= MAX_GOODBYES) return;
    const [oldest] = this.#saidGoodbye;
    if (oldest !== undefined) this.#saidGoodbye.delete(oldest);
  }

  /** Sessions unused for `expiryMs`. */
  expired(expiryMs: number): string[] {
    const limit = this.#clock.mono() - expiryMs;
    return [...this.#awaySince].filter(([, since]) => since <= limit).map(([clientId]) => clientId);
  }

  /** The sessions of a device that are away, longest first. */
  awayOf(deviceId: string): string[] {
    return [...this.#awaySince.keys()].filter((clientId) => deviceOfClient(clientId) === deviceId);
  }
}
